/* The worker's life: executions one after the other.
 *
 * The loop runs on the carrier's stack, outside of everything that is restored. An execution is a switch to the
 * main fiber, which then stands in rv_worker_snapshot and goes on from there; the end of an execution, wherever
 * and however it comes, is a switch back. In between the program's memory is restored, or, with fork isolation,
 * the execution took place in a child and there is nothing to restore.
 *
 * Exploring, the strategy's state lies in the area's arena at an address that is the same in every process: a
 * worker that died is replaced and the search goes on where it was. Serving, each request is a schedule.
 */
#include "runtime/worker.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/signature.h"
#include "runtime/cases.h"
#include "runtime/cover.h"
#include "runtime/engine.h"
#include "runtime/events.h"
#include "runtime/hooks/outside.h"
#include "runtime/hooks/sync.h"
#include "runtime/parts.h"
#include "runtime/regions.h"
#include "runtime/reserve.h"
#include "runtime/snapshot.h"
#include "runtime/tests.h"
#include "runtime/watch.h"

enum {
    MAX_UNDO = 1 << 16,
    SERVE_ARENA = 4 << 20,
    CUT_LIMIT = 50,
    PROGRESS_EVERY = 64,
    SAVED_PER_POINT =
        256, /* bytes that may be saved for each point passed: below half of what a point costs */
};

/* At the start of the area's arena: what the next process on this area needs to carry on. */
struct carried {
    struct rv_arena arena;
    void *state; /* the strategy's; NULL: not begun */
};

static struct rv_region regions[RV_MAX_REGIONS];
static unsigned region_count;
static struct {
    int64_t now;
    uint64_t tickets;
} saved;
static struct undo {
    void (*undo)(uintptr_t, uintptr_t);
    uintptr_t first, second;
} * undo_list;
static uint32_t undo_count;
static bool forking;
static uint32_t served; /* sequence of the request under way */

/* ---- telling the supervisor ---- */

static void wake(uint32_t *word) { (void)rv_sys_futex(word, FUTEX_WAKE, INT32_MAX, NULL); }

static void ring(void) {
    __atomic_add_fetch(&rv.shared->doorbell, 1, __ATOMIC_RELEASE);
    wake(&rv.shared->doorbell);
}

static _Noreturn void leave(enum rv_done why) {
    rv.area->control.done = why;
    __atomic_store_n(&rv.area->control.state, RV_WORKER_DONE, __ATOMIC_RELEASE);
    ring();
    rv_sys_exit_group(0);
}

_Noreturn void rv_worker_unusable(void) {
    if (rv.mode == RV_DETACHED) rv_sys_exit_group(125);
    leave(RV_DONE_UNUSABLE);
}

/* What was found lately, by signature: with races the same things are found in every execution. */
static uint32_t lately[256];

static struct rv_finding *find_finding(enum rv_kind kind, uint64_t signature, bool met) {
    uint32_t *hint = &lately[signature & 255];
    for (uint32_t i = *hint, seen = 0; seen < rv.area->control.finding_count; i++, seen++) {
        if (i >= rv.area->control.finding_count) i = 0;
        struct rv_finding *known = &rv.area->findings[i];
        if (known->outcome.signature != signature || known->outcome.kind != kind) continue;
        if (met && !known->outcome.race_met) continue;
        *hint = i;
        return known;
    }
    return NULL;
}

