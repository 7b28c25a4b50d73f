/* What supervisor and workers share: one memory file, mapped at RV_SHARED_BASE in every worker.
 *
 *     struct rv_shared          configuration of the campaign, written by the supervisor before any worker
 *     struct rv_area [workers]  one per worker; written by the worker, request by the supervisor
 *     struct rv_known           with config.divided, of all workers together
 *     struct rv_recording       of the one worker there is: what analyses read
 *
 * A worker may die at any instruction, or be overwritten by the bug it hunts. So the supervisor treats an
 * area as untrusted input: every count is clamped to its array, every text is cut at its size, nothing in
 * it is a pointer to follow. All arrays are sparse memory: only what is used costs pages.
 *
 * Two ways to use a worker (rv_config.serve, per area):
 *   explore  the worker runs executions by its strategy until the budget ends, and files findings.
 *   serve    the worker waits for a request (a schedule), runs one execution by it, files an outcome,
 *            and waits for the next. Confirmation, minimisation, replay and self-checks are requests.
 */
#ifndef RV_BASE_PROTOCOL_H
#define RV_BASE_PROTOCOL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/coverage.h"
#include "base/cases.h"
#include "base/kind.h"
#include "base/op.h"
#include "base/record.h"
#include "strategy/hapset.h"
#include "strategy/replay.h"

#define RV_PROTOCOL_MAGIC 0x6c65766172u
/* Other sizes are another version, too: programs keep the runtime that they were built with. */
#define RV_PROTOCOL_VERSION \
    (6u + 31u * (uint32_t)sizeof(struct rv_area) + 17u * (uint32_t)sizeof(struct rv_config))
#define RV_SHARED_BASE ((uintptr_t)0x5a0000000000)
/* Sent by the watchdog to a stuck worker; the runtime's handler ends the execution as `hang`. */
#define RV_WATCH_SIGNAL (SIGRTMAX - 1)
#define RV_CHANNEL_ENV  "RAVEL_CHANNEL" /* "FD:WORKER": the memory file's descriptor and the area's index */

enum {
    RV_MAX_MODULES = 128,
    RV_MAX_FINDINGS = 256,
    RV_MOST_RACES = 192,    /* of them */
    RV_MAX_SITES = 1 << 17, /* a power of two */
    RV_MAX_RUNS = 1 << 20,
    RV_MAX_CHOICES = 1 << 20,
    RV_MAX_EVENTS = 1 << 20,
    RV_MAX_THREAD_REPORTS = 64,
    RV_MAX_FRAMES = 40,
    RV_MAX_HELD = 8,
    RV_MAX_BLOCKS = 4096,
    RV_MAX_MESSAGE = 512,
    RV_MAX_NOTES = 32,
    RV_MAX_PLAN = 4096,
    RV_MAX_EVENT_NAMES = 1024,
    RV_EVENT_NAME = 72,        /* "unblock@" and a name */
    RV_FINDING_RUNS = 1 << 16, /* longer schedules are found again by index instead */
};

/* A code location that means the same in every process: module index << 48 | offset in the file's
 * address space (what DWARF calls an address). RV_CODE_UNKNOWN: outside every module. */
typedef uint64_t rv_code;
#define RV_CODE_UNKNOWN UINT64_MAX
static inline unsigned rv_code_module(rv_code code) { return (unsigned)(code >> 48); }
static inline uint64_t rv_code_offset(rv_code code) { return code & 0xffffffffffffu; }

enum rv_isolation { RV_ISOLATION_AUTO, RV_ISOLATION_MEMORY, RV_ISOLATION_FORK };
enum rv_timing { RV_TIMING_FREE, RV_TIMING_STRICT };
enum rv_output { RV_OUTPUT_DISCARD, RV_OUTPUT_FIRST, RV_OUTPUT_ALL };

/* An execution in which the plan lets nobody go on: a failure; counted, and a failure only if all are; counted. */
enum rv_dead_ends { RV_DEAD_ENDS_FAIL, RV_DEAD_ENDS_COUNT, RV_DEAD_ENDS_COUNT_ALWAYS };

/* What is covered by executions: nothing is noted; what sites that are known to be in conflict do; every access. */
enum rv_cover_wanted { RV_COVER_OFF, RV_COVER_CONFLICTS, RV_COVER_ALL };

