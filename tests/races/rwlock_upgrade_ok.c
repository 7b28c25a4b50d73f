/* Reads with the shared lock, gives it back, and writes with the exclusive one.
 * races: none
 */
#include "subject.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared;

static void *upgrade(void *unused) {
    pthread_rwlock_rdlock(&lock);
    int seen = shared;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    shared = seen + 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    run_two(upgrade, upgrade);
    return 0;
}
