/* Timers on virtual time: alarm, setitimer, timer_create.
 *
 * When may a timer expire? Not by real time. There are three ways:
 *   time passes    another wait ended later than the expiry, or the program read the clock (rv_timers_check)
 *   nothing else   nobody can go on: the core lets the next timer expire (rv_timers_next)
 *   any moment     under the usual, free timing. For that, timers have a thread of their own, as the kernel's
 *                  interrupt would be: a fiber that sleeps until the next expiry. The strategy may let that sleep
 *                  end at any point, so the handler can come between any two steps, and the schedule,
 *                  the report and replay need to know nothing new. It exists while something is armed.
 *
 * One exception. An alarm whose signal would kill the process is a watchdog: "give up after ten seconds". Under
 * free timing it would kill every program that has one. It expires only when nothing else can go on, and
 * under strict timing at its time.
 *
 * A timer that notifies by a thread (SIGEV_THREAD) gets a new detached thread for each expiry.
 */
#include <sys/time.h>
#include <unistd.h>

#include "runtime/fiber.h"
#include "runtime/hooks/outside.h"
#include "runtime/worker.h"
#include "runtime/watch.h"

enum { INTERVAL_TIMERS = 3, TIMERS = INTERVAL_TIMERS + 64 };

struct timer {
    bool used;
    clockid_t clock;
    struct sigevent event;
    uint32_t thread;  /* SIGEV_THREAD_ID: the fiber; RV_NO_THREAD: the process */
    int64_t expiry;   /* virtual ns; RV_FOREVER: not armed */
    int64_t interval; /* 0: once */
    int overrun;      /* expiries since the last signal that gave none of their own */
    uintptr_t site;   /* where it was armed */
};

static struct timer_state {
    struct timer timers[TIMERS]; /* the first three are setitimer's, by `which` */
    uint32_t thread;             /* fiber that waits for them, + 1; 0: none */
    int64_t due;                 /* the core said that nothing can happen before this */
} state, saved;
static bool dirty;
static int64_t soonest = RV_FOREVER; /* a lower bound of all expiries: most looks at the clock end here */

void rv_timers_snapshot(void) {
    saved = state;
    dirty = false;
}

void rv_timers_restore(void) {
    if (!dirty) return;
    state = saved;
    soonest = 0;
    dirty = false;
}

void rv_timers_forked(void) {
    memset(&state, 0, sizeof state);
    soonest = RV_FOREVER;
    dirty = true;
}

static bool armed(const struct timer *timer) { return timer->used && timer->expiry != RV_FOREVER; }

static int signal_of(const struct timer *timer) {
    int how = timer->event.sigev_notify;
    return how == SIGEV_SIGNAL || how == SIGEV_THREAD_ID ? timer->event.sigev_signo : 0;
}

/* Nobody notices when it expires, except by asking. */
static bool silent(const struct timer *timer) {
    int number = signal_of(timer);
    if (number) return rv_signal_discarded(number);
    return timer->event.sigev_notify != SIGEV_THREAD;
}

static bool is_watchdog(const struct timer *timer) {
    if (rv.mode != RV_CONTROLLED || rv.config->timing == RV_TIMING_STRICT) return false;
    int number = signal_of(timer);
    return number && rv_signal_would_kill(number);
}

/* ---- when ---- */

static int64_t next_expiry(bool (*skip)(const struct timer *)) {
    int64_t next = RV_FOREVER;
    for (unsigned i = 0; i < TIMERS; i++) {
        const struct timer *timer = &state.timers[i];
        if (armed(timer) && timer->expiry < next && !skip(timer)) next = timer->expiry;
    }
    return next;
}

static bool not_at_any_moment(const struct timer *timer) { return silent(timer) || is_watchdog(timer); }

int64_t rv_timers_next(void) {
    if (soonest == RV_FOREVER) return RV_FOREVER;
    int64_t next = next_expiry(silent);
    if (next != RV_FOREVER) {
        state.due = next;
        dirty = true;
    }
    return next;
}

int64_t rv_timers_deadline(void) {
    if (soonest == RV_FOREVER || state.thread) return RV_FOREVER;
    return next_expiry(not_at_any_moment);
}

/* ---- expiry ---- */

static void *notify(void *argument) {
    const struct timer *timer = argument;
    timer->event.sigev_notify_function(timer->event.sigev_value);
    return NULL;
}

