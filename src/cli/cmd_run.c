/* `ravel run`: options, the program, the campaign, and what is told about it where. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/json_file.h"
#include "cli/program_options.h"
#include "cli/strategy_option.h"
#include "cli/suppressing.h"
#include "cli/terminal.h"
#include "report/text.h"
#include "strategy/strategy.h"
#include "supervisor/campaign.h"

struct run_values {
    struct rv_program_options about;
    const char *strategy;
    uint64_t learn; /* NOT_GIVEN */
    const char *guide;
    uint64_t schedules;
    double time;
    uint64_t jobs;
    bool keep_going;
    uint32_t races;
    const char *suppressions;
    uint32_t output;
    bool no_check;
    const char *json;
    const char *store;
    bool resume;
    bool coverage;
    bool fresh;
};

enum { RACES_REPORT, RACES_OFF };
#define NOT_GIVEN UINT64_MAX

static const char *check_guide(const char *text);
static int run(int argc, char **argv);

#define AT(member) RV_AT(struct run_values, member)
static const struct rv_option run_options[] = {
    {"strategy", 0, RV_OPTION_STRING, AT(strategy), .argument = "NAME[:PARAM]", .check = rv_check_strategy,
     .help = "how schedules are chosen (default auto; see ravel strategies)"},
    {"learn", 0, RV_OPTION_UINT, AT(learn), .argument = "N", .max = 1000000000,
     .help = "with --strategy=hapset: learn from N random schedules first"},
    {"guide", 0, RV_OPTION_STRING, AT(guide), .argument = "pcb:K", .check = check_guide,
     .help = "with --strategy=hapset: guide a search of schedules with at most K\n"
             "preemptions, in place of dpor-classic"},
    {"schedules", 0, RV_OPTION_UINT, AT(schedules), .argument = "N", .min = 1,
     .help = "at most N executions (default 10000)"},
    {"time", 0, RV_OPTION_SECONDS, AT(time), .argument = "SECONDS",
     .help = "explore at most so long; fractions allowed"},
    {"jobs", 'j', RV_OPTION_UINT, AT(jobs), .argument = "N", .min = 1, .max = 256,
     .help = "worker processes (default 1)"},
    {"keep-going", 'k', RV_OPTION_FLAG, AT(keep_going),
     .help = "do not stop at the first failure: collect distinct ones"},
    RV_PROGRAM_OPTIONS(struct run_values, about),
    {"races", 0, RV_OPTION_CHOICE, AT(races), .argument = "report|off",
     .help = "whether data races are failures (default report); exploring goes on\n"
             "after one, to see what it leads to"},
    {"suppressions", 0, RV_OPTION_STRING, AT(suppressions), .argument = "FILE",
     .help = "races not to report, as for ThreadSanitizer (see ravel races)"},
    {"output", 0, RV_OPTION_CHOICE, AT(output), .argument = "discard|first|all",
     .help = "what the program prints while exploring: dropped (default), that\n"
             "of the first execution, or all, on standard error"},
    {"no-check", 0, RV_OPTION_FLAG, AT(no_check),
     .help = "do not compare executions of one schedule before exploring"},
    {"json", 0, RV_OPTION_STRING, AT(json), .argument = "FILE",
     .help = "machine-readable result; \"-\": standard output, and nothing else\ngoes there"},
    {"store", 0, RV_OPTION_STRING, AT(store), .argument = "FILE",
     .help = "where what a strategy has learned is kept for the next run of the\n"
             "same build (default .ravel/store.db)"},
    {"resume", 0, RV_OPTION_FLAG, AT(resume),
     .help = "carry on the search of the last run with these options, which was\n"
             "interrupted or ran out of time or schedules (dpor, dfs, pcb, delay)"},
    {"coverage", 0, RV_OPTION_FLAG, AT(coverage),
     .help = "note which memory-access patterns and pairs of functions were covered,\n"
             "and add them to the store (see ravel cover)"},
    {"fresh", 0, RV_OPTION_FLAG, AT(fresh), .help = "do not start from what was learned before; replace it"},
    RV_OPTION_END,
};

