/* Running the user's build-and-run command. */
#ifndef RV_MIGRATE_COMMAND_H
#define RV_MIGRATE_COMMAND_H

#include <stdbool.h>

struct rv_command_run {
    char *const *words;       /* NULL-terminated */
    const char *const *names; /* of variables that are set for it, NULL-terminated */
    char *const *values;      /* NULL: it is taken out */
    const char *output;       /* file that gets what it prints */
    double limit;             /* seconds */
};

enum rv_command_end {
    RV_COMMAND_PASSED,
    RV_COMMAND_FAILED,      /* status: its exit status, or 128 + signal */
    RV_COMMAND_LATE,        /* it was ended */
    RV_COMMAND_INTERRUPTED, /* so were we */
    RV_COMMAND_NOT_RUN,     /* status: errno */
};

enum rv_command_end rv_command_do(const struct rv_command_run *run, int *status);

/* The line of what it printed that tells most: the first that says "error" or "fail" or "Assert", else the last. malloc'ed; "" if
 * it printed nothing. */
char *rv_command_said(const char *output);

#endif