struct rv_config {
    char strategy[160]; /* NAME[:PARAMS]; the longest: steer:lock with four pairs of 64-bit numbers */
    uint64_t seed;
    uint64_t schedules;  /* executions in all workers together */
    uint64_t max_steps;  /* points per execution */
    uint32_t isolation;  /* enum rv_isolation */
    uint32_t timing;     /* enum rv_timing */
    uint32_t output;     /* enum rv_output: what becomes of the program's standard output */
    uint32_t spurious;   /* condition variables may wake without reason */
    int32_t expect_exit; /* exit status that counts as success */
    uint32_t keep_going; /* a worker goes on after a finding */
    uint32_t workers;
    uint32_t watchdog_ms;   /* CPU time without a step after which a loop counts as endless */
    uint64_t memory_limit;  /* bytes of heap after which malloc fails */
    int64_t clock_base;     /* seconds since 1970 at which virtual time starts */
    uint32_t instrumented;  /* the program has been built with ravel cc */
    uint32_t divided;       /* workers get the search in parts: rv_exchange */
    uint32_t hidden;        /* threads are known to touch what no operation tells of */
    uint32_t races;         /* exploring workers watch for data races */
    uint32_t record;        /* ... and record each execution; they wait until the recording was read */
    char test[128];         /* the one that is run, all others are skipped; "": all are run */
    char plan_label[128];   /* of the plan; "": none */
    char plan[RV_MAX_PLAN]; /* a schedule of events (plan/plan.h) that every execution keeps to; "": none */
    uint32_t dead_ends;     /* enum rv_dead_ends; for exploring workers */
    uint32_t focus;         /* plain accesses are points at sites with RV_SITE_FOCUS only */
    uint32_t direct;        /* the test is called in place of main */
    uint32_t early; /* executions begin where main would, each with the test and plan that are here by then */
    uint32_t note;  /* code executed before the first thread is created gets RV_SITE_BEFORE */
    uint32_t coverage; /* executions are told to rv_area.coverage: enum rv_cover_wanted */
    uint64_t race;     /* a pair of statements (base/signature.h): where two threads stand at it, an exploring
                             * worker files it, a serving one fails the execution. RV_RACE_ANY; 0: none */
};

struct rv_shared {
    uint64_t magic;
    uint32_t version;
    uint32_t doorbell; /* futex: workers increment and wake when there is something to look at */
    uint32_t stop;     /* the supervisor asks all exploring workers to end after this execution */
    uint64_t area_size;
    uint64_t claimed; /* with config.divided: executions begun by all workers together */
    struct rv_config config;
};

enum { RV_HEADER_SIZE = 3 * 4096 }; /* room for struct rv_shared before the first area, in whole pages */

struct rv_module {
    char path[256];
    uint64_t base;  /* run-time address minus file address, in the process that wrote it last */
    uint64_t start; /* run-time address range */
    uint64_t end;
    uint8_t build_id[20];
    uint32_t build_id_size;
};

/* One thing that happened. The trace is an array of these. */
struct rv_event {
    uint64_t address; /* of the object; descriptor number for I/O */
    uint64_t value;   /* read, written or returned; what it means depends on op */
    uint64_t step;    /* of the thread */
    rv_code site;
    uint32_t thread;
    uint16_t op;
    uint16_t size;
    uint32_t block;   /* 1-based number of the heap block that contains address; 0: none */
    uint32_t offset;  /* in that block */
    uint32_t context; /* hash of the call stack above site */
    uint16_t flags;   /* RV_EVENT_* */
    uint16_t depth;   /* of the call stack */
    rv_code caller;   /* the innermost call below site that is program code, for context in reports */
};
enum {
    RV_EVENT_TIMEOUT = 1, /* ended by time */
    RV_EVENT_SWITCH = 2,  /* the first event of its thread after another thread ran */
    RV_EVENT_PREEMPT = 4, /* ... and that other thread could have gone on */
    RV_EVENT_FAILED = 8,  /* returned an error (trylock busy, timed out): the object was not changed */
    RV_EVENT_VALUE = 16,  /* value is what was read or written: reports may show it */
    RV_EVENT_LOOKED = 32, /* to rv_done only: the object was as it should be and was not changed */
};

enum rv_thread_state {
    RV_THREAD_RUNNABLE, /* could go on */
    RV_THREAD_RUNNING,  /* the one that failed */
    RV_THREAD_BLOCKED,  /* waits for `object` in `op` */
    RV_THREAD_SLEEPING, /* waits for time */
    RV_THREAD_SPINNING, /* repeats itself without effect */
    RV_THREAD_EXITED,   /* over, not joined */
};

struct rv_held_lock {
    uint64_t address;
    rv_code frames[8]; /* where it was acquired, innermost first, 0-terminated if shorter */
    uint16_t op;       /* RV_OP_LOCK, RV_OP_RDLOCK ... */
};