const struct rv_command rv_command_run = {
    .name = "run",
    .summary = "run a program under many schedules and report what fails",
    .usage = "[OPTIONS] PROGRAM [ARG...]",
    .description =
        "Build PROGRAM with `ravel cc` to have every shared access scheduled; other programs run with\n"
        "scheduling at synchronisation calls only. Failures saved by earlier runs are tried first.\n"
        "Every failure is confirmed in a fresh process before it is reported.\n",
    .options = run_options,
    .run = run,
};

static const char *check_guide(const char *text) {
    static const char expected[] = "expected pcb:K, with at most K preemptions";
    const char *params;
    const struct rv_strategy *guide = rv_strategy_find(text, &params);
    if (!guide || strcmp(guide->name, "pcb") != 0 || !params) return expected;
    return guide->check(params);
}

/* The strategy with what --learn and --guide add to its parameters: "hapset:5,learn=20,guide=pcb:2". malloc'ed. */
static char *whole_strategy(const struct run_values *values) {
    char separator = strchr(values->strategy, ':') ? ',' : ':';
    struct rv_text text = {0};
    rv_text_add(&text, values->strategy);
    if (values->learn != NOT_GIVEN) {
        rv_text_addf(&text, "%clearn=%llu", separator, (unsigned long long)values->learn);
        separator = ',';
    }
    if (values->guide) rv_text_addf(&text, "%cguide=%s", separator, values->guide);
    return rv_text_take(&text);
}

/* --learn and --guide become part of the strategy, which is checked once more. 0, or the exit code. */
static int settle_strategy(struct run_values *values, char **whole) {
    const char *params, *option = values->learn != NOT_GIVEN ? "--learn" : values->guide ? "--guide" : NULL;
    const struct rv_strategy *strategy = rv_strategy_find(values->strategy, &params);
    if (!option) return 0;
    if (!strategy || strcmp(strategy->name, "hapset") != 0)
        return rv_usage_error(&rv_command_run, "%s: only with --strategy=hapset", option);
    *whole = whole_strategy(values);
    const char *problem = rv_check_strategy(*whole);
    if (problem) return rv_usage_error(&rv_command_run, "%s: %s", *whole, problem);
    values->strategy = *whole;
    return 0;
}

static struct rv_config config_of(const struct run_values *values, const struct rv_program *program) {
    struct rv_config config = rv_program_config(&values->about, program);
    config.schedules = values->schedules;
    config.output = values->output;
    config.keep_going = values->keep_going;
    config.workers = (uint32_t)values->jobs;
    config.races = values->races == RACES_REPORT;
    config.coverage = values->coverage ? RV_COVER_CONFLICTS : RV_COVER_OFF;
    snprintf(config.strategy, sizeof config.strategy, "%s", values->strategy);
    return config;
}

/* Tells everything; the exit code. Machines first: people may stop reading (| head), which ends ravel quietly. */
static int report(const struct rv_result *result, const struct run_values *values) {
    bool json_only = rv_is_standard(values->json);
    FILE *out = json_only ? stderr : stdout;
    int status = result->found_count > 0 ? RV_EXIT_FAILURE : RV_EXIT_FINE;
    bool useless = result->error && status == RV_EXIT_FINE;
    if (values->json && !useless && !rv_json_write(rv_result_json(result), values->json)) {
        rv_command_error(&rv_command_run, "%s: the result cannot be written: %s", values->json,
                         strerror(errno));
        if (status == RV_EXIT_FINE) status = RV_EXIT_ERROR;
    }
    for (size_t i = 0; i < result->warnings.count; i++)
        fprintf(stderr, "ravel run: warning: %s\n", result->warnings.texts[i]);
    if (result->error) rv_command_error(&rv_command_run, "%s", result->error);
    if (useless) return RV_EXIT_ERROR;
    struct rv_print_options options = rv_terminal_options(out);
    signal(SIGPIPE, SIG_DFL);
    rv_result_print(result, out, &options);
    fflush(out);
    return status;
}

/* What a campaign has from earlier ones, each NULL if the strategy has no use for it; and from the user. */
struct past {
    struct rv_learning *learning;
    struct rv_frontier *frontier;
    struct rv_suppressions *suppressions;
    struct rv_cover_shelf *coverage;
};

