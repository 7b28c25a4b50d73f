/* The core as its hooks see it: fibers, scheduling points, failures.
 *
 * Every program thread is a fiber on the one carrier thread, so hooks need no locks. A hook does this:
 *
 *     announce the operation      rv_schedule(&pending): returns when this fiber was picked and the
 *                                 operation can be done now (or its time ran out, or it was interrupted)
 *     do it                       plain code; nothing else runs in between
 *     report it, if worth it      rv_done(&pending, value, flags)
 *
 * Nothing is queued anywhere: a blocked fiber carries a predicate (`ready`) that the scheduler asks. State
 * of synchronisation objects lives in the program's own objects (the pthread_mutex_t itself, with glibc's
 * layout), so static initialisers work, and restoring memory restores them.
 *
 * Modes (rv.mode):
 *   PASSIVE     not under ravel: every hook calls the real function and nothing else
 *   SINGLE      under ravel, no thread created yet: rv_schedule returns at once if ready, else deadlock
 *   CONTROLLED  the normal case: an execution is under way
 *   DETACHED    a child process that the program forked: fibers run, nobody steers or records
 *
 * Rules for hooks:
 *   - begin with  if (rv_passive()) return RV_REAL(name)(args...);
 *   - never call libc functions that allocate, lock or print; memcpy and friends are redirected to raw ones
 *     in this directory (see raw.h); use the real system call wrappers through RV_REAL.
 *   - errno is the program's: preserve it unless the function sets it.
 *   - the site is the program's code: pass RV_SITE() (the return address of the exported function).
 */
#ifndef RV_RUNTIME_CORE_H
#define RV_RUNTIME_CORE_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/protocol.h"

#define RV_EXPORT      __attribute__((visibility("default")))
#define RV_LIKELY(x)   __builtin_expect(!!(x), 1)
#define RV_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define RV_SITE()      ((uintptr_t)__builtin_return_address(0))

enum rv_mode { RV_PASSIVE, RV_SINGLE, RV_CONTROLLED, RV_DETACHED };

struct rv_fiber;
struct rv_hb_thread;

enum rv_wake {
    RV_GO,      /* ready holds: do the operation */
    RV_TIMEOUT, /* the deadline expired; virtual time is at or past it */
    RV_SIGNAL,  /* a signal handler ran and the wait is interruptible: return EINTR */
};

struct rv_pending {
    enum rv_op op;
    const void *object; /* what it is about; compared for identity */
    const void *other;  /* another object that it changes (the mutex that a wait gives up); NULL: none */
    uint32_t size;      /* bytes, for memory */
    uintptr_t site;     /* RV_SITE() of the hook */
    /* NULL: can always be done. Called often, from the scheduler: cheap, no side effects. */
    bool (*ready)(const struct rv_fiber *fiber);
    void *data;         /* for ready and for the hook; usually the object or a struct on its stack */
    int64_t deadline;   /* virtual ns (rv_now) at which the wait ends; RV_FOREVER: never */
    int64_t timeout;    /* its length in ns, for reports */
    bool cancellable;   /* a cancellation point: a pending cancel ends the thread here */
    bool interruptible; /* a signal handler makes it return RV_SIGNAL */
    bool by_wake;       /* goes on when somebody has set the fiber's `woken` (rv_wake_*) */
    uint8_t room;       /* RV_ROOM_*: what others would have found at the object before it was done */
    bool external;      /* readiness may come from outside the process (descriptors, children) */
    uint32_t owner;     /* thread that holds the object, for reports; RV_NO_THREAD unknown */
};
#define RV_FOREVER INT64_MAX
/* A pending operation with the usual defaults. */
#define RV_PENDING(op_, object_, site_)          \
    ((struct rv_pending){.op = (op_),            \
                         .object = (object_),    \
                         .site = (site_),        \
                         .deadline = RV_FOREVER, \
                         .timeout = -1,          \
                         .room = RV_ROOM_ANY,    \
                         .owner = RV_NO_THREAD})

enum { RV_CONTEXT_FRAMES = 8 }; /* at least RV_STACK_FRAMES */

struct rv_frame {
    uintptr_t pc;    /* return address into the caller */
    uintptr_t sp;    /* stack address at entry: entries at or below the current one are stale (longjmp) */
    uintptr_t entry; /* where the function has told that it begins: code of it */
};

struct rv_lock_held {
    const void *object;
    enum rv_op op;
    uint32_t count; /* recursive holds */
    uint32_t frame_count;
    uintptr_t frames[8]; /* where acquired */
};

enum rv_fiber_state { RV_FIBER_UNUSED, RV_FIBER_ALIVE, RV_FIBER_EXITED, RV_FIBER_JOINED };

