/* A statistic that is written under the shared lock. What the writer does is in order.
 * races: a-a
 */
#include "subject.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared, hits;

static void *reader(void *unused) {
    pthread_rwlock_rdlock(&lock);
    int copy = shared;
    hits++; /* @a */
    pthread_rwlock_unlock(&lock);
    (void)copy;
    return unused;
}

static void *writer(void *unused) {
    pthread_rwlock_wrlock(&lock);
    shared++;
    hits = 0;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    run_three(reader, reader, writer);
    return 0;
}
