/* `ravel races`: the hunt for races and lock-order deadlocks, in a program or in traces recorded earlier. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/json_file.h"
#include "cli/program_options.h"
#include "cli/suppressing.h"
#include "cli/terminal.h"
#include "races/file.h"
#include "races/hunt.h"
#include "report/sarif.h"
#include "report/text.h"

struct races_values {
    struct rv_program_options about;
    uint64_t schedules;
    uint64_t tries;
    double time;
    uint32_t deadlocks;
    const char *pairs;
    const char *suppressions;
    const char *trace;
    const char *record;
    const char *json;
    const char *sarif;
};

static int races(int argc, char **argv);

#define AT(member) RV_AT(struct races_values, member)
static const struct rv_option races_options[] = {
    {"tries", 0, RV_OPTION_UINT, AT(tries), .argument = "N", .min = 1, .max = 1000000,
     .help = "steered executions to verify one race or deadlock (default 100)"},
    {"schedules", 0, RV_OPTION_UINT, AT(schedules), .argument = "N", .min = 1, .max = 1000000,
     .help = "executions that are recorded and analysed (default 20)"},
    {"pairs", 0, RV_OPTION_STRING, AT(pairs), .argument = "FILE",
     .help = "verify only these pairs of statements: FILE:LINE FILE:LINE in\neach line"},
    {"deadlocks", 0, RV_OPTION_CHOICE, AT(deadlocks), .argument = "verify|report|off",
     .help = "what becomes of cycles in the order of locks (default verify)"},
    {"suppressions", 0, RV_OPTION_STRING, AT(suppressions), .argument = "FILE",
     .help = "races and deadlocks not to report, as for ThreadSanitizer: race:,\n"
             "deadlock:, function:, file:, variable:, with * ^ $ in patterns"},
    {"time", 0, RV_OPTION_SECONDS, AT(time), .argument = "SECONDS",
     .help = "at most so long for all; fractions allowed"},
    RV_PROGRAM_OPTIONS(struct races_values, about),
    {"record", 0, RV_OPTION_STRING, AT(record), .argument = "FILE",
     .help = "keep the recorded executions there, for --trace"},
    {"trace", 0, RV_OPTION_STRING, AT(trace), .argument = "FILE",
     .help = "analyse executions recorded earlier; no program is run"},
    {"json", 0, RV_OPTION_STRING, AT(json), .argument = "FILE",
     .help = "machine-readable result; \"-\": standard output, and nothing else\ngoes there"},
    {"sarif", 0, RV_OPTION_STRING, AT(sarif), .argument = "FILE",
     .help = "the same for code-review systems (SARIF 2.1.0)"},
    RV_OPTION_END,
};

const struct rv_command rv_command_races = {
    .name = "races",
    .summary = "find data races and deadlocks, verify each, and say what they do",
    .usage = "[OPTIONS] PROGRAM [ARG...]",
    .description =
        "A few executions are recorded and searched for pairs of accesses that could race, and for\n"
        "locks taken in different orders. Each of them is then verified: threads are steered until two\n"
        "stand at the two accesses at once (real), and both orders are tried (harmful). What is real\n"
        "comes with a file for `ravel replay`.\n",
    .options = races_options,
    .run = races,
};

/* Everything that a request needs, read before anything is run. */
struct request {
    const struct races_values *values;
    struct rv_suppressions *suppressions;
    struct rv_pairs pairs;
    bool has_pairs;
};

static int bad_file(char *error) {
    int status = rv_usage_error(&rv_command_races, "%s", error);
    free(error);
    return status;
}

static int prepare(struct request *request) {
    const struct races_values *values = request->values;
    const char *const outputs[] = {values->json, values->sarif, values->record};
    char *error = NULL;
    request->suppressions = rv_suppressing_open(&rv_command_races, values->suppressions);
    if (!request->suppressions) return RV_EXIT_USAGE;
    if (values->pairs && !rv_pairs_read(&request->pairs, values->pairs, &error)) return bad_file(error);
    request->has_pairs = values->pairs != NULL;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i] && !rv_file_writable(outputs[i]))
            return rv_command_error(&rv_command_races, "%s: cannot be written: %s", outputs[i],
                                    strerror(errno));
    return RV_EXIT_FINE;
}

