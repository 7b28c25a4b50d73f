#include "regress/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "races/find.h"
#include "races/hunt.h"
#include "races/recorded.h"
#include "report/symbolise.h"
#include "report/text.h"
#include "supervisor/confirm.h"
#include "supervisor/serve.h"
#include "supervisor/util.h"

enum { LEVELS = 8 /* of inlined functions */ };

/* --- the program --- */

int rv_trial_program(struct rv_program *program, const struct rv_suite_test *test, char **error) {
    int status = rv_program_open(program, test->program, test->args, error);
    if (status != 0) return status;
    program->directory = strcmp(test->directory, ".") == 0 ? NULL : rv_text_copy(test->directory);
    if (test->env) {
        size_t count = 0;
        while (test->env[count]) count++;
        program->env = rv_text_alloc(count + 1, sizeof *program->env);
        for (size_t i = 0; i < count; i++) program->env[i] = rv_text_copy(test->env[i]);
    }
    if (!test->input) return 0;
    program->input = open(test->input, O_RDONLY | O_CLOEXEC);
    if (program->input >= 0) return 0;
    *error = rv_text_format("%s: cannot be read: %s", test->input, strerror(errno));
    return 2;
}

/* --- places: each code location with each thread once --- */

struct seen {
    uint64_t code;
    uint32_t thread;
    char kind; /* 0: free */
};

struct gatherer {
    struct rv_trial *trial;
    struct rv_symboliser *symbols;
    const struct rv_trace *trace;
    struct seen *seen;
    size_t size, count; /* size: a power of two */
};

static struct seen *place_of(struct gatherer *gatherer, uint64_t code, uint32_t thread, char kind) {
    uint64_t hash =
        (code ^ (uint64_t)thread << 32 ^ (uint64_t)(unsigned char)kind << 20) * 0x9e3779b97f4a7c15u;
    for (size_t at = hash >> 20;; at++) {
        struct seen *seen = &gatherer->seen[at & (gatherer->size - 1)];
        if (!seen->kind || (seen->code == code && seen->thread == thread && seen->kind == kind)) return seen;
    }
}

static void grow(struct gatherer *gatherer) {
    struct seen *old = gatherer->seen;
    size_t old_size = gatherer->size;
    if (gatherer->count * 2 < gatherer->size) return;
    gatherer->size = gatherer->size ? gatherer->size * 2 : 1024;
    gatherer->seen = rv_text_alloc(gatherer->size, sizeof *gatherer->seen);
    for (size_t i = 0; i < old_size; i++)
        if (old[i].kind) *place_of(gatherer, old[i].code, old[i].thread, old[i].kind) = old[i];
    free(old);
}

/* False: it was known. */
static bool see(struct gatherer *gatherer, uint64_t code, uint32_t thread, char kind) {
    grow(gatherer);
    struct seen *seen = place_of(gatherer, code, thread, kind);
    if (seen->kind) return false;
    *seen = (struct seen){code, thread, kind};
    gatherer->count++;
    return true;
}

static char kind_of(const struct rv_step *step) {
    switch (step->kind) {
    case RV_STEP_READ:
    case RV_STEP_ATOMIC_READ: return 'r';
    case RV_STEP_WRITE:
    case RV_STEP_ATOMIC_WRITE: return 'w';
    case RV_STEP_ATOMIC_RMW: return 'u';
    default: return 's';
    }
}

/* The calls that the step was made under, up to those that are known. */
static void see_stack(struct gatherer *gatherer, const struct rv_record *record, char kind) {
    const struct rv_trace *trace = gatherer->trace;
    for (uint32_t node = record->stack; node; node = trace->nodes[node].parent)
        if (!see(gatherer, trace->nodes[node].code, record->step.thread, kind)) return;
}

/* As long as all threads that were created have been joined, nothing can happen at the same time: capital letters. */
static void see_records(struct gatherer *gatherer) {
    uint64_t others = 0;
    for (uint32_t i = 0; i < gatherer->trace->record_count; i++) {
        const struct rv_record *record = &gatherer->trace->records[i];
        const struct rv_step *step = &record->step;
        if (step->kind == RV_STEP_CREATE) others++;
        if (step->kind == RV_STEP_JOIN && others) others--;
        if (step->kind == RV_STEP_ALLOC || step->kind == RV_STEP_START) continue;
        char kind = kind_of(step);
        if (step->site)
            (void)see(gatherer, step->site, step->thread, others ? kind : (char)(kind - 'a' + 'A'));
        see_stack(gatherer, record, others ? 'c' : 'C');
    }
}

