/* C11 <threads.h>, but for thrd_sleep (time.c) and thrd_equal (a comparison: libc's will do). glibc gives
 * mtx_t, cnd_t and once_flag the layout of their pthread counterparts and maps error numbers to thrd_*
 * results; so do we. A C11 thread is a pthread whose start function returns an int: on x86-64 the low half
 * of the register that a void * comes back in, which is all that thrd_join looks at.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <threads.h>

#include "runtime/hooks/sync.h"
#include "runtime/hooks/threads.h"
#include "runtime/native.h"
#include "runtime/real.h"

#define MUTEX(m) ((pthread_mutex_t *)(m))
#define COND(c)  ((pthread_cond_t *)(c))
_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t) &&
                   sizeof(once_flag) == sizeof(pthread_once_t),
               "the same objects");

static int result_of(int error) {
    switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
    }
}

/* Mutexes. */

RV_EXPORT int mtx_init(mtx_t *mutex, int type) {
    if (rv_passive()) return RV_REAL(mtx_init)(mutex, type);
    rv_sync_check(mutex, sizeof *mutex, RV_OP_MUTEX_INIT, "the mutex");
    struct rv_pending pending = RV_PENDING(RV_OP_MUTEX_INIT, mutex, RV_SITE());
    rv_schedule(&pending);
    int result = RV_REAL(mtx_init)(mutex, type);
    rv_sync_done(&pending, result);
    return result;
}

RV_EXPORT void mtx_destroy(mtx_t *mutex) {
    if (rv_passive())
        RV_REAL(mtx_destroy)(mutex);
    else
        rv_mutex_destroy(MUTEX(mutex), RV_SITE());
}

RV_EXPORT int mtx_lock(mtx_t *mutex) {
    if (rv_passive()) return RV_BLOCKING_IF(RV_REAL(mtx_trylock)(mutex), thrd_busy, RV_REAL(mtx_lock)(mutex));
    return result_of(rv_mutex_lock(MUTEX(mutex), RV_OP_LOCK, NULL, RV_SITE()));
}

RV_EXPORT int mtx_trylock(mtx_t *mutex) {
    if (rv_passive()) return RV_REAL(mtx_trylock)(mutex);
    return result_of(rv_mutex_lock(MUTEX(mutex), RV_OP_TRYLOCK, NULL, RV_SITE()));
}

RV_EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING_IF(RV_REAL(mtx_trylock)(mutex), thrd_busy,
                              RV_REAL(mtx_timedlock)(mutex, rv_native_deadline(CLOCK_REALTIME, time, &room)));
    const struct rv_until until = {CLOCK_REALTIME, time};
    return result_of(rv_mutex_lock(MUTEX(mutex), RV_OP_TIMEDLOCK, &until, RV_SITE()));
}

RV_EXPORT int mtx_unlock(mtx_t *mutex) {
    if (rv_passive()) return RV_REAL(mtx_unlock)(mutex);
    return result_of(rv_mutex_unlock(MUTEX(mutex), RV_SITE()));
}

/* Condition variables. */

RV_EXPORT int cnd_init(cnd_t *cond) {
    if (rv_passive()) return RV_REAL(cnd_init)(cond);
    rv_access(cond, sizeof *cond, true, RV_SITE());
    memset(cond, 0, sizeof *cond);
    return thrd_success;
}

RV_EXPORT void cnd_destroy(cnd_t *cond) {
    if (rv_passive())
        RV_REAL(cnd_destroy)(cond);
    else
        rv_cond_destroy(COND(cond), RV_SITE());
}

RV_EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex) {
    if (rv_passive()) return RV_BLOCKING(RV_REAL(cnd_wait)(cond, mutex));
    return result_of(rv_cond_wait(COND(cond), MUTEX(mutex), NULL, RV_SITE()));
}

RV_EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
                            const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING(
            RV_REAL(cnd_timedwait)(cond, mutex, rv_native_deadline(CLOCK_REALTIME, time, &room)));
    if (!rv_sync_nanoseconds(time)) return thrd_error;
    const struct rv_until until = {CLOCK_REALTIME, time};
    return result_of(rv_cond_wait(COND(cond), MUTEX(mutex), &until, RV_SITE()));
}

RV_EXPORT int cnd_signal(cnd_t *cond) {
    if (rv_passive()) return RV_REAL(cnd_signal)(cond);
    return result_of(rv_cond_wake(COND(cond), RV_OP_COND_SIGNAL, RV_SITE()));
}

RV_EXPORT int cnd_broadcast(cnd_t *cond) {
    if (rv_passive()) return RV_REAL(cnd_broadcast)(cond);
    return result_of(rv_cond_wake(COND(cond), RV_OP_COND_BROADCAST, RV_SITE()));
}

RV_EXPORT void call_once(once_flag *flag, void (*initialise)(void)) {
    if (rv_passive())
        RV_REAL(call_once)(flag, initialise);
    else
        rv_once((pthread_once_t *)flag, initialise, RV_SITE());
}

/* Threads and their keys: the pthread functions, which are ours. */

RV_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
    if (rv_passive())
        return rv_native_on ? result_of(rv_native_log_create(
                                  thread, NULL, (void *(*)(void *))(void (*)(void))start, argument))
                            : RV_REAL(thrd_create)(thread, start, argument);
    return result_of(
        rv_thread_create(thread, NULL, (void *(*)(void *))(void (*)(void))start, argument, RV_SITE()));
}

RV_EXPORT int thrd_join(thrd_t thread, int *status) {
    if (rv_passive() && !rv_native_on) return RV_REAL(thrd_join)(thread, status);
    void *result;
    int error = rv_passive() ? rv_native_join(thread, &result)
                             : rv_thread_join(thread, &result, true, NULL, RV_SITE());
    if (!error && status) *status = (int)(intptr_t)result;
    return result_of(error);
}

RV_EXPORT int thrd_detach(thrd_t thread) {
    if (rv_passive()) return RV_REAL(thrd_detach)(thread);
    return result_of(rv_thread_detach(thread, RV_SITE()));
}

RV_EXPORT _Noreturn void thrd_exit(int status) {
    if (rv_passive()) RV_REAL(thrd_exit)(status);
    rv_thread_leave((void *)(intptr_t)status, RV_SITE());
}

RV_EXPORT thrd_t thrd_current(void) {
    if (rv_passive()) return RV_REAL(thrd_current)();
    return pthread_self();
}

RV_EXPORT void thrd_yield(void) {
    if (rv_passive()) {
        RV_REAL(thrd_yield)();
        return;
    }
    struct rv_pending pending = RV_PENDING(RV_OP_YIELD, NULL, RV_SITE());
    rv_schedule(&pending);
    rv_done(&pending, 0, 0);
}

RV_EXPORT int tss_create(tss_t *key, tss_dtor_t destructor) {
    if (rv_passive()) return RV_REAL(tss_create)(key, destructor);
    return result_of(pthread_key_create(key, destructor));
}

RV_EXPORT void tss_delete(tss_t key) {
    if (rv_passive())
        RV_REAL(tss_delete)(key);
    else
        pthread_key_delete(key);
}

RV_EXPORT void *tss_get(tss_t key) {
    if (rv_passive()) return RV_REAL(tss_get)(key);
    return pthread_getspecific(key);
}

RV_EXPORT int tss_set(tss_t key, void *value) {
    if (rv_passive()) return RV_REAL(tss_set)(key, value);
    return result_of(pthread_setspecific(key, value));
}