/* Pairs that were looked at and did not race. */
static void note_tame(const struct request *request, struct rv_hunt_result *result) {
    for (size_t i = 0; i < request->pairs.count; i++) {
        const struct rv_pair *pair = &request->pairs.pairs[i];
        struct rv_pairs one = {.pairs = &(struct rv_pair){.a = pair->a, .b = pair->b}, .count = 1};
        bool races = pair->matches == 0;
        for (size_t k = 0; k < result->race_count && !races; k++)
            races = rv_pairs_match(&one, 0, rv_race_statement(&result->races[k].first),
                                   rv_race_statement(&result->races[k].second));
        if (!races)
            rv_notes_add(&result->notes,
                         rv_text_format("%s:%u: %s:%u and %s:%u were not seen to race", request->pairs.file,
                                        pair->line, pair->a.file, pair->a.line, pair->b.file, pair->b.line));
    }
}

/* What was asked for and played no part. */
static void note_unused(struct request *request, struct rv_hunt_result *result) {
    const struct rv_pair *pair;
    size_t cursor = 0;
    rv_suppressing_note(request->suppressions, &result->notes);
    if (request->has_pairs) note_tame(request, result);
    while (request->has_pairs && (pair = rv_pairs_unmatched(&request->pairs, &cursor)))
        rv_notes_add(&result->notes,
                     rv_text_format("%s:%u: no execution reached both %s:%u and %s:%u with shared memory",
                                    request->pairs.file, pair->line, pair->a.file, pair->a.line, pair->b.file,
                                    pair->b.line));
}

/* Paths in reports are relative to where the program runs; a code-review system knows them from the root of the sources. */
static json_t *sarif(const struct rv_hunt_result *result) {
    const char *runs_in = result->program && result->program->directory ? result->program->directory : ".";
    char *directory = realpath(runs_in, NULL), *root = directory ? rv_sarif_find_root(directory) : NULL;
    const struct rv_sarif_roots roots = {directory, root};
    json_t *log = rv_sarif(result->races, result->race_count, result->deadlocks, result->deadlock_count,
                           &roots, RV_VERSION);
    free(directory);
    free(root);
    return log;
}

static bool write_files(const struct rv_hunt_result *result, const struct races_values *values,
                        const char **failed) {
    *failed = values->json;
    if (values->json && !rv_json_write(rv_hunt_json(result), values->json)) return false;
    *failed = values->sarif;
    return !values->sarif || rv_json_write(sarif(result), values->sarif);
}

/* Tells everything; the exit code. */
static int report(struct request *request, struct rv_hunt_result *result) {
    const struct races_values *values = request->values;
    bool machine_only = rv_is_standard(values->json) || rv_is_standard(values->sarif);
    FILE *out = machine_only ? stderr : stdout;
    int status = rv_hunt_found(result) ? RV_EXIT_FAILURE : RV_EXIT_FINE;
    const char *failed;
    if (result->error && status == RV_EXIT_FINE)
        return rv_command_error(&rv_command_races, "%s", result->error);
    if (result->error) rv_command_error(&rv_command_races, "%s", result->error);
    note_unused(request, result);
    if (!write_files(result, values, &failed)) {
        rv_command_error(&rv_command_races, "%s: the result cannot be written: %s", failed, strerror(errno));
        if (status == RV_EXIT_FINE) status = RV_EXIT_ERROR;
    }
    for (size_t i = 0; i < result->warnings.count; i++)
        fprintf(stderr, "ravel races: warning: %s\n", result->warnings.texts[i]);
    struct rv_print_options options = rv_terminal_options(out);
    signal(SIGPIPE, SIG_DFL);
    rv_hunt_print(result, out, &options);
    fflush(out);
    return status;
}

