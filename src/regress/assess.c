#include "regress/assess.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "regress/modelling.h"
#include "regress/unmodelled.h"
#include "report/text.h"
#include "supervisor/serve.h"

struct assessor {
    struct rv_assessment *result;
    const struct rv_test_suite *suite;
    const struct rv_assess_options *options;
    struct rv_store *store;
    const char **why;             /* by test of the suite: it is selected whatever it covers */
    struct rv_trial *trials;      /* by test of the suite; empty: none */
    uint32_t *program_of;         /* by test of the suite */
    struct rv_base_program **old; /* by program: what it was; NULL: it is new */
};

/* --- the base --- */

static char *no_base(const struct assessor *assessor, const struct rv_base *bases, size_t count,
                     size_t damaged) {
    const char *given = assessor->options->base, *store = assessor->options->store;
    if (damaged && !count)
        return rv_text_format("%s: the recorded base cannot be read (written by a later ravel, or damaged)",
                              store);
    if (!given || !count)
        return rv_text_format("no base is recorded in %s: run ravel record on the version to compare with",
                              store);
    struct rv_suggestion near = {.typed = given};
    for (size_t i = 0; i < count; i++) rv_suggest_offer(&near, bases[i].name);
    char *harmless = rv_text_harmless(given, true);
    char *error =
        near.best ? rv_text_format("no base %s is recorded (did you mean %s?)", harmless, near.best)
                  : rv_text_format("no base %s is recorded (ravel record --list shows what is)", harmless);
    free(harmless);
    return error;
}

/* The latest that is complete and meant; an incomplete one is told. */
static bool choose_base(struct assessor *assessor) {
    struct rv_assessment *result = assessor->result;
    size_t count = 0, damaged = 0, incomplete = 0;
    struct rv_base *bases = rv_bases_list(assessor->store, &count, &damaged, &result->error), *chosen = NULL;
    if (!bases) return false;
    for (size_t i = 0; i < count && !chosen; i++) {
        if (assessor->options->base && !rv_base_is_meant(&bases[i], assessor->options->base)) continue;
        if (bases[i].complete)
            chosen = &bases[i];
        else
            incomplete++;
    }
    if (chosen) {
        result->base = *chosen;
        *chosen = (struct rv_base){0};
    } else {
        result->wrong = true;
        result->error =
            incomplete ? rv_text_format("%s: the record of the base was interrupted: run ravel record again",
                                        assessor->options->store)
                       : no_base(assessor, bases, count, damaged);
    }
    for (size_t i = 0; i < count; i++) rv_base_free(&bases[i]);
    free(bases);
    return chosen != NULL;
}

/* --- programs --- */

static uint32_t program_number(struct assessor *assessor, const char *path) {
    struct rv_assessment *result = assessor->result;
    for (uint32_t i = 0; i < result->program_count; i++)
        if (strcmp(result->programs[i].path, path) == 0) return i;
    result->programs = rv_text_realloc(result->programs, result->program_count + 1, sizeof *result->programs);
    assessor->old = rv_text_realloc(assessor->old, result->program_count + 1, sizeof(void *));
    result->programs[result->program_count] = (struct rv_assessed_program){.path = path};
    assessor->old[result->program_count] = NULL;
    for (uint32_t i = 0; i < result->base.program_count; i++)
        if (strcmp(result->base.programs[i].path, path) == 0)
            assessor->old[result->program_count] = &result->base.programs[i];
    return result->program_count++;
}

static void note(struct assessor *assessor, char *text) { rv_notes_add(&assessor->result->notes, text); }

static void note_unsure(struct assessor *assessor, const struct rv_assessed_program *program) {
    const struct rv_model *model = program->new_model;
    for (uint32_t i = 0; i < model->unsure_count; i++)
        note(assessor, rv_text_format("%s: the analysis assumes more than it knows: %s", program->path,
                                      model->unsure[i]));
}

/* False: *why it cannot be compared. */
static bool read_old_model(struct assessor *assessor, struct rv_assessed_program *program,
                           const struct rv_base_program *old, char **why) {
    struct rv_blob blob = {0};
    char *error = NULL;
    if (*old->why) {
        *why = rv_text_format("no static model was recorded: %s", old->why);
        return false;
    }
    uint32_t number = (uint32_t)(old - assessor->result->base.programs);
    if (rv_bases_get_model(assessor->store, &assessor->result->base, number, &blob, &error) && blob.data)
        program->old_model = rv_model_read(blob.data, blob.size, "the recorded model", &error);
    free(blob.data);
    if (program->old_model) return true;
    *why = error ? error : rv_text_copy("its recorded model is missing");
    return false;
}

static bool read_new_model(struct rv_assessed_program *program, char **why) {
    size_t size = 0;
    char *path = realpath(program->path, NULL),
         *text = rv_model_of_program(path ? path : program->path, &size, why);
    if (text) program->new_model = rv_model_read(text, size, "the model", why);
    free(text);
    free(path);
    return program->new_model != NULL;
}

