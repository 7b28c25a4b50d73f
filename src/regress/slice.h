/* The forward slice of a change: the statements that may do something else because of it, over data and control dependence.
 *
 *   data      by registers, locals, parameters and results (the model's flows), by variables: who writes one affects all who may
 *             read it
 *   control   a branch decides about the blocks that depend on it; a statement whose execution is in question puts that of
 *             all it calls in question
 *
 * For races it matters whether an access is done, and where; not what it stores. So that is told apart. */
#ifndef RV_REGRESS_SLICE_H
#define RV_REGRESS_SLICE_H

#include "regress/version.h"

/* Groups of changes, as bits: what a change can affect matters to a test only if it executes that change. */
typedef uint64_t rv_groups;

enum {
    RV_SLICE_DATA = 1,    /* what it computes */
    RV_SLICE_CONTROL = 2, /* whether it is done */
    RV_SLICE_ADDRESS = 4, /* which memory it accesses */
    RV_SLICE_WAYS = 3,
};

struct rv_slice {
    const struct rv_version *version;
    uint8_t *reached;                   /* by statement: RV_SLICE_* */
    rv_groups (*groups)[RV_SLICE_WAYS]; /* by statement: from which changes by data, control, address */
    uint32_t *origin; /* the statement whose change it comes from (the first one); RV_NONE */
    uint32_t *queue;  /* statements */
    size_t queued;
    bool *queued_already;
};

void rv_slice_open(struct rv_slice *slice, const struct rv_version *version);
void rv_slice_close(struct rv_slice *slice);
/* What the change of this statement affects is added; itself it is not, unless by a circle. `how`: DATA, its value is another one;
 * with CONTROL also: it is done or not. */
void rv_slice_value(struct rv_slice *slice, uint32_t statement, uint8_t how, rv_groups groups);
/* Its branch goes elsewhere. */
void rv_slice_branch(struct rv_slice *slice, uint32_t statement, rv_groups groups);
/* A variable begins with another value; `origin` as above. */
void rv_slice_variable(struct rv_slice *slice, uint32_t variable, uint32_t origin, rv_groups groups);
/* To the end of it all. */
void rv_slice_run(struct rv_slice *slice);
/* The changes that a statement depends on; those that decide whether a statement is executed, or which memory it accesses. */
static inline rv_groups rv_slice_any(const struct rv_slice *slice, uint32_t statement) {
    return slice->groups[statement][0] | slice->groups[statement][1] | slice->groups[statement][2];
}
static inline rv_groups rv_slice_groups(const struct rv_slice *slice, uint32_t statement) {
    return slice->groups[statement][1] | slice->groups[statement][2];
}

#endif
