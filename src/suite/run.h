/* One case, run: controlled (its events are held until the plan allows them) or passive (it runs by itself and is checked). In
 * a process that runs other cases, too (jobs.h). */
#ifndef RV_SUITE_RUN_H
#define RV_SUITE_RUN_H

#include "suite/cases.h"
#include "suite/result.h"
#include "supervisor/vault.h"

struct rv_suite_run {
    const struct rv_program *program;
    struct rv_config config; /* but for the test; strategy and schedules: with `explore` */
    struct rv_vault *vault;
    bool explore; /* what the plan leaves open, within config.schedules and `time` */
    bool passive;
    uint64_t runs;                 /* with passive */
    double time;                   /* seconds of exploring */
    double limit;                  /* seconds for one execution and what belongs to it */
    struct rv_print_options print; /* for details */
    const char *store;             /* where what is covered goes; NULL: nothing is noted */
};

/* Whether tests are first tried in a worker that they share. */
bool rv_suite_run_shares(const struct rv_suite_run *run);

/* For jobs.h; `user` is a struct rv_suite_run. */
void rv_suite_run_case(const void *user, const struct rv_suite_case *one, struct rv_test_result *result);

/* What a process keeps from one case to the next is given back. */
void rv_suite_run_end(const void *user);

/* The parts. */
void rv_suite_run_controlled(const struct rv_suite_run *run, const struct rv_suite_case *one,
                             struct rv_test_result *result);
/* In a worker that has run other tests before (shared.c). True: it passes. False: who wants to know must run it by itself. */
bool rv_suite_run_shared(const struct rv_suite_run *run, const struct rv_config *config,
                         struct rv_test_result *result);
/* The list of tests that this worker tells before it runs any (suite/listing.h); malloc'ed. NULL: it does not. */
char *rv_suite_run_list(const struct rv_suite_run *run, size_t *size);
void rv_suite_run_passive(const struct rv_suite_run *run, const struct rv_suite_case *one,
                          struct rv_test_result *result);

#endif
