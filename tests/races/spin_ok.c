/* pthread_spin_lock protects like a mutex.
 * races: none
 */
#include "subject.h"

static pthread_spinlock_t lock;
static int counter;

static void *add(void *unused) {
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    run_two(add, add);
    pthread_spin_destroy(&lock);
    return counter != 2;
}