static void notify_by_thread(struct timer *timer) {
    rv_watch(RV_STEP_RECEIVE, timer, 0, 0, timer->site);
    struct rv_fiber *fiber = rv.mode == RV_CONTROLLED ? rv_fiber_create(0, timer->site) : NULL;
    if (!fiber) {
        rv_note("a timer's thread could not be created: its notification is lost");
        return;
    }
    fiber->start = notify;
    fiber->argument = timer; /* in our own memory: it stays, and a deleted timer's function may still run */
    fiber->detached = true;
    rv_signal_set(~(uint64_t)0, &fiber->signal_mask);
}

static void notify_by_signal(struct timer *timer, int number) {
    int id = (int)(timer - state.timers);
    if (rv_signal_timer_pending(number, id)) {
        timer->overrun++;
        return;
    }
    siginfo_t info = {.si_signo = number, .si_code = SI_KERNEL};
    if (id >= INTERVAL_TIMERS) {
        info.si_code = SI_TIMER;
        info.si_timerid = id;
        info.si_overrun = timer->overrun;
        info.si_value = timer->event.sigev_value;
    }
    rv_signal_send(timer->thread == RV_NO_THREAD ? NULL : rv.fibers[timer->thread], number, &info);
}

static void expire(struct timer *timer) {
    dirty = true;
    int64_t missed = timer->interval ? (rv.now - timer->expiry) / timer->interval : 0;
    timer->overrun = missed < INT32_MAX ? (int)missed : INT32_MAX;
    timer->expiry = timer->interval ? timer->expiry + (missed + 1) * timer->interval : RV_FOREVER;
    int number = signal_of(timer);
    if (number)
        notify_by_signal(timer, number);
    else if (timer->event.sigev_notify == SIGEV_THREAD)
        notify_by_thread(timer);
}

static bool may_expire(const struct timer *timer) {
    return armed(timer) && timer->expiry <= rv.now && (timer->expiry <= state.due || !is_watchdog(timer));
}

void rv_timers_check(void) {
    if (RV_LIKELY(rv.now < soonest)) return;
    for (;;) {
        struct timer *first = NULL;
        for (unsigned i = 0; i < TIMERS; i++) {
            struct timer *timer = &state.timers[i];
            if (may_expire(timer) && (!first || timer->expiry < first->expiry)) first = timer;
        }
        if (!first) break;
        expire(first);
    }
    soonest = RV_FOREVER;
    for (unsigned i = 0; i < TIMERS; i++)
        if (armed(&state.timers[i]) && state.timers[i].expiry < soonest) soonest = state.timers[i].expiry;
}

/* ---- the thread that waits for them ---- */

static struct rv_fiber *timer_thread(void) { return state.thread ? rv.fibers[state.thread - 1] : NULL; }

/* It ends when nothing is left to wait for, or when it is the last thread and nobody could notice. */
static bool is_useless(const struct rv_fiber *fiber) {
    (void)fiber;
    return rv.live_count <= 1 || next_expiry(not_at_any_moment) == RV_FOREVER;
}

static void *wait_for_timers(void *unused) {
    (void)unused;
    struct rv_fiber *self = rv.current;
    while (!is_useless(self)) {
        struct rv_pending pending = RV_PENDING(RV_OP_SLEEP, NULL, self->created_at);
        pending.ready = is_useless;
        pending.deadline = next_expiry(not_at_any_moment);
        pending.timeout = pending.deadline > rv.now ? pending.deadline - rv.now : 0;
        enum rv_wake wake = rv_schedule(&pending);
        rv_timers_check();
        rv_done(&pending, 0, wake == RV_TIMEOUT ? RV_EVENT_TIMEOUT : 0);
    }
    state.thread = 0;
    return NULL;
}

void rv_timers_begin(void) {
    if (rv.mode != RV_CONTROLLED || soonest == RV_FOREVER) return;
    int64_t next = next_expiry(not_at_any_moment);
    struct rv_fiber *fiber = timer_thread();
    if (fiber) { /* asleep until what was the next expiry: tell it the new one */
        if (fiber->pending.op == RV_OP_SLEEP) {
            fiber->pending.deadline = next;
            fiber->pending.timeout = next != RV_FOREVER && next > rv.now ? next - rv.now : 0;
        }
        return;
    }
    if (next == RV_FOREVER) return;
    uintptr_t site = 0;
    for (unsigned i = 0; i < TIMERS; i++)
        if (armed(&state.timers[i]) && state.timers[i].expiry == next) site = state.timers[i].site;
    fiber = rv_fiber_create(0, site);
    if (!fiber) return; /* then they expire only when time passes */
    fiber->start = wait_for_timers;
    fiber->unasked = true;
    fiber->detached = true;
    rv_signal_set(~(uint64_t)0, &fiber->signal_mask);
    memcpy(fiber->name, "timers", sizeof "timers");
    state.thread = fiber->id + 1;
    dirty = true;
}