/* Before the first thread: that it was executed, no more. An address is that of an access, or behind a call. */
static void see_before(struct gatherer *gatherer, const struct rv_area *area) {
    for (uint32_t i = 0; i < RV_MAX_SITES; i++) {
        const struct rv_site *site = &area->sites[i];
        if (!site->code || !(site->flags & RV_SITE_BEFORE)) continue;
        (void)see(gatherer, site->code, 0, 'U');
        (void)see(gatherer, site->code, 0, 'C');
    }
}

static int in_order(const void *a, const void *b) {
    const struct seen *first = a, *second = b;
    if (first->code != second->code) return first->code < second->code ? -1 : 1;
    if (first->kind != second->kind) return first->kind < second->kind ? -1 : 1;
    return (first->thread > second->thread) - (first->thread < second->thread);
}

static void add_places(struct gatherer *gatherer) {
    struct rv_location levels[LEVELS];
    unsigned count = 0;
    uint64_t code = 0;
    size_t kept = 0;
    for (size_t i = 0; i < gatherer->size; i++)
        if (gatherer->seen[i].kind) gatherer->seen[kept++] = gatherer->seen[i];
    if (kept) qsort(gatherer->seen, kept, sizeof *gatherer->seen, in_order);
    for (size_t i = 0; i < kept; i++) {
        const struct seen *seen = &gatherer->seen[i];
        if (i == 0 || seen->code != code) {
            for (unsigned k = 0; k < count; k++) rv_location_free(&levels[k]);
            code = seen->code;
            bool foreign = rv_symbolise_is_runtime(gatherer->symbols, code) ||
                           rv_symbolise_is_system(gatherer->symbols, code);
            count = foreign ? 0 : rv_symbolise_code(gatherer->symbols, code, true, levels, LEVELS);
        }
        for (unsigned k = 0; k < count; k++) {
            if (!levels[k].line || !levels[k].file || !*levels[k].file) continue;
            struct rv_trial_place place = {rv_trial_file(gatherer->trial, levels[k].file), levels[k].line,
                                           seen->thread,
                                           k == 0              ? seen->kind
                                           : seen->kind >= 'a' ? 'c'
                                                               : 'C'};
            rv_trial_add(gatherer->trial, place);
        }
    }
    for (unsigned k = 0; k < count; k++) rv_location_free(&levels[k]);
}

/* What is known for certain to race here: a race of the changed version that was there before is no regression. */
static void add_races(struct rv_trial *trial, const struct rv_trace *trace,
                      const struct rv_program *program) {
    struct rv_find_options options = rv_find_defaults;
    struct rv_finds finds = {0};
    char *error = NULL;
    options.directory = program->directory ? program->directory : ".";
    struct rv_finder *finder = rv_finder_open(&options, &error);
    free(error);
    if (!finder) return;
    rv_finder_look(finder, trace, &finds);
    rv_finder_close(finder);
    for (unsigned i = 0; i < finds.race_count; i++) {
        const struct rv_location *first = rv_race_statement(&finds.races[i].text.first),
                                 *second = rv_race_statement(&finds.races[i].text.second);
        if (!(finds.races[i].flags & (RV_FIND_HAPPENED | RV_FIND_PREDICTED)) || !first->line || !second->line)
            continue;
        rv_trial_add_race(trial, (struct rv_trial_race){
                                     {rv_trial_file(trial, first->file), rv_trial_file(trial, second->file)},
                                     {first->line, second->line}});
    }
    rv_finds_free(&finds);
}

static int by_place(const void *a, const void *b) {
    const struct rv_trial_place *first = a, *second = b;
    if (first->file != second->file) return first->file < second->file ? -1 : 1;
    if (first->line != second->line) return first->line < second->line ? -1 : 1;
    if (first->kind != second->kind) return first->kind < second->kind ? -1 : 1;
    return (first->thread > second->thread) - (first->thread < second->thread);
}

static void drop_doubles(struct rv_trial *trial) {
    size_t kept = 0;
    if (trial->place_count) qsort(trial->places, trial->place_count, sizeof *trial->places, by_place);
    for (size_t i = 0; i < trial->place_count; i++)
        if (kept == 0 || by_place(&trial->places[kept - 1], &trial->places[i]) != 0)
            trial->places[kept++] = trial->places[i];
    trial->place_count = kept;
}

static void gather(struct rv_trial *trial, const struct rv_server *server, const struct rv_program *program) {
    const struct rv_area *area = rv_server_area(server);
    struct rv_trace trace = rv_recorded_trace(area, rv_recording_of(server->channel.shared));
    struct gatherer gatherer = {.trial = trial,
                                .trace = &trace,
                                .symbols =
                                    rv_symboliser_open(area, program->directory ? program->directory : ".")};
    trial->cut = trace.cut || trace.problem;
    see_records(&gatherer);
    see_before(&gatherer, area);
    add_places(&gatherer);
    drop_doubles(trial);
    rv_symboliser_close(gatherer.symbols);
    add_races(trial, &trace, program);
    rv_trace_free(&trace);
    free(gatherer.seen);
}

