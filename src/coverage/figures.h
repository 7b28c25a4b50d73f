/* How much of what there is to cover has been covered (spec: maptest.md).
 *
 *     total     every instance that the statements on each variable could make, whatever the program:
 *               sum_x 2RW + WW + RRW + 3RWW + WWW  +  sum over x != y of 3WxWxWyWy + 6WxRxWyRy
 *     feasible  of these what is not known to be impossible, or was covered: see below
 *     covered   what executions contained
 *
 * An instance is taken as impossible
 *   - if it asks for an epoch before the one it is in: what happens after all threads have been joined comes after what they
 *     did; or for two threads in an epoch that has one (analysis/coverage.h), or at statements that the static model knows one and
 *     the same thread to be the only one to do
 *   - if thread a has held a lock from its first step to its last (patterns 4 to 8), every time it was seen to do the two, and
 *     the step of b between them has always been done with that lock, one of them holding it for itself alone
 * Both rest on what was seen, except for locks that the static model knows of; an instance that was covered is feasible.
 */
#ifndef RV_COVERAGE_FIGURES_H
#define RV_COVERAGE_FIGURES_H

#include "coverage/data.h"

struct rv_cover_figure {
    uint64_t covered, feasible, total;
};

struct rv_cover_variable_figure {
    uint32_t variable;
    uint32_t reads, writes;        /* statements */
    struct rv_cover_figure single; /* patterns 1 to 8 */
    struct rv_cover_figure wide;   /* 9 to 17, as x */
};

/* Something to steer to next. */
struct rv_cover_target {
    struct rv_instance instance;
    unsigned weight; /* more is better */
};

enum { RV_COVER_TARGETS = 10 };

struct rv_cover_figures {
    struct rv_cover_figure all;
    struct rv_cover_figure pattern[RV_PATTERNS + 1];
    struct rv_cover_variable_figure *variables; /* the largest gap first */
    uint32_t variable_count;
    struct rv_cover_target targets[RV_COVER_TARGETS];
    unsigned target_count;
    bool rough; /* there are too many instances to look at each: some that are impossible count as feasible */
};

/* Of what the data has; rv_cover_figures_free. */
void rv_cover_figures(struct rv_cover_figures *figures, const struct rv_cover_data *data);
void rv_cover_figures_free(struct rv_cover_figures *figures);

/* By the rules above, and not covered. */
bool rv_cover_impossible(const struct rv_cover_data *data, const struct rv_instance *instance);

/* 0 to 100; 100 of nothing. */
double rv_cover_percent(uint64_t covered, uint64_t of);

/* Functions that use shared variables, and which pairs of them have run at the same time. Numbers of data->functions;
 * malloc'ed. */
struct rv_cover_functions {
    uint32_t *list;
    uint32_t count;
    uint64_t covered, total; /* pairs, a function with itself is one */
};
void rv_cover_functions(struct rv_cover_functions *functions, const struct rv_cover_data *data);

#endif
