/* Released one statement too early.
 * races: a-b b-b
 */
#include "subject.h"

static pthread_spinlock_t lock;
static int counter;

static void *add(void *unused) {
    pthread_spin_lock(&lock);
    int next = counter + 1; /* @a */
    pthread_spin_unlock(&lock);
    counter = next; /* @b */
    return unused;
}

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    run_two(add, add);
    pthread_spin_destroy(&lock);
    return 0;
}
