/* The program under test, as the supervisor sees it before any process exists: found, checked to be
 * something that ravel can run, and with its standard input made repeatable.
 *
 * Owned by the caller: rv_program_close frees everything. Nothing changes after rv_program_open, so one program
 * serves any number of workers.
 */
#ifndef RV_SUPERVISOR_PROGRAM_H
#define RV_SUPERVISOR_PROGRAM_H

#include <stdbool.h>

struct rv_program {
    char *name;        /* as given on the command line */
    char *path;        /* the file to execute: absolute */
    char **argv;       /* NULL-terminated; argv[0] is name */
    char **env;        /* NULL-terminated "NAME=value" to set on top of the environment; may be NULL */
    char *directory;   /* where it runs; NULL: where ravel runs */
    char *build_id;    /* hex, "" if the file has none */
    char *library;     /* libravel.so to load */
    bool instrumented; /* built with ravel cc: it loads libravel by itself */
    int input;         /* descriptor each worker's standard input is opened from; -1: /dev/null */
    bool input_silent; /* standard input was a pipe that stayed open without a byte: taken as empty */
};

/* Exit codes as in the contract: 0 fine; 2 not found, not executable, not a program; 3 a program of a kind
 * that cannot be run (static, foreign). In the last two cases *error is one line (malloc'ed). `args` is NULL-terminated, without argv[0]. */
int rv_program_open(struct rv_program *program, const char *name, char *const *args, char **error);
/* Takes ravel's own standard input for the program's. Every worker reads the same bytes from the start. */
void rv_program_take_input(struct rv_program *program);
void rv_program_close(struct rv_program *program);

#endif
