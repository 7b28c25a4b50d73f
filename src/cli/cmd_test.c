/* `ravel test`: options, the test binary, its cases, and what is told about them where. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/json_file.h"
#include "cli/program_options.h"
#include "cli/strategy_option.h"
#include "cli/terminal.h"
#include "report/text.h"
#include "suite/discover.h"
#include "suite/jobs.h"
#include "suite/output.h"
#include "store/store.h"
#include "suite/run.h"
#include "supervisor/serve.h"
#include "supervisor/util.h"

struct test_values {
    struct rv_program_options about;
    bool list;
    const char *explore; /* the strategy; NULL: one execution */
    uint64_t schedules;
    double time;
    bool passive;
    uint64_t runs;
    bool direct;
    uint64_t jobs;
    double time_limit;
    uint32_t races;
    bool coverage;
    const char *store;
    bool tap;
    const char *junit, *json;
};

enum { RACES_OFF, RACES_REPORT };

static int test(int argc, char **argv);

#define AT(member) RV_AT(struct test_values, member)
static const struct rv_option test_options[] = {
    {"list", 'l', RV_OPTION_FLAG, AT(list),
     .help = "print the names of the tests that would run, one a line"},
    {"explore", 0, RV_OPTION_STRING, AT(explore), .argument = "STRATEGY", .otherwise = "auto",
     .check = rv_check_strategy,
     .help = "try what a schedule leaves open, by this strategy (auto; see ravel\n"
             "strategies), not one execution only"},
    {"schedules", 0, RV_OPTION_UINT, AT(schedules), .argument = "N", .min = 1,
     .help = "with --explore: at most N executions of each test (default 10000)"},
    {"time", 0, RV_OPTION_SECONDS, AT(time), .argument = "SECONDS",
     .help = "with --explore: at most so long for each (default: --time-limit)"},
    {"passive", 0, RV_OPTION_FLAG, AT(passive),
     .help = "do not enforce schedules: let threads run by themselves, and check"},
    {"runs", 0, RV_OPTION_UINT, AT(runs), .argument = "N", .min = 1, .max = 1000000,
     .help = "with --passive: run each test N times (default 1)"},
    {"direct", 0, RV_OPTION_FLAG, AT(direct),
     .help = "call the test in place of main(), for runners that start processes\n"
             "(done by itself for Criterion)"},
    {"jobs", 'j', RV_OPTION_UINT, AT(jobs), .argument = "N", .min = 1, .max = 256,
     .help = "tests side by side (default 1)"},
    {"time-limit", 0, RV_OPTION_SECONDS, AT(time_limit), .argument = "SECONDS",
     .help = "a test that takes longer has failed (default 10)"},
    RV_PROGRAM_OPTIONS_TIMED(struct test_values, about,
                             "strict (default): a sleep or timed wait ends only when nothing else\n"
                             "can run; free: at any moment"),
    {"races", 0, RV_OPTION_CHOICE, AT(races), .argument = "off|report",
     .help = "whether data races are failures (default off)"},
    {"coverage", 0, RV_OPTION_FLAG, AT(coverage),
     .help = "note which memory-access patterns and pairs of functions were covered,\n"
             "and add them to the store (see ravel cover)"},
    {"store", 0, RV_OPTION_STRING, AT(store), .argument = "FILE",
     .help = "with --coverage: the store (default .ravel/store.db)"},
    {"tap", 0, RV_OPTION_FLAG, AT(tap), .help = "results as TAP on standard output, for other programs"},
    {"junit", 0, RV_OPTION_STRING, AT(junit), .argument = "FILE",
     .help = "results as JUnit XML; \"-\": standard output, and nothing else goes\nthere"},
    {"json", 0, RV_OPTION_STRING, AT(json), .argument = "FILE",
     .help = "results as JSON; \"-\": as with --junit"},
    RV_OPTION_END,
};

const struct rv_command rv_command_test = {
    .name = "test",
    .summary = "run tests under the schedules that they name",
    .usage = "[OPTIONS] TESTBINARY [PATTERN...]",
    .description =
        "TESTBINARY is built with `ravel cc` and has tests registered with ravel.h. Each test runs once for\n"
        "each of its schedules, in a process of its own, and its events happen in the order the schedule\n"
        "asks for. PATTERN is a shell pattern over the names: 'queue_*', 'queue_take/blocks'.\n",
    .options = test_options,
    .interleaved = true,
    .run = test,
};

/* What a request needs all the way. */
struct session {
    const struct test_values *values;
    struct rv_program program;
    struct rv_listing listing;
    struct rv_suite_cases cases;
    struct rv_vault vault;
    FILE *people; /* where results for people go; NULL: nowhere, TAP is in their place */
    struct rv_print_options print;
    struct rv_suite_run run;
    struct rv_suite_scout scout;
    size_t told;
};

/* --- running --- */

