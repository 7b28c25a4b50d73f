/* One test run once under control, by the default policy, and recorded: what its threads came to. Needs no race detection of its
 * own, and no schedule; the process is a fresh one. */
#ifndef RV_REGRESS_TRIAL_H
#define RV_REGRESS_TRIAL_H

#include "base/protocol.h"
#include "regress/history.h"
#include "regress/suite.h"
#include "supervisor/program.h"

/* The program of a test, with its arguments, environment, directory and input. Exit codes as rv_program_open. */
int rv_trial_program(struct rv_program *program, const struct rv_suite_test *test, char **error);
/* Runs it. `config`: options of executions. *trial is filled, whatever happens; outcome ERROR: it could not be run. */
void rv_trial_run(struct rv_trial *trial, const struct rv_suite_test *test, const struct rv_config *config);

#endif
