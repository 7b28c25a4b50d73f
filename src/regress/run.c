#include "regress/run.h"

#include <stdlib.h>
#include <string.h>

#include "regress/trial.h"
#include "report/text.h"
#include "supervisor/serve.h"

struct runner {
    struct rv_regress_result *result;
    const struct rv_assessment *assessment;
    const struct rv_regress_options *options;
    uint32_t program; /* of the test that is run */
    double deadline;  /* 0: none */
    char *directory;  /* of the suite, without links; NULL: not known */
};

/* --- what a pair is worth --- */

static bool is_known(const struct runner *runner, const struct rv_location *first,
                     const struct rv_location *second, struct rv_regress_race **race) {
    char *lines = rv_race_lines(first, second);
    bool found = false;
    for (size_t i = 0; i < runner->result->count && !found; i++) {
        struct rv_regress_race *other = &runner->result->races[i];
        if (other->program != runner->program) continue;
        char *its =
            rv_race_lines(rv_race_statement(&other->text.first), rv_race_statement(&other->text.second));
        found = strcmp(its, lines) == 0;
        if (found) *race = other;
        free(its);
    }
    free(lines);
    return found;
}

/* The pair of the model that these places are; SIZE_MAX: none. */
static size_t pair_of(const struct runner *runner, const struct rv_location *first,
                      const struct rv_location *second) {
    return rv_assessed_pair(&runner->assessment->programs[runner->program], first->file, first->line,
                            second->file, second->line);
}

static bool was_there(const struct runner *runner, const struct rv_location *first,
                      const struct rv_location *second) {
    return rv_was_on_base(runner->assessment, runner->program, first->file, first->line, second->file,
                          second->line);
}

/* What the models do not tell about counts as impacted. */
static bool may_be_impacted(const struct runner *runner, const struct rv_location *first,
                            const struct rv_location *second) {
    const struct rv_assessed_program *program = &runner->assessment->programs[runner->program];
    if (!program->compared || pair_of(runner, first, second) != SIZE_MAX) return true;
    if (program->isvps.more) return true;
    uint32_t site;
    unsigned both = RV_MODEL_READ | RV_MODEL_WRITE;
    return rv_model_sites_at(program->new_model, first->file, first->line, both, &site, 1) == 0 ||
           rv_model_sites_at(program->new_model, second->file, second->line, both, &site, 1) == 0;
}

static enum rv_hunt_worth worth(const struct rv_location *first, const struct rv_location *second,
                                const void *user) {
    const struct runner *runner = user;
    struct rv_regress_race *known = NULL;
    if (is_known(runner, first, second, &known) && known->text.status != RV_RACE_POTENTIAL)
        return RV_WORTH_NOTHING;
    if (was_there(runner, first, second)) return RV_WORTH_TELLING;
    if (may_be_impacted(runner, first, second)) return RV_WORTH_FIRST;
    return runner->options->thorough ? RV_WORTH_VERIFYING : RV_WORTH_TELLING;
}

/* An access of an impacted pair, or one that the model does not know. */
static bool focus(const struct rv_location *access, const void *user) {
    const struct runner *runner = user;
    const struct rv_assessed_program *program = &runner->assessment->programs[runner->program];
    uint32_t sites[64];
    if (!program->compared || program->isvps.more) return true;
    size_t count = rv_model_sites_at(program->new_model, access->file, access->line,
                                     RV_MODEL_READ | RV_MODEL_WRITE, sites, 64);
    if (count == 0 || count > 64) return true;
    for (size_t i = 0; i < program->isvps.count; i++)
        for (size_t k = 0; k < count; k++)
            if (program->isvps.pairs[i].first == sites[k] || program->isvps.pairs[i].second == sites[k])
                return true;
    return false;
}

/* --- what was found --- */

static void find_change(const struct runner *runner, struct rv_regress_race *race, size_t pair) {
    const struct rv_assessed_program *program = &runner->assessment->programs[runner->program];
    if (pair == SIZE_MAX) return;
    const struct rv_isvp *found = &program->isvps.pairs[pair];
    const struct rv_impacted *first = &program->impact.sites[found->first],
                             *second = &program->impact.sites[found->second];
    /* The side that was changed itself says more than one that a change only reaches. */
    const struct rv_impacted *impacted =
        second->reason != RV_UNIMPACTED && second->reason < first->reason ? second : first;
    if (impacted->statement == RV_NONE) return;
    const struct rv_version *version = impacted->old ? &program->old : &program->new;
    uint32_t line = version->model->statements[impacted->statement].line;
    const char *file = rv_function_file(version->model, rv_statement_function(version, impacted->statement));
    size_t above = runner->directory ? strlen(runner->directory) : 0; /* shown as reports show files */
    bool below = above && strncmp(file, runner->directory, above) == 0 && file[above] == '/';
    rv_text_set(&race->change, rv_text_format("%s:%u", below ? file + above + 1 : file, line));
    race->change_is_old = impacted->old;
    race->hunk = rv_git_hunk_at(runner->result->hunks, runner->result->hunk_count, file, line, impacted->old);
}

static void count_race(struct rv_regress_result *result, const struct rv_regress_race *race,
                       struct rv_regress_test *test) {
    if (race->on_base || !race->impacted) {
        result->older++;
    } else if (race->text.status == RV_RACE_POTENTIAL) {
        result->potential++;
    } else {
        result->regressions++;
        test->regressions++;
    }
}

