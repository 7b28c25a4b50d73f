/* A writer that only tries.
 * races: none
 */
#include "subject.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared;

static void *reader(void *unused) {
    if (pthread_rwlock_tryrdlock(&lock) != 0) return unused;
    int copy = shared;
    pthread_rwlock_unlock(&lock);
    (void)copy;
    return unused;
}

static void *writer(void *unused) {
    if (pthread_rwlock_trywrlock(&lock) != 0) return unused;
    shared++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    run_two(reader, writer);
    return 0;
}
