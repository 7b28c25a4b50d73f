/* The partial order of an execution: which transition happens before which, and which pairs race.
 *
 * Transitions are added as the execution goes on; each gets a vector clock (for each thread the number of its transitions'
 * positions that happen before). Happens-before is program order, creation, and the order of dependent transitions. Transitions can be taken off
 * again from the end, so that a search that goes back to a branch keeps what is common.
 *
 * Races. Transition j of thread q races with an earlier i of another thread if they are dependent, nothing stands between
 * them in the order, and q could have gone first. Whether it could is a question for operations that wait: a lock that
 * follows an unlock could not have come before it, but it could have come before the lock that this unlock belongs to.
 * If q stood before j already when i was done, the answer is known: it was among those that could go on, or it was not. For
 * whatever could change that lies in what both depend on, so that nothing between i and j can have changed it without happening
 * after i. If q came to j later, each access tells what waiting operations on its object would have found before it (`room`, see
 * rv_operation); where it cannot tell (descriptors, signals, time), both are taken to be possible. The accesses to the
 * object are gone through backwards until one that j could have preceded for certain.
 *
 * Accesses lie in chains by granules of 8 bytes, the newest first: what a new transition depends on is found without looking
 * at the others. Memory is proportional to the length of the execution.
 */
#ifndef RV_STRATEGY_ORDER_H
#define RV_STRATEGY_ORDER_H

#include "strategy/footprint.h"
#include "strategy/index.h"

struct rv_transition {
    struct rv_footprint footprint;
    struct rv_footprint announced; /* as it was pending: what it would be in another place */
    uint64_t step;
    uint32_t before;         /* 1 + the thread's previous transition; 0: its first */
    uint32_t birth;          /* 1 + the transition that created the thread; 0: main */
    uint32_t entries;        /* entries of the chains before this one */
    uint32_t last_global;    /* 1 + the last global transition before this one */
    uint32_t able, able_end; /* in order->able: the threads that could go on here */
    uint8_t own_ranges;      /* of announced: the others belong to `other` */
    bool seen;               /* the announced operation was reported as done */
    uint8_t room;            /* at the announced object, before */
};

struct rv_order_entry {
    uint64_t granule;
    uint32_t transition;
    uint32_t older; /* 1 + the next older entry of the granule */
    uint8_t bytes;
    bool write;
    uint8_t room;
};

/* Threads have dense numbers here, given by lineage, for their numbers in the program depend on who was created first. */
struct rv_order_thread {
    uint32_t last;  /* 1 + its last transition */
    uint32_t birth; /* 1 + the transition after which it was there; 0: from the start */
    bool alive;     /* it was there */
};

struct rv_order_name {
    uint32_t lineage;
    uint32_t number; /* 1 + the dense one; 0: not known */
};

struct rv_order {
    struct rv_arena *arena;
    struct rv_transition *transitions;
    uint32_t capacity, count;
    uint32_t *clocks; /* count rows of `width` */
    uint32_t clock_capacity, width;
    struct rv_order_entry *entries;
    uint32_t entry_capacity, entry_count;
    struct rv_index newest; /* granule -> 1 + newest entry */
    struct rv_index lineages;
    struct rv_order_name *names; /* by the program's number: a cache */
    uint32_t name_capacity;
    struct rv_order_thread *threads;
    uint32_t thread_capacity, thread_count;
    uint32_t last_global;
    uint32_t *able; /* threads that could go on, of each transition one behind the other */
    uint32_t able_capacity, able_count, able_first; /* first: of the transition to come */
    bool open;                                      /* the last transition is under way */
    bool full;                                      /* the arena is: the order is not to be relied on */
    bool choices_lost;                              /* more choices in one transition than are kept */
};

enum { RV_MAX_RACES = 128 };
struct rv_races {
    uint32_t count;
    uint32_t with[RV_MAX_RACES];
    bool overflow; /* there were more */
};

void rv_order_init(struct rv_order *order, struct rv_arena *arena);
/* Forgets all transitions from this one on. */
void rv_order_truncate(struct rv_order *order, uint32_t count);
/* The dense number of a thread. */
uint32_t rv_order_number(struct rv_order *order, const struct rv_candidate *candidate);
/* The threads that can go on now, before the next transition: those not seen before exist since the last one. */
void rv_order_threads(struct rv_order *order, const struct rv_point *point);
/* A transition begins. False: no memory. */
bool rv_order_open(struct rv_order *order, const struct rv_candidate *candidate);
/* It has done this. */
void rv_order_observe(struct rv_order *order, const struct rv_operation *done);
/* It is over. Tells what it races with (NULL: nobody asks). */
void rv_order_close(struct rv_order *order, struct rv_races *races);
/* One that was closed in another execution comes next: what it was after (step, birth, footprints), its entries (of which
 * granule, bytes, write and room count), and the threads that could go on there. Tells what it races with. False: no
 * memory. */
struct rv_order_given {
    const struct rv_order_entry *entries;
    const uint32_t *able;
    uint32_t entry_count, able_count;
};
bool rv_order_repeat(struct rv_order *order, const struct rv_transition *closed,
                     const struct rv_order_given *given, struct rv_races *races);
/* The dense number of the thread with this lineage. RV_NO_NUMBER: no memory. */
uint32_t rv_order_number_of(struct rv_order *order, uint32_t lineage);
/* What this pending operation would race with. */
void rv_order_pending_races(struct rv_order *order, const struct rv_candidate *candidate,
                            struct rv_races *races);
/* The latest transition that the candidate depends on, that does not happen before its thread's last one, that it could have
 * preceded, and that is accepted: 1 + its number; 0: none. Of later ones that it could perhaps have preceded
 * accept is told, too, with `certain` false; its answer does not matter then. */
typedef bool (*rv_order_accept)(void *context, uint32_t transition, bool certain);
uint32_t rv_order_latest(struct rv_order *order, const struct rv_candidate *candidate, rv_order_accept accept,
                         void *context);
/* The same for all that this transition, the last one, has done. */
uint32_t rv_order_latest_done(struct rv_order *order, uint32_t transition, rv_order_accept accept,
                              void *context);
/* Of each other thread the last transition before this one that touches the object it was announced with, as far as one of
 * the two changes it and none of its own thread stands between that depends on both. How many. */
uint32_t rv_order_last_of_others(const struct rv_order *order, uint32_t transition, uint32_t *found,
                                 uint32_t most);
/* Whether transition a happens before what the thread does next, or before it did this one. */
bool rv_order_before_next(struct rv_order *order, uint32_t a, const struct rv_candidate *candidate);
bool rv_order_before_own(const struct rv_order *order, uint32_t a, uint32_t transition);
/* Whether transition a happens before transition b > a. */
static inline bool rv_order_before(const struct rv_order *order, uint32_t a, uint32_t b) {
    uint32_t thread = order->transitions[a].footprint.thread;
    return order->clocks[(size_t)b * order->width + thread] > a;
}
/* A number that all executions with this partial order have, and only they. */
uint64_t rv_order_hash(const struct rv_order *order);

#endif
