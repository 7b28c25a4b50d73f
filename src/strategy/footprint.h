/* What a transition touched, and when two of them depend on each other.
 *
 * A transition is what a thread does from one point to its next: the operation that it had announced, and whatever
 * else it reported in between (the mutex that a wait gives up, the waiters that a signal wakes). Its footprint is the
 * thread, the choices it made, and the bytes it touched. Two transitions of different threads are dependent if some bytes
 * are in both footprints and one of them writes there; then, and only then, their order can matter.
 *
 * Not everything is an address. Descriptors are one object together (two numbers may be the two ends of a pipe), the virtual
 * clock is another. What cannot be told so simply (the end of the process, signals, cancellation, processes, futexes) is
 * *global*: dependent with everything. Too much dependence costs executions, too little would cost correctness.
 */
#ifndef RV_STRATEGY_FOOTPRINT_H
#define RV_STRATEGY_FOOTPRINT_H

#include "strategy/strategy.h"

enum { RV_FOOTPRINT_RANGES = 8, RV_FOOTPRINT_CHOICES = 6 };

struct rv_range {
    uint64_t start;
    uint32_t size;
    bool write;
};

struct rv_footprint {
    uint32_t thread;
    uint16_t op;     /* announced */
    uint8_t count;   /* of ranges */
    bool global;     /* dependent with everything */
    bool blocks;     /* the announced operation may have to wait */
    uint8_t choices; /* how many choices it made */
    uint8_t fixed;   /* the first so many of them are prescribed */
    uint8_t choice[RV_FOOTPRINT_CHOICES];
    uint8_t choice_of[RV_FOOTPRINT_CHOICES]; /* how many alternatives each had */
    struct rv_range ranges[RV_FOOTPRINT_RANGES];
};

/* The bytes that an operation touches; false: none. Sets *global where it is dependent with everything. */
bool rv_range_of(const struct rv_operation *operation, struct rv_range *range, bool *global);
/* Adds an operation. One on a range that is there already only adds writing. */
void rv_footprint_add(struct rv_footprint *footprint, const struct rv_operation *operation);
/* Adds what the other one touched. */
void rv_footprint_merge(struct rv_footprint *footprint, const struct rv_footprint *other);
/* Whether their order can matter: also true for transitions of the same thread. */
bool rv_footprint_dependent(const struct rv_footprint *a, const struct rv_footprint *b);

#endif
