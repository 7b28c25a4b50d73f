/* Between syncp_model.c (what each step needs), syncp_close.c (what a set of steps needs) and who asks which steps can be next
 * at once: syncp.c, syncp_deadlock.c.
 *
 * A set of steps that has with each step all earlier ones of its thread is a vector: for each thread, how many of its
 * steps. `closed` of a step is the least such set with the step and all that it needs; `entry` of an access is what must be there
 * for it to be next, without the writes that it reads from.
 */
#ifndef RV_ANALYSIS_SYNCP_MODEL_H
#define RV_ANALYSIS_SYNCP_MODEL_H

#include "analysis/held.h"
#include "analysis/step.h"
#include "strategy/index.h"

enum { RV_NO_STEP = 0xffffffffu };

/* What was done between taking a lock and giving it back. */
struct rv_section {
    uint32_t acquire, release; /* steps; the release may be RV_NO_STEP */
    uint32_t local;            /* number of the acquire in its thread, from 1 */
};
struct rv_sections {
    struct rv_section *at; /* of one lock, thread and mode; in order */
    uint32_t count, capacity;
};

/* A lock, channel or barrier. Vectors may be NULL: empty. */
struct rv_syncp_object {
    struct rv_sections *sections; /* lock: [2 * thread + shared] */
    uint32_t *depth;              /* lock: by thread, how often held */
    uint32_t *sent;               /* channel, barrier */
    uint32_t *all, *renewed;      /* all uses; what its present life needs */
    uint64_t *arrived;            /* barrier: bit for each thread */
    uint64_t arrivals;
};

/* Accesses of the same thread, site, kind, address and size, with the same locks held. */
struct rv_group {
    uint64_t address, size, site;
    uint32_t thread;
    uint32_t locks; /* number of the set */
    uint8_t kind;
    uint32_t *steps;
    uint32_t count, capacity;
};
struct rv_group_link {
    struct rv_group_link *next;
    uint32_t group;
};

struct rv_syncp_granule {
    uint32_t writer[8]; /* 1 + step that wrote the byte last */
    uint32_t life[8];   /* 1 + ALLOC */
    struct rv_group_link *groups;
    uint64_t address;
};

struct rv_syncp {
    struct rv_arena *arena;
    const struct rv_step *steps;
    uint32_t count, threads;
    struct rv_index thread_numbers, objects, granules, groups; /* items: -, object, granule, group */
    struct rv_held held;
    uint32_t *local;          /* by step: its number in its thread, from 1 */
    uint32_t *life;           /* by step: 1 + the latest ALLOC of a byte of it */
    uint32_t *closed, *entry; /* by step: a vector each */
    uint32_t *now;            /* by thread: a vector each */
    uint64_t work;            /* that may be done still */
    bool full;                /* no memory */
};

static inline uint32_t *rv_syncp_vector(const struct rv_syncp *m, uint32_t *vectors, uint32_t number) {
    return vectors + (size_t)number * m->threads;
}
static inline void rv_syncp_join(const struct rv_syncp *m, uint32_t *into, const uint32_t *from) {
    for (uint32_t t = 0; from && t < m->threads; t++)
        if (from[t] > into[t]) into[t] = from[t];
}

/* Counts about one unit for each nanosecond. False: none is left. */
static inline bool rv_syncp_work(struct rv_syncp *m, uint64_t units) {
    m->work = m->work > units ? m->work - units : 0;
    return m->work != 0;
}

/* False: no memory. */
bool rv_syncp_build(struct rv_syncp *model);
/* Closes the set (syncp_close.c). False: there is no such set, for a lock in it was never given back; or no work is left. */
bool rv_syncp_close(struct rv_syncp *model, uint32_t *set);

#endif
