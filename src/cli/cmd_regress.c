/* `ravel regress`: the tests that a change can have affected, under race detection. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/json_file.h"
#include "cli/program_options.h"
#include "cli/regress_options.h"
#include "cli/terminal.h"
#include "regress/run.h"
#include "regress/tell.h"

struct regress_values {
    struct rv_program_options about;
    struct rv_regress_values regress;
    uint64_t schedules, tries;
    double budget;
    uint32_t focus;
    const char *json, *sarif, *junit;
};

static int regress(int argc, char **argv);

#define AT(member) RV_AT(struct regress_values, member)
static const struct rv_option regress_options[] = {
    RV_REGRESS_OPTIONS(struct regress_values, regress),
    {"budget", 0, RV_OPTION_SECONDS, AT(budget), .argument = "SECONDS",
     .help = "run tests no longer than this; fractions allowed"},
    {"schedules", 0, RV_OPTION_UINT, AT(schedules), .argument = "N", .min = 1, .max = 10000,
     .help = "executions of each test that are recorded and analysed (default 5)"},
    {"tries", 0, RV_OPTION_UINT, AT(tries), .argument = "N", .min = 1, .max = 1000000,
     .help = "executions to verify one potential race (default 100)"},
    {"focus", 0, RV_OPTION_CHOICE, AT(focus), .argument = "on|off",
     .help = "scheduling points at accesses that the change can have affected\nonly (default on)"},
    RV_PROGRAM_OPTIONS_TIMED(struct regress_values, about, RV_TIMING_HELP_FREE),
    {"json", 0, RV_OPTION_STRING, AT(json), .argument = "FILE",
     .help = "machine-readable result; \"-\": standard output, and nothing else\ngoes there"},
    {"sarif", 0, RV_OPTION_STRING, AT(sarif), .argument = "FILE",
     .help = "regression races for code-review systems (SARIF 2.1.0)"},
    {"junit", 0, RV_OPTION_STRING, AT(junit), .argument = "FILE",
     .help = "the tests that were run, as JUnit's XML"},
    RV_OPTION_END,
};

const struct rv_command rv_command_regress = {
    .name = "regress",
    .summary = "after a change: run the tests it can have affected, report new races",
    .usage = "[OPTIONS]",
    .description =
        "Selects tests as ravel select does and runs them in that order under race detection. Each potential race\n"
        "that the change can have brought in is verified. Exit code 1 if there is a real one that the base did\n"
        "not have; each comes with the change, and a file for `ravel replay`.\n",
    .options = regress_options,
    .run = regress,
};

static int failed_write(const char *path) {
    return rv_command_error(&rv_command_regress, "%s: the result cannot be written: %s", path,
                            strerror(errno));
}

static bool write_text(const char *path, char *text) {
    bool standard = rv_is_standard(path);
    FILE *out = standard ? stdout : fopen(path, "we");
    bool good = out && fputs(text, out) >= 0;
    if (out) good &= (standard ? fflush(out) : fclose(out)) == 0;
    free(text);
    return good;
}

static int write_files(const struct regress_values *values, const struct rv_assessment *assessment,
                       const struct rv_regress_result *result, const struct rv_test_suite *suite) {
    if (values->json) {
        json_t *object = rv_assessment_json(assessment, rv_technique_name(values->regress.technique));
        rv_regress_add_json(result, assessment, object);
        if (!rv_json_write(object, values->json)) return failed_write(values->json);
    }
    if (values->sarif && !rv_json_write(rv_regress_sarif(result, suite->directory), values->sarif))
        return failed_write(values->sarif);
    if (values->junit && !write_text(values->junit, rv_regress_junit(result, assessment, suite->file)))
        return failed_write(values->junit);
    return RV_EXIT_FINE;
}

static int tell(const struct regress_values *values, const struct rv_assessment *assessment,
                const struct rv_regress_result *result, const struct rv_test_suite *suite) {
    bool machine_only =
        rv_is_standard(values->json) || rv_is_standard(values->sarif) || rv_is_standard(values->junit);
    FILE *out = machine_only ? stderr : stdout;
    int status = write_files(values, assessment, result, suite);
    struct rv_print_options options = rv_terminal_options(out);
    signal(SIGPIPE, SIG_DFL);
    rv_regress_print(result, assessment, out, &options);
    fflush(out);
    return result->regressions                             ? RV_EXIT_FAILURE
           : result->interrupted && status == RV_EXIT_FINE ? RV_EXIT_ERROR
                                                           : status;
}

static int run(const struct regress_values *values, const struct rv_config *config,
               struct rv_progress *progress, const struct rv_assessment *assessment,
               const struct rv_test_suite *suite) {
    struct rv_vault vault;
    struct rv_regress_result result;
    char *error = NULL;
    if (!rv_vault_open(&vault, values->about.out, &error)) {
        int status = rv_command_error(&rv_command_regress, "%s", error);
        free(error);
        return status;
    }
    struct rv_regress_options options = {.config = config,
                                         .schedules = values->schedules,
                                         .tries = (unsigned)values->tries,
                                         .budget = values->budget,
                                         .thorough = values->regress.technique != RV_BY_SIMRT,
                                         .unfocused = values->focus == 1,
                                         .vault = &vault,
                                         .progress = progress};
    rv_regress_run(&result, assessment, suite, &options);
    rv_vault_close(&vault);
    int status = tell(values, assessment, &result, suite);
    rv_regress_free(&result, assessment);
    return status;
}

static int regress(int argc, char **argv) {
    struct regress_values values = {
        .about = RV_PROGRAM_DEFAULTS, .regress = RV_REGRESS_DEFAULTS, .schedules = 5, .tries = 100};
    const struct rv_program program = {.instrumented = true};
    struct rv_test_suite suite = {0};
    struct rv_assessment assessment;
    int first, status = rv_options_parse(&rv_command_regress, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (argc > first)
        return rv_usage_error(&rv_command_regress, "expected options only, not \"%s\"", argv[first]);
    const char *const outputs[] = {values.json, values.sarif, values.junit};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i] && !rv_file_writable(outputs[i]))
            return rv_command_error(&rv_command_regress, "%s: cannot be written: %s", outputs[i],
                                    strerror(errno));
    unsigned width = rv_terminal_width(stderr);
    struct rv_progress progress = {.out = width > 0 ? stderr : NULL, .width = width};
    struct rv_config config = rv_program_config(&values.about, &program);
    rv_catch_interrupts();
    status = rv_regress_assess(&rv_command_regress, &values.regress, values.about.seed, &config, &progress,
                               &suite, &assessment);
    if (status == RV_EXIT_FINE) status = run(&values, &config, &progress, &assessment, &suite);
    rv_assessment_free(&assessment);
    rv_test_suite_free(&suite);
    return status;
}
