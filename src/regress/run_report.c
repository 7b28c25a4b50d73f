/* What came of it: text, JSON, SARIF, JUnit. */
#include <stdlib.h>
#include <string.h>

#include "regress/run.h"
#include "report/json_parts.h"
#include "report/sarif.h"
#include "report/text.h"
#include "suite/output.h"

static char *harmless(const char *text) { return rv_text_harmless(text, !rv_text_utf8_locale()); }

/* --- for people --- */

static void print_hunk(const struct rv_hunk *hunk, FILE *out) {
    char *copy = rv_text_copy(hunk->text);
    unsigned lines = 0;
    for (char *rest = copy, *line; (line = strsep(&rest, "\n")) && lines < 24;) {
        char *clean = harmless(line);
        if (*clean) fprintf(out, "    %s\n", clean);
        lines += *clean != 0;
        free(clean);
    }
    free(copy);
}

static void print_race(const struct rv_regress_race *race, FILE *out,
                       const struct rv_print_options *options) {
    char *test = harmless(race->test);
    rv_race_print(&race->text, out, options);
    fprintf(out, "  test %s\n", test);
    if (race->hunk) {
        char *file = harmless(race->hunk->file);
        fprintf(out, "  brought in by the change of %s:\n", file);
        print_hunk(race->hunk, out);
        free(file);
    } else if (*race->change) {
        char *change = harmless(race->change);
        fprintf(out, "  brought in by the change at %s%s\n", change,
                race->change_is_old ? " of the base" : "");
        free(change);
    }
    fputc('\n', out);
    free(test);
}

static void print_summary(const struct rv_regress_result *result, const struct rv_assessment *assessment,
                          FILE *out) {
    double spent = result->seconds + assessment->seconds;
    fprintf(out, "%u regression race%s, %u potential, %u older; ", result->regressions,
            result->regressions == 1 ? "" : "s", result->potential, result->older);
    fprintf(out, "%u of %u tests run in %.1f s (and %.2f s of analysis)", result->run, assessment->total,
            result->seconds, assessment->seconds);
    if (result->run && result->run < assessment->total && result->estimate > spent)
        fprintf(out, "; all would take about %.1f s, %.0f%% saved", result->estimate,
                100 * (1 - spent / result->estimate));
    fputc('\n', out);
}

void rv_regress_print(const struct rv_regress_result *result, const struct rv_assessment *assessment,
                      FILE *out, const struct rv_print_options *options) {
    for (size_t i = 0; i < result->count; i++)
        if (result->races[i].regression) print_race(&result->races[i], out, options);
    for (size_t i = 0; i < assessment->notes.count + result->notes.count; i++) {
        const struct rv_notes *notes = i < assessment->notes.count ? &assessment->notes : &result->notes;
        char *text = harmless(notes->texts[notes == &result->notes ? i - assessment->notes.count : i]);
        fprintf(out, "note: %s\n", text);
        free(text);
    }
    if (result->interrupted)
        fprintf(out, "interrupted: %u of %u selected tests were run\n", result->run, assessment->count);
    else if (result->out_of_time)
        fprintf(out, "the time is over: %u of %u selected tests were run\n", result->run, assessment->count);
    print_summary(result, assessment, out);
}

/* --- JSON --- */

static json_t *race_json(const struct rv_regress_race *race) {
    json_t *object = rv_race_json(&race->text), *change;
    json_object_set_new(object, "regression", json_boolean(race->regression));
    json_object_set_new(object, "impacted", json_boolean(race->impacted));
    json_object_set_new(object, "on_base", json_boolean(race->on_base));
    json_object_set_new(object, "test", rv_json_text(race->test));
    if (!*race->change) return object;
    change = json_object();
    const char *colon = strrchr(race->change, ':');
    char *file = rv_text_copy_n(race->change, colon ? (size_t)(colon - race->change) : strlen(race->change));
    json_object_set_new(change, "file", rv_json_text(file));
    json_object_set_new(change, "line", json_integer(colon ? atoi(colon + 1) : 0));
    json_object_set_new(change, "old", json_boolean(race->change_is_old));
    if (race->hunk) json_object_set_new(change, "hunk", rv_json_text(race->hunk->text));
    json_object_set_new(object, "change", change);
    free(file);
    return object;
}

