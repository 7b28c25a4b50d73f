/* ravel: dispatch to a command. Called as ravel-cc or ravel-c++ (a link to this program, for build systems
 * that want the compiler to be one word), it is `ravel cc` or `ravel c++`. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "base/suggest.h"

static void print_help(void) {
    printf("Usage: ravel COMMAND [ARG...]\n"
           "Finds concurrency bugs in C programs, replays them exactly, and explains them.\n\n"
           "  CC=\"ravel cc\" make           build the program so that ravel sees its memory accesses\n"
           "  ravel run ./program args     run it under thousands of schedules\n"
           "  ravel replay FILE            run a schedule that failed again\n\n"
           "Commands:\n");
    for (const struct rv_command *const *command = rv_commands; *command; command++)
        printf("  %-12s %s\n", (*command)->name, (*command)->summary);
    printf("\n`ravel COMMAND --help` tells more. Exit codes: 0 nothing found, 1 a failure was found,\n"
           "2 the request was wrong, 3 the program could not be run or ravel failed.\n");
}

static int unknown_command(const char *name) {
    struct rv_suggestion suggestion = {.typed = name};
    for (const struct rv_command *const *command = rv_commands; *command; command++)
        rv_suggest_offer(&suggestion, (*command)->name);
    const char *what = name[0] == '-' ? "option" : "command";
    if (suggestion.best)
        fprintf(stderr, "ravel: unknown %s '%s' (did you mean %s?)\n", what, name, suggestion.best);
    else
        fprintf(stderr, "ravel: unknown %s '%s' (see ravel --help)\n", what, name);
    return RV_EXIT_USAGE;
}

/* Help that nobody could read (a full disk, a closed pipe) is not a success. */
static int flush_output(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    perror("ravel: standard output");
    return RV_EXIT_ERROR;
}

int main(int argc, char **argv) {
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *self = slash ? slash + 1 : argc > 0 ? argv[0] : "ravel";
    if (strcmp(self, "ravel-cc") == 0) return rv_command_find("cc")->run(argc, argv);
    if (strcmp(self, "ravel-c++") == 0) return rv_command_find("c++")->run(argc, argv);

    if (argc < 2) {
        fprintf(stderr, "ravel: expected a command (see ravel --help)\n");
        return RV_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("ravel %s\n", RV_VERSION);
        return flush_output(RV_EXIT_FINE);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (strcmp(name, "help") == 0 && argc == 2)) {
        print_help();
        return flush_output(RV_EXIT_FINE);
    }
    if (strcmp(name, "help") == 0) {
        const struct rv_command *about = rv_command_find(argv[2]);
        if (!about) return unknown_command(argv[2]);
        rv_command_help(about);
        return flush_output(RV_EXIT_FINE);
    }
    const struct rv_command *command = rv_command_find(name);
    if (!command) return unknown_command(name);
    return flush_output(command->run(argc - 1, argv + 1));
}
