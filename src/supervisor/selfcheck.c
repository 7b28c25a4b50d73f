#include "supervisor/selfcheck.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "report/text.h"
#include "supervisor/trace_text.h"

enum {
    RUNS_MAX = 40,        /* of a random schedule */
    THREADS_MAX = 16,     /* that it uses */
    LONGEST = 3,          /* times the patience for one execution, its process's start included */
    EVENTS_KEPT = 200000, /* of an execution: 14 MB; a difference beyond is noticed but not located */
};
static const double patience = 2; /* seconds: a program with slow executions is checked by fewer of them */

/* One execution, copied out of its area. */
struct execution {
    struct rv_outcome outcome;
    struct rv_event *events;
    uint64_t event_count;
};

static void forget(struct execution *execution) {
    free(execution->events);
    *execution = (struct execution){0};
}

static bool execute(struct rv_server *server, const struct rv_schedule *schedule,
                    struct execution *execution) {
    struct rv_reply reply;
    *execution = (struct execution){0};
    server->deadline = rv_seconds() + LONGEST * patience;
    rv_server_run(server, schedule, RV_REQUEST_TRACE, &reply);
    if (reply.state != RV_REPLY_SERVED) return false;
    const struct rv_area *area = rv_server_area(server);
    uint64_t count = rv_trace_count(area);
    execution->outcome = reply.outcome;
    execution->event_count = count < EVENTS_KEPT ? count : EVENTS_KEPT;
    execution->events = rv_copy(area->events, execution->event_count * sizeof *execution->events);
    return true;
}

static bool same(const struct execution *a, const struct execution *b) {
    return a->outcome.kind == b->outcome.kind && a->outcome.signature == b->outcome.signature &&
           a->outcome.event_hash == b->outcome.event_hash;
}

/* --- telling --- */

/* The event as a line; names come from the process that did it. */
static char *describe(const struct rv_server *server, const struct execution *execution, uint64_t index) {
    if (index >= execution->event_count) {
        if (execution->outcome.kind == RV_KIND_NONE)
            return rv_text_copy("nothing more: the execution is over");
        return rv_text_format("nothing more: %s", rv_kind_names[execution->outcome.kind]);
    }
    const struct rv_area *area = rv_server_area(server);
    struct rv_symboliser *symbols = rv_symboliser_open(area, ".");
    char *text = rv_event_text(symbols, area, &execution->events[index]);
    rv_symboliser_close(symbols);
    return text;
}

static void tell(struct rv_nondeterminism *difference, const struct rv_server *first_server,
                 const struct execution *first, const struct rv_server *second_server,
                 const struct execution *second) {
    if (difference->found) return; /* one is enough to act on */
    uint64_t index = rv_trace_parting(first->events, first->event_count, second->events, second->event_count);
    *difference = (struct rv_nondeterminism){.found = true};
    difference->what =
        rv_text_copy("the same schedule did different things in two processes: the program depends on "
                     "something that ravel does not control (real time, addresses, a changing file)");
    if (index == UINT64_MAX) {
        if (first->outcome.kind != second->outcome.kind)
            index = first->event_count;
        else
            return; /* the same steps with other values */
    }
    difference->event = index + 1;
    difference->first = describe(first_server, first, index);
    difference->second = describe(second_server, second, index);
}

/* --- comparing fresh processes --- */

enum rv_check rv_selfcheck_schedule(const struct rv_case *about, const struct rv_schedule *schedule,
                                    struct rv_nondeterminism *difference) {
    struct rv_config config = rv_case_config(about, NULL);
    struct rv_server servers[2];
    struct execution executions[2] = {0};
    enum rv_check verdict = RV_CHECK_NOTHING;
    bool opened[2] = {false, false}, ran = true;
    for (int i = 0; i < 2 && ran; i++) {
        opened[i] = true;
        ran = rv_server_open(&servers[i], about->program, &config, false) &&
              execute(&servers[i], schedule, &executions[i]);
        if (ran) rv_worker_kill(&servers[i].worker); /* not two at a time: they may share files */
    }
    if (ran) verdict = same(&executions[0], &executions[1]) ? RV_CHECK_FINE : RV_CHECK_NONDETERMINISM;
    if (verdict == RV_CHECK_NONDETERMINISM)
        tell(difference, &servers[0], &executions[0], &servers[1], &executions[1]);
    for (int i = 0; i < 2; i++) {
        forget(&executions[i]);
        if (opened[i]) rv_server_close(&servers[i]);
    }
    return verdict;
}

/* --- the check --- */

