/* Prediction (analysis/syncp.h, syncp_deadlock.h) over a trace, within limits of memory and work.
 *
 * What is predicted from a beginning of the trace holds for the whole; so where memory does not suffice for all of it,
 * the longest beginning that is found by halving is looked at.
 */
#ifndef RV_RACES_PREDICT_H
#define RV_RACES_PREDICT_H

#include "analysis/syncp.h"
#include "analysis/syncp_deadlock.h"
#include "races/trace.h"

struct rv_predictor {
    struct rv_arena arena; /* its size is the limit of memory; 0: nothing is predicted */
    uint64_t work;         /* the limit, for each trace */
};

/* What was looked at. */
struct rv_predicted {
    uint32_t records; /* so many, from the beginning */
    bool tired;       /* and not everything, for the limit of work */
};

/* Calls back with numbers of records. Patterns: steps are numbers of records, too. */
struct rv_predicted rv_predict(struct rv_predictor *predictor, const struct rv_trace *trace,
                               struct rv_deadlock_pattern *patterns, uint32_t pattern_count,
                               rv_syncp_callback *callback, void *user);

#endif
