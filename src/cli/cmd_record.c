/* `ravel record`: the suite once on the base version, for `ravel select` and `ravel regress`. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/suggest.h"
#include "cli/interrupt.h"
#include "cli/program_options.h"
#include "cli/terminal.h"
#include "regress/record.h"
#include "report/text.h"

struct record_values {
    struct rv_program_options about;
    const char *suite, *name, *store, *forget;
    uint64_t races;
    bool list, again;
};

static int record(int argc, char **argv);

#define AT(member) RV_AT(struct record_values, member)
static const struct rv_option record_options[] = {
    {"suite", 0, RV_OPTION_STRING, AT(suite), .argument = "FILE",
     .help = "which tests there are (default ravel.toml)"},
    {"as", 0, RV_OPTION_STRING, AT(name), .argument = "NAME",
     .help = "name of the base, kept with the git commit (default base)"},
    {"again", 0, RV_OPTION_FLAG, AT(again), .help = "record anew what is recorded already"},
    {"races", 0, RV_OPTION_UINT, AT(races), .argument = "N", .max = 10000,
     .help =
         "executions of each test that are searched for races, which are no\nregressions later (default 3; 0: none)"},
    {"list", 0, RV_OPTION_FLAG, AT(list), .help = "what is recorded; nothing is run"},
    {"forget", 0, RV_OPTION_STRING, AT(forget), .argument = "NAME[@COMMIT]",
     .help = "take a recorded base out of the store"},
    {"store", 0, RV_OPTION_STRING, AT(store), .argument = "FILE",
     .help = "where it is kept (default " RV_STORE_DEFAULT ")"},
    RV_PROGRAM_OPTIONS_TIMED(struct record_values, about, RV_TIMING_HELP_FREE),
    RV_OPTION_END,
};

const struct rv_command rv_command_record = {
    .name = "record",
    .summary = "run a suite once on the base version, and keep what each test covers",
    .usage = "[OPTIONS]",
    .description =
        "Every test of the suite is run once under control. For each, the store keeps which thread came to which\n"
        "places of the source, how long it took and how it ended, and of each program its static model. An\n"
        "interrupted record goes on where it was. See ravel select, ravel regress.\n",
    .options = record_options,
    .run = record,
};

static int failed(char *error) {
    int status = rv_command_error(&rv_command_record, "%s", error ? error : "it could not be recorded");
    free(error);
    return status;
}

/* --- --list, --forget --- */

static void print_base(const struct rv_base *base) {
    char when[32] = "?";
    struct tm date;
    time_t seconds = (time_t)base->recorded;
    if (gmtime_r(&seconds, &date)) strftime(when, sizeof when, "%Y-%m-%d %H:%M", &date);
    char *name = rv_text_harmless(base->name, false), *commit = rv_text_harmless(base->commit, false);
    bool dirty = strchr(commit, '+') != NULL;
    printf("%-20s %.12s%s  %s UTC  %u tests%s\n", name, *commit ? commit : "-", dirty ? "+" : "", when,
           base->test_count, base->complete ? "" : " (interrupted)");
    free(name);
    free(commit);
}

static int forget(struct rv_store *store, const struct rv_base *bases, size_t count, const char *given) {
    struct rv_suggestion near = {.typed = given};
    unsigned found = 0;
    char *error = NULL;
    for (size_t i = 0; i < count; i++) {
        rv_suggest_offer(&near, bases[i].name);
        if (!rv_base_is_meant(&bases[i], given)) continue;
        if (!rv_bases_forget(store, &bases[i], &error)) return failed(error);
        found++;
    }
    if (found) {
        printf("%u recorded base%s forgotten\n", found, found == 1 ? "" : "s");
        return RV_EXIT_FINE;
    }
    return rv_usage_error(&rv_command_record, "--forget: there is no recorded base %s%s%s%s", given,
                          near.best ? " (did you mean " : "", near.best ? near.best : "",
                          near.best ? "?)" : "");
}