struct rv_thread_report {
    uint32_t id;
    uint32_t creator;
    char name[16];
    uint16_t state; /* enum rv_thread_state */
    uint16_t op;    /* pending or failing operation */
    uint32_t owner; /* of the object waited for, RV_NO_THREAD if none */
    uint64_t object;
    int64_t timeout_ns; /* length of the sleep or timed wait, -1: none */
    uint64_t stack_low; /* run-time address of its stack's lowest byte */
    uint64_t stack_size;
    uint32_t frame_count;
    uint32_t held_count;
    rv_code frames[RV_MAX_FRAMES]; /* innermost first */
    rv_code created_at;
    struct rv_held_lock held[RV_MAX_HELD];
};

/* A heap block that the trace or the failure mentions. */
struct rv_block_report {
    uint32_t number; /* as in rv_event.block: allocation order */
    uint32_t freed;  /* 0 or 1 */
    uint64_t address;
    uint64_t size;
    uint32_t alloc_thread;
    uint32_t free_thread;
    rv_code alloc_frames[12];
    rv_code free_frames[12];
};

struct rv_outcome {
    uint32_t kind; /* enum rv_kind */
    uint32_t not_terminating;
    uint32_t dead_end;   /* the plan let nobody go on: see config.dead_ends */
    int32_t exit_status; /* -1: did not exit */
    uint32_t thread;     /* that failed; RV_NO_THREAD: all (deadlock) */
    char message[RV_MAX_MESSAGE];
    uint64_t signature; /* kind and location: distinct failures differ in it */
    uint64_t address;   /* the memory involved, 0: none */
    uint32_t block;     /* the heap block involved, 0: none */
    uint32_t block_offset;
    uint64_t event_hash; /* over all events; equal for equal executions */
    uint64_t points;     /* scheduling points */
    uint64_t steps;      /* hooks passed by all threads */
    uint32_t threads;    /* created, main included */
    uint32_t switches;
    uint32_t preemptions; /* switches away from a thread that could have gone on */
    uint32_t timeouts;    /* time-outs that expired although something else could run */
    uint64_t timeout_ns;  /* the longest of them */
    uint64_t deviations;  /* of a replay from its schedule */
    uint64_t learned;
    uint64_t run_count; /* in the log: the schedule as it was */
    uint64_t choice_count;
    uint32_t log_overflow; /* the schedule was too long to keep: it cannot be replayed */
    uint64_t event_count;  /* in events[]; only with RV_REQUEST_TRACE; may exceed RV_MAX_EVENTS */
    uint32_t thread_count; /* in thread_reports[]; only with RV_REQUEST_STACKS */
    uint32_t block_count;  /* in blocks[] */
    rv_code race_sites[2]; /* with RV_KIND_RACE */
    uint32_t races;        /* pairs of statements that raced in this execution */
    uint32_t
        race_met; /* among them the one of config.race; of a race: both threads stand at their accesses */
    uint32_t race_first; /* with a recording, too: numbers of the two records, from 1; 0: not there */
    uint32_t race_second;
    uint32_t fault_address_valid;
    uint64_t fault_address;
};

enum {
    RV_REQUEST_TRACE = 1,   /* record events */
    RV_REQUEST_STACKS = 2,  /* at a failure, report all threads and blocks */
    RV_REQUEST_TRAP = 4,    /* stop in a debugger at the failure (SIGTRAP) */
    RV_REQUEST_END = 8,     /* no execution: leave */
    RV_REQUEST_RECORD = 16, /* record steps */
    RV_REQUEST_CASES = 32,  /* a batch of executions of a generated test: area.cases */
    RV_REQUEST_LIST = 64,   /* no execution: what tests there are goes to the arena (config.early) */
};

struct rv_request {
    uint32_t sequence; /* futex: incremented by the supervisor when the request is complete */
    uint32_t served;   /* futex: set to sequence by the worker when the outcome is complete */
    uint32_t flags;
    uint64_t run_count; /* in request_runs[] */
    uint64_t choice_count;
    uint64_t list_size; /* of the answer to LIST; 0: there is none */
};

enum rv_worker_state {
    RV_WORKER_STARTING,  /* before the first execution */
    RV_WORKER_EXECUTING, /* an execution is under way: if the worker died, the log tells which */
    RV_WORKER_BETWEEN,   /* bookkeeping; safe */
    RV_WORKER_WAITING,   /* serving: for a request */
    RV_WORKER_DONE,      /* left by itself; `done` says why */
};
enum rv_done {
    RV_DONE_NOT,
    RV_DONE_BUDGET,
    RV_DONE_COMPLETE,
    RV_DONE_FINDING,
    RV_DONE_STOPPED,
    RV_DONE_UNUSABLE
};