/* `index`: of the execution. */
static void file_finding(uint64_t index, const struct rv_outcome *outcome) {
    struct rv_control *control = &rv.area->control;
    bool met = outcome->kind == RV_KIND_RACE && outcome->race_met;
    struct rv_finding *known = find_finding(outcome->kind, outcome->signature, met);
    if (known) {
        known->count++;
        return;
    }
    if (control->finding_count >= RV_MAX_FINDINGS) return;
    struct rv_finding *finding = &rv.area->findings[control->finding_count];
    finding->outcome = *outcome;
    finding->first_schedule = index;
    finding->count = 1;
    finding->run_count = outcome->run_count;
    finding->choice_count = outcome->choice_count;
    if (outcome->log_overflow || outcome->run_count > RV_FINDING_RUNS ||
        outcome->choice_count > RV_FINDING_RUNS) {
        finding->choice_count = UINT64_MAX;
    } else {
        memcpy(finding->runs, rv.area->log_runs, outcome->run_count * sizeof finding->runs[0]);
        memcpy(finding->choices, rv.area->log_choices, outcome->choice_count);
    }
    __atomic_store_n(&control->finding_count, control->finding_count + 1, __ATOMIC_RELEASE);
    ring();
}

/* With the schedule up to here. An execution counts once for a race, however often it meets it. The race that is steered for
 * is filed a second time when its threads stand at their accesses for the first time: what was seen before may not show it. */
void rv_worker_file_race(const struct rv_race_report *report, bool standing) {
    static uint64_t counted[RV_MAX_FINDINGS];
    uint64_t signature = rv_race_signature(report->first.site, report->second.site);
    uint64_t index = rv.area->control.next_index;
    bool wanted = signature == rv.config->race;
    struct rv_finding *known = find_finding(RV_KIND_RACE, signature, wanted && standing);
    rv.area->outcome.races++;
    if (wanted) rv.area->outcome.race_met = 1;
    if (known) {
        if (counted[known - rv.area->findings] != index + 1) known->count++;
        counted[known - rv.area->findings] = index + 1;
        return;
    }
    if (rv.area->control.finding_count >= RV_MOST_RACES) {
        rv_note("more than %d data races: the others are not reported", RV_MOST_RACES);
        return;
    }
    counted[rv.area->control.finding_count] = index + 1;
    struct rv_outcome outcome = rv.area->outcome;
    outcome.kind = RV_KIND_RACE;
    outcome.signature = signature;
    outcome.race_met = wanted && standing;
    outcome.thread = rv.current->id;
    outcome.address = report->address;
    outcome.race_sites[0] = report->first.site;
    outcome.race_sites[1] = report->second.site;
    memcpy(outcome.message, "data race", sizeof "data race");
    rv_schedule_end();
    file_finding(index, &outcome);
}

/* ---- undoing ---- */

void rv_on_restore(void (*undo)(uintptr_t, uintptr_t), uintptr_t first, uintptr_t second) {
    if (rv.mode != RV_CONTROLLED) return; /* before the snapshot: part of it */
    if (undo_count == MAX_UNDO) {
        rv_need_fork("the program makes more changes to its surroundings than can be undone");
        return;
    }
    undo_list[undo_count++] = (struct undo){undo, first, second};
}

static void undo_all(void) {
    while (undo_count > 0) {
        struct undo *last = &undo_list[--undo_count];
        last->undo(last->first, last->second);
    }
}

static void take_snapshot(void) {
    saved.now = rv.now;
    saved.tickets = rv.tickets;
    rv_fibers_snapshot();
    rv_io_snapshot();
    rv_threads_snapshot();
    rv_plan_snapshot();
    rv_tests_snapshot();
    if (!forking && !rv_snapshot_take(regions, region_count, RV_SNAPSHOT_AUTO))
        rv_unusable("no memory for a copy of the program's memory");
}

static void restore(void) {
    rv.internal++;
    undo_all();
    rv_io_restore();
    rv_snapshot_restore();
    rv.internal--;
    rv_threads_restore();
    rv_plan_restore();
    rv_tests_restore();
    rv_fibers_restore();
    rv.now = saved.now;
    rv.tickets = saved.tickets;
}