static bool open_versions(struct rv_assessed_program *program, char **why) {
    if (!rv_version_open(&program->old, program->old_model, why)) return false;
    if (rv_version_open(&program->new, program->new_model, why)) return true;
    rv_version_close(&program->old);
    return false;
}

static bool is_partial(const struct rv_model *model) {
    for (uint32_t i = 0; i < model->unsure_count; i++)
        if (strcmp(model->unsure[i], RV_MODEL_PARTLY) == 0) return true;
    return false;
}

/* Code that is in no model may have changed, unless the program is the same file as before. */
static bool is_whole(const struct rv_assessed_program *program, const struct rv_base_program *old,
                     char **why) {
    char key[RV_KEY_SIZE];
    rv_key_of_file(program->path, key);
    if (strcmp(key, old->key) == 0) return true;
    if (is_partial(program->old_model) || is_partial(program->new_model)) {
        *why = rv_text_copy(RV_MODEL_PARTLY);
        return false;
    }
    char *function = rv_unmodelled_function(program->path, program->new_model);
    if (function) *why = rv_text_format("part of the program has no bitcode: %s()", function);
    free(function);
    return !function;
}

static void free_comparison(struct rv_assessed_program *program) {
    rv_isvps_free(&program->isvps);
    rv_impact_free(&program->impact);
    rv_match_free(&program->match);
    rv_version_close(&program->new);
    rv_version_close(&program->old);
}

static void compare(struct assessor *assessor, uint32_t number) {
    struct rv_assessed_program *program = &assessor->result->programs[number];
    const struct rv_base_program *old = assessor->old[number];
    rv_progress_say(assessor->options->progress, "comparing with the base");
    if (!old) {
        program->why = rv_text_copy("it is not on the base");
    } else if (read_old_model(assessor, program, old, &program->why) &&
               read_new_model(program, &program->why) && is_whole(program, old, &program->why) &&
               open_versions(program, &program->why)) {
        rv_match_make(&program->match, &program->old, &program->new);
        rv_impact_make(&program->impact, &program->match);
        program->compared = true;
        if (!rv_isvps_make(&program->isvps, &program->impact)) {
            free_comparison(program);
            program->compared = false;
            program->why =
                rv_text_format("the change can affect more than %u pairs of blocks", RV_TARGETS_MAX);
        }
    }
    if (program->compared) {
        note_unsure(assessor, program);
        if (program->isvps.more)
            note(assessor, rv_text_format("%s: %zu pairs are not listed one by one", program->path,
                                          program->isvps.more));
    }
    if (program->why)
        note(assessor, rv_text_format("%s: all its tests are selected: %s", program->path, program->why));
}

/* --- tests --- */

static bool is_recorded(const struct rv_base *base, const char *test) {
    for (uint32_t i = 0; i < base->test_count; i++)
        if (strcmp(base->tests[i].name, test) == 0) return true;
    return false;
}

static void keep_races(struct rv_assessment *result, const struct rv_trial *trial, uint32_t program) {
    for (size_t i = 0; i < trial->race_count; i++) {
        const struct rv_trial_race *race = &trial->races[i];
        if ((result->race_count & (result->race_count + 1)) == 0)
            result->races = rv_text_realloc(result->races, result->race_count * 2 + 2, sizeof *result->races);
        result->races[result->race_count++] = (struct rv_base_race){
            {rv_text_copy(trial->files[race->file[0]]), rv_text_copy(trial->files[race->file[1]])},
            {race->line[0], race->line[1]},
            program};
    }
}

static bool read_history(struct assessor *assessor, size_t number) {
    struct rv_assessment *result = assessor->result;
    const struct rv_suite_test *test = &assessor->suite->tests[number];
    struct rv_trial *trial = &assessor->trials[number];
    bool found = false;
    char *error = NULL;
    assessor->program_of[number] = program_number(assessor, test->program);
    if (is_recorded(&result->base, test->name) &&
        !rv_bases_get_test(assessor->store, &result->base, test->name, trial, &found, &error)) {
        note(assessor, error);
        assessor->why[number] = "its history cannot be read";
        return true;
    }
    assessor->why[number] = !found                               ? "not on the base"
                            : trial->outcome == RV_TRIAL_FAIL    ? "failed on the base"
                            : trial->outcome == RV_TRIAL_TIMEOUT ? "timed out on the base"
                            : trial->outcome == RV_TRIAL_ERROR   ? "could not be run on the base"
                            : trial->cut                         ? "not recorded whole"
                                                                 : NULL;
    result->base_seconds += trial->seconds;
    keep_races(result, trial, assessor->program_of[number]);
    return true;
}

