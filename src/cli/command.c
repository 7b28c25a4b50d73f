#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/options.h"

static void error_line(const struct rv_command *command, const char *format, va_list arguments) {
    fflush(stdout);
    flockfile(stderr);
    fprintf(stderr, "ravel %s: ", command->name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
}

int rv_usage_error(const struct rv_command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error_line(command, format, arguments);
    va_end(arguments);
    return RV_EXIT_USAGE;
}

int rv_command_error(const struct rv_command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error_line(command, format, arguments);
    va_end(arguments);
    return RV_EXIT_ERROR;
}

void rv_command_help(const struct rv_command *command) {
    printf("Usage: ravel %s %s\n%s.\n", command->name, command->usage, command->summary);
    if (command->description) printf("\n%s", command->description);
    if (command->options) {
        printf("\nOptions:\n");
        rv_options_print(command->options);
    }
}
