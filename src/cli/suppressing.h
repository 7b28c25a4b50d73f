/* --suppressions=FILE: what `run` and `races` do with it. */
#ifndef RV_CLI_SUPPRESSING_H
#define RV_CLI_SUPPRESSING_H

#include "cli/command.h"
#include "report/suppress.h"
#include "supervisor/util.h"

/* The file's entries; none if path is NULL. NULL: the command's error has been said, it is a wrong request. */
struct rv_suppressions *rv_suppressing_open(const struct rv_command *command, const char *path);
/* A note for each entry that matched nothing. */
void rv_suppressing_note(const struct rv_suppressions *list, struct rv_notes *notes);

#endif
