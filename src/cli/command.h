/* What a subcommand is. Adding one: a file cmd_NAME.c with one `const struct rv_command`, and one line in
 * commands.c; no other file changes. Help, the list of commands and completion come from the struct.
 *
 *     static const struct rv_option show_options[] = { ..., RV_OPTION_END };        see options.h
 *     static int show(int argc, char **argv) {
 *         struct show_values values = {.width = 100};                               the defaults
 *         int first;
 *         int status = rv_options_parse(&rv_command_show, &values, argc, argv, &first);
 *         if (status != RV_OPTIONS_GO)
 *             return status;                                                        --help, or a bad request
 *         if (argc - first != 1)
 *             return rv_usage_error(&rv_command_show, "expected one failure file");
 *         ...
 *     }
 *     const struct rv_command rv_command_show = {
 *         .name = "show", .summary = "explain a failure without running it", .usage = "[OPTIONS] FILE",
 *         .options = show_options, .interleaved = true, .run = show };
 */
#ifndef RV_CLI_COMMAND_H
#define RV_CLI_COMMAND_H

#include <stdbool.h>

struct rv_option;

/* Exit codes of every command: the contract with scripts. */
enum {
    RV_EXIT_FINE = 0,    /* nothing found */
    RV_EXIT_FAILURE = 1, /* a failure was found, or reproduced */
    RV_EXIT_USAGE = 2,   /* the request was wrong */
    RV_EXIT_ERROR = 3,   /* the program could not be run, or ravel itself failed */
};

struct rv_command {
    const char *name;
    const char *summary;             /* one line for `ravel --help`, lower case, no full stop */
    const char *usage;               /* what follows the name: "[OPTIONS] PROGRAM [ARG...]" */
    const char *description;         /* paragraphs for --help, each line ended by \n; or NULL */
    const struct rv_option *options; /* ended by RV_OPTION_END; NULL: the command reads argv itself */
    bool interleaved;                /* options may follow operands; else the first operand ends them */
    /* argv[0] is the command's name, argv[argc] is NULL. The exit code. */
    int (*run)(int argc, char **argv);
};

/* commands.c; NULL-terminated, in the order of `ravel --help`. */
extern const struct rv_command *const rv_commands[];
const struct rv_command *rv_command_find(const char *name); /* NULL: none */

/* One line "ravel NAME: MESSAGE" on standard error. The first returns RV_EXIT_USAGE, the second
 * RV_EXIT_ERROR, so that a command can say `return rv_usage_error(...)`. */
int rv_usage_error(const struct rv_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int rv_command_error(const struct rv_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Usage, description and options on standard output. */
void rv_command_help(const struct rv_command *command);

#endif
