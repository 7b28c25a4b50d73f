#include "regress/record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "regress/git.h"
#include "regress/modelling.h"
#include "regress/trial.h"
#include "report/text.h"
#include "supervisor/serve.h"

struct recorder {
    const struct rv_test_suite *suite;
    const struct rv_record_options *options;
    struct rv_record_result *result;
    struct rv_store *store;
    struct rv_base base;
    struct rv_known_races known;
};

/* --- what there is to be recorded --- */

static uint32_t program_of(struct rv_base *base, const struct rv_suite_test *test) {
    struct rv_program program;
    char key[RV_KEY_SIZE] = "", *error = NULL;
    for (uint32_t i = 0; i < base->program_count; i++)
        if (strcmp(base->programs[i].path, test->program) == 0) return i;
    if (rv_trial_program(&program, test, &error) == 0) rv_key_of_file(program.path, key);
    rv_program_close(&program);
    rv_base_add_program(base, rv_text_copy(test->program), key, error ? error : rv_text_copy(""));
    return base->program_count - 1;
}

static void describe(struct recorder *recorder) {
    struct rv_base *base = &recorder->base;
    base->name = rv_text_copy(recorder->options->name);
    base->commit = rv_git_commit(recorder->suite->directory);
    base->recorded = time(NULL);
    for (size_t i = 0; i < recorder->suite->count; i++) {
        const struct rv_suite_test *test = &recorder->suite->tests[i];
        rv_base_add_test(base, rv_text_copy(test->name), program_of(base, test));
    }
    recorder->result->id = rv_base_id(base);
}

static bool same_programs(const struct rv_base *a, const struct rv_base *b) {
    bool same = a->program_count == b->program_count && a->test_count == b->test_count;
    for (uint32_t i = 0; i < a->program_count && same; i++)
        same = strcmp(a->programs[i].path, b->programs[i].path) == 0 && a->programs[i].key[0] &&
               strcmp(a->programs[i].key, b->programs[i].key) == 0;
    for (uint32_t i = 0; i < a->test_count && same; i++)
        same = strcmp(a->tests[i].name, b->tests[i].name) == 0 && a->tests[i].program == b->tests[i].program;
    return same;
}

/* Whether there is one of this id, and of the same builds: it is gone on with. Else what is there is forgotten. */
static bool look_for_earlier(struct recorder *recorder, bool *go_on) {
    size_t count, damaged;
    char **error = &recorder->result->error;
    struct rv_base *bases = rv_bases_list(recorder->store, &count, &damaged, error);
    bool good = bases != NULL;
    *go_on = false;
    for (size_t i = 0; i < count && good; i++) {
        char *id = rv_base_id(&bases[i]);
        bool same = strcmp(id, recorder->result->id) == 0;
        free(id);
        if (!same) continue;
        *go_on =
            same_programs(&bases[i], &recorder->base) && !(recorder->options->again && bases[i].complete);
        recorder->result->already = *go_on && bases[i].complete;
    }
    if (good && !*go_on) good = rv_bases_forget(recorder->store, &recorder->base, error);
    for (size_t i = 0; i < count && bases; i++) rv_base_free(&bases[i]);
    free(bases);
    return good;
}

/* --- models --- */

static bool record_model(struct recorder *recorder, uint32_t number) {
    struct rv_base_program *program = &recorder->base.programs[number];
    size_t size = 0;
    char *why = NULL;
    if (*program->why) return true;
    rv_progress_say(recorder->options->progress, "reading the program's bitcode");
    char *found = realpath(program->path, NULL),
         *text = rv_model_of_program(found ? found : program->path, &size, &why);
    bool good = !text || rv_bases_put_model(recorder->store, &recorder->base, number, text, size,
                                            &recorder->result->error);
    if (!text) rv_text_set(&program->why, why);
    free(found);
    free(text);
    return good;
}

static void note_models(struct recorder *recorder) {
    for (uint32_t i = 0; i < recorder->base.program_count; i++) {
        const struct rv_base_program *program = &recorder->base.programs[i];
        if (*program->why)
            rv_notes_add(&recorder->result->notes,
                         rv_text_format("%s: no static model, all its tests will be selected: %s",
                                        program->path, program->why));
    }
}

/* --- tests --- */

static bool record_test(struct recorder *recorder, size_t number, bool go_on) {
    const struct rv_suite_test *test = &recorder->suite->tests[number];
    struct rv_record_result *result = recorder->result;
    struct rv_trial trial = {.program = recorder->base.tests[number].program};
    bool found = false;
    if (go_on &&
        !rv_bases_get_test(recorder->store, &recorder->base, test->name, &trial, &found, &result->error))
        return false;
    if (!found) {
        char *what = rv_text_format("recording: test %zu of %zu", number + 1, recorder->suite->count);
        rv_progress_say(recorder->options->progress, what);
        free(what);
        trial.program = recorder->base.tests[number].program;
        const struct rv_record_options *options = recorder->options;
        rv_trial_run(&trial, test, options->config);
        if (options->races && options->vault && trial.outcome == RV_TRIAL_PASS && !rv_interrupted)
            rv_trial_hunt(&trial, test, options->config, options->races, options->vault, &recorder->known);
    }
    bool good = found || rv_interrupted ||
                rv_bases_put_test(recorder->store, &recorder->base, test->name, &trial, &result->error);
    result->kept += found;
    if (good && !rv_interrupted) {
        result->tests++;
        result->outcomes[trial.outcome]++;
        if (trial.outcome != RV_TRIAL_PASS)
            rv_notes_add(&result->notes,
                         rv_text_format("test %s: %s on the base: %s", test->name,
                                        rv_trial_outcome_names[trial.outcome], trial.message));
        if (trial.cut)
            rv_notes_add(&result->notes,
                         rv_text_format("test %s: too long to be recorded whole: it will always be selected",
                                        test->name));
    }
    rv_trial_free(&trial);
    return good;
}

static bool record_all(struct recorder *recorder) {
    struct rv_record_result *result = recorder->result;
    bool go_on;
    describe(recorder);
    if (!look_for_earlier(recorder, &go_on)) return false;
    if (!go_on && !rv_bases_put(recorder->store, &recorder->base, &result->error)) return false;
    for (uint32_t i = 0; i < recorder->base.program_count && !result->already && !rv_interrupted; i++)
        if (!record_model(recorder, i)) return false;
    for (size_t i = 0; i < recorder->suite->count && !rv_interrupted; i++)
        if (!record_test(recorder, i, go_on)) return false;
    result->interrupted = rv_interrupted;
    note_models(recorder);
    if (result->interrupted || result->already) return !result->interrupted;
    recorder->base.complete = true;
    return rv_bases_put(recorder->store, &recorder->base, &result->error);
}

bool rv_record_suite(struct rv_record_result *result, const struct rv_test_suite *suite,
                     const struct rv_record_options *options) {
    double begin = rv_seconds();
    *result = (struct rv_record_result){0};
    struct recorder recorder = {.suite = suite, .options = options, .result = result};
    recorder.store = rv_store_open(options->store, RV_STORE_WRITE, &result->error);
    bool good = recorder.store && record_all(&recorder);
    rv_progress_clear(options->progress);
    rv_store_close(recorder.store);
    rv_base_free(&recorder.base);
    for (size_t i = 0; i < recorder.known.count; i++) free(recorder.known.lines[i]);
    free(recorder.known.lines);
    result->seconds = rv_seconds() - begin;
    return good;
}

void rv_record_free(struct rv_record_result *result) {
    free(result->id);
    free(result->error);
    rv_notes_free(&result->notes);
    *result = (struct rv_record_result){0};
}
