/* Small abstract types, for the tests of the linearizability checker: their calls as functions on a state that can be copied. */
#ifndef LINEAR_TYPES_H
#define LINEAR_TYPES_H

#include <stdint.h>

#include "generate/linear.h"

enum { STATE_ROOM = 8, TYPES = 5, METHODS = 4 };

/* Equal states are equal bytes. */
struct state {
    uint8_t size;
    uint8_t values[STATE_ROOM];
};

/* Does method number `method` with `argument`: how it ends, and what it gives. A call that does not return changes nothing. */
typedef enum rv_outcome_end apply_fn(struct state *state, uint32_t method, uint8_t argument, uint8_t *result);

struct abstract_type {
    const char *name;
    apply_fn *apply;
};
extern const struct abstract_type abstract_types[TYPES];

/* An oracle that makes calls from the start, as a module would be called. */
struct replaying {
    const struct abstract_type *type;
    const struct rv_history *test;
    bool tells_states;
    uint32_t answers_until; /* run number from which on it answers nothing */
    uint32_t lies_from;     /* run number from which on results are others */
    uint32_t runs;
    uint8_t results[RV_MAX_CALLS];
};
uint32_t replay_order(void *user, const uint32_t *order, uint32_t count, struct rv_answer *outcomes);

/* The verdict by its definition: every sequence of calls that the history allows is tried. Needs few calls. */
enum rv_linear_kind verdict_by_force(const struct abstract_type *type, const struct rv_history *history);

#endif
