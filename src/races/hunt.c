#include "races/hunt.h"

#include <stdlib.h>
#include <string.h>

#include "races/hunt_private.h"
#include "report/text.h"
#include "supervisor/result.h"
#include "supervisor/serve.h"
#include "supervisor/util.h"

enum { TICK_MS = 20, FAILURES_MAX = 32 /* different ones that are confirmed */ };

/* ---- executions ---- */

bool rv_hunt_over(const struct rv_hunt *hunt) {
    return rv_interrupted || (hunt->deadline > 0 && rv_seconds() >= hunt->deadline);
}

struct rv_config rv_hunt_config(const struct rv_hunt *hunt, const char *strategy, uint64_t schedules) {
    struct rv_config config = hunt->about.config;
    snprintf(config.strategy, sizeof config.strategy, "%s", strategy);
    config.schedules = schedules;
    config.workers = 1;
    config.keep_going = 1;
    config.races = 1;
    config.record = 0;
    config.race = 0;
    config.output = RV_OUTPUT_DISCARD;
    return config;
}

/* Everything that has come in; false: enough. */
static bool take_all(struct rv_hunt *hunt, struct rv_expedition *expedition, struct rv_explorer *explorer) {
    bool more = true;
    struct rv_suspect suspect;
    if (expedition->recorded && rv_explorer_recording(explorer)) {
        more = expedition->recorded(hunt, explorer, expedition->user);
        rv_explorer_read_on(explorer);
    }
    while (rv_explorer_take(explorer, &suspect)) {
        if (expedition->suspect) more &= expedition->suspect(hunt, &suspect, expedition->user);
        rv_schedule_free(&suspect.schedule);
    }
    return more;
}

bool rv_hunt_explore(struct rv_hunt *hunt, struct rv_expedition *expedition) {
    struct rv_explorer explorer;
    struct rv_totals totals = {0};
    bool running =
        rv_explorer_begin(&explorer, hunt->about.program, &expedition->config, expedition->head_start);
    while (running && !rv_hunt_over(hunt)) {
        running = rv_explorer_look(&explorer);
        if (!take_all(hunt, expedition, &explorer)) break;
        if (running && !rv_explorer_recording(&explorer)) rv_explorer_wait(&explorer, TICK_MS);
    }
    if (explorer.channel.shared) {
        rv_explorer_stop(&explorer);
        (void)take_all(hunt, expedition, &explorer);
        rv_explorer_totals(&explorer, &totals);
        rv_explorer_notes(&explorer, &hunt->result->notes);
    }
    expedition->executions = totals.executions;
    bool good = explorer.error == NULL;
    if (!good && !hunt->result->error) hunt->result->error = rv_text_copy(explorer.error);
    rv_explorer_close(&explorer);
    return good;
}

/* ---- what is met in passing ---- */

void rv_hunt_saw(struct rv_hunt *hunt, const struct rv_suspect *suspect) {
    hunt->partly |= !suspect->replayable;
    if (!suspect->replayable || rv_hunt_seen(hunt, suspect->outcome.signature)) return;
    const struct rv_schedule *from = &suspect->schedule;
    hunt->seen = rv_text_realloc(hunt->seen, hunt->seen_count + 1, sizeof *hunt->seen);
    hunt->seen[hunt->seen_count++] = (struct rv_seen_race){
        .signature = suspect->outcome.signature,
        .sites = {suspect->outcome.race_sites[0], suspect->outcome.race_sites[1]},
        .schedule = rv_schedule_copy(from->runs, from->run_count, from->choices, from->choice_count)};
}

const struct rv_seen_race *rv_hunt_seen(const struct rv_hunt *hunt, uint64_t signature) {
    for (size_t i = 0; i < hunt->seen_count; i++)
        if (hunt->seen[i].signature == signature) return &hunt->seen[i];
    return NULL;
}

