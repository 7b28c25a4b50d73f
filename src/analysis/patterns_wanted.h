/* The short way of the fast matcher: what has not been found yet is looked for, instead of finding again what was.
 *
 * After some hundred executions nearly all instances that a trace contains are known, and what is still wanted is little.
 * So for two variables (or one) of few statements a list is kept of the instances that could be and were not seen. Each is
 * looked up in the trace by one comparison for each two threads, in tables that are made once for all keys of the trace.
 * What was found leaves the list. When a variable gets a new statement its lists are made anew, with what was found
 * already: it is found again and leaves.
 *
 * Taken are objects that are the only shared one of their variable in the execution, with at most RV_WANTED_STATEMENTS statements,
 * of pairs with at most RV_WANTED_PAIR instances, in traces of at most RV_WANTED_KEYS keys and RV_WANTED_THREADS threads that
 * touch them. The rest is left to the long way, which misses nothing of it but for bounds of its own.
 */
#ifndef RV_ANALYSIS_PATTERNS_WANTED_H
#define RV_ANALYSIS_PATTERNS_WANTED_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RV_WANTED_VARIABLES = 128,
    RV_WANTED_STATEMENTS = 16,
    RV_WANTED_THREADS = 8,
    RV_WANTED_KEYS = 256,
    RV_WANTED_PAIR = 1024,
    RV_WANTED_POOL = 1 << 17,
    RV_WANTED_WORK = 4, /* looked up, for each access */
    RV_WANTED_WORK_LEAST = 1024,
    RV_WANTED_CREDIT = 1 << 20, /* once, for all together */
    RV_WANTED_NOT = 0xffff,     /* count of a pair that is left to the long way */
};

struct rv_wanted_entry {
    uint8_t pattern;
    uint8_t steps[4]; /* statements, by their number in the variable */
};

struct rv_wanted_variable {
    uint32_t variable;
    uint32_t count;                            /* of statements; more than RV_WANTED_STATEMENTS: not taken */
    uint32_t statements[RV_WANTED_STATEMENTS]; /* << 1 | write */
};

struct rv_wanted_pair {
    uint32_t start; /* in pool[] */
    uint16_t count;
    uint8_t x_count, y_count; /* statements that the list was made for; 0: there is none */
};

/* Flat; zeroed: empty. */
struct rv_wanted {
    uint32_t variable_count;
    uint32_t pool_used;
    int64_t spent; /* of RV_WANTED_CREDIT */
    struct rv_wanted_variable variables[RV_WANTED_VARIABLES];
    struct rv_wanted_pair pairs[RV_WANTED_VARIABLES][RV_WANTED_VARIABLES];
    struct rv_wanted_entry pool[RV_WANTED_POOL];
};

struct rv_patterns;
struct rv_instance;

/* Which variable (index in wanted->variables) an object of the execution stands for here; 0xff: it was not taken. */
extern uint8_t rv_wanted_slots[];
/* Looks for what is wanted, and fills in rv_wanted_slots for the objects listed. `index` as in rv_patterns_end. */
void rv_wanted_look(struct rv_patterns *patterns, const uint16_t *objects, uint32_t count, uint64_t index,
                    void (*emit)(void *, const struct rv_instance *), void *context);
/* Whether all instances of these two objects (or one twice) have been looked for, or left for want of work. */
bool rv_wanted_took(const struct rv_patterns *patterns, uint32_t one, uint32_t other);

#endif
