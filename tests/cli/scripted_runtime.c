/* A stand-in for libravel.so that speaks its side of base/protocol.h and runs no program at all: what a worker
 * does is scripted, so that tests can have workers that die, lie, hang and differ exactly when they want it.
 *
 *     RAVEL_LIBRARY=scripted_runtime.so RAVEL_SCRIPT="fail=17 die=3:9" ravel run /bin/true
 *
 * The model of a program: two threads. An execution fails (assert, signature 77) if its schedule has a run of
 * thread 1 until step 7; every switch in a schedule is a preemption. Words of the script:
 *
 *     fail=N        execution N of the campaign (from 0) has that run
 *     second=N      execution N fails otherwise (abort, signature 88: a run until step 8)
 *     die=N:SIGNAL  the process dies in execution N, the first time it gets there
 *     dead=N:SIGNAL the schedule of execution N kills any process that runs it (a run until step 9)
 *     hang=N        execution N goes on for ever and ignores the watchdog, the first time it gets there
 *     start=STATUS  the process exits before anything else
 *     attach=STATUS the same, but after it has attached
 *     unusable      the program cannot be run
 *     flaky         failures do not happen again in serving processes
 *     stale         the same, unless isolation is fork: then they do not happen at all
 *     random        events differ from process to process
 *     dirty         events differ from one execution to the next, unless isolation is fork
 *     complete      exploring ends after the tenth execution: every schedule was seen
 *     endless=N     N executions are cut off
 *     slow          an execution takes a millisecond
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/protocol.h"

static struct rv_shared *shared;
static struct rv_area *area;
static uint64_t executions_here; /* by this process */
static unsigned worker;

static void ring(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1 << 30, NULL, NULL, 0); }

static void ring_doorbell(void) {
    __atomic_add_fetch(&shared->doorbell, 1, __ATOMIC_RELEASE);
    ring(&shared->doorbell);
}

