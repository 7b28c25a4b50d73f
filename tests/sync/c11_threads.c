/* C11 threads: call_once, plain and recursive mutexes, a condition, thread-specific storage with its
 * destructor. */
#include <threads.h>
#include <time.h>

#include "check.h"

enum { THREADS = 2 };
static once_flag flag = ONCE_FLAG_INIT;
static mtx_t plain, recursive;
static cnd_t cond;
static tss_t key;
static int initialised, done, destroyed;

static void count_destroyed(void *value) {
    CHECK(value != NULL);
    mtx_lock(&plain);
    destroyed++;
    mtx_unlock(&plain);
}
static void initialise(void) {
    initialised++;
    CHECK(mtx_init(&plain, mtx_plain) == thrd_success);
    CHECK(mtx_init(&recursive, mtx_recursive | mtx_timed) == thrd_success);
    CHECK(cnd_init(&cond) == thrd_success);
    CHECK(tss_create(&key, count_destroyed) == thrd_success);
}

static int work(void *argument) {
    call_once(&flag, initialise);
    CHECK(initialised == 1);
    CHECK(tss_set(key, argument) == thrd_success && tss_get(key) == argument);
    CHECK(mtx_lock(&recursive) == thrd_success && mtx_trylock(&recursive) == thrd_success);
    CHECK(mtx_unlock(&recursive) == thrd_success && mtx_unlock(&recursive) == thrd_success);
    thrd_yield();
    CHECK(mtx_lock(&plain) == thrd_success);
    done++;
    CHECK(cnd_signal(&cond) == thrd_success);
    CHECK(mtx_unlock(&plain) == thrd_success);
    if (*(int *)argument) thrd_exit(40);
    return -40;
}

int main(void) {
    thrd_t threads[THREADS];
    int which[THREADS] = {0, 1}, status;
    struct timespec until;
    for (int i = 0; i < THREADS; i++) CHECK(thrd_create(&threads[i], work, &which[i]) == thrd_success);
    call_once(&flag, initialise);
    CHECK(mtx_lock(&plain) == thrd_success);
    while (done < THREADS) {
        timespec_get(&until, TIME_UTC);
        until.tv_sec += 100;
        int result = cnd_timedwait(&cond, &plain, &until);
        CHECK(result == thrd_success || result == thrd_timedout);
    }
    CHECK(mtx_unlock(&plain) == thrd_success);
    for (int i = 0; i < THREADS; i++) {
        CHECK(thrd_join(threads[i], &status) == thrd_success);
        CHECK(status == (i ? 40 : -40));
    }
    CHECK(destroyed == THREADS);
    cnd_destroy(&cond);
    mtx_destroy(&plain);
    mtx_destroy(&recursive);
    tss_delete(key);
    return 0;
}