static struct rv_hunt_options options_of(struct request *request, const struct rv_program *program) {
    const struct races_values *values = request->values;
    struct rv_hunt_options options = {.schedules = values->schedules,
                                      .tries = (unsigned)values->tries,
                                      .deadlocks = (enum rv_hunt_deadlocks)values->deadlocks,
                                      .time_limit = values->time,
                                      .pairs = request->has_pairs ? &request->pairs : NULL,
                                      .suppressions = request->suppressions};
    if (program) options.config = rv_program_config(&values->about, program);
    return options;
}

/* ---- a program ---- */

static int hunt(struct request *request, const struct rv_program *program, struct rv_trace_writer *writer) {
    const struct races_values *values = request->values;
    struct rv_vault vault;
    char *error = NULL;
    if (!rv_vault_open(&vault, values->about.out, &error)) {
        int status = rv_command_error(&rv_command_races, "%s", error);
        free(error);
        return status;
    }
    unsigned width = rv_terminal_width(stderr);
    struct rv_progress progress = {.out = width > 0 ? stderr : NULL, .width = width};
    struct rv_hunt_options options = options_of(request, program);
    struct rv_hunt_result result;
    options.progress = &progress;
    options.writer = writer;
    rv_catch_interrupts();
    rv_hunt(&result, program, &options, &vault);
    rv_vault_close(&vault);
    int status = report(request, &result);
    rv_hunt_free(&result);
    return status;
}

static int hunt_recording(struct request *request, const struct rv_program *program) {
    const char *path = request->values->record;
    const struct rv_trace_program about = {program->name, program->argv + 1, program->build_id};
    char *error = NULL;
    struct rv_trace_writer *writer = path ? rv_trace_create(path, &about, &error) : NULL;
    int status = path && !writer ? RV_EXIT_ERROR : hunt(request, program, writer);
    if (writer && !rv_trace_close(writer, &error) && status == RV_EXIT_FINE) status = RV_EXIT_ERROR;
    if (error) rv_command_error(&rv_command_races, "%s", error);
    free(error);
    return status;
}

static int hunt_program(struct request *request, const char *name, char *const *args) {
    struct rv_program program;
    char *error = NULL;
    int status = rv_program_open(&program, name, args, &error);
    if (status != 0) {
        rv_command_error(&rv_command_races, "%s", error);
        free(error);
    } else {
        rv_program_take_input(&program);
        status = hunt_recording(request, &program);
    }
    rv_program_close(&program);
    return status;
}

/* ---- traces ---- */

static int look_at_traces(struct request *request) {
    const char *path = request->values->trace;
    struct rv_finds finds = {0};
    struct rv_hunt_options options = options_of(request, NULL);
    struct rv_hunt_result result;
    char *error = NULL;
    if (!rv_find_in_file(&finds, path, &error)) {
        rv_finds_free(&finds);
        return bad_file(error);
    }
    rv_hunt_of_finds(&result, &finds, &options);
    int status = report(request, &result);
    rv_hunt_free(&result);
    return status;
}

static int settle(struct request *request, int argc, char **argv) {
    if (request->values->trace)
        return argc > 0 ? rv_usage_error(&rv_command_races, "--trace: no program is run; expected none")
                        : look_at_traces(request);
    if (argc == 0) return rv_usage_error(&rv_command_races, "expected a program to run, or --trace=FILE");
    return hunt_program(request, argv[0], argv + 1);
}

static int races(int argc, char **argv) {
    struct races_values values = {.about = RV_PROGRAM_DEFAULTS, .schedules = 20, .tries = 100};
    int first;
    int status = rv_options_parse(&rv_command_races, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    struct request request = {.values = &values};
    status = prepare(&request);
    if (status == RV_EXIT_FINE) status = settle(&request, argc - first, argv + first);
    rv_suppressions_free(request.suppressions);
    rv_pairs_free(&request.pairs);
    return status;
}
