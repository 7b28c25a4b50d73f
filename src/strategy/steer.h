/* Steered executions, for whoever knows where to look: a random walk that holds threads back at given statements until they
 * stand there together.
 *
 *     steer:race,A,B            two threads at their accesses A and B to the same bytes (RaceFuzzer: Sen, Race Directed Random
 *                               Testing of Concurrent Programs, PLDI 2008)
 *     steer:lock,H1-W1,H2-W2..  thread i holds a lock taken at Hi and asks for another at Wi, which the next one holds; 0 as a
 *                               location: any (DeadlockFuzzer: Joshi et al., PLDI 2009)
 *
 * Locations are rv_operation.site, in hexadecimal. The parts, and what they may do with the state:
 *
 *   part          | decides                                                        | writes
 *   --------------+----------------------------------------------------------------+----------------------------------------
 *   steer.c       | who goes on; when a held thread is let go for want of others;  | all but what is said below
 *                 | how this try differs from the last                             |
 *   steer_race.c  | whether a thread that comes to a point is held; meetings       | places, known, sides_seen, over, threads[].held
 *   steer_lock.c  | the same, and when all of a cycle are there                    | the same, holds, threads[].positions
 *   steer_aim.c   | what the parameter means                                       | -
 */
#ifndef RV_STRATEGY_STEER_H
#define RV_STRATEGY_STEER_H

#include "analysis/lockorder.h"
#include "strategy/index.h"
#include "strategy/sample.h"

/* What to aim at. */
struct rv_steer_aim {
    bool locks;
    uint32_t count;                      /* of pairs; 1 for a race */
    uint64_t sites[RV_LONGEST_CYCLE][2]; /* A and B; held and wanted */
};

/* A thread that stands at a statement. Both are 1 + its step there: what was meant for another step is void. */
struct rv_steer_thread {
    uint64_t seen; /* where it was last looked at */
    uint64_t held; /* where it is held */
    uint64_t since;
    uint32_t generation; /* execution in which this entry was set: others are stale */
    uint8_t positions;   /* of the cycle that it may fill: a bit each */
    bool staged;         /* it does not hold the first lock yet */
};

/* A lock that was taken at the first place of a position, by one thread. */
struct rv_steer_hold {
    uint64_t object;
    uint32_t thread;
    uint32_t depth; /* a recursive lock */
    uint8_t positions;
};

struct rv_steer {
    struct rv_arena *arena;
    struct rv_rng rng;
    uint64_t seed;
    struct rv_steer_aim aim;
    uint32_t generation;

    /* How this try is made. */
    uint64_t limit;   /* picks after which a held thread goes on, come what may */
    uint64_t skip;    /* so many occasions to hold a thread are passed over */
    uint64_t order;   /* threads mostly run by priorities that this number gives them; 0: at random */
    uint64_t extreme; /* with priorities: 1 + the lineage of the highest or lowest; 0: whichever */
    bool extreme_is_last;
    uint32_t patience; /* how long to look on while only waiting loops and time-outs could go on */
    uint8_t sides;     /* of a race that are held */
    bool known_only;   /* held only at objects that were seen to be used from all sides */
    bool staging;      /* also held before the first lock, until all others of the cycle are as far */

    /* How far it is. */
    uint64_t picks;
    uint64_t occasions;
    uint64_t first; /* 1 + the lineage of the first thread at an occasion; 0: none yet */
    uint32_t idle;
    uint32_t runner; /* the thread that was let go last */
    bool over;       /* they have met: nobody is held any more */

    uint32_t capacity; /* of threads */
    uint32_t hold_capacity, hold_count;
    struct rv_steer_thread *threads;
    struct rv_steer_hold *holds;

    /* From all tries. */
    struct rv_index places;  /* by object: from where it was used */
    uint8_t sides_seen;      /* of a race */
    bool known;              /* at least one is worth waiting at */
    uint64_t most_occasions; /* in one try */
};

/* False: malformed. */
bool rv_steer_parse(const char *params, struct rv_steer_aim *aim);

/* The thread's entry, or NULL: no memory; it is never held. Stays valid until the next call. */
struct rv_steer_thread *rv_steer_thread(struct rv_steer *steer, uint32_t thread);
bool rv_steer_holds(struct rv_steer *steer, const struct rv_candidate *candidate);
void rv_steer_let_go(struct rv_steer *steer, const struct rv_candidate *candidate);

/* The candidate has come to this step: holds it, or not. The index of the candidate that goes on now, or -1: open. */
int64_t rv_steer_race_arrive(struct rv_steer *steer, const struct rv_point *point, uint32_t index);
void rv_steer_race_done(struct rv_steer *steer, uint32_t thread, const struct rv_operation *done);
void rv_steer_lock_arrive(struct rv_steer *steer, const struct rv_point *point, uint32_t index);
void rv_steer_lock_done(struct rv_steer *steer, uint32_t thread, const struct rv_operation *done);
/* For them: holds the candidate if this try wants to. */
bool rv_steer_hold(struct rv_steer *steer, const struct rv_candidate *candidate);

#endif