void rv_regress_add_json(const struct rv_regress_result *result, const struct rv_assessment *assessment,
                         json_t *object) {
    json_t *races = json_array(), *run = json_array(), *notes = json_object_get(object, "notes");
    for (size_t i = 0; i < result->count; i++) json_array_append_new(races, race_json(&result->races[i]));
    for (uint32_t i = 0; i < assessment->count; i++) {
        const struct rv_regress_test *test = &result->tests[i];
        if (!test->run) continue;
        json_t *one = json_object();
        json_object_set_new(one, "test", rv_json_text(assessment->tests[i].test->name));
        json_object_set_new(one, "seconds", json_real(test->seconds));
        json_object_set_new(one, "regressions", json_integer(test->regressions));
        if (test->error) json_object_set_new(one, "error", rv_json_text(test->error));
        json_array_append_new(run, one);
    }
    for (size_t i = 0; i < result->notes.count; i++)
        json_array_append_new(notes, rv_json_text(result->notes.texts[i]));
    json_object_set_new(object, "races", races);
    json_object_set_new(object, "run", run);
    json_object_set_new(object, "regressions", json_integer(result->regressions));
    json_object_set_new(object, "potential", json_integer(result->potential));
    json_object_set_new(object, "older", json_integer(result->older));
    json_object_set_new(object, "failures", json_integer(result->failures));
    json_object_set_new(object, "executions", json_integer((json_int_t)result->executions));
    if (result->first)
        json_object_set_new(object, "executions_to_first", json_integer((json_int_t)result->first));
    json_object_set_new(object, "run_seconds", json_real(result->seconds));
    json_object_set_new(object, "estimate_seconds", json_real(result->estimate));
    json_object_set_new(object, "stopped_by",
                        json_string(result->interrupted   ? "interrupt"
                                    : result->out_of_time ? "budget"
                                                          : "complete"));
}

/* --- SARIF --- */

/* The regressions; texts are borrowed. */
json_t *rv_regress_sarif(const struct rv_regress_result *result, const char *directory) {
    struct rv_race_text *races = rv_text_alloc(result->count, sizeof *races);
    size_t count = 0;
    for (size_t i = 0; i < result->count; i++)
        if (result->races[i].regression) races[count++] = result->races[i].text;
    char *real = realpath(directory, NULL), *root = real ? rv_sarif_find_root(real) : NULL;
    const struct rv_sarif_roots roots = {real, root};
    json_t *log = rv_sarif(races, count, NULL, 0, &roots, RV_VERSION);
    free(races);
    free(real);
    free(root);
    return log;
}

/* --- JUnit --- */

/* The regressions that a test was the first to show. */
static char *report_of(const struct rv_regress_result *result, const struct rv_assessed_test *test) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const struct rv_print_options plain = {.width = 100};
    for (size_t i = 0; i < result->count; i++)
        if (result->races[i].regression && result->races[i].test == test->test->name)
            print_race(&result->races[i], out, &plain);
    fclose(out);
    return text;
}

char *rv_regress_junit(const struct rv_regress_result *result, const struct rv_assessment *assessment,
                       const char *suite) {
    struct rv_suite_case *cases = rv_text_alloc(assessment->count, sizeof *cases);
    struct rv_test_result *results = rv_text_alloc(assessment->count, sizeof *results);
    struct rv_suite_cases list = {.cases = cases, .count = assessment->count};
    struct rv_suite_report report = {
        .program = suite, .cases = &list, .results = results, .seconds = result->seconds};
    for (uint32_t i = 0; i < assessment->count; i++) {
        const struct rv_regress_test *test = &result->tests[i];
        cases[i] =
            (struct rv_suite_case){.name = assessment->tests[i].test->name, .file = "", .chosen = test->run};
        if (!test->run) continue;
        results[i].status = test->error ? RV_TEST_ERROR : test->regressions ? RV_TEST_FAIL : RV_TEST_PASS;
        results[i].seconds = test->seconds;
        if (test->error) results[i].message = rv_text_copy(test->error);
        if (test->regressions) {
            results[i].kind = rv_text_copy("race");
            results[i].message =
                rv_text_format("%u regression race%s", test->regressions, test->regressions == 1 ? "" : "s");
            results[i].report = report_of(result, &assessment->tests[i]);
        }
        rv_test_result_complete(&results[i]);
        report.counts[results[i].status]++;
    }
    char *xml = rv_suite_junit(&report);
    for (uint32_t i = 0; i < assessment->count; i++) rv_test_result_free(&results[i]);
    free(cases);
    free(results);
    return xml;
}
