/* A file of the user's, read whole: small, and whatever it may turn out to be. */
#ifndef RV_REPORT_WHOLE_FILE_H
#define RV_REPORT_WHOLE_FILE_H

#include <stddef.h>

/* What is in the file, malloc'ed, with a NUL after its *size bytes. NULL: it is a directory, cannot be read, or has more than
 * `max` bytes (whole megabytes); *error says so and what was expected: a `what`, such as "failure file". Never waits: of a
 * pipe that nobody writes to, nothing is read. */
char *rv_whole_file(const char *path, size_t max, const char *what, size_t *size, char **error);

#endif