void rv_hunt_save(struct rv_hunt *hunt, struct rv_failure *failure) {
    char *error = NULL;
    rv_text_set(&failure->isolation, rv_text_copy(rv_isolation_name(hunt->about.config.isolation)));
    if (!rv_vault_save(hunt->vault, failure, &error)) rv_notes_add(&hunt->result->warnings, error);
}

static bool is_known(const struct rv_hunt_result *result, const struct rv_failure *failure) {
    for (size_t i = 0; i < result->failure_count; i++)
        if (result->failures[i].kind == failure->kind && result->failures[i].signature == failure->signature)
            return true;
    return false;
}

void rv_hunt_failed(struct rv_hunt *hunt, const struct rv_suspect *suspect) {
    struct rv_hunt_result *result = hunt->result;
    struct rv_expectation expected = {(enum rv_kind)suspect->outcome.kind, suspect->outcome.signature,
                                      .met = false};
    struct rv_confirmation confirmation;
    for (size_t i = 0; i < result->failure_count; i++)
        if (result->failures[i].signature == expected.signature) return;
    if (!suspect->replayable || result->failure_count == FAILURES_MAX) return;
    rv_confirm(&confirmation, &hunt->about, &suspect->schedule, &expected);
    if (confirmation.verdict == RV_CONFIRMED && !is_known(result, &confirmation.failure)) {
        confirmation.failure.count = 1;
        confirmation.failure.first_schedule = suspect->first_schedule;
        rv_hunt_save(hunt, &confirmation.failure);
        result->failures =
            rv_text_realloc(result->failures, result->failure_count + 1, sizeof *result->failures);
        result->failures[result->failure_count++] = confirmation.failure;
        confirmation.failure = (struct rv_failure){0};
    }
    rv_confirmation_free(&confirmation);
}

/* ---- the whole ---- */

static int worse_first(const void *a, const void *b) {
    const struct rv_race_text *first = a, *second = b;
    if (first->status != second->status) return first->status > second->status ? -1 : 1;
    if (first->predicted != second->predicted) return first->predicted ? -1 : 1;
    return 0;
}

/* Stable: qsort of glibc is a merge sort for so few. */
static void sort(struct rv_hunt_result *result) {
    if (result->race_count) qsort(result->races, result->race_count, sizeof *result->races, worse_first);
}

static void take_notes(struct rv_hunt_result *result, const struct rv_finds *finds) {
    for (unsigned i = 0; i < finds->note_count; i++)
        rv_notes_add(&result->notes, rv_text_copy(finds->notes[i]));
}

static void free_hunt(struct rv_hunt *hunt) {
    for (size_t i = 0; i < hunt->seen_count; i++) rv_schedule_free(&hunt->seen[i].schedule);
    free(hunt->seen);
    free(hunt->accesses);
    rv_finds_free(&hunt->finds);
}

void rv_hunt(struct rv_hunt_result *result, const struct rv_program *program,
             const struct rv_hunt_options *options, struct rv_vault *vault) {
    double begin = rv_seconds();
    struct rv_hunt *hunt = rv_allocate(sizeof *hunt);
    *hunt = (struct rv_hunt){.options = options,
                             .about = {.program = program, .config = options->config},
                             .vault = vault,
                             .result = result,
                             .deadline = options->time_limit > 0 ? begin + options->time_limit : 0};
    *result = (struct rv_hunt_result){.program = program, .config = options->config};
    if (rv_hunt_collect(hunt)) {
        rv_hunt_roam(hunt);
        result->searching = rv_seconds() - begin;
        rv_hunt_verify(hunt);
        if (options->deadlocks != RV_DEADLOCKS_OFF && !options->pairs) rv_hunt_cycles(hunt);
    }
    rv_progress_clear(options->progress);
    take_notes(result, &hunt->finds);
    result->interrupted = rv_interrupted;
    result->out_of_time = !rv_interrupted && rv_hunt_over(hunt);
    result->seconds = rv_seconds() - begin;
    sort(result);
    free_hunt(hunt);
    free(hunt);
}