struct rv_fiber {
    /* hot: looked at by every memory hook */
    uint64_t step;    /* hooks passed */
    uint64_t stop_at; /* step at which a point must happen: a replayed run ends, or it was quiet for long */
    uintptr_t stack_low;
    uintptr_t stack_size;
    bool stack_escaped; /* another thread has touched this stack, in this or an earlier execution */
    uint32_t id;        /* creation order; main is 0 */
    const struct rv_hb_thread *clock; /* for watch.h */
    struct rv_frame *frames;          /* call stack kept by __tsan_func_entry/exit */
    uint32_t depth;
    uint32_t deeper; /* calls beyond what frames can hold: not kept, only counted */
    /* scheduling */
    enum rv_fiber_state state;
    bool timed_out; /* set by the scheduler when the time-out candidate was picked */
    bool woken;     /* for hooks: set by a waker (condition variables, futexes) */
    uint32_t lineage;
    uint32_t children;
    uint32_t blocks; /* allocated: see names.h */
    /* its call stack at the pending operation, for strategies that ask: a hash, and code locations, innermost first */
    uint64_t context_hash;
    uint64_t context_frames[RV_CONTEXT_FRAMES];
    uint32_t context_count;
    struct rv_pending pending;
    uint64_t wait_ticket;      /* order in which waiters began to wait: rv_ticket() */
    const void *waiting_on;    /* for hooks: object on whose wake-up it waits (hooks/sync.h); NULL: none */
    const void *waiting_mutex; /* for cond.c: the mutex it will take back */
    /* fairness: see schedule.c */
    uint32_t fruitless;         /* reads in a row that only repeated what it had read before */
    uint32_t seen_next;         /* which of a set is replaced next */
    bool spinning;              /* waits for somebody else's effect by reading again and again */
    bool yielded;               /* wants to come last at the point under way */
    uint64_t effects;           /* what it did itself of rv.effects */
    uint64_t spin_effects;      /* what others had done of rv.effects when it was found spinning */
    uint64_t held_since;        /* point at which it was first held back for spinning; 0: it is not */
    uint64_t quiet_since;       /* step of its last point: long stretches without one are cut */
    uint32_t row;               /* points in a row at which it went on although others could have */
    const struct rv_site *site; /* of the pending operation */
    uint8_t order;              /* of the pending or last atomic operation, as in struct rv_step */
    bool unwatched;             /* an access is not told to analyses now: it is told later */
    uint64_t asked_at;          /* steps it had behind it when the access was made that is told later */
    uint64_t recorded_at;       /* records have this number of steps; 0: the present one */
    uint16_t ignoring;          /* > 0: the program has asked that its plain accesses be not told */
    uint64_t unfilled;          /* 1 + index of its last write event, whose value is not known yet; 0: none */
    /* identity */
    pthread_t self;
    char name[16];
    uint32_t creator;
    uintptr_t created_at;
    /* life */
    void *(*start)(void *);
    void *argument;
    void *result;
    bool detached;
    bool unasked; /* the program has not created it: it stands for the kernel's interrupts (hooks/timers.c) */
    bool joining; /* somebody is in join on it */
    uint32_t joiner;
    /* cancellation and signals: hooks/cancel.c, hooks/signal.c */
    uintptr_t interrupted_at; /* by the tick of preempt.c, in whose handler the thread is */
    bool cancel_pending;
    bool cancel_disabled;
    bool cancel_async;
    bool cancelling;
    void *cleanup; /* innermost registered cleanup buffer */
    sigset_t signal_mask;
    uint64_t signals_pending; /* that the mask allows; bits as rv_signal_bit (hooks/outside.h) */
    uint64_t signals_held;    /* pending, but blocked or waited for by sigwait */
    uint32_t held_count;
    uint32_t held_more;           /* locks beyond what held can list: only counted */
    struct rv_cover_held covered; /* the same as cover.h wants it */
    bool cover_heap;              /* ... some of them lie in heap blocks and are not in it */
    /* machine */
    void *sp; /* saved stack pointer while not running */
    uintptr_t fs_base;
    struct rv_context *context; /* stack and TLS in use; fiber.c */
    void *exit_frame;           /* where forced unwinding ends */
    /* Large, and not cleared when a fiber is made: valid as far as counts and bits above say. */
    uint64_t seen[64]; /* fairness: hashes of what it has done, in sets of four */
    struct rv_lock_held held[32];
    siginfo_t signal_info[65];
};

enum { RV_LOOKING_NOT, RV_LOOKING_TO_READ, RV_LOOKING_TO_WRITE };

struct rv_runtime {
    enum rv_mode mode;
    uint32_t internal; /* > 0: inside the runtime; hooks behave as passive, malloc is ours */
    struct rv_fiber *current;
    struct rv_fiber **fibers; /* by id; fiber_count of them */
    uint32_t fiber_count;
    uint32_t live_count;
    int64_t now; /* virtual ns since the start of the program */
    uint64_t tickets;
    uint64_t points;
    uint64_t effects;         /* things done that another thread could notice */
    volatile uint8_t looking; /* RV_LOOKING_*: a hook reads memory that the program is about to touch */
    bool tracing;             /* rv_done records events */
    struct rv_shared *shared;
    struct rv_area *area;
    const struct rv_config *config;
};
extern struct rv_runtime rv;

