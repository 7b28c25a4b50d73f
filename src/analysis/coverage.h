/* What executions have covered, as flat data: instances of patterns (patterns.h), the uses of variables that they are made of,
 * with what protects them, and pairs of functions that ran at the same time.
 *
 * It lies in a worker's area (base/protocol.h) and outlives processes. A process tells the accesses of an execution; when the
 * execution is over, or its process has died, whoever comes next settles it: the matcher runs, and what was found is added.
 * Until then nothing but the present execution's part changes, so a death loses nothing.
 *
 *   numbers          | mean
 *   -----------------+---------------------------------------------------------------------------
 *   statement        | index of a site in the table that the teller has, below 2^17
 *   variable         | index in variables[]; who fills it in says what it is by rv_cover_variable
 *   lock             | bit of a word: index in locks[], which are variables
 *
 * Everything is bounded; what there was no room for is counted in `dropped`.
 *
 * For feasibility (coverage/figures.h) three things are noted, each as it was in the first executions, later in a sample:
 *   - the locks that were held at a use: in `locks` however, in `exclusive` by one that keeps all others out
 *   - of two uses of an object by a thread, one after the other, the locks held from the one to the other throughout
 *   - the epochs of a use: an epoch ends where all threads but one have been joined, and where one is created then
 */
#ifndef RV_ANALYSIS_COVERAGE_H
#define RV_ANALYSIS_COVERAGE_H

#include "analysis/patterns.h"

enum {
    RV_COVER_INSTANCES = 1 << 18, /* slots; three quarters are used */
    RV_COVER_VARIABLES = 1 << 13,
    RV_COVER_USES = 1 << 14,
    RV_COVER_STEPS = 1 << 15,
    RV_COVER_PAIRS = 1 << 15,
    RV_COVER_LOCKS = 64,
    RV_COVER_RELEASES = 1 << 13,
    RV_COVER_THREADS = 64, /* of more the locks are taken as released always */
    RV_COVER_FRAMES = 6,
    RV_COVER_GROWTH = 40,
    RV_COVER_NUMBERS = 1 << 17, /* statements */
};

enum rv_cover_kind {
    RV_COVER_NOTHING, /* free slot */
    RV_COVER_DATA,    /* place: of the data itself */
    RV_COVER_HEAP,    /* frames: where the block was asked for; offset in it, size of it */
    RV_COVER_STACK,   /* place: in the function whose frame it is in; offset in that */
    RV_COVER_OTHER,
};

struct rv_cover_variable {
    uint64_t key; /* equal for equal ones */
    uint32_t kind;
    uint32_t access; /* bytes of the first access */
    uint64_t place;  /* rv_code */
    uint64_t offset;
    uint64_t size;
    uint64_t frames[RV_COVER_FRAMES]; /* rv_code; 0 beyond */
};

struct rv_cover_use {
    uint32_t variable;  /* 1 + number; 0: free slot */
    uint32_t statement; /* << 1 | write */
    uint64_t locks, exclusive;
    uint32_t epoch_min, epoch_max;
};

/* Two uses of one object by one thread, in this order. */
struct rv_cover_step {
    uint32_t variable;      /* 1 + number; 0: free slot */
    uint32_t first, second; /* statements << 1 | write */
    uint32_t unused;
    uint64_t locks, exclusive; /* held throughout, every time */
};

struct rv_cover_instance {
    uint64_t words[2]; /* both 0: free slot */
};

struct rv_cover_pair {
    /* 1 + statement numbers of the functions' entries, the smaller one first; first 0: free; second UINT32_MAX: the function
     * was entered, whoever else ran */
    uint32_t first, second;
};

/* What a thread holds at an access. */
struct rv_cover_held {
    uint64_t locks, exclusive;
    uint32_t epoch;
    uint32_t unused;
};

struct rv_coverage {
    struct rv_patterns patterns;                    /* of the execution under way */
    struct rv_cover_held held[RV_PATTERN_ACCESSES]; /* by event */
    struct rv_cover_release {
        uint32_t event; /* before this one */
        uint16_t thread;
        uint16_t lock;
    } releases[RV_COVER_RELEASES];
    uint32_t release_count;
    uint32_t pending; /* it has not been settled */
    uint64_t index;   /* of it */

    uint64_t executions; /* settled */
    uint64_t cut;        /* among them: of which not everything was looked at */
    uint32_t missed;     /* RV_MISSED_* of all of them */
    uint64_t dropped;    /* for want of room */
    uint32_t instance_count, use_count, step_count, pair_count, variable_count, lock_count;
    uint32_t growth[RV_COVER_GROWTH]; /* instances after 2^i executions */
    uint32_t locks[RV_COVER_LOCKS];
    struct rv_cover_variable variables[RV_COVER_VARIABLES]; /* a hash table, by key */
    struct rv_cover_use uses[RV_COVER_USES];
    struct rv_cover_step steps[RV_COVER_STEPS];
    struct rv_cover_pair pairs[RV_COVER_PAIRS];
    struct rv_cover_instance instances[RV_COVER_INSTANCES];
};

/* Zeroed memory is empty. The number of a variable like this one, which is added if it is new; UINT32_MAX: no room. */
uint32_t rv_coverage_variable(struct rv_coverage *coverage, const struct rv_cover_variable *variable);
/* The number of a lock; UINT32_MAX: no room. */
uint32_t rv_coverage_lock(struct rv_coverage *coverage, uint32_t variable);

void rv_coverage_begin(struct rv_coverage *coverage, uint64_t index);
/* object: of rv_patterns_object(&coverage->patterns). */
void rv_coverage_access(struct rv_coverage *coverage, uint32_t object, uint32_t thread, uint32_t statement,
                        bool write, const struct rv_cover_held *held);
void rv_coverage_release(struct rv_coverage *coverage, uint32_t thread, uint32_t lock);
/* Two functions were active at the same time. */
void rv_coverage_function(struct rv_coverage *coverage, uint32_t one);
void rv_coverage_pair(struct rv_coverage *coverage, uint32_t one, uint32_t other);
/* The execution is over; nothing happens if it was settled before. */
void rv_coverage_settle(struct rv_coverage *coverage);

void rv_coverage_add(struct rv_coverage *coverage, const struct rv_instance *instance);
/* Whether it was covered. */
bool rv_coverage_has(const struct rv_coverage *coverage, const struct rv_instance *instance);

/* Unpacks; false: a free slot, or damaged. */
bool rv_coverage_instance(const struct rv_cover_instance *slot, struct rv_instance *instance);

#endif
