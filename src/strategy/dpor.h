/* The state of the search of dpor.c, and what its files do for each other.
 *
 *   dpor.c        the strategy: one transition after the other, and back to the deepest level with something left
 *   dpor_tree.c   nodes: sleep sets, and the branches of wakeup trees
 *   dpor_race.c   what a race asks for: a beginning for the tree of the level before its first transition
 *   dpor_part.c   the search in parts: giving branches away, saving, carrying on
 *
 * Everything is an index into an array of the arena, so that it can be saved, and carried on by another process.
 */
#ifndef RV_STRATEGY_DPOR_H
#define RV_STRATEGY_DPOR_H

#include "strategy/order.h"
#include "strategy/part.h"
#include "strategy/search_stack.h"

enum { RV_NO_NODE = 0, RV_FOREIGN = 1u << 30 };

/* A beginning in a wakeup tree, or what is asleep: a transition. */
struct rv_dpor_node {
    struct rv_footprint footprint;
    uint32_t child;   /* first of what may follow; RV_NO_NODE: anything */
    uint32_t sibling; /* also the list of free nodes */
    bool fresh;       /* put below the floor by this part: to be handed in (dpor_part.c) */
    bool away;        /* asleep, but still being explored by somebody else */
    bool doubtful;    /* a whole branch that may have been explored: see dpor_part.c */
};

struct rv_dpor_level {
    uint32_t wakeup;   /* first branch to be explored after the one under way */
    uint32_t sleep;    /* where its sleep set begins in `asleep` */
    uint32_t done;     /* branches that have been explored: for the estimate */
    uint32_t children; /* branches given away that are not back */
    bool merged;       /* `others` has what the transition touched with other choices */
    struct rv_footprint others;
};

struct rv_dpor_race {
    uint32_t first;
    uint32_t second; /* the number of transitions + k: pending operation k */
};

struct rv_dpor {
    struct rv_arena *arena;
    struct rv_order order;
    struct rv_dpor_level *levels;
    uint32_t level_capacity;
    uint32_t recorded; /* transitions that this execution repeats */
    uint32_t depth;    /* transitions begun */
    /* nodes */
    struct rv_dpor_node *nodes;
    uint32_t node_capacity, node_count, free_node;
    uint32_t *asleep; /* references to nodes */
    uint32_t asleep_capacity, asleep_count;
    struct rv_dpor_race *races;
    uint32_t race_capacity, race_count;
    uint32_t known_races; /* so many of them are in what this execution repeats */
    uint32_t blocked;     /* 1 + the transition from which on it shows nothing new; 0: all of it may */
    bool other_choice;    /* it began with another choice of a transition: all of its races are new */
    struct rv_candidate *pending; /* at the end */
    uint32_t pending_capacity, pending_count;
    uint32_t
        *sequence; /* a beginning under construction: transitions, or their number + k, or RV_FOREIGN + k */
    uint32_t sequence_capacity;
    bool announced;  /* its last one is taken as announced, for there it comes earlier than it was done */
    uint32_t forced; /* choices of the transition under way that are prescribed */
    uint32_t choice; /* how many it has made */
    uint8_t prescribed[RV_FOOTPRINT_CHOICES];
    uint8_t fixed;
    /* verdict */
    uint64_t executions, redundant;
    bool learned, mismatch, cut, nondeterministic, finished;
    /* parts */
    bool divided;           /* it judges nothing alone */
    bool whole;             /* it has the root, and has given nothing away */
    uint32_t doubt;         /* 1 + the level whose branch under way is doubtful; 0: none */
    bool split;             /* it has given something away of this tree */
    bool choices;           /* ever made: then nothing is given away */
    bool waits;             /* nothing is left but what others owe to the level it stands at */
    uint32_t floor;         /* levels below are somebody else's */
    uint32_t tree;          /* its number */
    struct rv_known *known; /* the traces explored, by anybody; NULL: nobody remembers */
    uint32_t *path;         /* through a tree, while it is written or read */
    uint32_t path_capacity;
    uint32_t *numbers; /* of threads, while they are read */
    uint32_t number_capacity;
    struct rv_order_entry *entries; /* of a transition, while it is read; */
    uint32_t *able;                 /* the threads that could go on there */
    uint32_t able_capacity;
    uint32_t entry_capacity;
    struct rv_footprint *foreign; /* a beginning that another part has found */
    uint32_t foreign_capacity;
};

/* ---- dpor.c ---- */

bool rv_dpor_reserve_level(struct rv_dpor *state, uint32_t level);
void rv_dpor_add_races(struct rv_dpor *state, const struct rv_races *races, uint32_t second);
/* To the deepest level with something left; false: there is none, or others owe something there. */
bool rv_dpor_go_back(struct rv_dpor *state);
/* Forgets the stack. */
void rv_dpor_clear(struct rv_dpor *state);

/* ---- dpor_part.c ---- */

/* Whether the trace of the execution that has just ended was explored before; from now on it was. */
bool rv_dpor_was_known(struct rv_dpor *state);
double rv_dpor_left(const struct rv_dpor *state, uint32_t floor);
extern const struct rv_division rv_dpor_division;

/* ---- dpor_tree.c ---- */

/* RV_NO_NODE: the arena is full, and the search is marked as cut. */
uint32_t rv_dpor_new_node(struct rv_dpor *state, const struct rv_footprint *footprint);
void rv_dpor_free_node(struct rv_dpor *state, uint32_t number);
/* A branch, what follows it, and its siblings. */
void rv_dpor_free_tree(struct rv_dpor *state, uint32_t number);
void rv_dpor_add_asleep(struct rv_dpor *state, uint32_t number);
/* The sleep set of a level is asleep[levels[level].sleep] up to here. */
uint32_t rv_dpor_sleep_end(const struct rv_dpor *state, uint32_t level);
/* Whether all that the thread could do next sleeps at the level under way. */
bool rv_dpor_is_asleep(const struct rv_dpor *state, uint32_t thread);
/* The first alternative from `value` on that does not sleep: for the first choice of a transition; the others always
 * come with it. */
uint32_t rv_dpor_awake_choice(const struct rv_dpor *state, uint32_t level, uint32_t thread, uint32_t which,
                              uint32_t value);
/* The transition of this level, explored with all that can follow, goes to sleep there. */
void rv_dpor_fall_asleep(struct rv_dpor *state, uint32_t level);
/* What went to sleep at this level first, not further up, is forgotten with it. */
void rv_dpor_forget_sleep(struct rv_dpor *state, uint32_t level);

/* ---- dpor_race.c ---- */

/* All that does not happen after the first one of the race, then the second one: a beginning for the tree of the level of
 * the first, if nothing that sleeps there could as well come first in it. */
void rv_dpor_reverse(struct rv_dpor *state, const struct rv_dpor_race *race);
/* The same with a beginning in foreign[0..count-1]. False: no memory. */
bool rv_dpor_insert_foreign(struct rv_dpor *state, uint32_t level, uint32_t count);

#endif
