/* The names of event markers and of tests that the compiler has left in a program and the libraries it is linked with: the
 * ELF sections .ravel.events and .ravel.tests, each a row of texts ended by NUL. */
#ifndef RV_SUITE_MARKERS_H
#define RV_SUITE_MARKERS_H

#include "suite/listing.h"
#include "supervisor/program.h"

/* Adds what the program and its libraries have, and sets listing->open and listing->criterion. Files that cannot be read are
 * left out. */
void rv_markers_read(struct rv_listing *listing, const struct rv_program *program);
/* The same of one file. */
void rv_markers_read_file(struct rv_listing *listing, const char *path);

#endif
