/* Traces from a file (report/trace_file.h), looked at one execution after the other as if they had just been recorded. */
#ifndef RV_RACES_FILE_H
#define RV_RACES_FILE_H

#include "races/find.h"

/* A file that ends too early gives what is there, and a note. False: *error (malloc'ed) is file, line, column and what was
 * expected; what was found up to there is in *finds all the same. */
bool rv_find_in_file(struct rv_finds *finds, const char *path, char **error);

#endif