/* Before the next execution, in the snapshot state: what this one showed to be needed. */
static void prepare_next(void) {
    if (rv_contexts_prepare()) take_snapshot();
    bool fork_allowed = rv.config->isolation == RV_ISOLATION_AUTO;
    if (!forking && fork_allowed && rv_engine.learned->need_fork) {
        /* The surroundings are not as they were: a fresh process goes on, with fork isolation. */
        rv.area->control.isolation = RV_ISOLATION_FORK;
        rv_sys_exit_group(0);
    }
}

/* ---- one execution ---- */

static void begin_execution(unsigned flags) {
    /* What was learned elsewhere, or by a process that died, since memory was restored. */
    rv.fibers[0]->stack_escaped = rv.area->escaped[rv.fibers[0]->lineage >> 16];
    rv_engine.learned->new_sites = 0;
    rv_engine.learned->new_coverage = 0;
    rv_engine.request_flags = flags;
    rv_engine.executing = true;
    rv.internal = 0;
    rv.tracing = !rv.config->early && flags & RV_REQUEST_TRACE;
    rv_outcome_begin();
    rv_cases_begin();
    rv_trace_begin();
    rv_schedule_begin();
    rv_shadow_begin();
    bool asked = rv.config->race || (flags & RV_REQUEST_RECORD);
    rv_watch_begin(rv_engine.replaying ? asked : rv.config->races || asked, flags & RV_REQUEST_RECORD);
    rv_cover_begin(rv.area->control.next_index);
}

static void end_execution(void) {
    rv_engine.executing = false;
    rv_watch_stop();
    rv_cover_stop();
    rv_schedule_unfinished();
    rv.tracing = false;
    rv_outcome_finish();
    if (rv_engine.request_flags & RV_REQUEST_STACKS) rv_report_blocks();
}

static void describe_death(int status) {
    struct rv_outcome *outcome = &rv.area->outcome;
    int number = WTERMSIG(status);
    outcome->kind = rv_kind_of_signal(number);
    outcome->thread = RV_NO_THREAD;
    outcome->signature = 0xdeadu << 16 | (unsigned)number << 8;
    (void)snprintf(outcome->message, RV_MAX_MESSAGE, "the process was killed by signal %d", number);
}

static void run_forked(unsigned flags) {
    begin_execution(flags);
    rv_engine.executing = false;
    long child = rv_sys0(SYS_fork);
    if (child < 0) rv_unusable("fork isolation: no process can be made (error %d)", (int)-child);
    if (child == 0) {
        rv_engine.executing = true;
        rv_preempt_start();
        rv_carrier_run_main();
        end_execution();
        rv.internal++; /* what outlives the process: files, names of shared memory, children */
        undo_all();
        rv_io_restore();
        rv_sys_exit_group(0);
    }
    int status = 0;
    for (;;) {
        long got = rv_sys_wait4((pid_t)child, &status, 0, NULL);
        if (got == child) break;
        if (got == -EINTR)
            (void)rv_sys_kill((pid_t)child, RV_WATCH_SIGNAL); /* the watchdog asked us: pass it on */
        else
            break;
    }
    if (WIFSIGNALED(status)) describe_death(status);
}

static void begin_strategy(uint64_t index) {
    const struct rv_strategy *strategy = rv_engine.strategy, *in_charge = NULL;
    strategy->begin(rv_engine.state, index);
    if (strategy->in_charge) in_charge = strategy->in_charge(rv_engine.state);
    if (!in_charge) in_charge = strategy;
    rv_engine.sees_all_points = in_charge->sees_all_points;
    rv_engine.names_objects = in_charge->names_objects;
}

static void run_execution(unsigned flags) {
    __atomic_store_n(&rv.area->control.state, RV_WORKER_EXECUTING, __ATOMIC_RELEASE);
    if (forking) {
        run_forked(flags);
    } else {
        begin_execution(flags);
        rv_carrier_run_main();
        end_execution();
    }
    rv_cover_settle();
}

static void after_execution(void) {
    __atomic_store_n(&rv.area->control.state, RV_WORKER_BETWEEN, __ATOMIC_RELEASE);
    if (forking)
        rv_mappings_restore_shared();
    else
        restore();
}

