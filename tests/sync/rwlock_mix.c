/* Readers see both halves of what writers change together, with either preference and with try and timed
 * locks among them. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

static pthread_rwlock_t plain = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t writers_first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct { int left, right; } pairs[2];

static void *work(void *unused) {
    (void)unused;
    pthread_rwlock_t *locks[2] = {&plain, &writers_first};
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_rwlock_rdlock(locks[i]) == 0);
        CHECK(pairs[i].left == pairs[i].right);
        CHECK(pthread_rwlock_trywrlock(locks[i]) == EBUSY);
        CHECK(pthread_rwlock_unlock(locks[i]) == 0);
        CHECK(pthread_rwlock_wrlock(locks[i]) == 0);
        CHECK(pthread_rwlock_wrlock(locks[i]) == EDEADLK);
        pairs[i].left++;
        pairs[i].right++;
        CHECK(pthread_rwlock_unlock(locks[i]) == 0);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 100;
        int result = pthread_rwlock_timedrdlock(locks[i], &until);
        CHECK(result == 0 || result == ETIMEDOUT);
        if (result) continue;
        CHECK(pairs[i].left == pairs[i].right);
        CHECK(pthread_rwlock_unlock(locks[i]) == 0);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK(pairs[0].left == 3 && pairs[1].left == 3);
    CHECK(pthread_rwlock_destroy(&plain) == 0);
    return 0;
}
