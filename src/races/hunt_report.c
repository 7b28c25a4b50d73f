/* The result of a hunt: JSON for machines, and for people each race in about a screenful, the worst first. */
#include <stdlib.h>

#include "races/hunt.h"
#include "report/json_parts.h"
#include "report/text.h"
#include "supervisor/result.h"

static void set(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }

static json_t *arguments(const struct rv_program *program) {
    json_t *array = json_array();
    for (size_t i = 1; program && program->argv[i]; i++)
        json_array_append_new(array, rv_json_text(program->argv[i]));
    return array;
}

json_t *rv_hunt_json(const struct rv_hunt_result *result) {
    json_t *object = json_object(), *races = json_array(), *deadlocks = json_array(),
           *failures = json_array(), *notes = json_array();
    set(object, "version", rv_json_text(RV_VERSION));
    set(object, "program", result->program ? rv_json_text(result->program->name) : json_null());
    set(object, "args", arguments(result->program));
    set(object, "seed", rv_json_number(result->config.seed));
    set(object, "schedules", rv_json_number(result->schedules));
    set(object, "watched", rv_json_number(result->watched));
    set(object, "steered", rv_json_number(result->steered));
    set(object, "seconds", json_real(result->seconds));
    for (size_t i = 0; i < result->race_count; i++)
        json_array_append_new(races, rv_race_json(&result->races[i]));
    for (size_t i = 0; i < result->deadlock_count; i++)
        json_array_append_new(deadlocks, rv_deadlock_json(&result->deadlocks[i]));
    for (size_t i = 0; i < result->failure_count; i++)
        json_array_append_new(failures, rv_failure_json(&result->failures[i], (unsigned)i + 1));
    for (size_t i = 0; i < result->notes.count; i++)
        json_array_append_new(notes, rv_json_text(result->notes.texts[i]));
    set(object, "races", races);
    set(object, "deadlocks", deadlocks);
    set(object, "failures", failures);
    set(object, "suppressed", rv_json_number(result->suppressed));
    set(object, "notes", notes);
    return object;
}

static void count(const struct rv_hunt_result *result, size_t races[RV_RACE_STATUS_COUNT], size_t *real) {
    *real = 0;
    for (size_t i = 0; i < result->race_count; i++) races[result->races[i].status]++;
    for (size_t i = 0; i < result->deadlock_count; i++)
        *real += result->deadlocks[i].status != RV_RACE_POTENTIAL;
}

static void print_summary(const struct rv_hunt_result *result, FILE *out) {
    size_t races[RV_RACE_STATUS_COUNT] = {0}, real;
    char recorded[32], watched[32], steered[32];
    count(result, races, &real);
    if (!result->race_count && !result->deadlock_count)
        fprintf(out, "no race and no deadlock");
    else
        fprintf(out, "%zu race%s (%zu harmful, %zu real, %zu potential), %zu deadlock%s (%zu real)",
                result->race_count, result->race_count == 1 ? "" : "s", races[RV_RACE_HARMFUL],
                races[RV_RACE_REAL], races[RV_RACE_POTENTIAL], result->deadlock_count,
                result->deadlock_count == 1 ? "" : "s", real);
    if (result->failure_count)
        fprintf(out, ", %zu other failure%s", result->failure_count, result->failure_count == 1 ? "" : "s");
    if (result->program)
        fprintf(out, " in %s recorded, %s watched and %s steered schedules (seed %llu), %.3g s",
                rv_grouped(result->schedules, recorded), rv_grouped(result->watched, watched),
                rv_grouped(result->steered, steered), (unsigned long long)result->config.seed,
                result->seconds);
    else
        fprintf(out, " in %s recorded execution%s", rv_grouped(result->schedules, recorded),
                result->schedules == 1 ? "" : "s");
    if (result->suppressed) fprintf(out, "; %llu suppressed", (unsigned long long)result->suppressed);
    if (result->interrupted)
        fprintf(out, "; interrupted");
    else if (result->out_of_time)
        fprintf(out, "; the time was up");
    fputc('\n', out);
}

void rv_hunt_print(const struct rv_hunt_result *result, FILE *out, const struct rv_print_options *options) {
    for (size_t i = 0; i < result->race_count; i++) {
        rv_race_print(&result->races[i], out, options);
        fputc('\n', out);
    }
    for (size_t i = 0; i < result->deadlock_count; i++) {
        rv_deadlock_print(&result->deadlocks[i], out, options);
        fputc('\n', out);
    }
    for (size_t i = 0; i < result->failure_count; i++) {
        rv_failure_print(&result->failures[i], out, options);
        fputc('\n', out);
    }
    for (size_t i = 0; i < result->notes.count; i++) {
        char *line = rv_text_harmless(result->notes.texts[i], false);
        fprintf(out, "note: %s\n", line);
        free(line);
    }
    print_summary(result, out);
}
