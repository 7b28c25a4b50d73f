/* Readers and a writer, each with its kind of lock.
 * races: none
 */
#include "subject.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared;

static void *reader(void *unused) {
    pthread_rwlock_rdlock(&lock);
    int copy = shared;
    pthread_rwlock_unlock(&lock);
    (void)copy;
    return unused;
}

static void *writer(void *unused) {
    pthread_rwlock_wrlock(&lock);
    shared++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    run_three(reader, reader, writer);
    return 0;
}