/* Things a user should know about how the program was run, once each (notes[] holds the texts). */
struct rv_control {
    uint32_t pid;
    uint32_t state;        /* enum rv_worker_state */
    uint32_t done;         /* enum rv_done */
    uint32_t serve;        /* set by the supervisor: serve requests instead of exploring */
    uint32_t started;      /* how many processes have attached to this area */
    uint32_t isolation;    /* in use: RV_ISOLATION_MEMORY or _FORK; AUTO until known */
    uint32_t threads_seen; /* the program has created a thread */
    uint32_t alone;        /* the program changes files: workers side by side would disturb each other */
    uint32_t left_files;   /* an execution left files other than it found them, before they were put back */
    uint64_t heartbeat;    /* points passed, in all executions; the watchdog looks at it */
    uint64_t executions;   /* finished */
    uint64_t next_index;   /* of the execution under way or next */
    uint64_t not_terminating;
    uint64_t dead_ends;
    uint64_t learned;   /* conflicting sites and escaped objects */
    uint64_t knowledge; /* sum over what was learned: equal in workers that know the same */
    uint64_t coverage;  /* ordering pairs of sites seen */
    rv_code held_at;    /* where a thread waited in a loop and was first held back for it; 0: nowhere */
    uint32_t left_out;  /* an exhaustive search has ended that did not see all, having held threads back */
    struct rv_search_progress search; /* now and then, by strategies that can tell */
    uint32_t searches;                /* `search` has been told */
    uint32_t finding_count;           /* in findings[] */
    uint32_t note_count;
    char notes[RV_MAX_NOTES][256];
};

/* A failure signature seen by an exploring worker, with the schedule that first showed it. */
struct rv_finding {
    struct rv_outcome outcome;
    uint64_t first_schedule; /* execution index in the campaign */
    uint64_t count;
    uint64_t run_count;
    uint64_t choice_count; /* > RV_FINDING_RUNS means: cut, not replayable */
    struct rv_run runs[RV_FINDING_RUNS];
    uint8_t choices[RV_FINDING_RUNS];
};

struct rv_site {
    rv_code code;   /* 0: free slot */
    uint32_t flags; /* RV_SITE_* */
    uint32_t count;
};
enum {
    RV_SITE_CONFLICT = 1, /* has touched memory that another thread touched, one of them writing */
    RV_SITE_ALWAYS = 2,   /* its operations are points in any case */
    RV_SITE_FOCUS = 4,    /* asked for by the supervisor: see config.focus */
    RV_SITE_BEFORE = 8,   /* with config.note: has been executed before the first thread was created */
};

/* What a strategy keeps for later campaigns (its `save`), in two places by turns: while the worker writes one, the other
 * one is whole. Before the first process the supervisor puts what earlier campaigns have kept into place 0, and the
 * modules that its code locations speak of into modules[]: entries keep their index, so the locations hold. */
struct rv_saved {
    uint32_t current; /* 0 or 1: the one to read */
    uint64_t size[2]; /* bytes; 0: nothing */
    _Alignas(8) char data[2][RV_HAPSET_SAVED_MAX];
};

/* Parts of a divided search (strategy/part.h) on their way between a worker and the supervisor's pool. Each direction has
 * room for one message: the writer fills it in and sets `full`, the reader takes it out and clears it. What a worker has not
 * been able to send keeps it waiting, and what it has been sent waits for its next process if it dies.
 *
 *   worker to supervisor                         supervisor to worker
 *   IDLE    it has no part                       PART    carry this on: a part and the results it waited for; nothing: a root
 *   SPLIT   a part that it gives away            JUDGE   all parts are done, with these flags
 *   HAND_IN what became of its part; or nothing  OVER    leave, for this reason (enum rv_done)
 *   SAVED   it leaves; what was left, or nothing
 */
