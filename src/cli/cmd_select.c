/* `ravel select`: which tests of a suite a change can have affected, and in which order to run them. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/json_file.h"
#include "cli/program_options.h"
#include "cli/regress_options.h"
#include "cli/terminal.h"
#include "regress/tell.h"

struct select_values {
    struct rv_regress_values regress;
    uint64_t seed;
    const char *json;
};

static int select_tests(int argc, char **argv);

static const struct rv_option select_options[] = {
    RV_REGRESS_OPTIONS(struct select_values, regress),
    {"seed", 0, RV_OPTION_UINT, RV_AT(struct select_values, seed), .argument = "N",
     .help = "decides between tests that are worth the same (default 1)"},
    {"json", 0, RV_OPTION_STRING, RV_AT(struct select_values, json), .argument = "FILE",
     .help = "machine-readable result; \"-\": standard output, and nothing else\ngoes there"},
    RV_OPTION_END,
};

const struct rv_command rv_command_select = {
    .name = "select",
    .summary = "which tests to run on the changed program, ranked",
    .usage = "[OPTIONS]",
    .description =
        "Compares the programs of the suite with a recorded base (ravel record), finds the accesses to shared\n"
        "variables that the change can have affected, pairs them with those they could race with, and selects\n"
        "the tests in which two threads cover such a pair. Nothing is run.\n",
    .options = select_options,
    .run = select_tests,
};

static int tell(const struct select_values *values, const struct rv_assessment *assessment) {
    const char *technique = rv_technique_name(values->regress.technique);
    if (values->json && !rv_json_write(rv_assessment_json(assessment, technique), values->json))
        return rv_command_error(&rv_command_select, "%s: the result cannot be written: %s", values->json,
                                strerror(errno));
    if (rv_is_standard(values->json)) return RV_EXIT_FINE;
    signal(SIGPIPE, SIG_DFL);
    rv_assessment_print(assessment, technique, stdout);
    return fflush(stdout) == 0 ? RV_EXIT_FINE
                               : rv_command_error(&rv_command_select, "standard output cannot be written: %s",
                                                  strerror(errno));
}

static int select_tests(int argc, char **argv) {
    struct select_values values = {.regress = RV_REGRESS_DEFAULTS, .seed = 1};
    struct rv_program_options about = RV_PROGRAM_DEFAULTS;
    const struct rv_program program = {.instrumented = true};
    struct rv_test_suite suite = {0};
    struct rv_assessment assessment;
    int first, status = rv_options_parse(&rv_command_select, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (argc > first)
        return rv_usage_error(&rv_command_select, "expected options only, not \"%s\"", argv[first]);
    if (values.json && !rv_file_writable(values.json))
        return rv_command_error(&rv_command_select, "%s: cannot be written: %s", values.json,
                                strerror(errno));
    unsigned width = rv_terminal_width(stderr);
    struct rv_progress progress = {.out = width > 0 ? stderr : NULL, .width = width};
    struct rv_config config = rv_program_config(&about, &program);
    rv_catch_interrupts();
    status = rv_regress_assess(&rv_command_select, &values.regress, values.seed, &config, &progress, &suite,
                               &assessment);
    if (status == RV_EXIT_FINE) status = tell(&values, &assessment);
    rv_assessment_free(&assessment);
    rv_test_suite_free(&suite);
    return status;
}
