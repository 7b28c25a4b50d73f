/* The result of `ravel generate`, as text and as JSON. */
#include <stdlib.h>

#include "coverage/tell.h"
#include "generate/results.h"
#include "generate/session.h"
#include "report/json_parts.h"
#include "report/printer.h"
#include "report/race.h"
#include "supervisor/util.h"

/* ---- for people ---- */

static void print_bug(const struct rv_api *api, const struct rv_settled *bug, FILE *out,
                      const struct rv_print_options *options) {
    struct rv_history history = {0};
    rv_test_history(&bug->bug.test, &history);
    bool told = rv_test_told(&history, bug->bug.told, bug->bug.told_size);
    char *test = rv_test_tell(api, &bug->bug.test, told ? &history : NULL);
    for (char *line = test, *end; *line; line = end) {
        end = strchrnul(line, '\n');
        if (*end) *end++ = 0;
        char *clean = rv_text_harmless(line, false);
        fprintf(out, "%s\n", clean);
        free(clean);
    }
    fputs("\n", out);
    rv_failure_print(&bug->failure, out, options);
    if (bug->pattern.found) {
        char *text = rv_bug_pattern_text(&bug->pattern), *clean = rv_text_harmless(text, false);
        fprintf(out, "the pattern behind it: %s\n", clean);
        free(text);
        free(clean);
    }
    if (bug->test_file)
        fprintf(out, "as a test to keep: %s\n\n", bug->test_file);
    else
        fprintf(out, "no test to keep: what was written as one did not show it under ravel test\n\n");
    free(test);
    rv_history_free(&history);
}

static void print_race(const struct rv_failure *failure, FILE *out) {
    const struct rv_race_text *race = failure->race;
    if (!race) return;
    char *first = rv_describe_briefly(rv_race_statement(&race->first)),
         *second = rv_describe_briefly(rv_race_statement(&race->second));
    struct rv_text line = {0};
    rv_text_addf(&line, "data race: %s and %s: ravel show %s", first, second, failure->file);
    char *clean = rv_text_harmless(line.data, false);
    fprintf(out, "%s\n", clean);
    free(clean);
    free(line.data);
    free(first);
    free(second);
}

static void print_coverage(const struct rv_generated *result, FILE *out) {
    struct rv_cover_figures figures;
    char number[2][32];
    rv_cover_figures(&figures, &result->coverage);
    fprintf(out, "memory-access patterns: %s covered of %s that may be possible, %.0f%%\n",
            rv_grouped(figures.all.covered, number[0]), rv_grouped(figures.all.feasible, number[1]),
            rv_cover_percent(figures.all.covered, figures.all.feasible));
    rv_cover_figures_free(&figures);
}

static void print_count(FILE *out, uint64_t count, const char *what, const char *rest) {
    char number[32];
    if (count) fprintf(out, "%s %s%s %s\n", rv_grouped(count, number), what, count == 1 ? "" : "s", rest);
}

void rv_generated_print(const struct rv_generated *result, FILE *out,
                        const struct rv_print_options *options) {
    const struct rv_api *api = &result->api;
    char number[2][32];
    for (uint32_t i = 0; i < result->bug_count; i++) print_bug(api, &result->bugs[i], out, options);
    for (uint32_t i = 0; i < result->race_count; i++) print_race(&result->races[i].failure, out);
    for (uint32_t i = 0; i < api->skipped_count; i++)
        fprintf(out, "not called: %s (line %u): %s\n", api->skipped[i].name, api->skipped[i].line,
                api->skipped[i].why);
    fprintf(out,
            "%s: %u bug%s; %s tests, %s executions in %.1f s; %llu of %llu pairs of methods ran at once\n",
            api->short_name, result->bug_count, result->bug_count == 1 ? "" : "s",
            rv_grouped(result->tests, number[0]), rv_grouped(result->executions, number[1]), result->seconds,
            (unsigned long long)result->pairs_covered, (unsigned long long)result->pairs);
    print_coverage(result, out);
    print_count(out, result->misuse, "test", "left out: the calls fail when one thread makes them, too");
    print_count(out, result->useless, "test", "came to nothing: the first calls fail or wait for ever");
    print_count(out, result->unknown, "execution", "could not be judged");
    print_count(out, result->unconfirmed, "failure", "did not happen again in a fresh process");
    if (result->interrupted) fputs("interrupted\n", out);
}

/* ---- JSON ---- */