static void choose(struct assessor *assessor, uint32_t number) {
    struct rv_assessed_program *program = &assessor->result->programs[number];
    program->tests = rv_text_alloc(assessor->suite->count, sizeof *program->tests);
    for (size_t i = 0; i < assessor->suite->count; i++)
        if (assessor->program_of[i] == number) program->tests[program->test_count++] = (uint32_t)i;
    if (!program->compared) return;
    program->histories = rv_text_alloc(program->test_count, sizeof *program->histories);
    for (uint32_t i = 0; i < program->test_count; i++) {
        struct rv_history_test *history = &program->histories[i];
        history->always = assessor->why[program->tests[i]] != NULL;
        history->observed =
            rv_trial_blocks(&assessor->trials[program->tests[i]], &program->old, &history->observed_count);
    }
    rv_select(&program->selection, &program->impact, &program->isvps, program->histories, program->test_count,
              &assessor->options->select);
}

static void add_test(struct assessor *assessor, uint32_t number, uint32_t test,
                     const struct rv_choice *choice) {
    struct rv_assessment *result = assessor->result;
    const struct rv_assessed_program *program = &result->programs[number];
    bool selected = choice ? choice->selected : true;
    const char *why = !choice ? "its program cannot be compared" : assessor->why[test];
    (void)program;
    result->tests[result->count++] = (struct rv_assessed_test){&assessor->suite->tests[test], number, choice,
                                                               selected ? why : NULL, selected};
    result->selected += selected;
    if (selected) result->selected_seconds += assessor->trials[test].seconds;
}

/* Programs by turns, each in its own order: first all that are selected, then the rest. */
static void put_in_order(struct assessor *assessor, bool selected) {
    struct rv_assessment *result = assessor->result;
    bool more = true;
    for (uint32_t turn = 0; more; turn++) {
        more = false;
        for (uint32_t i = 0; i < result->program_count; i++) {
            const struct rv_assessed_program *program = &result->programs[i];
            const struct rv_selection *selection = &program->selection;
            uint32_t at = turn + (selected || !program->compared ? 0 : selection->selected);
            uint32_t end = !program->compared ? (selected ? program->test_count : 0)
                           : selected         ? selection->selected
                                              : selection->count;
            if (at >= end) continue;
            more = true;
            if (program->compared)
                add_test(assessor, i, program->tests[selection->choices[at].test], &selection->choices[at]);
            else
                add_test(assessor, i, program->tests[at], NULL);
        }
    }
}

static bool assess(struct assessor *assessor) {
    struct rv_assessment *result = assessor->result;
    if (!choose_base(assessor)) return false;
    for (size_t i = 0; i < assessor->suite->count; i++)
        if (!read_history(assessor, i)) return false;
    for (uint32_t i = 0; i < result->program_count; i++) compare(assessor, i);
    for (uint32_t i = 0; i < result->program_count; i++) choose(assessor, i);
    result->total = (uint32_t)assessor->suite->count;
    result->tests = rv_text_alloc(result->total, sizeof *result->tests);
    put_in_order(assessor, true);
    if (assessor->options->select.rest) put_in_order(assessor, false);
    return true;
}

bool rv_assess(struct rv_assessment *assessment, const struct rv_test_suite *suite,
               const struct rv_assess_options *options) {
    double begin = rv_seconds();
    *assessment = (struct rv_assessment){0};
    struct assessor assessor = {.result = assessment,
                                .suite = suite,
                                .options = options,
                                .why = rv_text_alloc(suite->count, sizeof(char *)),
                                .trials = rv_text_alloc(suite->count, sizeof(struct rv_trial)),
                                .program_of = rv_text_alloc(suite->count, sizeof(uint32_t))};
    assessor.store = rv_store_open(options->store, RV_STORE_READ, &assessment->error);
    bool good = assessor.store && assess(&assessor);
    rv_progress_clear(options->progress);
    rv_store_close(assessor.store);
    for (size_t i = 0; i < suite->count; i++) rv_trial_free(&assessor.trials[i]);
    free(assessor.trials);
    free(assessor.why);
    free(assessor.program_of);
    free(assessor.old);
    assessment->seconds = rv_seconds() - begin;
    return good;
}

static void free_program(struct rv_assessed_program *program) {
    if (program->compared) {
        rv_selection_free(&program->selection);
        free_comparison(program);
        for (uint32_t i = 0; i < program->test_count && program->histories; i++)
            free(program->histories[i].observed);
    }
    rv_model_free(program->old_model);
    rv_model_free(program->new_model);
    free(program->histories);
    free(program->tests);
    free(program->why);
}

void rv_assessment_free(struct rv_assessment *assessment) {
    for (uint32_t i = 0; i < assessment->program_count; i++) free_program(&assessment->programs[i]);
    for (size_t i = 0; i < assessment->race_count; i++) {
        free(assessment->races[i].file[0]);
        free(assessment->races[i].file[1]);
    }
    free(assessment->races);
    free(assessment->programs);
    free(assessment->tests);
    free(assessment->error);
    rv_base_free(&assessment->base);
    rv_notes_free(&assessment->notes);
    *assessment = (struct rv_assessment){0};
}