/* The text after NAME= in the script, "" for a word alone, NULL if it is not there. */
static const char *word(const char *name) {
    const char *script = getenv("RAVEL_SCRIPT");
    size_t size = strlen(name);
    for (const char *at = script; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
        if (strncmp(at, name, size) == 0 && (at[size] == '=' || at[size] == ' ' || at[size] == 0))
            return at[size] == '=' ? at + size + 1 : "";
    return NULL;
}

static bool at_index(const char *name, uint64_t index) {
    const char *value = word(name);
    return value && strtoull(value, NULL, 10) == index;
}

static int signal_of(const char *name) {
    const char *colon = strchr(word(name), ':');
    return colon ? atoi(colon + 1) : SIGKILL;
}

static void state(enum rv_worker_state value) {
    __atomic_store_n(&area->control.state, value, __ATOMIC_RELEASE);
}

static void note(const char *text) {
    snprintf(area->control.notes[area->control.note_count], sizeof area->control.notes[0], "%s", text);
    area->control.note_count++;
}

static void leave(enum rv_done why) {
    area->control.done = why;
    state(RV_WORKER_DONE);
    ring_doorbell();
    _exit(0);
}

/* --- the model --- */

static void log_schedule(const struct rv_run *runs, uint64_t count) {
    memcpy(area->log_runs, runs, count * sizeof *runs);
    area->outcome.run_count = count;
    area->outcome.choice_count = 0;
}

static void make_events(void) {
    uint64_t salt = word("random") ? (uint64_t)getpid() : 0;
    if (word("dirty") && shared->config.isolation != RV_ISOLATION_FORK) salt = executions_here;
    area->outcome.event_hash = 1000 + salt;
    for (uint64_t i = 0; i < 4; i++)
        area->events[i] = (struct rv_event){
            .thread = (uint32_t)(i & 1), .step = i + (i == 2 ? salt : 0), .op = RV_OP_WRITE, .size = 4};
    area->outcome.event_count = 4;
}

static void fail(enum rv_kind kind, uint64_t signature, const char *message) {
    area->outcome.kind = kind;
    area->outcome.signature = signature;
    area->outcome.thread = 1;
    snprintf(area->outcome.message, sizeof area->outcome.message, "%s", message);
}

/* What the schedule in the log means. */
static void execute(bool serving) {
    struct rv_outcome *outcome = &area->outcome;
    bool lies = serving && (word("flaky") || word("stale"));
    outcome->kind = RV_KIND_NONE;
    outcome->preemptions = 0;
    for (uint64_t i = 0; i < outcome->run_count; i++) {
        const struct rv_run *run = &area->log_runs[i];
        outcome->preemptions += i > 0 && run->thread != run[-1].thread;
        if (lies || run->thread != 1) continue;
        if (run->until == 7) fail(RV_KIND_ASSERT, 77, "Assertion `scripted' failed");
        if (run->until == 8) fail(RV_KIND_ABORT, 88, "aborted by the script");
        if (run->until == 9) raise(signal_of("dead"));
    }
    outcome->switches = outcome->preemptions;
    make_events();
    executions_here++;
    __atomic_add_fetch(&area->control.heartbeat, 1, __ATOMIC_RELAXED);
}

/* --- exploring --- */

static void file_finding(uint64_t index) {
    struct rv_outcome *outcome = &area->outcome;
    for (uint32_t i = 0; i < area->control.finding_count; i++) {
        if (area->findings[i].outcome.signature != outcome->signature) continue;
        area->findings[i].count++;
        return;
    }
    struct rv_finding *finding = &area->findings[area->control.finding_count];
    *finding = (struct rv_finding){.outcome = *outcome, .first_schedule = index, .count = 1};
    finding->run_count = outcome->run_count;
    memcpy(finding->runs, area->log_runs, outcome->run_count * sizeof(struct rv_run));
    __atomic_add_fetch(&area->control.finding_count, 1, __ATOMIC_RELEASE);
    ring_doorbell();
}

/* Runs that mean nothing around the one that does: minimisation shall drop them. */
static void choose_schedule(uint64_t index) {
    uint64_t meaning = at_index("fail", index)     ? 7
                       : at_index("second", index) ? 8
                       : at_index("dead", index)   ? 9
                                                   : 5;
    if (word("stale") && shared->config.isolation == RV_ISOLATION_FORK) meaning = 5;
    struct rv_run runs[] = {{0, 0, 3}, {1, 0, 2}, {0, 0, 6}, {1, 0, meaning}, {0, 0, 9}, {1, 0, 11}};
    log_schedule(runs, sizeof runs / sizeof *runs);
}

static void obstacles(uint64_t index) {
    uint64_t *met =
        (uint64_t *)(void *)(area->arena + 64); /* outlives the process, as a strategy's state does */
    if (at_index("die", index) && !(*met & 1)) {
        *met |= 1;
        raise(signal_of("die"));
    }
    if (at_index("hang", index) && !(*met & 2)) {
        *met |= 2;
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        for (volatile int forever = 1; forever;) {}
    }
    if (word("slow")) usleep(1000);
}

static void explore(void) {
    const struct rv_config *config = &shared->config;
    uint64_t share = config->schedules / config->workers;
    area->control.isolation =
        config->isolation == RV_ISOLATION_AUTO ? RV_ISOLATION_MEMORY : config->isolation;
    if (area->control.started == 1) {
        area->control.next_index = worker;
    } else if (area->control.state == RV_WORKER_EXECUTING) { /* the one that died counts */
        area->control.executions++;
        area->control.next_index += config->workers;
    }
    state(RV_WORKER_STARTING);
    if (word("unusable")) {
        note("/bin/true: the script says no");
        leave(RV_DONE_UNUSABLE);
    }
    if (word("endless")) area->control.not_terminating = strtoull(word("endless"), NULL, 10);
    while (area->control.executions < share) {
        uint64_t index = area->control.next_index;
        choose_schedule(index);
        state(RV_WORKER_EXECUTING);
        obstacles(index);
        execute(false);
        state(RV_WORKER_BETWEEN);
        area->control.executions++;
        area->control.next_index += config->workers;
        if (area->outcome.kind != RV_KIND_NONE) {
            file_finding(index);
            if (!config->keep_going) leave(RV_DONE_FINDING);
        }
        if (word("complete") && area->control.executions == 10) leave(RV_DONE_COMPLETE);
        if (__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE)) leave(RV_DONE_STOPPED);
    }
    leave(RV_DONE_BUDGET);
}

/* --- serving --- */

static void serve(void) {
    area->control.isolation = RV_ISOLATION_MEMORY;
    for (;;) {
        uint32_t wanted = __atomic_load_n(&area->request.sequence, __ATOMIC_ACQUIRE);
        if (wanted == area->request.served) {
            state(RV_WORKER_WAITING);
            syscall(SYS_futex, &area->request.sequence, FUTEX_WAIT, wanted, NULL, NULL, 0);
            continue;
        }
        if (area->request.flags & RV_REQUEST_END) leave(RV_DONE_STOPPED);
        area->outcome = (struct rv_outcome){.thread = RV_NO_THREAD};
        log_schedule(area->request_runs, area->request.run_count);
        state(RV_WORKER_EXECUTING);
        execute(true);
        printf("the program says hello\n");
        fflush(stdout);
        state(RV_WORKER_BETWEEN);
        __atomic_store_n(&area->request.served, wanted, __ATOMIC_RELEASE);
        ring(&area->request.served);
    }
}

__attribute__((constructor)) static void begin(void) {
    const char *channel = getenv(RV_CHANNEL_ENV);
    int fd = -1;
    if (!channel || sscanf(channel, "%d:%u", &fd, &worker) != 2) return;
    if (word("start")) _exit(atoi(word("start")));
    off_t size = lseek(fd, 0, SEEK_END);
    shared =
        mmap((void *)RV_SHARED_BASE, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    if (shared == MAP_FAILED) _exit(99);
    area = rv_area_of(shared, worker);
    area->control.pid = (uint32_t)getpid();
    area->control.started++;
    area->control.threads_seen = 1;
    if (word("attach")) {
        state(RV_WORKER_STARTING);
        _exit(atoi(word("attach")));
    }
    if (area->control.serve)
        serve();
    else
        explore();
}