static inline bool rv_passive(void) { return rv.mode == RV_PASSIVE || rv.internal; }
static inline struct rv_fiber *rv_self(void) { return rv.current; }
static inline uint64_t rv_ticket(void) { return ++rv.tickets; }

/* One scheduling point for the current fiber. Returns when the operation can be done (or see rv_wake). Counts one
 * step. Runs pending signal handlers and acts on cancellation if the pending operation says so. */
enum rv_wake rv_schedule(const struct rv_pending *pending);
/* Reports an operation as done, for traces and observers; value: what was read, written or returned. */
void rv_done(const struct rv_pending *pending, uint64_t value, unsigned event_flags);
/* The current operation lets this fiber, a waiter, go on. */
void rv_observe_wake(const struct rv_fiber *woken);
/* The current operation does this, too, to another object; room as in rv_pending. */
void rv_observe_also(enum rv_op op, const void *object, uint8_t room);
/* The current operation looks at an object, without a point, to decide whether its thread comes to one. */
void rv_observe_look(enum rv_op op, const void *object);
/* The current operation looks at, or changes, who may join the thread: apart from the thread's end, for it is no wait. */
void rv_observe_joinable(const struct rv_fiber *target);
/* The current operation reads the clock, or reads it only to wait until a time, or moves it on by waiting. */
enum rv_clock_use { RV_CLOCK_READ, RV_CLOCK_READ_TO_WAIT, RV_CLOCK_MOVE };
void rv_observe_clock(enum rv_clock_use use);
/* A choice that is not about threads, 0..n-1, 0 the ordinary outcome; recorded and replayed. */
uint32_t rv_choose(uint32_t n);

/* Virtual time. Reading it moves it on a little, so that loops that wait for it end. */
int64_t rv_now(void);
/* The same for a deadline to be compared with, which the program does not see. */
int64_t rv_now_to_wait(void);
/* Real clock value for virtual time 0, by clock: adds config->clock_base for CLOCK_REALTIME. */
int64_t rv_clock_offset(clockid_t clock);

/* Ends the execution with a failure of the current fiber. The text is what happened, in one line without
 * addresses (they are not stable). */
_Noreturn void rv_fail(enum rv_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, about this memory: reports name the variable or heap block. */
_Noreturn void rv_fail_memory(enum rv_kind kind, uintptr_t address, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Ends the execution: the program exited with this status. */
_Noreturn void rv_exit(int status);
/* Tells the user once how the program is being run ("uses OpenMP ..."). */
void rv_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The program does something whose effect memory restore cannot undo: from the next execution on, fork
 * isolation is used, if --isolation allows; says so once with this reason. */
void rv_need_fork(const char *reason);
/* The program does something that executions in other workers at the same time would see (files of fixed names): the
 * supervisor runs it in one worker only. */
void rv_need_alone(void);
/* The program cannot be run under control: ends the worker; exit code 3 with this text. */
_Noreturn void rv_unusable(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Locks held, for deadlock reports (and later locksets). `release` of a lock not held returns false. */
void rv_held_add(const void *object, enum rv_op op, uintptr_t site);
bool rv_held_remove(const void *object);
struct rv_lock_held *rv_held_find(struct rv_fiber *fiber, const void *object);
/* The thread in whose stack or thread-local memory the address lies, of addresses in the stacks' range; NULL: none. */
struct rv_fiber *rv_slot_owner(uintptr_t address);
struct rv_fiber *rv_fiber_of(pthread_t thread); /* NULL: no such thread (any more) */

/* The current call stack, innermost first, `site` first. For allocation origins and lock acquisitions. */
uint32_t rv_stack(uintptr_t site, uintptr_t *frames, uint32_t max);

/* A memory access by a hook that is not from the compiler (memcpy, read(2) into a buffer ...): checks the heap
 * and counts as a scheduling point like an instrumented access. */
void rv_access(const void *address, size_t size, bool write, uintptr_t site);

/* Ends the current thread with this result: runs cleanup handlers, destructors, and never returns.
 * Defined in hooks/thread.c. */
_Noreturn void rv_thread_exit(void *result);
/* Runs handlers of signals pending for the current fiber that its mask allows; true if any ran.
 * Defined in hooks/signal.c. */
bool rv_signals_run(void);
/* Called by signal.c's hooks when a signal becomes pending for a fiber. */
static inline bool rv_signals_wanted(const struct rv_fiber *fiber) { return fiber->signals_pending != 0; }

/* Runs `undo(argument)` after the execution, before memory is restored, in reverse order of registration.
 * Only registered work of the present execution; for descriptors, mappings, handlers. */
void rv_on_restore(void (*undo)(uintptr_t, uintptr_t), uintptr_t first, uintptr_t second);
/* Called once at the snapshot and after every restore: descriptors. Defined in hooks/io.c. */
void rv_io_snapshot(void);
void rv_io_restore(void);
/* All fibers are blocked, at least one of them externally: wait for the outside. True: something may
 * have become ready; false: nothing can come any more (every descriptor waited for is internal).
 * Defined in hooks/io.c. */
bool rv_io_wait(void);

#endif