/* ---- exploring ---- */

static struct carried *carried(void) { return (struct carried *)rv.area->arena; }

static bool end_for_strategy(const struct rv_outcome *outcome) {
    struct rv_strategy_end end = {
        .kind = outcome->kind,
        .not_terminating = outcome->not_terminating,
        .held_back = rv_engine.learned->held_back,
        .points = outcome->points,
        .learned = rv_engine.learned->new_sites,
        .new_coverage = rv_engine.learned->new_coverage != 0,
    };
    return rv_engine.strategy->end(rv_engine.state, &end);
}

static uint32_t worker_index(void) {
    return (uint32_t)(((char *)rv.area - (char *)rv.shared - RV_HEADER_SIZE) /
                      (ptrdiff_t)rv.shared->area_size);
}

void rv_need_alone(void) {
    if (rv.mode != RV_DETACHED) rv.area->control.alone = 1;
}

static void use_state(void *state) {
    const struct rv_strategy *strategy = rv_engine.strategy;
    rv_engine.state = state;
    rv_engine.stack_depth = strategy->stack_depth ? strategy->stack_depth(state) : 0;
}

/* Writes what the strategy wants to keep, if there is something new: at once if that is little against the executions
 * since the last time, so that a death costs next to nothing, else later; `last`: in any case. */
static void save_strategy(bool last) {
    static uint64_t points;
    const struct rv_strategy *strategy = rv_engine.strategy;
    struct rv_saved *places = &rv.area->saved;
    if (!strategy->save) return;
    uint32_t now = places->current & 1, next = now ^ 1;
    size_t size = strategy->save(rv_engine.state, NULL, 0);
    points += rv.area->outcome.points;
    if (size == places->size[now] || size > sizeof places->data[next]) return;
    if (!last && size / SAVED_PER_POINT > points) return;
    points = 0;
    places->size[next] = 0;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    (void)strategy->save(rv_engine.state, places->data[next], sizeof places->data[next]);
    places->size[next] = size;
    __atomic_store_n(&places->current, next, __ATOMIC_RELEASE);
}

static void set_up_strategy(void) {
    const char *params;
    const struct rv_config *config = rv.config;
    rv_engine.strategy = rv_strategy_find(config->strategy, &params);
    if (!rv_engine.strategy) rv_unusable("no strategy '%s'", config->strategy);
    struct carried *carry = carried();
    struct rv_control *control = &rv.area->control;
    if (carry->state) {
        use_state(carry->state);
        if (control->state != RV_WORKER_EXECUTING) return;
        rv_engine.learned->new_sites = 1; /* what the lost execution had learned is not known */
        if (rv.area->outcome.kind == RV_KIND_NONE) rv.area->outcome.kind = RV_KIND_SIGNAL;
        bool more = end_for_strategy(&rv.area->outcome);
        if (config->divided && !more) rv_parts_hand_in();
        control->executions++;
        control->next_index += config->workers;
        return;
    }
    rv_arena_init(&carry->arena, rv.area->arena + 4096, sizeof rv.area->arena - 4096);
    uint32_t worker = worker_index();
    struct rv_strategy_config setup = {
        .params = params,
        .seed = config->seed,
        .worker = config->divided ? 0 : worker,
        .workers = config->divided || !config->workers ? 1 : config->workers,
        .divided = config->divided,
        .hidden = config->hidden,
        .known = rv_known_of(rv.shared),
        .budget = config->schedules == UINT64_MAX
                      ? UINT64_MAX
                      : config->schedules / (config->workers ? config->workers : 1),
    };
    const struct rv_saved *places = &rv.area->saved;
    if (places->size[0] > 0 && places->size[0] <= sizeof places->data[0]) {
        setup.saved = places->data[0];
        setup.saved_size = places->size[0];
    }
    control->next_index = worker;
    carry->state = rv_engine.strategy->create(&carry->arena, &setup);
    if (!carry->state) rv_unusable("no memory for the strategy");
    use_state(carry->state);
    if (!config->divided) rv_parts_resume();
}

