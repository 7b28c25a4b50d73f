/* What rf.c, the scheduler of reads-from sampling, and rf_corpus.c, its memory, share.
 *
 * A *statement* is a site, without the thread. A *pair* (from -> to) says that an event of statement `to` came right
 * after an event of statement `from`, by another thread, on the same object and in conflict with it: a read
 * reads from a write, or two accesses or two locks are in this order. from = RF_NOBODY: nobody came before.
 * A *constraint* asks for a pair (once in the execution) or against it (always). The corpus is the list of the
 * sets of constraints whose executions showed something new.
 *
 *   function        | called                        | does
 *   rf_relate       | for two conflicting accesses  | makes both orders known as possible
 *   rf_pair_seen    | for every pair that happens   | counts it in this execution's signature
 *   rf_make_set     | before an execution           | a set from the corpus, mutated, into state->set
 *   rf_mark_rivals  | for every positive constraint  | tells the sites that could come between
 *   rf_judge        | after an execution            | keeps state->set, or not
 *
 * All memory is in the arena and bounded: about 1.5 MiB.
 */
#ifndef RV_STRATEGY_RF_H
#define RV_STRATEGY_RF_H

#include "strategy/index.h"
#include "strategy/pos.h"

enum {
    RF_NOBODY = 0,           /* statements are numbered from 1 */
    RF_SELF = 0xffffffffu,   /* the same thread came before: no pair */
    RF_CONSTRAINTS = 8,      /* in a set: bits of a mask */
    RF_CORPUS = 256,         /* kept sets */
    RF_SIGNATURES = 1 << 12, /* counters */
    RF_OBJECTS = 1 << 11,    /* remembered within an execution */
    RF_MAX_SITES = 1 << 12,
    RF_MAX_PAIRS = 1 << 13,
};

struct rf_constraint {
    uint32_t from;
    uint32_t to;
    bool positive;
};

struct rf_set {
    struct rf_constraint constraints[RF_CONSTRAINTS];
    uint32_t count;
};

struct rf_kept {
    struct rf_set set;
    uint64_t signature; /* of the execution for which it was kept */
    uint32_t uses;      /* executions made from it */
};

struct rf_pair {
    uint32_t from;
    uint32_t to;
    uint32_t generation; /* execution in which it was seen last; 0: never */
    uint32_t tries;      /* executions that were to show it */
};

/* What the current set means for a statement: masks of constraints. */
struct rf_site {
    uint8_t to;    /* it is their `to` */
    uint8_t rival; /* it could come between their `from` and their `to` */
};

struct rf_signature {
    uint64_t hash;
    uint32_t count; /* 0: free */
};

struct rf_access {
    uint32_t site; /* RF_NOBODY: there was none */
    uint32_t thread;
    bool write;
};

struct rf_object {
    uint64_t key;
    uint32_t generation; /* execution in which this entry was set: others are stale */
    uint32_t accesses;
    struct rf_access last;
    struct rf_access last_write;
    struct rf_access sample; /* one of all its accesses, each with the same chance */
};

struct rf_thread;

struct rf_state {
    struct rv_pos pos;
    struct rf_thread *threads; /* rf.c */
    uint32_t thread_capacity;
    struct rf_set set;     /* constraints of this execution */
    uint32_t satisfied;    /* mask of the positive ones that need no more care */
    bool holding;          /* somebody was held back at this pick */
    uint64_t held;         /* picks at which somebody was */
    uint64_t patience;     /* after so many nobody is any more */
    uint64_t usual_points; /* average points of an execution */
    uint64_t signature;    /* of this execution: sum over the pairs seen in it */
    uint32_t news;         /* pairs of this execution that none had before, */
    uint32_t news_pair;    /* and the number of one of them */
    uint32_t unseen;       /* pairs known as possible, never seen */
    uint32_t kept_count;
    struct rv_index sites; /* by site: struct rf_site; statement n is item n - 1 */
    struct rv_index pairs; /* by (from, to): struct rf_pair */
    struct rf_kept kept[RF_CORPUS];
    struct rf_signature signatures[RF_SIGNATURES];
    struct rf_object objects[RF_OBJECTS];
};

static inline struct rf_site *rf_site_at(const struct rf_state *state, uint32_t statement) {
    return (struct rf_site *)state->sites.items + (statement - 1);
}

void rf_relate(struct rf_state *state, const struct rf_access *a, const struct rf_access *b);
void rf_pair_seen(struct rf_state *state, uint32_t from, uint32_t to);
void rf_make_set(struct rf_state *state);
/* `bit` of the masks stands for the constraint. */
void rf_mark_rivals(struct rf_state *state, const struct rf_constraint *constraint, uint8_t bit);
void rf_judge(struct rf_state *state);

#endif