static void explore(const struct rv_program *program, const struct run_values *values, struct rv_vault *vault,
                    const struct past *past, struct rv_result *result) {
    unsigned width = rv_terminal_width(stderr);
    struct rv_progress progress = {.out = width > 0 ? stderr : NULL, .width = width};
    struct rv_campaign_options options = {.config = config_of(values, program),
                                          .time_limit = values->time,
                                          .check = !values->no_check,
                                          .progress = &progress,
                                          .frontier = past->frontier,
                                          .learning = past->learning,
                                          .coverage = past->coverage,
                                          .suppressions = past->suppressions};
    rv_catch_interrupts();
    rv_campaign_run(result, program, &options, vault);
}

static int run_program(const struct rv_program *program, const struct run_values *values,
                       const struct past *past) {
    struct rv_vault vault;
    struct rv_result result;
    char *error = NULL;
    if (values->json && !rv_file_writable(values->json))
        return rv_command_error(&rv_command_run, "%s: the result cannot be written there: %s", values->json,
                                strerror(errno));
    if (!rv_vault_open(&vault, values->about.out, &error)) {
        int status = rv_command_error(&rv_command_run, "%s", error);
        free(error);
        return status;
    }
    struct rv_cover_shelf shelf = {0};
    struct past all = *past;
    if (values->coverage) {
        rv_cover_shelf_open(&shelf, values->store, program->path);
        all.coverage = &shelf;
    }
    explore(program, values, &vault, &all, &result);
    if (values->coverage) result.covered = &shelf.all;
    rv_vault_close(&vault);
    rv_suppressing_note(past->suppressions, &result.notes);
    int status = report(&result, values);
    rv_result_free(&result);
    rv_cover_shelf_close(&shelf);
    return status;
}

/* With the search that was interrupted, if it is to be carried on. */
static int run_frontier(const struct rv_program *program, const struct run_values *values,
                        struct past *past) {
    struct rv_config config = config_of(values, program);
    char *error = NULL;
    int status = RV_EXIT_USAGE;
    if (rv_frontier_open(&past->frontier, program, &config, values->store, values->resume, &error))
        status = run_program(program, values, past);
    else
        (void)rv_command_error(&rv_command_run, "%s", error);
    free(error);
    rv_frontier_close(past->frontier);
    return status;
}

/* With what was learned before, for a strategy that learns. */
static int run_learning(const struct rv_program *program, const struct run_values *values,
                        struct rv_suppressions *suppressions) {
    struct past past = {.suppressions = suppressions};
    char *error = NULL;
    if (!rv_learning_open(&past.learning, program, values->strategy, values->store, values->fresh, &error)) {
        int status = rv_command_error(
            &rv_command_run, "%s (--fresh begins without what was learned, --store names another file)",
            error);
        free(error);
        return status;
    }
    int status = run_frontier(program, values, &past);
    rv_learning_close(past.learning);
    return status;
}

static int run_named(const char *name, char *const *args, const struct run_values *values) {
    struct rv_suppressions *suppressions = rv_suppressing_open(&rv_command_run, values->suppressions);
    if (!suppressions) return RV_EXIT_USAGE;
    struct rv_program program;
    char *error = NULL;
    int status = rv_program_open(&program, name, args, &error);
    if (status != 0) {
        rv_command_error(&rv_command_run, "%s", error);
        free(error);
    } else {
        rv_program_take_input(&program);
        status = run_learning(&program, values, suppressions);
    }
    rv_program_close(&program);
    rv_suppressions_free(suppressions);
    return status;
}

static int run(int argc, char **argv) {
    struct run_values values = {.about = RV_PROGRAM_DEFAULTS,
                                .strategy = "auto",
                                .learn = NOT_GIVEN,
                                .schedules = 10000,
                                .jobs = 1,
                                .store = RV_STORE_DEFAULT};
    int first;
    int status = rv_options_parse(&rv_command_run, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (first >= argc) return rv_usage_error(&rv_command_run, "expected a program to run");
    char *whole = NULL;
    status = settle_strategy(&values, &whole);
    if (status == 0) status = run_named(argv[first], argv + first + 1, &values);
    free(whole);
    return status;
}
