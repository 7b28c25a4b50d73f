#include "cli/regress_options.h"

#include <stdlib.h>
#include <string.h>

#include "regress/record.h"
#include "report/text.h"

const char *rv_technique_name(uint32_t technique) {
    static const char *const names[] = {"simrt", "simrt-nothreads", "dejavu", "all"};
    return names[technique % 4];
}

static int wrong(const struct rv_command *command, char *error, bool usage) {
    int status = usage ? rv_usage_error(command, "%s", error) : rv_command_error(command, "%s", error);
    free(error);
    return status;
}

/* Records the suite of the other tree, under a name made of its directory. */
static int record_base_dir(const struct rv_command *command, const struct rv_regress_values *values,
                           const struct rv_config *config, struct rv_progress *progress, char **name) {
    struct rv_test_suite suite;
    char *error = NULL, *real = realpath(values->base_dir, NULL);
    *name = NULL;
    if (!real) return rv_usage_error(command, "--base-dir: %s: no such directory", values->base_dir);
    const char *slash = strrchr(values->suite, '/');
    char *file = rv_text_format("%s/%s", real, slash ? slash + 1 : values->suite);
    bool own = rv_test_suite_read(&suite, file, NULL, &error);
    if (!own) {
        free(error);
        error = NULL;
    }
    bool read = own || rv_test_suite_read(&suite, values->suite, real, &error);
    free(file);
    if (!read) {
        free(real);
        return wrong(command, error, true);
    }
    for (char *at = real; *at; at++)
        if (*at == '@') *at = '_';
    *name = rv_text_format("dir:%s", real);
    free(real);
    struct rv_record_options options = {
        .name = *name, .store = values->store, .config = config, .progress = progress};
    struct rv_record_result result;
    int status = RV_EXIT_FINE;
    if (!rv_record_suite(&result, &suite, &options))
        status = rv_command_error(command, "--base-dir: %s", result.error ? result.error : "interrupted");
    rv_record_free(&result);
    rv_test_suite_free(&suite);
    return status;
}

int rv_regress_assess(const struct rv_command *command, const struct rv_regress_values *values, uint64_t seed,
                      const struct rv_config *config, struct rv_progress *progress,
                      struct rv_test_suite *suite, struct rv_assessment *assessment) {
    char *error = NULL, *name = NULL;
    *assessment = (struct rv_assessment){0};
    if (!rv_test_suite_read(suite, values->suite, NULL, &error)) return wrong(command, error, true);
    if (values->base && values->base_dir)
        return rv_usage_error(command, "--base and --base-dir: expected one of them");
    int status = values->base_dir ? record_base_dir(command, values, config, progress, &name) : RV_EXIT_FINE;
    struct rv_assess_options options = {
        .select = {(enum rv_technique)values->technique, (enum rv_rank)values->order, seed, values->all},
        .base = name ? name : values->base,
        .store = values->store,
        .progress = progress};
    if (status == RV_EXIT_FINE && !rv_assess(assessment, suite, &options))
        status = wrong(command, rv_text_copy(assessment->error), assessment->wrong);
    free(name);
    return status;
}
