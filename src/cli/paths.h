/* Where ravel's own files are: found from the real path of the running program, so that a build directory
 * works in place, an installation can be moved, and links to the program (ravel-cc) change nothing. */
#ifndef RV_CLI_PATHS_H
#define RV_CLI_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* The directory with libravel.so: ../lib beside the directory of the program, or what the installation
 * was configured with. False: it is in neither, or the path does not fit; *directory is then the first
 * place that was tried, for the message. */
bool rv_library_directory(char *directory, size_t size);

#endif
