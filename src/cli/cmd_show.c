#include <stdlib.h>

#include "cli/options.h"
#include "cli/terminal.h"

struct show_values {
    bool json;
};

static int show(int argc, char **argv);

static const struct rv_option show_options[] = {
    {"json", 0, RV_OPTION_FLAG, RV_AT(struct show_values, json), .help = "as a JSON object"},
    RV_OPTION_END,
};

const struct rv_command rv_command_show = {
    .name = "show",
    .summary = "explain a failure without running it",
    .usage = "[OPTIONS] FILE",
    .description =
        "FILE is a failure that `ravel run` saved. Nothing is executed: the file has everything.\n",
    .options = show_options,
    .interleaved = true,
    .run = show,
};

static int print_json(const struct rv_failure *failure) {
    json_t *object = rv_failure_json(failure, 1);
    int status = json_dumpf(object, stdout, JSON_INDENT(2));
    json_decref(object);
    putchar('\n');
    return status == 0 ? RV_EXIT_FINE
                       : rv_command_error(&rv_command_show, "standard output cannot be written");
}

static int show(int argc, char **argv) {
    struct show_values values = {0};
    int first;
    int status = rv_options_parse(&rv_command_show, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (argc - first != 1) return rv_usage_error(&rv_command_show, "expected one failure file");
    struct rv_failure failure;
    char *error = NULL;
    if (!rv_failure_read(&failure, argv[first], &error)) {
        status = rv_usage_error(&rv_command_show, "%s", error);
        free(error);
        return status;
    }
    if (values.json) {
        status = print_json(&failure);
    } else {
        struct rv_print_options options = rv_terminal_options(stdout);
        rv_failure_print(&failure, stdout, &options);
        status = RV_EXIT_FINE;
    }
    rv_failure_free(&failure);
    return status;
}