static double limit_of(const struct test_values *values) {
    enum { MARGIN = 2 };
    if (values->passive) return values->time_limit * (double)values->runs + MARGIN;
    double explored = values->explore ? (values->time > 0 ? values->time : values->time_limit) : 0;
    return explored + 3 * values->time_limit + MARGIN; /* a failure is looked at again */
}

static struct rv_suite_run run_of(struct session *session) {
    const struct test_values *values = session->values;
    struct rv_suite_run run = {.program = &session->program,
                               .config = rv_program_config(&values->about, &session->program),
                               .vault = &session->vault,
                               .explore = values->explore,
                               .passive = values->passive,
                               .runs = values->runs,
                               .time = values->time > 0 ? values->time : values->time_limit,
                               .limit = values->time_limit,
                               .print = session->print};
    run.config.workers = 1;
    run.config.schedules = values->explore ? values->schedules : 1;
    run.config.races = values->races == RACES_REPORT;
    if (values->coverage) {
        run.store = values->store;
        run.config.coverage = RV_COVER_CONFLICTS;
    }
    run.config.direct = values->direct;
    double most =
        values->time_limit * 1000 / 2; /* an endless loop is to be seen as one before the time is over */
    if (run.config.watchdog_ms > most) run.config.watchdog_ms = most > 1 ? (uint32_t)most : 1;
    snprintf(run.config.strategy, sizeof run.config.strategy, "%s",
             values->explore ? values->explore : "dfs");
    return run;
}

static void tell_case(const void *user, const struct rv_suite_case *one,
                      const struct rv_test_result *result) {
    struct session *session = *(struct session *const *)user;
    session->told++;
    if (session->values->tap) rv_suite_tap(stdout, session->told, one, result);
    if (session->people) rv_suite_tell(session->people, &session->print, one, result);
}

static void count(struct rv_suite_report *report, struct rv_test_result *results) {
    for (size_t i = 0; i < report->cases->count; i++) {
        struct rv_test_result *result = &results[i];
        if (result->interrupted) rv_test_result_free(result);
        if (result->kind) report->counts[result->status]++;
    }
}

/* --- telling --- */

static bool write_text(char *text, const char *path) {
    bool standard = rv_is_standard(path);
    FILE *out = standard ? stdout : fopen(path, "w");
    bool good = out && fputs(text, out) >= 0 && fflush(out) == 0;
    if (out && !standard) good = fclose(out) == 0 && good;
    free(text);
    return good;
}

/* The exit code. */
static int report(struct session *session, const struct rv_suite_report *report) {
    const struct test_values *values = session->values;
    const char *missing = NULL;
    int status = report->counts[RV_TEST_FAIL] ? RV_EXIT_FAILURE : RV_EXIT_FINE;
    if (status == RV_EXIT_FINE && (report->counts[RV_TEST_ERROR] || report->left)) status = RV_EXIT_ERROR;
    if (values->tap) rv_suite_tap_end(stdout, report);
    if (values->junit && !write_text(rv_suite_junit(report), values->junit)) missing = values->junit;
    if (values->json && !rv_json_write(rv_suite_json(report), values->json)) missing = values->json;
    if (missing) {
        rv_command_error(&rv_command_test, "%s: the result cannot be written: %s", missing, strerror(errno));
        if (status == RV_EXIT_FINE) status = RV_EXIT_ERROR;
    }
    if (session->people) rv_suite_tell_end(session->people, report);
    return status;
}

static char *list_tests(const void *run, size_t *size) { return rv_suite_run_list(run, size); }

static struct rv_suite_work work_of(const struct session *session) {
    return (struct rv_suite_work){.run = rv_suite_run_case, .end = rv_suite_run_end, .user = &session->run};
}

static int run_cases(struct session *session) {
    double begun = rv_seconds();
    struct rv_suite_jobs jobs = {.jobs = (unsigned)session->values->jobs,
                                 .limit = limit_of(session->values),
                                 .work = work_of(session),
                                 .tell = tell_case,
                                 .user = &session};
    if (rv_suite_scout_brief(&session->scout, &session->cases)) jobs.first = &session->scout.slot;
    struct rv_test_result *results = rv_allocate((session->cases.count + 1) * sizeof *results);
    struct rv_suite_report all = {.program = session->program.name,
                                  .cases = &session->cases,
                                  .results = results,
                                  .passive = session->run.passive};
    if (session->values->tap) {
        size_t chosen = 0;
        for (size_t i = 0; i < session->cases.count; i++) chosen += session->cases.cases[i].chosen;
        rv_suite_tap_begin(stdout, chosen);
    }
    all.left = rv_suite_jobs_run(&jobs, &session->cases, results);
    all.seconds = rv_seconds() - begun;
    count(&all, results);
    int status = report(session, &all);
    for (size_t i = 0; i < session->cases.count; i++) rv_test_result_free(&results[i]);
    free(results);
    return status;
}

