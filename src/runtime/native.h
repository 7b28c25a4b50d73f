/* What a program does natively (passive: no supervisor), for `ravel migrate`: sleeps, waits and threads are logged, and time
 * runs slower for the program, so that sleeps are long against what logging costs. Nobody asks: one flag is looked at, in hooks
 * that are about to wait anyway.
 *
 * Only for the passive paths of hooks:
 *
 *     if (rv_passive()) return RV_BLOCKING(RV_REAL(pthread_barrier_wait)(barrier));
 *     if (rv_passive()) return RV_BLOCKING_IF(RV_REAL(pthread_mutex_trylock)(mutex), EBUSY, RV_REAL(pthread_mutex_lock)(mutex));
 *
 * All of time is slowed by the same factor (sleeps, time-outs, what the clocks say), so the program cannot tell; else a sleep
 * would grow past a time-out that it used to stay below. Deadlines are converted where they reach libc:
 *
 *     struct timespec room;
 *     time = rv_native_deadline(CLOCK_REALTIME, time, &room);
 *
 * No libc calls in here; errno is left alone.
 */
#ifndef RV_RUNTIME_NATIVE_H
#define RV_RUNTIME_NATIVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "base/migrate_log.h"

extern bool rv_native_on __attribute__((visibility("hidden")));

void rv_native_add(enum rv_migrate_type type, int64_t info);

/* The call, which may wait for other threads or the world. */
#define RV_WAITING(wait_, call_)                       \
    (__builtin_expect(!rv_native_on, 1) ? (call_) : ({ \
        rv_native_add(RV_MIGRATE_BLOCK_CALL, (wait_)); \
        __auto_type native_result_ = (call_);          \
        rv_native_add(RV_MIGRATE_BLOCK_RETURN, 0);     \
        native_result_;                                \
    }))
#define RV_BLOCKING(call_) RV_WAITING(RV_MIGRATE_WAIT_OTHER, call_)
/* The same where a quick attempt tells whether it would wait: if that returns `busy_`, it does. */
#define RV_BLOCKING_IF(attempt_, busy_, call_)                             \
    (__builtin_expect(!rv_native_on, 1) ? (call_) : ({                     \
        __auto_type native_attempt_ = (attempt_);                          \
        native_attempt_ == (busy_) ? RV_BLOCKING(call_) : native_attempt_; \
    }))
/* The call, which sleeps so many ns of the program's time. */
#define RV_SLEEPING(length_, call_)                      \
    (__builtin_expect(!rv_native_on, 1) ? (call_) : ({   \
        rv_native_add(RV_MIGRATE_SLEEP_CALL, (length_)); \
        __auto_type native_result_ = (call_);            \
        rv_native_add(RV_MIGRATE_SLEEP_RETURN, 0);       \
        native_result_;                                  \
    }))

/* From the program's time to real time, and back. Unchanged when nobody asks. */
int64_t rv_native_length(int64_t length); /* ns; < 0 stays */
int rv_native_milliseconds(int length);   /* < 0 stays */
const struct timespec *rv_native_interval(const struct timespec *length,
                                          struct timespec *room); /* NULL stays */
const struct timespec *rv_native_deadline(clockid_t clock, const struct timespec *time,
                                          struct timespec *room);
int64_t rv_native_clock(clockid_t clock,
                        int64_t real);      /* what the clock says, ns, as the program shall see it */
void rv_native_left(struct timespec *left); /* rest of an interrupted sleep: to the program's time */
int64_t rv_native_ns(const struct timespec *length); /* clamped */
bool rv_native_readable(int fd);                     /* a read of it would not wait */

/* pthread_create and thrd_create with the thread's begin and end logged. */
int rv_native_log_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                         void *argument);
int rv_native_join(pthread_t thread, void **result);

#endif
