/* Another program run for its output: ctest, git, the modeller. */
#ifndef RV_REGRESS_COMMAND_H
#define RV_REGRESS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* What it prints, up to `most` bytes, malloc'ed; NULL: *error (malloc'ed) says why: its own last line of standard error, if it
 * failed. argv[0] is looked for in PATH. */
char *rv_command_output(char *const *argv, size_t most, size_t *size, char **error);

#endif
