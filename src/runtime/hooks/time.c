/* Virtual time.
 *
 * rv.now counts virtual nanoseconds since the start of the program. It moves when a sleep or a timed wait
 * ends (core sets it to the deadline) and, a little, whenever it is read: a program that polls the clock must
 * see it pass. A microsecond per read is about what a real read costs; but a thread that does nothing except
 * read the clock is waiting for it, and a wait of one second would take a million reads. So after PATIENCE
 * reads in a row by one thread, with few scheduling points between them, the step doubles with each read: one
 * second then takes PATIENCE + 20 reads, one day PATIENCE + 37. Strict timing has more patience, because there a
 * jump of the clock may let a time-out expire that the user wants to expire last.
 *
 * All of it is a function of the schedule alone: the same schedule reads the same times.
 */
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "runtime/hooks/outside.h"
#include "runtime/native.h"

enum { PATIENCE_FREE = 8, PATIENCE_STRICT = 64, POINTS_BETWEEN = 32 };
#define READ_STEP       INT64_C(1000) /* ns */
#define READ_STEP_MAX   (60 * RV_SECOND)
#define MONOTONIC_START (100000 * RV_SECOND) /* never 0: programs use 0 for "not yet" */

static struct {
    uint32_t reader; /* fiber that read last */
    uint32_t row;    /* its reads in a row */
    uint64_t points; /* rv.points at the last read */
} reads, reads_saved;

void rv_time_snapshot(void) { reads_saved = reads; }
void rv_time_restore(void) { reads = reads_saved; }

static int64_t read_clock(void) {
    uint32_t reader = rv.current ? rv.current->id : 0;
    if (reader != reads.reader || rv.points - reads.points > POINTS_BETWEEN) reads.row = 0;
    reads.reader = reader;
    reads.points = rv.points;
    unsigned patience = rv.config && rv.config->timing == RV_TIMING_STRICT ? PATIENCE_STRICT : PATIENCE_FREE;
    int64_t step = READ_STEP;
    if (reads.row++ >= patience) {
        unsigned doublings = reads.row - patience;
        step = doublings < 26 ? READ_STEP << doublings : READ_STEP_MAX;
        if (step > READ_STEP_MAX) step = READ_STEP_MAX;
    }
    rv.now += step;
    rv_timers_check();
    return rv.now;
}

int64_t rv_now(void) {
    rv_observe_clock(RV_CLOCK_READ);
    return read_clock();
}

int64_t rv_now_to_wait(void) {
    rv_observe_clock(RV_CLOCK_READ_TO_WAIT);
    return read_clock();
}

int64_t rv_clock_offset(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: return rv.config ? rv.config->clock_base * RV_SECOND : 0;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM: return MONOTONIC_START;
    default: return 0; /* CPU time: all of the virtual time so far */
    }
}

/* CPU clocks of processes and threads have negative numbers. */
static bool clock_valid(clockid_t clock) { return clock <= CLOCK_TAI && clock != 10; }

int64_t rv_timespec_ns(const struct timespec *value) {
    if (value->tv_sec < 0 || value->tv_nsec < 0 || value->tv_nsec >= RV_SECOND) return -1;
    if (value->tv_sec >= RV_FOREVER / RV_SECOND) return RV_FOREVER;
    return value->tv_sec * RV_SECOND + value->tv_nsec;
}

struct timespec rv_ns_timespec(int64_t ns) {
    if (ns < 0) ns = 0;
    return (struct timespec){.tv_sec = ns / RV_SECOND, .tv_nsec = ns % RV_SECOND};
}

int64_t rv_deadline_from(clockid_t clock, const struct timespec *absolute) {
    if (absolute->tv_sec < 0) return 0;
    int64_t ns = rv_timespec_ns(absolute);
    if (ns == RV_FOREVER || ns < 0) return ns < 0 ? 0 : RV_FOREVER;
    int64_t deadline = ns - rv_clock_offset(clock);
    return deadline < 0 ? 0 : deadline;
}

bool rv_never(const struct rv_fiber *fiber) {
    (void)fiber;
    return false;
}

/* ---- reading ---- */