/* --- one execution --- */

static void judge(struct rv_trial *trial, const struct rv_server *server, const struct rv_reply *reply,
                  bool late) {
    if (reply->state == RV_REPLY_UNAVAILABLE) {
        char *why = late ? rv_text_copy("not over in time") : rv_confirm_reason(server);
        trial->outcome = late ? RV_TRIAL_TIMEOUT : RV_TRIAL_ERROR;
        trial->message = why ? why : rv_text_copy("it could not be run under control");
    } else if (reply->outcome.not_terminating) {
        trial->outcome = RV_TRIAL_TIMEOUT;
        trial->message = rv_text_copy("too many scheduling points (--max-steps)");
    } else if (reply->outcome.kind != RV_KIND_NONE) {
        trial->outcome = reply->outcome.kind == RV_KIND_HANG ? RV_TRIAL_TIMEOUT : RV_TRIAL_FAIL;
        trial->message = rv_clean_text(reply->outcome.message, sizeof reply->outcome.message);
    }
}

static void run(struct rv_trial *trial, const struct rv_program *program, const struct rv_config *config,
                double timeout) {
    struct rv_server server;
    struct rv_reply reply = {.state = RV_REPLY_UNAVAILABLE};
    struct rv_config alone = *config;
    alone.workers = 1;
    alone.races = 0;
    alone.race = 0;
    alone.note = 1;
    alone.output = RV_OUTPUT_ALL;
    alone.instrumented = program->instrumented;
    double begin = rv_seconds();
    bool late = false;
    if (rv_server_open(&server, program, &alone, true)) {
        server.deadline = begin + timeout;
        rv_server_run(&server, NULL, RV_REQUEST_RECORD, &reply);
        late = !rv_interrupted && !server.error && rv_seconds() >= server.deadline;
    }
    trial->seconds = rv_seconds() - begin;
    judge(trial, &server, &reply, late);
    if (server.channel.shared && reply.state != RV_REPLY_UNAVAILABLE) gather(trial, &server, program);
    rv_server_close(&server);
}

void rv_trial_run(struct rv_trial *trial, const struct rv_suite_test *test, const struct rv_config *config) {
    struct rv_program program;
    uint32_t number = trial->program;
    *trial = (struct rv_trial){.program = number};
    if (rv_trial_program(&program, test, &trial->message) == 0)
        run(trial, &program, config, test->timeout);
    else
        trial->outcome = RV_TRIAL_ERROR;
    if (!trial->message) trial->message = rv_text_copy("");
    rv_program_close(&program);
}

/* --- races --- */

enum { TRIES = 50 };

static bool is_known(const struct rv_known_races *known, const char *lines) {
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->lines[i], lines) == 0) return true;
    return false;
}

static enum rv_hunt_worth worth(const struct rv_location *first, const struct rv_location *second,
                                const void *user) {
    char *lines = rv_race_lines(first, second);
    bool old = is_known(user, lines);
    free(lines);
    return old ? RV_WORTH_NOTHING : RV_WORTH_VERIFYING;
}

static void keep(struct rv_trial *trial, const struct rv_race_text *race, struct rv_known_races *known) {
    const struct rv_location *first = rv_race_statement(&race->first),
                             *second = rv_race_statement(&race->second);
    if (race->status == RV_RACE_POTENTIAL || !first->line || !second->line) return;
    struct rv_trial_race found = {{rv_trial_file(trial, first->file), rv_trial_file(trial, second->file)},
                                  {first->line, second->line}};
    rv_trial_add_race(trial, found);
    known->lines = rv_text_realloc(known->lines, known->count + 1, sizeof *known->lines);
    known->lines[known->count++] = rv_race_lines(first, second);
}

void rv_trial_hunt(struct rv_trial *trial, const struct rv_suite_test *test, const struct rv_config *config,
                   uint64_t schedules, struct rv_vault *vault, struct rv_known_races *known) {
    struct rv_progress silent = {.out = NULL};
    struct rv_program program;
    struct rv_hunt_result found;
    char *error = NULL;
    if (rv_trial_program(&program, test, &error) == 0) {
        struct rv_hunt_options options = {.config = *config,
                                          .schedules = schedules,
                                          .tries = TRIES,
                                          .deadlocks = RV_DEADLOCKS_OFF,
                                          .time_limit = test->timeout,
                                          .progress = &silent,
                                          .worth = worth,
                                          .user = known};
        options.config.instrumented = program.instrumented;
        rv_hunt(&found, &program, &options, vault);
        for (size_t i = 0; i < found.race_count; i++) keep(trial, &found.races[i], known);
        rv_hunt_free(&found);
    }
    free(error);
    rv_program_close(&program);
}
