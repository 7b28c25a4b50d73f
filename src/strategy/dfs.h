/* The depth first searches with and without a bound on preemptions (dfs.c, bounded.c), and what a portfolio may ask
 * dfs about itself. */
#ifndef RV_STRATEGY_DFS_H
#define RV_STRATEGY_DFS_H

#include "strategy/strategy.h"

extern const struct rv_strategy rv_strategy_dfs, rv_strategy_bounded, rv_strategy_pcb;

/* The estimates are of little use for a bounded search: its tree is thinner than its first branch looks.
 *
 * How many executions the tree under way has in all, estimated from the part done; at least 1. Asked
 * between executions. Looks at every open decision once. */
double rv_dfs_estimate(const void *state);
/* How many of these are still to come. */
double rv_dfs_left(const void *state);
/* The search can not become complete any more, whatever follows. */
bool rv_dfs_hopeless(const void *state);

#endif
