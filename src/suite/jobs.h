/* The chosen cases, some side by side: by processes forked from this one, each of which runs one case after the other and gives
 * results back through a pipe. If such a process ends, that is the result of the case that it was running, and another one takes
 * its place. Results are told in the order of the cases. */
#ifndef RV_SUITE_JOBS_H
#define RV_SUITE_JOBS_H

#include "suite/slot.h"

struct rv_suite_jobs {
    unsigned jobs;
    double limit; /* seconds after which a case is asked to end (SIGTERM); it is then a failure */
    struct rv_suite_work work;   /* in a process for cases */
    struct rv_suite_slot *first; /* one that is there already, and is taken over; NULL: none */
    void (*tell)(const void *user, const struct rv_suite_case *one, const struct rv_test_result *result);
    const void *user; /* of tell */
};

/* results: one for each case, filled for those that were run (all texts set); the others stay as they are. Ends early when
 * rv_interrupted is set. The number of chosen cases that were not run to their end. */
size_t rv_suite_jobs_run(const struct rv_suite_jobs *jobs, const struct rv_suite_cases *cases,
                         struct rv_test_result *results);

#endif
