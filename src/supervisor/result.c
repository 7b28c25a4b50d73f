#include "supervisor/result.h"

#include <stdlib.h>
#include <string.h>

#include "coverage/tell.h"
#include "report/json_parts.h"
#include "report/race.h"
#include "report/text.h"

const char *const rv_stop_names[RV_STOP_COUNT] = {
    [RV_STOP_FAILURE] = "failure",   [RV_STOP_SCHEDULES] = "schedules", [RV_STOP_TIME] = "time",
    [RV_STOP_COMPLETE] = "complete", [RV_STOP_INTERRUPT] = "interrupt", [RV_STOP_ERROR] = "error",
};

const char *rv_isolation_name(uint32_t isolation) {
    return isolation == RV_ISOLATION_FORK ? "fork" : "memory";
}

struct rv_found *rv_result_add(struct rv_result *result, struct rv_failure *failure) {
    result->found = rv_text_realloc(result->found, result->found_count + 1, sizeof *result->found);
    struct rv_found *found = &result->found[result->found_count++];
    *found = (struct rv_found){.failure = *failure};
    *failure = (struct rv_failure){0};
    return found;
}

static bool same_lines(const struct rv_race_text *a, const struct rv_race_text *b) {
    char *one = rv_race_lines(rv_race_statement(&a->first), rv_race_statement(&a->second));
    char *other = rv_race_lines(rv_race_statement(&b->first), rv_race_statement(&b->second));
    bool same = strcmp(one, other) == 0;
    free(one);
    free(other);
    return same;
}

static bool same_failure(const struct rv_failure *a, const struct rv_failure *b) {
    if (a->kind != b->kind) return false;
    return a->signature == b->signature || (a->race && b->race && same_lines(a->race, b->race));
}

struct rv_found *rv_result_find(const struct rv_result *result, const struct rv_failure *failure) {
    for (size_t i = 0; i < result->found_count; i++)
        if (same_failure(&result->found[i].failure, failure)) return &result->found[i];
    return NULL;
}

void rv_found_seen(struct rv_found *found, uint64_t signature) {
    found->seen_signatures =
        rv_text_realloc(found->seen_signatures, found->seen_count + 1, sizeof *found->seen_signatures);
    found->seen_signatures[found->seen_count++] = signature;
}

void rv_result_sort(struct rv_result *result) {
    struct rv_found *sorted = rv_text_alloc(result->found_count, sizeof *sorted);
    size_t count = 0;
    for (unsigned races = 0; races < 2; races++)
        for (size_t i = 0; i < result->found_count; i++)
            if ((result->found[i].failure.kind == RV_KIND_RACE) == (races == 1))
                sorted[count++] = result->found[i];
    free(result->found);
    result->found = sorted;
}

size_t rv_result_failed(const struct rv_result *result) {
    size_t count = 0;
    for (size_t i = 0; i < result->found_count; i++) count += result->found[i].failure.kind != RV_KIND_RACE;
    return count;
}

void rv_result_free(struct rv_result *result) {
    for (size_t i = 0; i < result->found_count; i++) {
        rv_failure_free(&result->found[i].failure);
        free(result->found[i].seen_signatures);
    }
    free(result->found);
    free(result->nondeterminism.what);
    free(result->nondeterminism.first);
    free(result->nondeterminism.second);
    rv_notes_free(&result->notes);
    rv_notes_free(&result->hidden);
    rv_notes_free(&result->fixed);
    rv_notes_free(&result->warnings);
    free(result->error);
    *result = (struct rv_result){0};
}

/* --- JSON --- */

static void set(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }

static json_t *texts(char *const *list, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(array, rv_json_text(list[i]));
    return array;
}

static json_t *arguments(const struct rv_program *program) {
    size_t count = 0;
    while (program->argv[count]) count++;
    return texts(program->argv + 1, count - 1);
}

static json_t *failures(const struct rv_result *result) {
    json_t *array = json_array();
    for (size_t i = 0; i < result->found_count; i++) {
        json_t *object = rv_failure_json(&result->found[i].failure, (unsigned)i + 1);
        set(object, "known", json_boolean(result->found[i].known));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *races(const struct rv_result *result) {
    json_t *array = json_array();
    for (size_t i = 0; i < result->found_count; i++)
        if (result->found[i].failure.race)
            json_array_append_new(array, rv_race_json(result->found[i].failure.race));
    return array;
}

static json_t *nondeterminism(const struct rv_nondeterminism *from) {
    json_t *object = json_object();
    set(object, "what", rv_json_text(from->what));
    set(object, "event", from->first ? rv_json_number(from->event) : json_null());
    set(object, "first", from->first ? rv_json_text(from->first) : json_null());
    set(object, "second", from->second ? rv_json_text(from->second) : json_null());
    return object;
}

static json_t *search(const struct rv_search_result *from) {
    json_t *object = json_object();
    set(object, "estimated_total",
        from->estimated_total ? rv_json_number(from->estimated_total) : json_null());
    set(object, "depth", rv_json_number(from->depth));
    set(object, "pruned", rv_json_number(from->pruned));
    if (from->earlier) set(object, "earlier", rv_json_number(from->earlier));
    return object;
}

json_t *rv_result_json(const struct rv_result *result) {
    json_t *object = json_object();
    double seconds = result->seconds > 0 ? result->seconds : 0;
    set(object, "version", rv_json_text(RV_VERSION));
    set(object, "program", rv_json_text(result->program->name));
    set(object, "args", arguments(result->program));
    set(object, "strategy", rv_json_text(result->config.strategy));
    set(object, "seed", rv_json_number(result->config.seed));
    set(object, "isolation", rv_json_text(rv_isolation_name(result->isolation)));
    set(object, "instrumented", json_boolean(result->program->instrumented));
    set(object, "schedules", rv_json_number(result->schedules));
    set(object, "complete", json_boolean(result->complete));
    set(object, "seconds", json_real(seconds));
    set(object, "schedules_per_second", json_real(seconds > 0 ? (double)result->schedules / seconds : 0));
    set(object, "stopped_by", rv_json_text(rv_stop_names[result->stopped_by]));
    set(object, "not_terminating", rv_json_number(result->not_terminating));
    if (result->config.plan[0]) set(object, "dead_ends", rv_json_number(result->dead_ends));
    if (result->search.known) set(object, "search", search(&result->search));
    set(object, "failures", failures(result));
    if (result->config.races) set(object, "races", races(result));
    if (result->covered) set(object, "coverage", rv_cover_json(result->covered, RV_COVER_JSON_SHORT));
    set(object, "unconfirmed", rv_json_number(result->unconfirmed));
    if (result->nondeterminism.found) set(object, "nondeterminism", nondeterminism(&result->nondeterminism));
    set(object, "fixed", texts(result->fixed.texts, result->fixed.count));
    set(object, "notes", texts(result->notes.texts, result->notes.count));
    return object;
}