static struct rv_race_text *same_lines(struct rv_hunt_result *result, const struct rv_race_text *race) {
    char *lines = rv_race_lines(rv_race_statement(&race->first), rv_race_statement(&race->second));
    struct rv_race_text *found = NULL;
    for (size_t i = 0; i < result->race_count && !found; i++) {
        struct rv_race_text *other = &result->races[i];
        char *its = rv_race_lines(rv_race_statement(&other->first), rv_race_statement(&other->second));
        if (strcmp(lines, its) == 0) found = other;
        free(its);
    }
    free(lines);
    return found;
}

/* One report for a pair of lines: that with the best evidence. */
static void add_find(struct rv_hunt_result *result, struct rv_race_find *find,
                     const struct rv_hunt_options *options) {
    struct rv_race_text *text = &find->text;
    if (options->pairs && !rv_pairs_match_any(options->pairs, rv_race_statement(&text->first),
                                              rv_race_statement(&text->second)))
        return;
    if (options->suppressions && rv_suppress_race(options->suppressions, text)) {
        result->suppressed++;
        return;
    }
    if (find->flags & RV_FIND_HAPPENED) text->status = RV_RACE_REAL;
    struct rv_race_text *known = same_lines(result, text);
    if (!known) {
        result->races[result->race_count++] = *text;
    } else {
        struct rv_race_text old = *known;
        uint64_t count = text->count > old.count ? text->count : old.count;
        bool better = worse_first(text, &old) < 0;
        if (better) *known = *text;
        known->count = count;
        if (better)
            rv_race_free(&old);
        else
            rv_race_free(text);
    }
    *text = (struct rv_race_text){0};
}

void rv_hunt_of_finds(struct rv_hunt_result *result, struct rv_finds *finds,
                      const struct rv_hunt_options *options) {
    *result = (struct rv_hunt_result){.config = options->config, .schedules = finds->traces};
    result->races = rv_text_alloc(finds->race_count, sizeof *result->races);
    for (unsigned i = 0; i < finds->race_count; i++) add_find(result, &finds->races[i], options);
    result->deadlocks = rv_text_alloc(finds->deadlock_count, sizeof *result->deadlocks);
    for (unsigned i = 0; i < finds->deadlock_count && options->deadlocks != RV_DEADLOCKS_OFF; i++) {
        struct rv_deadlock_find *find = &finds->deadlocks[i];
        if (options->suppressions && rv_suppress_deadlock(options->suppressions, &find->text)) {
            result->suppressed++;
            continue;
        }
        result->deadlocks[result->deadlock_count++] = find->text;
        find->text = (struct rv_deadlock_text){0};
    }
    take_notes(result, finds);
    sort(result);
    rv_finds_free(finds);
}

void rv_hunt_free(struct rv_hunt_result *result) {
    for (size_t i = 0; i < result->race_count; i++) rv_race_free(&result->races[i]);
    for (size_t i = 0; i < result->deadlock_count; i++) rv_deadlock_free(&result->deadlocks[i]);
    for (size_t i = 0; i < result->failure_count; i++) rv_failure_free(&result->failures[i]);
    free(result->races);
    free(result->deadlocks);
    free(result->failures);
    rv_notes_free(&result->notes);
    rv_notes_free(&result->warnings);
    free(result->error);
    *result = (struct rv_hunt_result){0};
}

bool rv_hunt_found(const struct rv_hunt_result *result) {
    bool found = result->failure_count > 0;
    for (size_t i = 0; i < result->race_count; i++)
        found |= result->races[i].status != RV_RACE_POTENTIAL || result->races[i].predicted;
    for (size_t i = 0; i < result->deadlock_count; i++)
        found |= result->deadlocks[i].status != RV_RACE_POTENTIAL || result->deadlocks[i].predicted;
    return found;
}