static int look_at_store(const struct record_values *values) {
    char *error = NULL;
    size_t count = 0, damaged = 0;
    struct rv_store *store =
        rv_store_open(values->store, values->forget ? RV_STORE_WRITE : RV_STORE_READ, &error);
    struct rv_base *bases = store ? rv_bases_list(store, &count, &damaged, &error) : NULL;
    int status = RV_EXIT_FINE;
    if (!bases)
        status = failed(error);
    else if (values->forget)
        status = forget(store, bases, count, values->forget);
    else
        for (size_t i = 0; i < count; i++) print_base(&bases[i]);
    if (bases && !values->forget && count == 0) printf("nothing is recorded in %s\n", values->store);
    if (damaged)
        fprintf(stderr, "ravel record: warning: %s: %zu recorded bases cannot be read\n", values->store,
                damaged);
    for (size_t i = 0; i < count && bases; i++) rv_base_free(&bases[i]);
    free(bases);
    rv_store_close(store);
    return status;
}

/* --- recording --- */

static void tell(const struct rv_record_result *result, const struct rv_test_suite *suite) {
    for (size_t i = 0; i < result->notes.count; i++) {
        char *note = rv_text_harmless(result->notes.texts[i], false);
        printf("note: %s\n", note);
        free(note);
    }
    char *id = rv_text_harmless(result->id ? result->id : "", false);
    if (result->already)
        printf("%s is recorded already: %u tests (--again records it anew)\n", id, result->tests);
    else if (result->interrupted)
        printf("interrupted: %u of %zu tests are recorded as %s; the same command goes on\n", result->tests,
               suite->count, id);
    else
        printf("recorded %s: %u tests in %.1f s, %u passed%s\n", id, result->tests, result->seconds,
               result->outcomes[RV_TRIAL_PASS], result->kept ? " (some by an earlier call)" : "");
    free(id);
}

static int record_suite(const struct record_values *values, const struct rv_test_suite *suite) {
    const struct rv_program program = {.instrumented = true};
    struct rv_config config = rv_program_config(&values->about, &program);
    unsigned width = rv_terminal_width(stderr);
    struct rv_progress progress = {.out = width > 0 ? stderr : NULL, .width = width};
    struct rv_record_options options = {.name = values->name,
                                        .store = values->store,
                                        .config = &config,
                                        .again = values->again,
                                        .progress = &progress};
    struct rv_record_result result;
    struct rv_vault vault;
    char *error = NULL;
    if (!rv_vault_open(&vault, values->about.out, &error)) return failed(error);
    options.vault = &vault;
    options.races = values->races;
    rv_catch_interrupts();
    bool good = rv_record_suite(&result, suite, &options);
    rv_vault_close(&vault);
    int status = RV_EXIT_FINE;
    if (result.error) {
        status = failed(rv_text_copy(result.error));
    } else {
        tell(&result, suite);
        status = good ? RV_EXIT_FINE : RV_EXIT_ERROR;
    }
    rv_record_free(&result);
    return status;
}

static const char *check_name(const char *name) {
    if (strchr(name, '@')) return "expected a name without @";
    return strlen(name) > 200 ? "expected a shorter name" : NULL;
}

static int record(int argc, char **argv) {
    struct record_values values = {.about = RV_PROGRAM_DEFAULTS,
                                   .suite = RV_SUITE_FILE,
                                   .name = "base",
                                   .store = RV_STORE_DEFAULT,
                                   .races = 3};
    struct rv_test_suite suite;
    char *error = NULL;
    int first, status = rv_options_parse(&rv_command_record, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (argc > first)
        return rv_usage_error(&rv_command_record, "expected options only, not \"%s\"", argv[first]);
    const char *wrong = check_name(values.name);
    if (wrong) return rv_usage_error(&rv_command_record, "--as: %s", wrong);
    if (values.list || values.forget) return look_at_store(&values);
    if (!rv_test_suite_read(&suite, values.suite, NULL, &error)) {
        status = rv_usage_error(&rv_command_record, "%s", error);
        free(error);
        return status;
    }
    status = record_suite(&values, &suite);
    rv_test_suite_free(&suite);
    return status;
}
