/* Guidance by HaPSets: which backtracking of classic.c is left out, and what the execution that begins with one aims at.
 *
 * Round 1 is the paper's search: an order of two statements that was seen need not be seen again. It ends soon, and what it
 * leaves out is any bug that takes two orders at once, each of which was seen alone. So when nothing is left in a
 * round and something was left out, another one begins, in which statements are told apart more finely:
 *
 *   round r > 1   a statement is also which occurrence in its thread it is (the 2^(r-1)-th and later are one), and what
 *                 the thread's last r - 1 operations that came after one of another thread had before them
 *
 * Each order is asked for a few times only: some are impossible, and no analysis here would know. The first times the
 * thread that comes first then goes on as long as it can (few switches); later the other one is next, so that the order is seen
 * for certain if it is possible.
 *
 * Parameters of hapset: [K][,learn=N][,guide=pcb:B][,rounds=R]
 */
#ifndef RV_STRATEGY_GUIDE_H
#define RV_STRATEGY_GUIDE_H

#include "strategy/hapset.h"
#include "strategy/order.h"

enum { RV_GUIDE_ROUNDS = 5 };

struct rv_guide_settings {
    uint32_t stack_depth;
    uint64_t learn;  /* random executions first */
    uint32_t bound;  /* of preemptions: the guidance is on bounding; RV_NO_BOUND: on DPOR */
    uint32_t rounds; /* 1: the paper's search */
};

/* Which statement an operation comes from. */
struct rv_guide_mark {
    uint32_t statement; /* in `sets` */
    uint32_t fine;      /* in `finer`; in round 1 nothing */
    uint64_t
        history; /* statements that came before its thread's last operations, 16 bits each, the newest lowest */
};

/* An order of two operations to be seen: this thread passes this step before the other one goes on. */
struct rv_goal {
    uint32_t first, second; /* threads, + 1; 0: none */
    uint64_t step;
    uint32_t statement, predecessor; /* theirs, of the second and of the first */
    bool reached;                    /* the first has passed it */
    bool immediate;                  /* the second is next then */
};

struct rv_guide {
    struct rv_arena *arena;
    struct rv_guide_settings settings;
    struct rv_hapsets sets;      /* the paper's: what is saved */
    struct rv_hapsets finer;     /* of all rounds but the first */
    struct rv_index attempts;    /* pair of statements -> how often their order was asked for in this round */
    struct rv_guide_mark *marks; /* by transition */
    uint32_t mark_capacity;
    uint32_t round;
    uint64_t pruned, pruned_before; /* in all; before this round */
    struct rv_goal goal;            /* of the execution under way */
};

/* False: the text is no parameter of hapset. */
bool rv_guide_parse(const char *params, struct rv_guide_settings *settings);
void rv_guide_init(struct rv_guide *guide, struct rv_arena *arena, const struct rv_guide_settings *settings);

/* The mark of a pending operation. */
struct rv_guide_mark rv_guide_mark(struct rv_guide *guide, struct rv_order *order,
                                   const struct rv_candidate *candidate);
/* A transition begins, with this mark. */
void rv_guide_begin(struct rv_guide *guide, uint32_t transition, const struct rv_guide_mark *mark);
/* It is over: what it came after is learned. */
void rv_guide_learn(struct rv_guide *guide, const struct rv_order *order, uint32_t transition,
                    uint64_t execution);
/* Whether the pending operation need not be seen before this transition. */
bool rv_guide_leaves_out(struct rv_guide *guide, uint32_t transition, const struct rv_guide_mark *pending);
/* What to aim at to see this step of the first thread, with this mark, before the second one's transition. */
struct rv_goal rv_guide_goal(const struct rv_guide *guide, uint32_t second, uint32_t transition,
                             uint32_t first, uint64_t step, const struct rv_guide_mark *mark);
/* Whether nobody has seen that order by now, and it is not given up. */
bool rv_guide_wants(const struct rv_guide *guide, const struct rv_goal *goal);
/* The next execution aims at this; none: NULL. */
void rv_guide_aim(struct rv_guide *guide, const struct rv_goal *goal);
/* The goal's first thread if it can go on, else somebody who is not the second; then the second. */
uint32_t rv_guide_pick(struct rv_guide *guide, struct rv_order *order, const struct rv_point *point,
                       uint32_t otherwise);
/* The search has ended: whether another round has something to look for. */
bool rv_guide_next_round(struct rv_guide *guide);

#endif