enum rv_message {
    RV_MESSAGE_IDLE = 1,
    RV_MESSAGE_SPLIT,
    RV_MESSAGE_HAND_IN,
    RV_MESSAGE_SAVED,
    RV_MESSAGE_PART,
    RV_MESSAGE_JUDGE,
    RV_MESSAGE_OVER,
};
struct rv_post {
    uint32_t full; /* futex */
    uint32_t kind; /* enum rv_message */
    uint32_t tree; /* PART, JUDGE: its number */
    uint32_t what; /* JUDGE: flags; OVER: why; HAND_IN, SAVED: flags */
    uint64_t size; /* of the data */
};
enum { RV_POST_ROOM = 16 << 20 };
struct rv_exchange {
    uint32_t busy;   /* it has a part */
    uint32_t asked;  /* it has sent IDLE, and nothing has come */
    uint32_t wanted; /* somebody is idle: give a part away */
    uint64_t
        main_stack; /* where the main thread's stack is: objects are compared by address between workers */
    struct rv_post out, in;
    char out_data[RV_POST_ROOM];
    char in_data[RV_POST_ROOM];
};

/* One execution as analyses see it. Exploring with config.record, `full` is set by the worker when the execution is over,
 * and cleared by whoever has read it. Nodes stay from one execution to the next. */
struct rv_recording {
    uint32_t full; /* futex */
    uint32_t cut;  /* there was no room for more records */
    uint64_t count;
    uint64_t node_count; /* node 0 counts */
    struct rv_record records[RV_MAX_RECORDS];
    struct rv_stack_node nodes[RV_MAX_STACK_NODES];
};

struct rv_area {
    struct rv_control control;
    struct rv_request request;
    struct rv_outcome outcome; /* of the execution under way or last */
    struct rv_module modules[RV_MAX_MODULES];
    uint32_t module_count;
    /* The texts that operations RV_OP_EVENT speak of: value of such an event, object of a thread that waits in one: number
     * of the text, from 1; 0: not here. */
    char event_names[RV_MAX_EVENT_NAMES][RV_EVENT_NAME];
    uint32_t event_name_count;
    struct rv_thread_report thread_reports[RV_MAX_THREAD_REPORTS];
    struct rv_block_report blocks[RV_MAX_BLOCKS];
    struct rv_run log_runs[RV_MAX_RUNS]; /* the execution under way or last, as it happens */
    uint8_t log_choices[RV_MAX_CHOICES];
    struct rv_run request_runs[RV_MAX_RUNS];
    uint8_t request_choices[RV_MAX_CHOICES];
    struct rv_site sites[RV_MAX_SITES];
    struct rv_finding findings[RV_MAX_FINDINGS];
    struct rv_event events[RV_MAX_EVENTS];
    uint8_t escaped[1 << 16]; /* by lineage: the stack has been touched by another thread */
    struct rv_exchange exchange;
    struct rv_saved saved;
    struct rv_cases cases;
    struct rv_coverage coverage;          /* statements are indices into sites[] */
    _Alignas(4096) char arena[64u << 20]; /* the strategy's; struct rv_arena at its start */
};

static inline struct rv_area *rv_area_of(struct rv_shared *shared, unsigned worker) {
    return (struct rv_area *)((char *)shared + RV_HEADER_SIZE + (uint64_t)worker * shared->area_size);
}

static inline struct rv_known *rv_known_of(struct rv_shared *shared) {
    return (struct rv_known *)rv_area_of(shared, shared->config.workers ? shared->config.workers : 1);
}

static inline struct rv_recording *rv_recording_of(struct rv_shared *shared) {
    uint64_t known = (sizeof(struct rv_known) + 4095) & ~(uint64_t)4095;
    return (struct rv_recording *)((char *)rv_known_of(shared) + known);
}

static inline uint64_t rv_channel_size(uint32_t workers, uint64_t area_size) {
    uint64_t known = (sizeof(struct rv_known) + 4095) & ~(uint64_t)4095;
    return RV_HEADER_SIZE + (workers ? workers : 1) * area_size + known + sizeof(struct rv_recording);
}

/* Where the table of sites has this one, or has room for it; NULL: it is full there. Code of one page is together in the table,
 * since untouched memory is what a short run pays for; where that place is crowded the whole table is used. */
static inline struct rv_site *rv_site_place(struct rv_site *sites, rv_code code) {
    uint64_t page = (code >> 12) * 0x9e3779b97f4a7c15u, near = (page >> 37 << 10) + (code >> 2 & 1023);
    for (uint32_t tries = 0; tries < 8; tries++, near++) {
        struct rv_site *site = &sites[near & (RV_MAX_SITES - 1)];
        if (site->code == code || site->code == 0) return site;
    }
    uint64_t at = code * 0x9e3779b97f4a7c15u;
    at ^= at >> 29;
    for (uint32_t tries = 0; tries < 64; tries++, at++) {
        struct rv_site *site = &sites[at & (RV_MAX_SITES - 1)];
        if (site->code == code || site->code == 0) return site;
    }
    return (struct rv_site *)0;
}

#endif
