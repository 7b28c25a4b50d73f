/* Memory-access patterns (Wang et al., MAPTest, ASE 2019): which ways of two threads to get between each other's accesses to
 * one or two shared variables an execution contains.
 *
 *     a, b: two threads   x, y: two variables   R, W: the access
 *      1  aRx bWx           7  aRx bWx aWx          13  aWx bRy bRx aWy
 *      2  aWx bRx           8  aWx bWx aWx          14  aRx bWx bWy aRy
 *      3  aWx bWx           9  aWx bWx bWy aWy      15  aRx bWy bWx aRy
 *      4  aRx bWx aRx      10  aWx bWy bWx aWy      16  aRx bWy aRy bWx
 *      5  aWx bWx aRx      11  aWx bWy aWy bWx      17  aWx bRy aWy bRx
 *      6  aWx bRx aWx      12  aWx bRx bRy aWy
 *
 * An execution contains an instance if its accesses have the steps as a subsequence: others may lie between. An instance is
 * named by pattern, variables and statements; which threads they were does not matter.
 *
 * An *object* is a piece of memory of this execution: the accesses of an instance to x are all to one object. A *variable*
 * is what objects have in common between executions (a field of the blocks from one place); x and y are different
 * variables. A *statement* is a code location; whether it reads or writes is said by the pattern.
 *
 *   matcher   | for                    | cost                                            | finds
 *   ----------+------------------------+-------------------------------------------------+--------------------------
 *   fast      | every execution        | an access: a store; in the end at most          | all, where nothing in
 *             |                        | RV_PATTERN_WORK for each access, and a credit   | `missed` is set; else some
 *   exact     | checking the fast one  | the fourth power of the accesses                | all
 *
 * The fast one keeps the accesses of the execution, and looks at them when it is over: each object by itself, then each
 * two of different variables, in what is left of the trace when only they are looked at. Whether k1 k2 k3 k4 is a
 * subsequence is one comparison: the first k2 after the first k1 comes before the last k3 before the last k4. A
 * projection that was looked at in an earlier execution (a hash of it says so) is not looked at again. Where variables have
 * few statements there is a shorter way: patterns_wanted.h.
 *
 * What the bounds may miss, each with its bit in `missed`:
 *   RV_MISSED_ACCESSES   accesses of the execution beyond the first RV_PATTERN_ACCESSES, adjacent equal ones counted once
 *   RV_MISSED_OBJECTS    all of objects beyond the first RV_PATTERN_OBJECTS
 *   RV_MISSED_KEYS       in a projection: statements, by thread, beyond the first RV_PATTERN_KEYS; accesses beyond
 *                        RV_PATTERN_WINDOW; all of it where that would cost more than RV_PATTERN_WORK_MOST
 *   RV_MISSED_WORK       projections that there was no work left for. Which they are changes from execution to execution
 *
 * All of struct rv_patterns is flat data, so that it can lie in memory that outlives the process.
 */
#ifndef RV_ANALYSIS_PATTERNS_H
#define RV_ANALYSIS_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/patterns_wanted.h"

enum {
    RV_PATTERNS = 17,
    RV_PATTERN_STEPS = 4,
    RV_PATTERN_ACCESSES = 1 << 14,
    RV_PATTERN_OBJECTS = 1 << 10,
    RV_PATTERN_KEYS = 64, /* bits of a word */
    RV_PATTERN_WINDOW = 4096,
    RV_PATTERN_WORK = 16,           /* comparisons, for each access */
    RV_PATTERN_WORK_LEAST = 1024,   /* and for each execution */
    RV_PATTERN_CREDIT = 1 << 20,    /* once, for all together: first executions have most that is new */
    RV_PATTERN_WORK_MOST = 1 << 16, /* in one projection: what costs more is not done */
    RV_PATTERN_MEMO = 1 << 16,
};

struct rv_pattern_step {
    bool second; /* thread b */
    bool other;  /* variable y */
    bool write;
};

struct rv_pattern {
    uint8_t steps; /* 2, 3 or 4 */
    struct rv_pattern_step step[RV_PATTERN_STEPS];
};
/* By number, from 1; number 0 has no steps. */
extern const struct rv_pattern rv_pattern_table[RV_PATTERNS + 1];
/* Whether it speaks of two variables. */
static inline bool rv_pattern_is_wide(unsigned pattern) { return pattern >= 9; }
/* "a:R(x) b:W(x)"; of 1 to RV_PATTERNS. */
const char *rv_pattern_text(unsigned pattern);

struct rv_instance {
    uint32_t pattern;
    uint32_t variables[2];                 /* x, y; y is 0 if the pattern has none */
    uint32_t statements[RV_PATTERN_STEPS]; /* 0 beyond the pattern's steps */
};
typedef void rv_pattern_emit(void *context, const struct rv_instance *instance);

struct rv_pattern_access {
    uint32_t object;    /* dense number, from 0 */
    uint32_t statement; /* below 2^31 */
    uint32_t thread;    /* below 2^16 */
    bool write;
};

/* ---- the exact matcher ---- */

/* Emits every instance, perhaps several times. variables[]: by object. */
void rv_patterns_exact(const struct rv_pattern_access *accesses, size_t count, const uint32_t *variables,
                       rv_pattern_emit *emit, void *context);

/* ---- the fast matcher ---- */

enum { RV_MISSED_ACCESSES = 1, RV_MISSED_OBJECTS = 2, RV_MISSED_KEYS = 4, RV_MISSED_WORK = 8 };

struct rv_pattern_event {
    uint32_t object;
    uint32_t statement; /* << 1 | write */
    uint32_t next;      /* 1 + the next one of the object; 0: none */
    uint32_t thread;
};

struct rv_pattern_object {
    uint32_t variable;
    uint32_t first, last; /* 1 + event; 0: none */
    uint32_t count;
    uint32_t thread; /* of its first access */
    bool shared;     /* touched by several threads */
    bool written;
};

struct rv_patterns {
    /* of the execution under way */
    uint32_t missed;
    uint32_t event_count;
    uint32_t object_count;
    struct rv_pattern_event events[RV_PATTERN_ACCESSES];
    struct rv_pattern_object objects[RV_PATTERN_OBJECTS];
    struct rv_wanted wanted; /* of all: what the short way looks for */
    /* of all, for the long way: hashes of projections; a newer one takes the place of an older one */
    uint64_t memo[RV_PATTERN_MEMO];
    uint64_t projections, remembered; /* looked at; not, for they were in memo */
    uint64_t unlooked;                /* not, for want of work */
    int64_t spent;                    /* of RV_PATTERN_CREDIT */
    int64_t debt;                     /* work that one execution did too much: the next ones do less */
};

/* Zeroed memory is a matcher that has seen nothing. An execution begins. */
void rv_patterns_begin(struct rv_patterns *patterns);
/* A new object, of this variable; its number, or UINT32_MAX: too many, its accesses are not told. */
uint32_t rv_patterns_object(struct rv_patterns *patterns, uint32_t variable);
void rv_patterns_access(struct rv_patterns *patterns, uint32_t object, uint32_t thread, uint32_t statement,
                        bool write);
/* The execution is over: emits its instances, but for those of projections seen before. `index`: of the execution,
 * decides who goes without if there is not work for all. Nothing in *patterns is trusted to be in range. */
void rv_patterns_end(struct rv_patterns *patterns, uint64_t index, rv_pattern_emit *emit, void *context);

#endif
