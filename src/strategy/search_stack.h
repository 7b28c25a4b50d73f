/* The stack of decisions behind every exhaustive search: dfs.c, bounded.c and delay.c.
 *
 * It walks a tree of executions, depth first, and knows nothing of threads: a decision is "which of how many". The
 * search that owns it says what the alternatives are and in which order, and how much each of them costs if there is a bound.
 *
 *   who      | does
 *   owner    | embeds or is the struct, sets `bound` and `last` after init; asks rv_search_pick at each point with the number
 *            | of alternatives that it can afford, adds the cost of what it got to `spent`, and sets `limited`
 *            | where it could not afford all
 *   stack    | all the rest. It reads `limited` and raises `bound` between trees
 *
 * With a bound there is a tree for each, from the first one to `last`, or until one leaves nothing out. Trees
 * are not apart: each has all the schedules of the smaller ones in it, which are then executed again. To leave them out one
 * would have to keep every place where a bound cut something off, and there are as many of these as schedules; a tree
 * is usually many times as large as the one before it, so little is lost.
 */
#ifndef RV_STRATEGY_SEARCH_STACK_H
#define RV_STRATEGY_SEARCH_STACK_H

#include "strategy/strategy.h"

#define RV_NO_BOUND UINT32_MAX
enum { RV_SEARCH_YOUNG = 32 }; /* executions after whose last a tree is worth finishing although it learns */

struct rv_decision;

struct rv_search {
    struct rv_arena *arena;
    struct rv_decision *stack;
    uint32_t capacity;
    uint32_t recorded; /* decisions on the stack that this execution must follow */
    uint32_t depth;    /* decisions taken in this execution */
    /* division */
    uint32_t worker, workers;
    uint32_t position; /* among the workers that share the subtree at this depth */
    uint32_t sharing;  /* how many these are */
    uint32_t prefix;   /* sum of the shared decisions */
    /* verdict */
    uint64_t executions;   /* since the root */
    bool learned;          /* since the root */
    bool mismatch;         /* since the root */
    bool cut;              /* since the root: a part of the tree was out of reach */
    bool nondeterministic; /* ever */
    bool finished;
    /* bound */
    uint32_t bound;  /* what an execution of this tree may spend; RV_NO_BOUND: anything */
    uint32_t last;   /* the largest bound to be tried; RV_NO_BOUND: until nothing is left out */
    uint32_t spent;  /* in this execution */
    bool limited;    /* since the root: the bound has left something out */
    uint64_t pruned; /* since the root: so many alternatives */
};

/* A search without a bound; NULL: the arena is full. */
struct rv_search *rv_search_new(struct rv_arena *arena, const struct rv_strategy_config *config);
/* Which of the first `count` alternatives to take at this point; 0 if the stack cannot grow. */
uint32_t rv_search_pick(struct rv_search *search, const struct rv_point *point, uint32_t count);
extern const struct rv_division rv_search_division;
/* Member of struct rv_strategy. */
void rv_search_progress(const void *search, struct rv_search_progress *progress);
/* Fraction of this worker's tree that lies before the next execution, if the subtrees of one decision are equal. */
double rv_search_fraction(const struct rv_search *search);

/* The parameter of a bounded search, a whole number up to RV_MAX_BOUND. False: it is something else. */
enum { RV_DEFAULT_BOUND = 2, RV_MAX_BOUND = 1000000 };
bool rv_search_bound(const char *params, uint32_t *bound);

/* Members of struct rv_strategy for a search whose state is a struct rv_search. */
void rv_search_begin(void *search, uint64_t index);
uint32_t rv_search_choose(void *search, uint32_t n); /* free of charge */
bool rv_search_end(void *search, const struct rv_strategy_end *outcome);
bool rv_search_complete(const void *search);

#endif
