/* The strategy interface: who goes on, at each scheduling point of each execution.
 *
 * A strategy sees threads and the operation each would do next, never hooks, memory or processes. Every
 * search algorithm, the replayer and later the race verifier, the pattern steerer and the schedule
 * enforcer is one of these. The engine calls, on one thread, never nested:
 *
 *     create once per campaign
 *     begin(index)  { pick | choose | observe }*  end(outcome)      once per execution
 *
 *   who           | may                                            | must not
 *   strategy      | keep state in the arena given to create        | call malloc, do I/O, keep pointers
 *                 |                                                | into a point after pick returns
 *   engine        | skip pick when only one candidate is there,    | change a candidate's meaning
 *                 | or at points the conflict history rules out    |
 *
 * State must live in the arena: a worker may die between any two calls and another one carries on with
 * the same arena at the same address (so: no pointers to functions or to static data in the state).
 * An execution that died half-way is ended with outcome.kind set, by the next worker, before its begin.
 *
 * To add a strategy: one file with one `const struct rv_strategy`, one line in table.c.
 */
#ifndef RV_STRATEGY_STRATEGY_H
#define RV_STRATEGY_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/kind.h"
#include "base/op.h"
#include "strategy/part.h"

enum { RV_NO_THREAD = 0xffffffffu, RV_STACK_FRAMES = 8 };

/* What a thread would do next. Objects are compared for identity only. */
struct rv_operation {
    uint16_t op;     /* enum rv_op */
    uint16_t flags;  /* rv_op_flags[op], perhaps refined by the hook */
    uint32_t size;   /* bytes, for memory operations */
    uint64_t object; /* address, or descriptor number; 0: none */
    uint64_t other;  /* another one that it changes (the mutex that a wait gives up); 0: none */
    uint64_t site;   /* stable number of the code location; 0 in observe: part of another operation */
    /* When it is done: */
    uint8_t room;   /* RV_ROOM_*: who could have gone on at the object before */
    bool unchanged; /* it left its object as it was (a failed attempt): as a read */
};

/* What an operation that waits would have found at an object: room for one that wants it alone, for one that shares.
 * Operations that never make others wait say RV_ROOM_ANY. */
enum { RV_ROOM_NONE = 0, RV_ROOM_EXCLUSIVE = 1, RV_ROOM_SHARED = 2, RV_ROOM_ANY = 3 };

/* One thing that can happen next: a thread goes on, either normally or because its time ran out. */
struct rv_candidate {
    uint32_t thread;  /* creation order, main is 0; stable within an execution only */
    uint32_t lineage; /* stable across executions: hash of (lineage of the creator, n-th child) */
    bool timeout;     /* this choice lets the thread's sleep or timed wait expire */
    bool spinning;    /* the thread has repeated itself without effect; see core's fairness */
    uint64_t step;    /* how many steps the thread has behind it */
    /* Its call stack, for strategies with stack_depth: a hash of it, and return addresses as code locations. */
    uint64_t context;
    const uint64_t *frames;
    uint32_t frame_count;
    struct rv_operation next;
};

struct rv_point {
    const struct rv_candidate *candidates; /* ordered by thread; at least one */
    uint32_t count;
    uint32_t current;      /* the thread that ran last */
    int32_t current_index; /* its normal (not time-out) candidate, or -1 if it cannot go on */
    bool yielded;          /* the current thread asked to be put last (sched_yield, sleep, spinning) */
    uint64_t number;       /* of this point within the execution, from 0 */
    uint32_t unused;       /* points that patience() has spoken of and that did not come before this one */
};

struct rv_strategy_end {
    enum rv_kind kind;    /* RV_KIND_NONE: passed */
    bool not_terminating; /* cut off after max_steps points */
    bool held_back;  /* schedules beside this one were left out: a spinning thread was not offered although it
                       * could have gone on, or a crash ended it before others could take part */
    uint64_t points; /* points at which pick could be called */
    uint64_t learned;  /* how many new conflicting sites or escaped objects this execution taught:
                             * an exhaustive strategy that saw more than 0 since it started its tree must
                             * search again, for the tree has more branches than it knew */
    bool new_coverage; /* an ordering pair of sites was seen that no execution had before */
};

struct rv_strategy_config {
    const char *params; /* text after "NAME:", or NULL */
    uint64_t seed;      /* of the campaign */
    uint32_t worker;    /* of workers: an exhaustive strategy divides its tree, */
    uint32_t workers;   /* the others get disjoint execution indices from the engine */
    bool hidden;        /* threads touch what no operation tells of: nothing may rest on independence */
    bool divided;       /* it gets its tree in parts, and gives parts away: part.h. Then worker is 0 of 1 */
    struct rv_known *known; /* with divided: for all of them together */
    uint64_t budget;        /* executions this worker may make; UINT64_MAX: unknown */
    const void
        *saved; /* what save gave in an earlier campaign on the same build; NULL: nothing. Not trusted, and */
    size_t saved_size; /* gone after create: to be loaded there */
};

