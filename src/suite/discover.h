/* What is in a test binary: asked of the program itself, and read from its files. */
#ifndef RV_SUITE_DISCOVER_H
#define RV_SUITE_DISCOVER_H

#include "suite/listing.h"
#include "supervisor/program.h"

/* Exit codes of the command: 0; 2: it has no tests, or is not built with ravel cc; 3: it could not be asked. Then *error says
 * what to do about it (malloc'ed). *listing is to be freed in any case. */
int rv_suite_discover(struct rv_listing *listing, const struct rv_program *program, double limit,
                      char **error);
/* The same, with a list that the program has told already. */
int rv_suite_discover_told(struct rv_listing *listing, const struct rv_program *program, const char *list,
                           size_t size, char **error);

#endif