/* Looking at the whole stack is little beside an execution, but not nothing. */
static void tell_progress(bool always) {
    struct rv_control *control = &rv.area->control;
    if (!rv_engine.strategy->progress || (!always && control->executions % PROGRESS_EVERY)) return;
    rv_engine.strategy->progress(rv_engine.state, &control->search);
    control->searches = 1;
}

/* Leaves while the strategy's state is whole; `left`: and there is something left. */
static _Noreturn void end_search(enum rv_done why, bool left) {
    tell_progress(true);
    save_strategy(true);
    if (left) rv_parts_save();
    leave(why);
}

static enum rv_done verdict(void) {
    return rv_strategy_complete(rv_engine.strategy, rv_engine.state) ? RV_DONE_COMPLETE : RV_DONE_BUDGET;
}

/* The next execution gets its number. */
static void claim_index(void) {
    struct rv_control *control = &rv.area->control;
    enum rv_done over = rv.config->divided ? rv_parts_find() : RV_DONE_NOT;
    if (over != RV_DONE_NOT) end_search(over, false);
    if (__atomic_load_n(&rv.shared->stop, __ATOMIC_RELAXED)) end_search(RV_DONE_STOPPED, true);
    if (rv.config->divided)
        control->next_index = __atomic_fetch_add(&rv.shared->claimed, 1, __ATOMIC_RELAXED);
    if (control->next_index >= rv.config->schedules) end_search(RV_DONE_BUDGET, true);
}

/* The recording is complete: waits until somebody has read it. */
static void await_reader(void) {
    uint32_t *full = &rv_recording_of(rv.shared)->full;
    __atomic_store_n(full, 1, __ATOMIC_RELEASE);
    ring();
    while (__atomic_load_n(full, __ATOMIC_ACQUIRE) && !__atomic_load_n(&rv.shared->stop, __ATOMIC_RELAXED))
        (void)rv_sys_futex(full, FUTEX_WAIT, 1, &(struct timespec){.tv_sec = 1});
}

static void explore_one(void) {
    struct rv_control *control = &rv.area->control;
    claim_index();
    begin_strategy(control->next_index);
    run_execution(rv.config->record ? RV_REQUEST_RECORD : 0);
    const struct rv_outcome *outcome = &rv.area->outcome;
    bool failed = outcome->kind != RV_KIND_NONE;
    control->not_terminating += outcome->not_terminating;
    control->dead_ends += outcome->dead_end;
    bool more = end_for_strategy(outcome);
    if (failed) file_finding(control->next_index, outcome);
    control->executions++;
    control->next_index += rv.config->workers ? rv.config->workers : 1;
    if (rv.config->record) await_reader();
    tell_progress(control->executions == 1);
    after_execution();
    save_strategy(false);
    if (rv.config->divided && more) rv_parts_share();
    if (rv.config->divided && !more) rv_parts_hand_in();
    if (control->not_terminating == CUT_LIMIT && control->executions == CUT_LIMIT) {
        rv_note(
            "none of %d executions ended within %lu scheduling points (--max-steps): given up. Use a larger one, or "
            "give the program less to do",
            CUT_LIMIT, (unsigned long)rv.config->max_steps);
        end_search(RV_DONE_BUDGET, more);
    }
    if (control->alone && worker_index() > 0)
        end_search(RV_DONE_STOPPED, more); /* found out late: the self-check did not see it */
    if (failed && !rv.config->keep_going) end_search(RV_DONE_FINDING, more);
    if (!more && control->held_at && rv_engine.strategy->exhaustive && verdict() != RV_DONE_COMPLETE)
        control->left_out = 1;
    if (!rv.config->divided && !more) end_search(verdict(), false);
    prepare_next();
}

