#include "supervisor/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/signature.h"
#include "report/text.h"
#include "supervisor/recorded.h"

enum { KNOWN_MAX = 200 }; /* files of this program that are tried: each costs a process */

/* It happens again: what is reported, and saved if the program has changed, is how it happens now. */
static void still_fails(struct rv_result *result, struct rv_confirmation *now,
                        const struct rv_failure *recorded, struct rv_vault *vault) {
    struct rv_failure *failure = &now->failure;
    if (rv_result_find(result, failure)) return; /* two files, one failure */
    char *error = NULL;
    bool changed = strcmp(failure->build_id, recorded->build_id) != 0;
    failure->count = 1;
    rv_text_set(&failure->file, rv_text_copy(recorded->file));
    if (changed && !rv_vault_save(vault, failure, &error)) {
        rv_notes_add(&result->warnings, error);
        rv_text_set(&failure->file, rv_text_copy(recorded->file)); /* the old file is still there */
    }
    if (failure->race && recorded->race) rv_race_carry_over(failure->race, recorded->race);
    struct rv_found *found = rv_result_add(result, failure);
    rv_found_seen(found, found->failure.signature);
    found->known = true;
    found->final = true;
}

static void passes_now(struct rv_result *result, const struct rv_confirmation *now,
                       const struct rv_failure *recorded, const struct rv_program *program) {
    bool changed = strcmp(program->build_id, recorded->build_id) != 0;
    rv_notes_add(&result->fixed, rv_text_copy(recorded->file));
    if (now->outcome.deviations)
        rv_notes_add(
            &result->notes,
            rv_text_format("%s: %s; %llu runs of its schedule did not apply, so it may only be hidden",
                           recorded->file, changed ? "the program has changed" : "replayed differently",
                           (unsigned long long)now->outcome.deviations));
}

static bool is_suppressed(const struct rv_failure *failure, struct rv_suppressions *suppressions) {
    return failure->race && suppressions && rv_suppress_race(suppressions, failure->race);
}

/* What was recorded with a schedule of events fails under it: it is kept to, and the time it was recorded by. */
static void take_plan(struct rv_config *config, const struct rv_config *recorded) {
    memcpy(config->test, recorded->test, sizeof config->test);
    memcpy(config->plan_label, recorded->plan_label, sizeof config->plan_label);
    memcpy(config->plan, recorded->plan, sizeof config->plan);
    config->direct = recorded->direct;
    if (recorded->plan[0]) config->timing = recorded->timing;
}

/* Where a test is chosen, the failures of others, and of other schedules, are not asked for. */
static bool same_test(const struct rv_config *config, const struct rv_config *recorded) {
    if (!config->test[0] && !config->plan[0]) return true;
    return strcmp(config->test, recorded->test) == 0 &&
           strcmp(config->plan_label, recorded->plan_label) == 0 && strcmp(config->plan, recorded->plan) == 0;
}

static void try_one(struct rv_result *result, const struct rv_case *about, const struct rv_failure *recorded,
                    struct rv_vault *vault, struct rv_suppressions *suppressions) {
    struct rv_case as_recorded = *about;
    struct rv_schedule schedule = rv_recorded_schedule(recorded);
    struct rv_expectation expected = {recorded->kind, recorded->signature, .met = false};
    struct rv_confirmation now;
    if (recorded->kind == RV_KIND_RACE && strcmp(about->program->build_id, recorded->build_id) != 0)
        expected.signature = RV_RACE_ANY; /* the lines have moved */
    /* Random numbers and dates that the program sees are part of the failure; limits are today's. */
    as_recorded.config.seed = recorded->config.seed;
    as_recorded.config.clock_base = recorded->config.clock_base;
    if (!about->config.test[0] && !about->config.plan[0]) take_plan(&as_recorded.config, &recorded->config);
    rv_confirm(&now, &as_recorded, &schedule, &expected);
    if (now.verdict == RV_CONFIRMED && is_suppressed(&now.failure, suppressions))
        result->suppressed++;
    else if (now.verdict == RV_CONFIRMED)
        still_fails(result, &now, recorded, vault);
    else if (now.verdict == RV_PASSED)
        passes_now(result, &now, recorded, about->program);
    else if (now.verdict == RV_UNSTABLE)
        rv_notes_add(&result->notes,
                     rv_text_format("%s: fails, but in another way each time; not reported", recorded->file));
    rv_confirmation_free(&now);
}

static bool is_wanted(const struct rv_failure *recorded, const struct rv_case *about) {
    return rv_recorded_of(recorded, about->program) && same_test(&about->config, &recorded->config) &&
           (recorded->kind != RV_KIND_RACE || about->config.races);
}

void rv_known_try(struct rv_result *result, const struct rv_case *about, struct rv_vault *vault,
                  struct rv_suppressions *suppressions) {
    char **paths = rv_vault_list(vault);
    unsigned tried = 0;
    for (char **path = paths; *path; path++) {
        struct rv_failure recorded;
        char *error = NULL;
        bool enough =
            rv_interrupted || tried >= KNOWN_MAX || (rv_result_failed(result) && !about->config.keep_going);
        if (!enough && !rv_failure_read(&recorded, *path, &error)) {
            rv_notes_add(&result->notes, rv_text_format("not tried again: %s", error));
            free(error);
        } else if (!enough) {
            if (is_wanted(&recorded, about)) {
                tried++;
                try_one(result, about, &recorded, vault, suppressions);
            }
            rv_failure_free(&recorded);
        }
        free(*path);
    }
    free(paths);
}