/* Takes the text over. */
static void add_race(struct runner *runner, uint32_t number, struct rv_race_text *text) {
    struct rv_regress_result *result = runner->result;
    const struct rv_location *first = rv_race_statement(&text->first),
                             *second = rv_race_statement(&text->second);
    struct rv_regress_race *known = NULL, race = {.text = *text,
                                                  .test = runner->assessment->tests[number].test->name,
                                                  .program = runner->program,
                                                  .change = rv_text_copy("")};
    race.on_base = was_there(runner, first, second);
    race.impacted = may_be_impacted(runner, first, second);
    race.regression = !race.on_base && race.impacted && text->status != RV_RACE_POTENTIAL;
    if (is_known(runner, first, second, &known)) {
        bool better = text->status > known->text.status;
        if (better && known->impacted && !known->on_base) result->potential--;
        if (better && (known->on_base || !known->impacted)) result->older--;
        if (!better) {
            free(race.change);
            rv_race_free(&race.text);
            *text = (struct rv_race_text){0};
            return;
        }
    }
    find_change(runner, &race, pair_of(runner, first, second));
    *text = (struct rv_race_text){0};
    count_race(result, &race, &result->tests[number]);
    if (known) {
        free(known->change);
        rv_race_free(&known->text);
        *known = race;
        return;
    }
    if ((result->count & (result->count + 1)) == 0)
        result->races = rv_text_realloc(result->races, result->count * 2 + 2, sizeof *result->races);
    result->races[result->count++] = race;
}

static void take_hunt(struct runner *runner, uint32_t number, struct rv_hunt_result *hunt) {
    struct rv_regress_result *result = runner->result;
    struct rv_regress_test *test = &result->tests[number];
    test->seconds = hunt->seconds;
    result->searching += hunt->searching;
    if (hunt->error) {
        test->error = rv_text_copy(hunt->error);
        rv_notes_add(
            &result->notes,
            rv_text_format("test %s: %s", runner->assessment->tests[number].test->name, hunt->error));
    }
    for (size_t i = 0; i < hunt->race_count; i++) add_race(runner, number, &hunt->races[i]);
    for (size_t i = 0; i < hunt->failure_count; i++)
        rv_notes_add(&result->notes, rv_text_format("test %s fails in some schedule: %s (%s)",
                                                    runner->assessment->tests[number].test->name,
                                                    hunt->failures[i].message, hunt->failures[i].file));
    result->failures += (uint32_t)hunt->failure_count;
    result->executions += hunt->schedules + hunt->watched + hunt->steered;
    if (result->regressions && !result->first) result->first = result->executions;
}

/* --- the tests --- */

static void run_test(struct runner *runner, uint32_t number) {
    const struct rv_regress_options *options = runner->options;
    const struct rv_assessed_test *assessed = &runner->assessment->tests[number];
    struct rv_regress_test *test = &runner->result->tests[number];
    struct rv_program program;
    runner->program = assessed->program;
    test->run = true;
    runner->result->run++;
    if (rv_trial_program(&program, assessed->test, &test->error) != 0) {
        rv_notes_add(&runner->result->notes,
                     rv_text_format("test %s: %s", assessed->test->name, test->error));
    } else {
        struct rv_hunt_options hunt = {.config = *options->config,
                                       .schedules = options->schedules,
                                       .tries = options->tries,
                                       .deadlocks = RV_DEADLOCKS_OFF,
                                       .progress = options->progress,
                                       .worth = worth,
                                       .focus = options->unfocused ? NULL : focus,
                                       .user = runner};
        struct rv_hunt_result found;
        hunt.config.instrumented = program.instrumented;
        if (runner->deadline > 0) hunt.time_limit = runner->deadline - rv_seconds();
        rv_hunt(&found, &program, &hunt, options->vault);
        take_hunt(runner, number, &found);
        rv_hunt_free(&found);
    }
    rv_program_close(&program);
}

/* What all tests would have taken: a test more costs its search, for what it finds has been verified already. */
static void estimate(struct runner *runner, const struct rv_test_suite *suite) {
    struct rv_regress_result *result = runner->result;
    if (result->run)
        result->estimate =
            result->seconds + result->searching / result->run * (double)(suite->count - result->run);
}

void rv_regress_run(struct rv_regress_result *result, const struct rv_assessment *assessment,
                    const struct rv_test_suite *suite, const struct rv_regress_options *options) {
    double begin = rv_seconds();
    *result = (struct rv_regress_result){.tests = rv_text_alloc(assessment->count, sizeof *result->tests)};
    struct runner runner = {.result = result,
                            .assessment = assessment,
                            .options = options,
                            .directory = realpath(suite->directory, NULL),
                            .deadline = options->budget > 0 ? begin + options->budget : 0};
    result->hunks = rv_git_hunks(suite->directory, assessment->base.commit, &result->hunk_count);
    for (uint32_t i = 0; i < assessment->count && !rv_interrupted && !result->out_of_time; i++) {
        if (runner.deadline > 0 && rv_seconds() >= runner.deadline)
            result->out_of_time = true;
        else
            run_test(&runner, i);
    }
    rv_progress_clear(options->progress);
    result->interrupted = rv_interrupted;
    result->seconds = rv_seconds() - begin;
    estimate(&runner, suite);
    free(runner.directory);
}

void rv_regress_free(struct rv_regress_result *result, const struct rv_assessment *assessment) {
    for (size_t i = 0; i < result->count; i++) {
        rv_race_free(&result->races[i].text);
        free(result->races[i].change);
    }
    for (uint32_t i = 0; i < assessment->count && result->tests; i++) free(result->tests[i].error);
    free(result->races);
    free(result->tests);
    rv_git_hunks_free(result->hunks, result->hunk_count);
    rv_notes_free(&result->notes);
    *result = (struct rv_regress_result){0};
}