RV_EXPORT int clock_gettime(clockid_t clock, struct timespec *to) {
    if (rv_passive()) {
        int result = RV_REAL(clock_gettime)(clock, to);
        if (rv_native_on && result == 0) *to = rv_ns_timespec(rv_native_clock(clock, rv_native_ns(to)));
        return result;
    }
    if (!clock_valid(clock)) {
        errno = EINVAL;
        return -1;
    }
    *to = rv_ns_timespec(rv_now() + rv_clock_offset(clock));
    return 0;
}

RV_EXPORT int clock_getres(clockid_t clock, struct timespec *to) {
    if (rv_passive()) return RV_REAL(clock_getres)(clock, to);
    if (!clock_valid(clock)) {
        errno = EINVAL;
        return -1;
    }
    if (to) *to = (struct timespec){.tv_nsec = 1};
    return 0;
}

RV_EXPORT int clock_settime(clockid_t clock, const struct timespec *to) {
    if (rv_passive()) return RV_REAL(clock_settime)(clock, to);
    errno = clock_valid(clock) ? EPERM : EINVAL;
    return -1;
}

/* Nanoseconds of CLOCK_REALTIME as the program shall see them, controlled or slowed natively. */
static int64_t wall_time(void) {
    if (rv_passive()) return rv_native_clock(CLOCK_REALTIME, rv_sys_clock_ns(CLOCK_REALTIME));
    return rv_now() + rv_clock_offset(CLOCK_REALTIME);
}

RV_EXPORT int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    if (rv_passive() && !rv_native_on) return RV_REAL(gettimeofday)(to, zone);
    int64_t ns = wall_time();
    struct timeval *volatile target = to; /* declared non-null, yet NULL works in practice */
    if (target) *target = (struct timeval){.tv_sec = ns / RV_SECOND, .tv_usec = ns % RV_SECOND / 1000};
    if (zone) *(struct timezone *)zone = (struct timezone){0, 0};
    return 0;
}

RV_EXPORT time_t time(time_t *to) {
    if (rv_passive() && !rv_native_on) return RV_REAL(time)(to);
    time_t seconds = wall_time() / RV_SECOND;
    if (to) *to = seconds;
    return seconds;
}

RV_EXPORT int timespec_get(struct timespec *to, int base) {
    if (rv_passive() && !rv_native_on) return RV_REAL(timespec_get)(to, base);
    if (base != TIME_UTC) return 0;
    *to = rv_ns_timespec(wall_time());
    return base;
}

RV_EXPORT clock_t clock(void) {
    if (rv_passive()) return RV_REAL(clock)();
    return rv_now() / (RV_SECOND / CLOCKS_PER_SEC);
}

RV_EXPORT clock_t times(struct tms *to) {
    if (rv_passive()) return RV_REAL(times)(to);
    clock_t ticks = rv_now() / (RV_SECOND / 100);
    if (to) *to = (struct tms){.tms_utime = ticks};
    return (clock_t)(MONOTONIC_START / (RV_SECOND / 100)) + ticks;
}

RV_EXPORT int getrusage(__rusage_who_t who, struct rusage *to) {
    int result = RV_REAL(getrusage)(who, to);
    if (rv_passive() || result) return result;
    int64_t ns = who == RUSAGE_CHILDREN ? 0 : rv_now();
    to->ru_utime = (struct timeval){.tv_sec = ns / RV_SECOND, .tv_usec = ns % RV_SECOND / 1000};
    to->ru_stime = (struct timeval){0, 0};
    to->ru_minflt = to->ru_majflt = to->ru_nvcsw = to->ru_nivcsw = 0;
    return 0;
}

/* ---- sleeping ---- */

/* Sleeps until virtual time `deadline`. What is left, 0 if all was slept, > 0 if a handler interrupted. */
static int64_t sleep_until(int64_t deadline, int64_t length, uintptr_t site) {
    struct rv_pending pending = RV_PENDING(RV_OP_SLEEP, NULL, site);
    pending.ready = rv_never;
    pending.deadline = deadline;
    pending.timeout = length;
    pending.cancellable = pending.interruptible = true;
    enum rv_wake wake = rv_schedule_timed(&pending);
    rv_timers_check();
    rv_done(&pending, (uint64_t)length, wake == RV_SIGNAL ? RV_EVENT_FAILED : RV_EVENT_TIMEOUT);
    if (wake != RV_SIGNAL) return 0;
    return deadline > rv.now ? deadline - rv.now : 1;
}