/* ---- setting ---- */

static struct timespec remaining(const struct timer *timer) {
    if (!armed(timer)) return (struct timespec){0, 0};
    return rv_ns_timespec(timer->expiry > rv.now ? timer->expiry - rv.now : 1);
}

static void arm(struct timer *timer, int64_t expiry, int64_t interval, uintptr_t site) {
    dirty = true;
    timer->expiry = expiry;
    timer->interval = interval;
    timer->overrun = 0;
    timer->site = site;
    if (expiry < soonest) soonest = expiry;
    rv_watch_signal(site);
    rv_watch(RV_STEP_SEND, timer, 0, 0, site);
    if (expiry != RV_FOREVER && timer->event.sigev_notify == SIGEV_THREAD && rv.mode == RV_SINGLE)
        rv_worker_snapshot(); /* threads will come of it */
    rv_timers_begin();
}

static int64_t after(int64_t ns) {
    if (ns == 0) return RV_FOREVER;
    return ns < RV_FOREVER - rv.now ? rv.now + ns : RV_FOREVER - 1;
}

static struct timer *interval_timer(unsigned which) {
    static const int signals[INTERVAL_TIMERS] = {SIGALRM, SIGVTALRM, SIGPROF};
    struct timer *timer = &state.timers[which];
    if (!timer->used) {
        dirty = true;
        *timer = (struct timer){.used = true, .thread = RV_NO_THREAD, .expiry = RV_FOREVER};
        timer->event.sigev_notify = SIGEV_SIGNAL;
        timer->event.sigev_signo = signals[which];
    }
    return timer;
}

static int fail_with(int error) {
    errno = error;
    return -1;
}

static int64_t timeval_ns(const struct timeval *value) {
    if (value->tv_usec < 0 || value->tv_usec >= 1000000) return -1;
    return rv_timespec_ns(&(struct timespec){.tv_sec = value->tv_sec, .tv_nsec = value->tv_usec * 1000});
}

static struct timeval to_timeval(struct timespec value) {
    long microseconds = (value.tv_nsec + 999) / 1000; /* up: 0 would mean that it is not armed */
    return (struct timeval){.tv_sec = value.tv_sec + microseconds / 1000000,
                            .tv_usec = microseconds % 1000000};
}

static struct itimerval interval_value(const struct timer *timer) {
    return (struct itimerval){.it_value = to_timeval(remaining(timer)),
                              .it_interval = to_timeval(rv_ns_timespec(timer->interval))};
}

RV_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
                        struct itimerval *restrict old) {
    if (rv_passive()) return RV_REAL(setitimer)(which, value, old);
    if ((unsigned)which >= INTERVAL_TIMERS) return fail_with(EINVAL);
    int64_t first = timeval_ns(&value->it_value), interval = timeval_ns(&value->it_interval);
    if (first < 0 || interval < 0) return fail_with(EINVAL);
    rv_timers_check();
    struct timer *timer = interval_timer((unsigned)which);
    struct itimerval before = interval_value(timer);
    arm(timer, after(first), first ? interval : 0, RV_SITE());
    if (old) *old = before;
    return 0;
}

RV_EXPORT int getitimer(__itimer_which_t which, struct itimerval *value) {
    if (rv_passive()) return RV_REAL(getitimer)(which, value);
    if ((unsigned)which >= INTERVAL_TIMERS) return fail_with(EINVAL);
    (void)rv_now();
    *value = interval_value(interval_timer((unsigned)which));
    return 0;
}

RV_EXPORT unsigned alarm(unsigned seconds) {
    if (rv_passive()) return RV_REAL(alarm)(seconds);
    rv_timers_check();
    struct timer *timer = interval_timer(ITIMER_REAL);
    struct timespec left = remaining(timer);
    bool up = left.tv_nsec >= RV_SECOND / 2 || (left.tv_sec == 0 && left.tv_nsec > 0);
    arm(timer, after(seconds * RV_SECOND), 0, RV_SITE());
    return (unsigned)left.tv_sec + up;
}

