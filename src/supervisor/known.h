/* Failures that earlier campaigns saved for the same program and arguments, tried first: one that still happens
 * is seen at once, one that does not is seen to be fixed. */
#ifndef RV_SUPERVISOR_KNOWN_H
#define RV_SUPERVISOR_KNOWN_H

#include "report/suppress.h"
#include "supervisor/confirm.h"
#include "supervisor/result.h"
#include "supervisor/vault.h"

/* Adds those that still happen to result->found (known), the files of the others to result->fixed, files that
 * cannot be read to the notes. Without keep_going it stops at the first that happens and is no race. Races
 * are tried if the options ask for races; suppressions: NULL, or those that are only counted. */
void rv_known_try(struct rv_result *result, const struct rv_case *about, struct rv_vault *vault,
                  struct rv_suppressions *suppressions);

#endif
