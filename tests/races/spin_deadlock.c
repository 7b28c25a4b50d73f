/* Spin locks in two orders.
 * races: none
 * deadlocks: p+q
 */
#include "subject.h"

static pthread_spinlock_t a, b;

static void *first(void *unused) {
    pthread_spin_lock(&a);
    pthread_spin_lock(&b); /* @p */
    pthread_spin_unlock(&b);
    pthread_spin_unlock(&a);
    return unused;
}

static void *second(void *unused) {
    pthread_spin_lock(&b);
    pthread_spin_lock(&a); /* @q */
    pthread_spin_unlock(&a);
    pthread_spin_unlock(&b);
    return unused;
}

int main(void) {
    pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
    run_two(first, second);
    return 0;
}