/* How far a search is. The estimate is the plainest there is (Knuth 1975; for a search under way: Kilby, Slaney, Thiebaux,
 * Walsh: Estimating Search Tree Size, AAAI 2006): of each decision on the stack the branches that are done, under way and
 * known to remain are taken as of equal weight. It costs a look at the stack. It can be wrong by orders of magnitude, for
 * subtrees are not equal; and where branches are still being found (`grows`: dpor) what it knows of is not all there is.
 * Measured with bench/estimate, estimate / truth after 10% and after 50% of the executions:
 *
 *     ok_refcount    dpor   2,722 executions   0.56  0.87
 *     ok_semaphores  dpor  72,165              1.45  1.00
 *     ok_phases      dpor   1,305              0.54  0.79
 *     counters       dpor      36              0.14  1.08
 *     counters       dfs    1,716              1.12  0.90
 */
struct rv_search_progress {
    double left;         /* of the tree under way, 0..1; with `grows` at least so much */
    uint64_t executions; /* in this tree */
    uint64_t pruned;     /* alternatives that a bound or guidance has left out in it */
    uint32_t depth;      /* decisions on the stack */
    bool grows;
};

struct rv_strategy {
    const char *name;      /* as on the command line */
    const char *parameter; /* e.g. "[:depth]", or "" */
    const char *guarantee; /* one line for `ravel strategies` */
    bool exhaustive;       /* end() returning false means that every schedule has been seen */
    bool undivided;        /* several workers would all search the same tree */
    bool internal;         /* not offered on the command line */
    bool sees_spinning;    /* wants spinning threads among the candidates (the engine hides them else) */
    /* Wants pick at every point, whatever the conflict history says, and also where there is only one candidate (the
     * replayer must follow every run). */
    bool sees_all_points;
    /* Compares objects of different executions: is told names that do not depend on who came first, not addresses. */
    bool names_objects;

    /* Checks the parameter text without side effects; NULL: fine, else a message of what was expected. */
    const char *(*check)(const char *params);
    /* The state, in the arena; NULL only if the arena is full. */
    void *(*create)(struct rv_arena *arena, const struct rv_strategy_config *config);
    /* Optional: how many calls of each thread's stack it wants to know, at most RV_STACK_FRAMES. */
    uint32_t (*stack_depth)(const void *state);
    void (*begin)(void *state, uint64_t index);
    /* Optional, for strategies made of others: who is in charge of the execution that has begun, for what is asked above
     * (sees_all_points, names_objects). NULL: itself. */
    const struct rv_strategy *(*in_charge)(const void *state);
    /* An index into point->candidates. */
    uint32_t (*pick)(void *state, const struct rv_point *point);
    /* Optional, after a pick that lets the current thread go on: at how many of the next points it would do the same,
     * whatever the candidates are, as long as all are plain accesses of that thread. They are then passed without asking. Only
     * for a strategy without observe. */
    uint32_t (*patience)(void *state);
    /* A choice that is not about threads (which waiter a signal wakes, a spurious wake-up): 0..n-1.
     * 0 is always the ordinary outcome. */
    uint32_t (*choose)(void *state, uint32_t n);
    /* Optional: every operation that was a point, whether pick was called there or not, when it is done, in order. */
    void (*observe)(void *state, uint32_t thread, const struct rv_operation *done);
    /* Optional: the execution is over; what the threads that were not would have done next. Before end(). */
    void (*unfinished)(void *state, const struct rv_candidate *pending, uint32_t count);
    /* Whether to go on. False: nothing is left to try. */
    bool (*end)(void *state, const struct rv_strategy_end *outcome);
    /* Optional: after end() returned false, whether every schedule has been seen. NULL: true if and only
     * if `exhaustive`. Not the same as false from end(): a search whose executions were cut off at
     * max_steps has nothing left to try and is not complete. */
    bool (*complete)(const void *state);
    /* Optional: what a later campaign shall start from, as rv_hapset_save writes it (hapset.h), for the engine unites those
     * of several workers. Writes it if it fits into `room`; in any case the bytes it needs. Called between executions,
     * often without room: a size that has changed says that there is something new. */
    size_t (*save)(const void *state, void *buffer, size_t room);
    /* Optional: how far it is. Between executions; cheap, but not for every one of them. */
    void (*progress)(const void *state, struct rv_search_progress *progress);
    /* Optional: its tree can be divided among workers, saved, and carried on. */
    const struct rv_division *division;
};

/* What a user may be told after end() returned false. */
static inline bool rv_strategy_complete(const struct rv_strategy *strategy, const void *state) {
    return strategy->complete ? strategy->complete(state) : strategy->exhaustive;
}

/* table.c */
extern const struct rv_strategy *const rv_strategies[]; /* NULL-terminated */
/* Finds "NAME" of "NAME[:PARAMS]"; sets *params to the text after the colon or NULL. NULL if unknown. */
const struct rv_strategy *rv_strategy_find(const char *spec, const char **params);

#endif