static json_t *pattern_json(const struct rv_bug_pattern *pattern) {
    const struct rv_cover_data *data = &pattern->data;
    const struct rv_instance *instance = rv_cover_instance_at(data, 0);
    json_t *sites = json_array();
    for (unsigned i = 0; i < rv_pattern_table[instance->pattern].steps; i++) {
        const struct rv_cover_statement *it = &data->statements[instance->statements[i]];
        json_array_append_new(sites, json_pack("{s:s, s:o, s:o, s:i, s:s}", "thread",
                                               rv_pattern_table[instance->pattern].step[i].second ? "b" : "a",
                                               "function", rv_json_text(it->function), "file",
                                               rv_json_text(it->file), "line", (int)it->line, "access",
                                               it->write ? "write" : "read"));
    }
    json_t *object =
        json_pack("{s:i, s:o, s:o}", "id", (int)instance->pattern, "variable",
                  rv_json_text(rv_cover_variable_name(data, instance->variables[0])), "sites", sites);
    if (rv_pattern_is_wide(instance->pattern))
        json_object_set_new(object, "other_variable",
                            rv_json_text(rv_cover_variable_name(data, instance->variables[1])));
    return object;
}

static json_t *bug_json(const struct rv_api *api, const struct rv_settled *bug) {
    json_t *methods = json_array(), *calls = json_array();
    struct rv_history history = {0};
    rv_test_history(&bug->bug.test, &history);
    bool told = rv_test_told(&history, bug->bug.told, bug->bug.told_size);
    for (uint32_t i = 0; i < bug->bug.test.count; i++) {
        const struct rv_case_call *call = &bug->bug.test.calls[i];
        struct rv_text text = {0};
        rv_result_tell(&text, api, &bug->bug.test, i, told ? &history.calls[i] : NULL);
        if (call->phase == RV_PHASE_DURING)
            json_array_append_new(methods, rv_json_text(api->methods[call->method].name));
        json_array_append_new(calls, json_pack("{s:i, s:o}", "thread",
                                               call->phase == RV_PHASE_DURING ? call->thread + 1 : 0, "call",
                                               rv_json_text(text.data)));
        free(text.data);
    }
    rv_history_free(&history);
    json_t *object = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:f}", "kind", rv_kind_names[bug->bug.kind],
                               "message", rv_json_text(bug->failure.message), "methods", methods, "calls",
                               calls, "tests", rv_json_number(bug->bug.tests), "executions",
                               rv_json_number(bug->bug.executions), "seconds", bug->bug.seconds);
    if (bug->pattern.found) json_object_set_new(object, "pattern", pattern_json(&bug->pattern));
    if (bug->test_file) json_object_set_new(object, "test", rv_json_text(bug->test_file));
    json_object_set_new(object, "file", rv_json_text(bug->failure.file));
    return object;
}

json_t *rv_generated_json(const struct rv_generated *result) {
    const struct rv_api *api = &result->api;
    json_t *races = json_array();
    for (uint32_t i = 0; i < result->race_count; i++)
        if (result->races[i].failure.race)
            json_array_append_new(races, rv_race_json(result->races[i].failure.race));
    json_t *methods = json_array(), *skipped = json_array(), *failures = json_array();
    for (uint32_t i = 0; i < api->count; i++)
        if (rv_api_callable(&api->methods[i]))
            json_array_append_new(methods, rv_json_text(api->methods[i].name));
    for (uint32_t i = 0; i < api->skipped_count; i++)
        json_array_append_new(skipped,
                              json_pack("{s:o, s:i, s:o}", "name", rv_json_text(api->skipped[i].name), "line",
                                        (int)api->skipped[i].line, "why", rv_json_text(api->skipped[i].why)));
    for (uint32_t i = 0; i < result->bug_count; i++)
        json_array_append_new(failures, bug_json(api, &result->bugs[i]));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:{s:o, s:o}, s:o, s:o, s:o, s:b, s:o, s:o}",
                     "version", RV_VERSION, "type", rv_json_text(api->short_name), "methods", methods,
                     "not_called", skipped, "tests", rv_json_number(result->tests), "executions",
                     rv_json_number(result->executions), "seconds", result->seconds, "coverage",
                     rv_cover_json(&result->coverage, RV_COVER_JSON_SHORT), "pairs", "covered",
                     rv_json_number(result->pairs_covered), "total", rv_json_number(result->pairs), "misuse",
                     rv_json_number(result->misuse), "useless", rv_json_number(result->useless), "unknown",
                     rv_json_number(result->unknown), "interrupted", result->interrupted, "races", races,
                     "failures", failures);
}
