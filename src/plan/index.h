/* Which parts of a plan an event concerns. Events that differ in (what, name, thread) are counted apart: each such triple is a
 * source, and the atoms that differ in nothing but the count share one. A moment of the execution concerns at most two sources: the one
 * without a thread, and the one with the name of the thread that it happens in.
 *
 * Lists go through indices, NONE at their end; all of it is written once, by the parser. */
#ifndef RV_PLAN_INDEX_H
#define RV_PLAN_INDEX_H

#include "plan/plan.h"

enum { RV_PLAN_NONE = UINT32_MAX, RV_PLAN_BUCKETS = 512 };

struct rv_plan_source {
    enum rv_plan_what what;
    const char *name, *thread; /* as in its atoms */
    uint32_t next;             /* source with the same hash */
    uint32_t first_atom,
        first_ordering; /* lists: its atoms, the orderings whose target is one of them, as in the text */
};

struct rv_plan_index {
    struct rv_plan_source *sources;
    uint32_t *source_of, *next_atom; /* by atom */
    uint32_t *next_ordering;         /* by ordering */
    const char **threads;            /* all names of threads in the plan, each once */
    uint32_t source_count, thread_count;
    uint32_t buckets[RV_PLAN_BUCKETS]; /* first source with this hash of (what, name) */
};

/* Bytes that one takes at most. */
enum {
    RV_PLAN_INDEX_MEMORY = sizeof(struct rv_plan_index) + RV_PLAN_ATOMS * sizeof(struct rv_plan_source) +
                           (2 * RV_PLAN_ATOMS + RV_PLAN_ORDERINGS) * sizeof(uint32_t) +
                           (RV_PLAN_ATOMS + RV_PLAN_NODES) * sizeof(const char *) + 6 * 16
};

/* NULL: the arena is full. Names of the plan are equal only if their pointers are. */
const struct rv_plan_index *rv_plan_index_make(struct rv_arena *arena, const struct rv_plan *plan);
/* The next source of (what, name) in any thread after `from` (NONE: the first), or NONE. */
uint32_t rv_plan_index_find(const struct rv_plan_index *index, enum rv_plan_what what, const char *name,
                            uint32_t from);
/* The plan's own copy of the name of a thread; NULL: it speaks of none of this name. */
const char *rv_plan_index_thread(const struct rv_plan_index *index, const char *name);

#endif