/* A random schedule of the threads that the log knows, within the steps they made. */
static struct rv_schedule invent(const struct rv_area *area, struct rv_rng *random) {
    struct rv_schedule log = rv_schedule_of_log(area);
    uint64_t reach[THREADS_MAX] = {0}, at[THREADS_MAX] = {0};
    struct rv_run runs[RUNS_MAX];
    uint64_t count = 0;
    for (uint64_t i = 0; i < log.run_count; i++) {
        const struct rv_run *run = &log.runs[i];
        if (run->thread < THREADS_MAX && run->until != UINT64_MAX && run->until > reach[run->thread])
            reach[run->thread] = run->until;
    }
    for (unsigned tries = 0; tries < 4 * RUNS_MAX && count < RUNS_MAX; tries++) {
        uint64_t thread = rv_rng_below(random, THREADS_MAX);
        if (at[thread] >= reach[thread]) continue;
        at[thread] += 1 + rv_rng_below(random, 1 + reach[thread] / 4);
        runs[count++] = (struct rv_run){.thread = (uint32_t)thread, .until = at[thread]};
    }
    rv_schedule_free(&log);
    return rv_schedule_copy(runs, count, NULL, 0);
}

/* What one process did: the default schedule, two random ones, the default one again. */
struct series {
    struct rv_schedule schedules[3];
    struct execution executions[4];
    unsigned done;
};

static void run_series(struct rv_server *server, struct series *series, uint64_t seed) {
    double until = rv_seconds() + patience;
    struct rv_rng random = rv_rng_stream(seed, 0);
    for (unsigned i = 0; i < 4; i++) {
        if (i == 1 || i == 2) series->schedules[i] = invent(rv_server_area(server), &random);
        if (!execute(server, &series->schedules[i % 3], &series->executions[i])) return;
        series->done++;
        if (rv_seconds() > until) return;
    }
}

/* The schedule for which an execution after others differs from a fresh process; -1: none. Sets *ran to whether
 * that could be found out. */
static int suspicious(const struct rv_case *about, const struct series *series, bool *ran) {
    struct rv_config config = rv_case_config(about, NULL);
    struct rv_server server;
    struct execution fresh;
    unsigned last = series->done >= 3 ? 2 : 0; /* the one that came after others, if there is one */
    if (series->done == 4 && !same(&series->executions[0], &series->executions[3])) {
        *ran = true;
        return 0;
    }
    *ran = rv_server_open(&server, about->program, &config, false) &&
           execute(&server, &series->schedules[last], &fresh);
    bool differs = *ran && !same(&fresh, &series->executions[last]);
    if (*ran) forget(&fresh);
    rv_server_close(&server);
    return differs ? (int)last : -1;
}

/* The fork server makes a process of every execution: a difference there is the program's own. */
static bool forks(const struct rv_case *about, const struct rv_server *server) {
    return about->config.isolation == RV_ISOLATION_FORK ||
           rv_load32(&rv_server_area(server)->control.isolation) == RV_ISOLATION_FORK;
}

enum rv_check rv_selfcheck(const struct rv_case *about, uint64_t seed, struct rv_nondeterminism *difference,
                           bool *alone) {
    struct rv_config config = rv_case_config(about, NULL);
    struct rv_server server;
    struct series series = {0};
    enum rv_check verdict = RV_CHECK_NOTHING;
    if (rv_server_open(&server, about->program, &config, false)) run_series(&server, &series, seed);
    *alone = series.done > 0 && rv_load32(&rv_server_area(&server)->control.alone) != 0;
    if (series.done > 0) {
        rv_worker_kill(&server.worker);
        bool ran = false;
        int which = suspicious(about, &series, &ran);
        verdict = ran ? RV_CHECK_FINE : RV_CHECK_NOTHING;
        if (which >= 0) {
            verdict = rv_selfcheck_schedule(about, &series.schedules[which], difference);
            if (verdict == RV_CHECK_FINE) verdict = RV_CHECK_RESTORE;
        }
        if (verdict == RV_CHECK_RESTORE && forks(about, &server)) {
            verdict = RV_CHECK_NONDETERMINISM;
            if (which == 0 && series.done == 4)
                tell(difference, &server, &series.executions[0], &server, &series.executions[3]);
            else
                verdict = RV_CHECK_NOTHING; /* it differed once and never again */
        }
    }
    for (unsigned i = 0; i < 4; i++) forget(&series.executions[i]);
    for (unsigned i = 0; i < 3; i++) rv_schedule_free(&series.schedules[i]);
    rv_server_close(&server);
    return verdict;
}