static int list(const struct session *session) {
    for (size_t i = 0; i < session->cases.count; i++) {
        if (!session->cases.cases[i].chosen) continue;
        char *name = rv_text_harmless(session->cases.cases[i].name, false);
        puts(name);
        free(name);
    }
    return fflush(stdout) == 0 ? RV_EXIT_FINE : RV_EXIT_ERROR;
}

/* --- the request --- */

static int choose_and_run(struct session *session, char *const *patterns, size_t pattern_count) {
    rv_suite_cases_make(&session->cases, &session->listing);
    const char *unmatched = rv_suite_cases_choose(&session->cases, patterns, pattern_count);
    if (unmatched) {
        const char *near = rv_suite_cases_near(&session->cases, unmatched);
        if (near)
            return rv_usage_error(&rv_command_test, "no test fits '%s' (did you mean %s?)", unmatched, near);
        return rv_usage_error(&rv_command_test, "no test fits '%s' (see ravel test --list)", unmatched);
    }
    return session->values->list ? list(session) : run_cases(session);
}

/* The program's tests. Where they will share a worker, that one is started now and asked; else, and where it does not tell, a
 * process of its own is. */
static int discover(struct session *session, char **error) {
    struct rv_suite_work work = work_of(session);
    double limit = session->values->time_limit;
    size_t size;
    char *told = NULL;
    work.list = list_tests;
    if (session->program.instrumented && !session->values->list && rv_suite_run_shares(&session->run)) {
        rv_suite_scout_open(&session->scout, &work);
        told = rv_suite_scout_list(&session->scout, limit, &size);
    }
    int status = told ? rv_suite_discover_told(&session->listing, &session->program, told, size, error)
                      : rv_suite_discover(&session->listing, &session->program, limit, error);
    free(told);
    if (session->listing.criterion && !session->run.config.direct) {
        session->run.config.direct = true;
        rv_suite_scout_close(&session->scout); /* it does not know */
    }
    return status;
}

static int run_binary(struct session *session, const char *name, char *const *patterns,
                      size_t pattern_count) {
    char *const no_arguments[] = {NULL};
    char *error = NULL;
    int status = rv_program_open(&session->program, name, no_arguments, &error);
    if (status == 0) {
        setenv("CK_FORK", "no", 1); /* Check would run tests in processes of its own */
        rv_program_take_input(&session->program);
        rv_catch_interrupts();
        session->run = run_of(session);
        if (session->values->list || rv_vault_open_later(&session->vault, session->values->about.out, &error))
            status = discover(session, &error);
        else
            status = RV_EXIT_ERROR;
    }
    if (status == 0) status = choose_and_run(session, patterns, pattern_count);
    if (error) rv_command_error(&rv_command_test, "%s", error);
    free(error);
    rv_suite_scout_close(&session->scout);
    rv_vault_close(&session->vault);
    rv_suite_cases_free(&session->cases);
    rv_listing_free(&session->listing);
    rv_program_close(&session->program);
    return status;
}

static int check_outputs(const struct test_values *values) {
    const char *const files[] = {values->junit, values->json};
    int standard = values->tap + rv_is_standard(values->junit) + rv_is_standard(values->json);
    if (standard > 1)
        return rv_usage_error(&rv_command_test,
                              "only one of --tap, --junit=- and --json=- can have standard output");
    if (values->passive && values->explore)
        return rv_usage_error(&rv_command_test,
                              "--passive: schedules are not enforced, so there is nothing to --explore");
    if (values->passive && values->coverage)
        return rv_usage_error(&rv_command_test,
                              "--passive: accesses are not seen, so there is no --coverage");
    for (size_t i = 0; i < 2; i++)
        if (files[i] && !rv_file_writable(files[i]))
            return rv_command_error(&rv_command_test, "%s: the result cannot be written there: %s", files[i],
                                    strerror(errno));
    return 0;
}

static int test(int argc, char **argv) {
    struct test_values values = {.about = RV_PROGRAM_DEFAULTS,
                                 .schedules = 10000,
                                 .runs = 1,
                                 .jobs = 1,
                                 .time_limit = 10,
                                 .store = RV_STORE_DEFAULT};
    values.about.timing = RV_TIMING_STRICT;
    int first, status = rv_options_parse(&rv_command_test, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (first >= argc) return rv_usage_error(&rv_command_test, "expected a test binary");
    status = check_outputs(&values);
    if (status != 0) return status;
    bool json_only = rv_is_standard(values.json) || rv_is_standard(values.junit);
    struct session session = {.values = &values, .people = json_only ? stderr : values.tap ? NULL : stdout};
    session.print = rv_terminal_options(session.people ? session.people : stdout);
    return run_binary(&session, argv[first], argv + first + 1, (size_t)(argc - first - 1));
}