/* ---- serving ---- */

static void set_up_replay(void) {
    static struct rv_arena arena;
    void *memory = rv_reserve(SERVE_ARENA);
    if (!memory) rv_unusable("no memory to replay a schedule");
    rv_arena_init(&arena, memory, SERVE_ARENA);
    struct rv_strategy_config setup = {.workers = 1, .budget = UINT64_MAX};
    rv_engine.strategy = &rv_strategy_replay;
    rv_engine.state = rv_strategy_replay.create(&arena, &setup);
    rv_engine.replaying = true;
}

static void answer(void) {
    struct rv_request *request = &rv.area->request;
    __atomic_store_n(&request->served, served, __ATOMIC_RELEASE);
    wake(&request->served);
}

/* Waits for a request that has not been served; spins for a moment first, for answers take microseconds. */
static void await_request(void) {
    struct rv_request *request = &rv.area->request;
    unsigned patience = rv.config->early ? 300 : 5000; /* a test's result is told before the next one comes */
    __atomic_store_n(&rv.area->control.state, RV_WORKER_WAITING, __ATOMIC_RELEASE);
    for (unsigned round = 0;; round++) {
        served = __atomic_load_n(&request->sequence, __ATOMIC_ACQUIRE);
        if (served != request->served) return;
        if (round > patience)
            (void)rv_sys_futex(&request->sequence, FUTEX_WAIT, served, NULL);
        else
            __builtin_ia32_pause();
    }
}

/* Executions of a generated test, each by the strategy that is asked for. What serves other requests is put back after it. */
static void serve_cases(void) {
    struct rv_cases *cases = &rv.area->cases;
    const struct rv_strategy *replayer = rv_engine.strategy;
    void *replaying = rv_engine.state;
    const char *params;
    char name[sizeof cases->strategy];
    memcpy(name, cases->strategy, sizeof name - 1);
    name[sizeof name - 1] = 0;
    rv_engine.strategy = rv_strategy_find(name, &params);
    if (!rv_engine.strategy) rv_unusable("no strategy '%s'", name);
    struct rv_arena *arena = &carried()->arena;
    if (arena->base != rv.area->arena + 4096)
        rv_arena_init(arena, rv.area->arena + 4096, sizeof rv.area->arena - 4096);
    rv_arena_reset(arena, 0);
    struct rv_strategy_config setup = {
        .params = params, .seed = cases->seed, .workers = 1, .budget = cases->wanted};
    void *state = rv_engine.strategy->create(arena, &setup);
    if (!state) rv_unusable("no memory for the strategy");
    use_state(state);
    rv_engine.replaying = false;
    cases->returned = 0;
    cases->over = 0;
    cases->number = cases->first;
    for (uint32_t n = 0; n < cases->wanted && !cases->over; n++) {
        if (n > 0) {
            prepare_next();
            cases->number++;
        }
        begin_strategy(cases->number);
        run_execution(rv.area->request.flags & ~RV_REQUEST_CASES);
        cases->over = !end_for_strategy(&rv.area->outcome);
        bool more = rv_cases_keep() && (cases->keep_going || rv.area->outcome.kind == RV_KIND_NONE);
        rv.area->control.executions++;
        after_execution();
        if (!more) break;
    }
    rv_engine.strategy = replayer;
    rv_engine.replaying = true;
    use_state(replaying);
}

/* An execution that begins before main tells of the same events as one that begins with its first thread. */
static void trace_from_here(void) { rv.tracing = rv_engine.request_flags & RV_REQUEST_TRACE; }

/* The next execution is about another test: what the last one has taught about this one must not matter. */
static void change_test(void) {
    rv_sites_forget();
    rv_plan_init();
    rv_plan_snapshot();
}