static int64_t add_saturated(int64_t a, int64_t b) { return a > RV_FOREVER - b ? RV_FOREVER : a + b; }

static int64_t sleep_for(int64_t length, uintptr_t site) {
    return sleep_until(add_saturated(rv.now, length), length, site);
}

/* Natively, slowed if asked for: see runtime/native.h. */
static int native_sleep(int (*real)(const struct timespec *, struct timespec *),
                        const struct timespec *length, struct timespec *left) {
    struct timespec room;
    int result = RV_SLEEPING(rv_native_ns(length), real(rv_native_interval(length, &room), left));
    if (result && left) rv_native_left(left);
    return result;
}

static int native_clock_sleep(clockid_t clock, int flags, const struct timespec *length,
                              struct timespec *left) {
    struct timespec room;
    if (!(flags & TIMER_ABSTIME)) {
        int result =
            RV_SLEEPING(rv_native_ns(length),
                        RV_REAL(clock_nanosleep)(clock, flags, rv_native_interval(length, &room), left));
        if (result && left) rv_native_left(left);
        return result;
    }
    int64_t ns = rv_native_on ? rv_native_ns(length) - rv_native_clock(clock, rv_sys_clock_ns(clock)) : 0;
    return RV_SLEEPING(ns < 0 ? 0 : ns, RV_REAL(clock_nanosleep)(
                                            clock, flags, rv_native_deadline(clock, length, &room), left));
}

RV_EXPORT int nanosleep(const struct timespec *length, struct timespec *left) {
    if (rv_passive()) return native_sleep(RV_REAL(nanosleep), length, left);
    int64_t ns = rv_timespec_ns(length);
    if (ns < 0) {
        errno = EINVAL;
        return -1;
    }
    int64_t rest = sleep_for(ns, RV_SITE());
    if (!rest) return 0;
    if (left) *left = rv_ns_timespec(rest);
    errno = EINTR;
    return -1;
}

RV_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *length,
                              struct timespec *left) {
    if (rv_passive()) return native_clock_sleep(clock, flags, length, left);
    if (!clock_valid(clock) || clock == CLOCK_THREAD_CPUTIME_ID) return EINVAL;
    if (length->tv_nsec < 0 || length->tv_nsec >= RV_SECOND) return EINVAL;
    if (flags & TIMER_ABSTIME) {
        int64_t deadline = rv_deadline_from(clock, length);
        int64_t ns = deadline > rv.now ? deadline - rv.now : 0;
        return sleep_until(deadline, ns, RV_SITE()) ? EINTR : 0;
    }
    int64_t ns = rv_timespec_ns(length);
    if (ns < 0) return EINVAL;
    int64_t rest = sleep_for(ns, RV_SITE());
    if (!rest) return 0;
    if (left) *left = rv_ns_timespec(rest);
    return EINTR;
}

RV_EXPORT int usleep(useconds_t length) {
    if (rv_passive())
        return RV_SLEEPING((int64_t)length * 1000, RV_REAL(usleep)((useconds_t)rv_native_length(length)));
    if (!sleep_for((int64_t)length * 1000, RV_SITE())) return 0;
    errno = EINTR;
    return -1;
}

RV_EXPORT unsigned sleep(unsigned seconds) {
    if (rv_passive())
        return RV_SLEEPING((int64_t)seconds * RV_SECOND, RV_REAL(sleep)((unsigned)rv_native_length(seconds)));
    int64_t rest = sleep_for((int64_t)seconds * RV_SECOND, RV_SITE());
    return (unsigned)((rest + RV_SECOND - 1) / RV_SECOND);
}

/* C11; in glibc a function of its own, not an alias of nanosleep. Declared here: <threads.h> is not needed. */
int thrd_sleep(const struct timespec *length, struct timespec *left);
RV_EXPORT int thrd_sleep(const struct timespec *length, struct timespec *left) {
    if (rv_passive()) return native_sleep(RV_REAL(thrd_sleep), length, left);
    int64_t ns = rv_timespec_ns(length);
    if (ns < 0) return -2;
    int64_t rest = sleep_for(ns, RV_SITE());
    if (rest && left) *left = rv_ns_timespec(rest);
    return rest ? -1 : 0;
}