RV_EXPORT useconds_t ualarm(useconds_t first, useconds_t interval) {
    if (rv_passive()) return RV_REAL(ualarm)(first, interval);
    rv_timers_check();
    struct timer *timer = interval_timer(ITIMER_REAL);
    struct timeval left = to_timeval(remaining(timer));
    arm(timer, after((int64_t)first * 1000), (int64_t)interval * 1000, RV_SITE());
    return (useconds_t)(left.tv_sec * 1000000 + left.tv_usec);
}

/* ---- POSIX timers ---- */

static struct timer *timer_of(timer_t id) {
    uintptr_t index = (uintptr_t)id;
    return index >= INTERVAL_TIMERS && index < TIMERS && state.timers[index].used ? &state.timers[index]
                                                                                  : NULL;
}

static bool event_valid(const struct sigevent *event) {
    switch (event->sigev_notify) {
    case SIGEV_NONE: return true;
    case SIGEV_THREAD: return event->sigev_notify_function != NULL;
    case SIGEV_SIGNAL:
    case SIGEV_THREAD_ID: return rv_signal_valid(event->sigev_signo);
    default: return false;
    }
}

static bool find_thread(const struct sigevent *event, uint32_t *thread) {
    *thread = RV_NO_THREAD;
    if (event->sigev_notify != SIGEV_THREAD_ID) return true;
    for (uint32_t i = 0; i < rv.fiber_count; i++)
        if (rv.fibers[i]->state == RV_FIBER_ALIVE && rv_thread_id(rv.fibers[i]) == event->_sigev_un._tid)
            *thread = i;
    return *thread != RV_NO_THREAD;
}

RV_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict id) {
    if (rv_passive()) return RV_REAL(timer_create)(clock, event, id);
    struct timespec unused;
    if (clock_getres(clock, &unused)) return fail_with(EINVAL);
    unsigned index = INTERVAL_TIMERS;
    while (index < TIMERS && state.timers[index].used) index++;
    if (index == TIMERS) return fail_with(EAGAIN);
    struct timer *timer = &state.timers[index];
    struct timer made = {.used = true, .clock = clock, .expiry = RV_FOREVER};
    if (event) {
        made.event = *event;
    } else {
        made.event.sigev_notify = SIGEV_SIGNAL;
        made.event.sigev_signo = SIGALRM;
        made.event.sigev_value.sival_ptr = (void *)(uintptr_t)index;
    }
    if (!event_valid(&made.event) || !find_thread(&made.event, &made.thread)) return fail_with(EINVAL);
    dirty = true;
    *timer = made;
    *id = (timer_t)(uintptr_t)index;
    return 0;
}

RV_EXPORT int timer_delete(timer_t id) {
    if (rv_passive()) return RV_REAL(timer_delete)(id);
    struct timer *timer = timer_of(id);
    if (!timer) return fail_with(EINVAL);
    dirty = true;
    timer->used = false;
    timer->expiry = RV_FOREVER;
    rv_timers_begin();
    return 0;
}

RV_EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *restrict value,
                            struct itimerspec *restrict old) {
    if (rv_passive()) return RV_REAL(timer_settime)(id, flags, value, old);
    struct timer *timer = timer_of(id);
    int64_t first = rv_timespec_ns(&value->it_value), interval = rv_timespec_ns(&value->it_interval);
    if (!timer || first < 0 || interval < 0) return fail_with(EINVAL);
    rv_timers_check();
    struct itimerspec before = {.it_value = remaining(timer), .it_interval = rv_ns_timespec(timer->interval)};
    int64_t expiry = after(first);
    if (first && (flags & TIMER_ABSTIME)) expiry = rv_deadline_from(timer->clock, &value->it_value);
    arm(timer, expiry, first ? interval : 0, RV_SITE());
    rv_timers_check(); /* an absolute time may be past */
    if (old) *old = before;
    return 0;
}

RV_EXPORT int timer_gettime(timer_t id, struct itimerspec *value) {
    if (rv_passive()) return RV_REAL(timer_gettime)(id, value);
    struct timer *timer = timer_of(id);
    if (!timer) return fail_with(EINVAL);
    (void)rv_now();
    *value =
        (struct itimerspec){.it_value = remaining(timer), .it_interval = rv_ns_timespec(timer->interval)};
    return 0;
}

RV_EXPORT int timer_getoverrun(timer_t id) {
    if (rv_passive()) return RV_REAL(timer_getoverrun)(id);
    const struct timer *timer = timer_of(id);
    return timer ? timer->overrun : fail_with(EINVAL);
}