static void serve_one(void) {
    await_request();
    struct rv_request *request = &rv.area->request;
    if (request->flags & RV_REQUEST_END) leave(RV_DONE_STOPPED);
    if (request->flags & RV_REQUEST_LIST) {
        request->list_size = rv_tests_list(rv.area->arena, sizeof rv.area->arena);
        answer();
        return;
    }
    if (rv.config->early) change_test();
    if (request->flags & RV_REQUEST_CASES) {
        serve_cases();
        answer();
        prepare_next();
        return;
    }
    struct rv_replay_input input = {
        .runs = rv.area->request_runs,
        .run_count = request->run_count < RV_MAX_RUNS ? request->run_count : RV_MAX_RUNS,
        .choices = rv.area->request_choices,
        .choice_count = request->choice_count < RV_MAX_CHOICES ? request->choice_count : RV_MAX_CHOICES,
    };
    rv_replay_set(rv_engine.state, &input);
    begin_strategy(0);
    run_execution(request->flags);
    rv.area->control.executions++;
    after_execution(); /* first: whoever has the answer may end this process */
    answer();
    prepare_next();
}

/* ---- the loop ---- */

static void carrier(void) {
    struct rv_control *control = &rv.area->control;
    forking = rv.config->isolation == RV_ISOLATION_FORK || control->isolation == RV_ISOLATION_FORK;
    control->isolation = forking ? RV_ISOLATION_FORK : RV_ISOLATION_MEMORY;
    control->threads_seen = 1;
    rv.area->exchange.main_stack = (uintptr_t)rv.fibers[0]->sp;
    rv_engine.executing = false;
    rv_engine.point_flag = rv.config->focus ? RV_SITE_FOCUS : RV_SITE_CONFLICT;
    undo_list = rv_reserve(MAX_UNDO * sizeof *undo_list);
    if (!undo_list) rv_unusable("no memory to note what must be undone");
    (void)rv_contexts_prepare();
    rv_modules_scan();
    region_count = rv_regions_find(regions, RV_MAX_REGIONS, (uintptr_t)rv.fibers[0]->sp);
    if (!forking && !region_count)
        rv_unusable("cannot find out what memory the program has (/proc/self/maps)");
    take_snapshot();
    rv_cover_init();
    if (control->serve) {
        set_up_replay();
        for (;;) serve_one();
    }
    set_up_strategy();
    for (;;) explore_one();
}

void rv_worker_snapshot(void) {
    if (rv.mode == RV_CONTROLLED && rv.config->early && !rv.tracing) trace_from_here();
    if (rv.mode != RV_SINGLE) return;
    rv.mode = RV_CONTROLLED;
    rv_carrier_start(carrier);
    /* Here each execution begins. */
}

/* The program ended before it had created a thread: there is one schedule. */
static _Noreturn void over_without_threads(void) {
    struct rv_control *control = &rv.area->control;
    end_execution();
    control->executions++;
    control->isolation = RV_ISOLATION_MEMORY;
    if (control->serve) {
        served = __atomic_load_n(&rv.area->request.sequence, __ATOMIC_ACQUIRE);
        answer();
        rv_sys_exit_group(0);
    }
    bool failed = rv.area->outcome.kind != RV_KIND_NONE;
    if (failed) file_finding(0, &rv.area->outcome);
    leave(failed ? RV_DONE_FINDING : RV_DONE_COMPLETE);
}

_Noreturn void rv_worker_execution_over(void) {
    if (rv.mode == RV_SINGLE) over_without_threads();
    rv_carrier_enter();
}

/* The child of a program's own fork: it goes on alone, and must not write into what the worker shares. */
void rv_detach(void) {
    rv.mode = RV_DETACHED;
    rv_cover_stop();
    rv.tracing = false;
    rv_engine.executing = false;
    rv_engine.replaying = false;
    rv_engine.alive_count = 0;
    rv_engine.alive[rv_engine.alive_count++] = rv.current;
    (void)rv_sys_mmap(rv.area, rv.shared->area_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}
