/* A failure file as something to run again: the program it names, found from where we are, with the options it
 * was recorded with; and the recording held against what happened now. */
#ifndef RV_SUPERVISOR_RECORDED_H
#define RV_SUPERVISOR_RECORDED_H

#include "supervisor/confirm.h"

/* The schedule in the failure; borrowed. */
struct rv_schedule rv_recorded_schedule(const struct rv_failure *failure);
/* Whether the failure is of this program with these arguments. */
bool rv_recorded_of(const struct rv_failure *failure, const struct rv_program *program);
/* Opens the failure's program: in the directory it was recorded in if it is there, else in this one. The
 * environment and directory are the recorded ones. Exit codes and *error as rv_program_open. */
int rv_recorded_open(struct rv_program *program, const struct rv_failure *failure, char **error);
/* The first recorded event that this execution (traced, in the area) did not do, as a line: "recorded: ...;
 * now: ..."; malloc'ed. NULL: all of them are there. */
char *rv_recorded_difference(const struct rv_failure *failure, const struct rv_area *area,
                             struct rv_symboliser *symbols);

#endif
