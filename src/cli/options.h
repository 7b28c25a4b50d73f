/* Options of a command, declared once in a table: the parser, the error lines and --help come from it.
 *
 *     struct run_values { uint64_t schedules; double time; bool keep_going; uint32_t isolation;
 *                         const char *strategy; int32_t expect_exit; };
 *     static const struct rv_option run_options[] = {
 *         {"strategy", 0, RV_OPTION_STRING, RV_AT(struct run_values, strategy), .argument = "NAME[:PARAM]",
 *          .help = "search strategy (default auto)", .check = check_strategy},
 *         {"schedules", 0, RV_OPTION_UINT, RV_AT(struct run_values, schedules), .argument = "N", .min = 1,
 *          .help = "at most N executions (default 10000)"},
 *         {"time", 0, RV_OPTION_SECONDS, RV_AT(struct run_values, time), .argument = "SECONDS",
 *          .help = "at most so long; fractions allowed"},
 *         {"isolation", 0, RV_OPTION_CHOICE, RV_AT(struct run_values, isolation),
 *          .argument = "auto|memory|fork", .help = "how executions are kept apart"},
 *         {"keep-going", 'k', RV_OPTION_FLAG, RV_AT(struct run_values, keep_going),
 *          .help = "collect distinct failures instead of stopping at the first"},
 *         RV_OPTION_END};
 *
 * Accepted: --name=value, --name value, --flag, -k, -k value, -kvalue; "--" ends the options; --help and
 * -h are every command's. An option given twice: the last one counts. Values stay pointers into argv.
 */
#ifndef RV_CLI_OPTIONS_H
#define RV_CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"

/*  type     | member      | accepts
 *  FLAG     | bool        | nothing; sets true
 *  UINT     | uint64_t    | decimal, or hexadecimal with 0x, from .min to .max (.max 0: no limit)
 *  INT      | int32_t     | decimal from .min to .max (both 0: any)
 *  SECONDS  | double      | a positive decimal number, fractions allowed
 *  STRING   | const char* | any text that .check (if there is one) returns NULL for, not empty
 *  CHOICE   | uint32_t    | one word of .argument ("auto|memory|fork"); its index is stored
 */
enum rv_option_type {
    RV_OPTION_FLAG,
    RV_OPTION_UINT,
    RV_OPTION_INT,
    RV_OPTION_SECONDS,
    RV_OPTION_STRING,
    RV_OPTION_CHOICE,
};

struct rv_option {
    const char *name; /* without the dashes */
    char letter;      /* -k, or 0 */
    enum rv_option_type type;
    size_t offset;        /* of the member in the command's values: RV_AT */
    const char *argument; /* in help, "N"; for CHOICE the words; NULL for FLAG */
    const char *help;     /* \n starts a new, indented line */
    int64_t min, max;
    const char
        *otherwise; /* not NULL: the value may be left out, and is this then; only --name=value gives one */
    /* STRING: NULL if fine, else what is wrong with the text, to follow "--name: " */
    const char *(*check)(const char *text);
};

#define RV_AT(type, member) offsetof(type, member)
#define RV_OPTION_END \
    { .name = NULL }

/* What rv_options_parse returns when the command shall go on; anything else is its exit code. */
enum { RV_OPTIONS_GO = -1 };

/* Reads the options of `command` from argv[1..] into *values (which holds the defaults). *first becomes the
 * index of the first operand; with command->interleaved the operands are moved behind the options, in their
 * order. --help prints and returns RV_EXIT_FINE; an error prints one line and returns RV_EXIT_USAGE. */
int rv_options_parse(const struct rv_command *command, void *values, int argc, char **argv, int *first);

/* The options as an indented list on standard output, for rv_command_help. */
void rv_options_print(const struct rv_option *options);

#endif
