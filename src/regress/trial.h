/* One test run once under control, by the default policy, and recorded: what its threads came to. Needs no race detection of its
 * own, and no schedule; the process is a fresh one. */
#ifndef RV_REGRESS_TRIAL_H
#define RV_REGRESS_TRIAL_H

#include "base/protocol.h"
#include "regress/history.h"
#include "regress/suite.h"
#include "supervisor/program.h"
#include "supervisor/vault.h"

/* The program of a test, with its arguments, environment, directory and input. Exit codes as rv_program_open. */
int rv_trial_program(struct rv_program *program, const struct rv_suite_test *test, char **error);
/* Runs it. `config`: options of executions. *trial is filled, whatever happens; outcome ERROR: it could not be run. */
void rv_trial_run(struct rv_trial *trial, const struct rv_suite_test *test, const struct rv_config *config);

/* Races of the test on this version: what is real by a few executions, verified as ravel races does, is added to trial->races. `known`:
 * lines of races (rv_race_lines) that need not be verified again; grows. */
struct rv_known_races {
    char **lines;
    size_t count;
};
void rv_trial_hunt(struct rv_trial *trial, const struct rv_suite_test *test, const struct rv_config *config,
                   uint64_t schedules, struct rv_vault *vault, struct rv_known_races *known);

#endif
