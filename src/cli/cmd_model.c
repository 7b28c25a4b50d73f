/* `ravel model`: what the static analysis sees of a program. Nothing of it is run. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_file.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "model/make.h"
#include "model/report.h"
#include "report/json_parts.h"

struct model_values {
    const char *json;
    bool text, all;
};

static int model(int argc, char **argv);

static const struct rv_option model_options[] = {
    {"json", 0, RV_OPTION_STRING, RV_AT(struct model_values, json), .argument = "FILE",
     .help = "for machines; \"-\": standard output, and nothing else goes there"},
    {"text", 0, RV_OPTION_FLAG, RV_AT(struct model_values, text),
     .help = "the whole model as records, one a line, as src/model/model.h describes them"},
    {"all", 'a', RV_OPTION_FLAG, RV_AT(struct model_values, all),
     .help = "also variables that are not shared"},
    RV_OPTION_END,
};

const struct rv_command rv_command_model = {
    .name = "model",
    .summary = "show what static analysis sees: threads, shared variables, who accesses them",
    .usage = "[OPTIONS] PROGRAM|FILE...",
    .description =
        "PROGRAM was built with ravel cc, which leaves LLVM bitcode in it, and is not run. FILE may be\n"
        "a library, an object or bitcode: several are taken as one program.\n",
    .options = model_options,
    .interleaved = true,
    .run = model,
};

static int show(const struct model_values *values, const struct rv_model *result, const char *program) {
    if (values->json) {
        json_t *object = rv_model_json(result);
        json_object_set_new(object, "version", json_string(RV_VERSION));
        json_object_set_new(object, "program", rv_json_text(program));
        if (!rv_json_write(object, values->json))
            return rv_command_error(&rv_command_model, "%s: cannot be written: %s", values->json,
                                    strerror(errno));
    }
    if (!rv_is_standard(values->json)) rv_model_print(result, stdout, values->all);
    return RV_EXIT_FINE;
}

static int model(int argc, char **argv) {
    struct model_values values = {0};
    int first;
    int status = rv_options_parse(&rv_command_model, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (first == argc) return rv_usage_error(&rv_command_model, "expected a program");
    if (values.text && values.json)
        return rv_usage_error(&rv_command_model, "--text and --json: expected one of them");
    char directory[PATH_MAX - 32], tool[PATH_MAX], *error = NULL;
    if (!rv_library_directory(directory, sizeof directory))
        return rv_command_error(&rv_command_model, "libravel.so is not in %s", directory);
    snprintf(tool, sizeof tool, "%s/ravel/ravel-model", directory);
    signal(SIGPIPE, SIG_DFL); /* whoever reads may stop */
    size_t size = 0;
    bool wrong = false;
    char *text = rv_model_make_text(tool, argv + first, (size_t)(argc - first), &size, &wrong, &error);
    struct rv_model *result = text ? rv_model_read(text, size, "the model", &error) : NULL;
    if (!result)
        status = wrong ? rv_usage_error(&rv_command_model, "%s", error)
                       : rv_command_error(&rv_command_model, "%s", error);
    else if (values.text)
        status = fwrite(text, 1, size, stdout) == size ? RV_EXIT_FINE : RV_EXIT_ERROR;
    else
        status = show(&values, result, argv[first]);
    if (fflush(stdout) != 0 && status == RV_EXIT_FINE)
        status =
            rv_command_error(&rv_command_model, "standard output cannot be written: %s", strerror(errno));
    rv_model_free(result);
    free(text);
    free(error);
    return status;
}
