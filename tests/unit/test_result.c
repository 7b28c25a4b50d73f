/* The result of a campaign as JSON and as text: the contract's keys, whatever the result; nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/race.h"
#include "report/text.h"
#include "supervisor/progress.h"
#include "supervisor/result.h"
#include "supervisor/vault.h"

static char *argument_list[] = {"./queue", "--size", "caf\xe9 \x01", NULL};
static struct rv_program program = {.name = "./queue", .argv = argument_list, .instrumented = true};

static struct rv_result a_result(void) {
    struct rv_result result = {.program = &program,
                               .isolation = RV_ISOLATION_MEMORY,
                               .schedules = 10000,
                               .seconds = 2.5,
                               .stopped_by = RV_STOP_SCHEDULES,
                               .not_terminating = 0};
    snprintf(result.config.strategy, sizeof result.config.strategy, "pct:3");
    result.config.seed = 7;
    result.config.max_steps = 1000;
    return result;
}

static struct rv_failure a_failure(enum rv_kind kind, uint64_t signature) {
    struct rv_failure failure = {.kind = kind,
                                 .signature = signature,
                                 .thread = RV_NO_THREAD,
                                 .message = rv_text_copy("it broke"),
                                 .program = rv_text_copy("./queue"),
                                 .first_schedule = 17,
                                 .count = 3,
                                 .preemptions = 2};
    rv_failure_complete(&failure);
    return failure;
}

static char *printed(const struct rv_result *result) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct rv_print_options options = {.width = 100};
    rv_result_print(result, out, &options);
    fclose(out);
    return text;
}

static void expect_text(const struct rv_result *result, const char *part) {
    char *text = printed(result);
    if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
    free(text);
}

static void every_key_of_the_contract_is_there(void **state) {
    (void)state;
    static const struct {
        const char *key;
        json_type type;
    } keys[] = {
        {"version", JSON_STRING},      {"program", JSON_STRING},    {"args", JSON_ARRAY},
        {"strategy", JSON_STRING},     {"seed", JSON_INTEGER},      {"isolation", JSON_STRING},
        {"instrumented", JSON_TRUE},   {"schedules", JSON_INTEGER}, {"complete", JSON_FALSE},
        {"seconds", JSON_REAL},        {"stopped_by", JSON_STRING}, {"schedules_per_second", JSON_REAL},
        {"failures", JSON_ARRAY},      {"notes", JSON_ARRAY},       {"not_terminating", JSON_INTEGER},
        {"unconfirmed", JSON_INTEGER}, {"fixed", JSON_ARRAY},
    };
    struct rv_result result = a_result();
    json_t *object = rv_result_json(&result);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *value = json_object_get(object, keys[i].key);
        if (!value || json_typeof(value) != keys[i].type)
            fail_msg("%s: missing or of another type", keys[i].key);
    }
    assert_int_equal(json_object_size(object), sizeof keys / sizeof *keys); /* optional ones are not there */
    assert_string_equal(json_string_value(json_object_get(object, "program")), "./queue");
    assert_string_equal(json_string_value(json_object_get(object, "strategy")), "pct:3");
    assert_string_equal(json_string_value(json_object_get(object, "isolation")), "memory");
    assert_string_equal(json_string_value(json_object_get(object, "stopped_by")), "schedules");
    assert_true(json_real_value(json_object_get(object, "schedules_per_second")) == 4000.0);
    const json_t *args = json_object_get(object, "args");
    assert_int_equal(json_array_size(args), 2);
    assert_string_equal(json_string_value(json_array_get(args, 0)), "--size");
    assert_string_equal(json_string_value(json_array_get(args, 1)), "caf\xef\xbf\xbd \x01");
    char *text = json_dumps(object, 0);
    assert_non_null(text); /* also with bytes that are not UTF-8 */
    free(text);
    json_decref(object);
    rv_result_free(&result);
}

static void nothing_explored_is_no_division_by_zero(void **state) {
    (void)state;
    struct rv_result result = a_result();
    result.schedules = 0;
    result.seconds = 0;
    json_t *object = rv_result_json(&result);
    assert_true(json_real_value(json_object_get(object, "schedules_per_second")) == 0.0);
    json_decref(object);
    rv_result_free(&result);
}

static void failures_are_numbered_and_complete(void **state) {
    (void)state;
    struct rv_result result = a_result();
    struct rv_failure first = a_failure(RV_KIND_ASSERT, 1), second = a_failure(RV_KIND_DEADLOCK, 1);
    rv_text_set(&first.file, rv_text_copy("out/a.ravel"));
    rv_result_add(&result, &first);
    rv_result_add(&result, &second)->known = true;
    result.stopped_by = RV_STOP_FAILURE;
    json_t *object = rv_result_json(&result);
    const json_t *failures = json_object_get(object, "failures"), *failure = json_array_get(failures, 0);
    assert_int_equal(json_array_size(failures), 2);
    assert_int_equal(json_integer_value(json_object_get(failure, "id")), 1);
    assert_string_equal(json_string_value(json_object_get(failure, "kind")), "assert");
    assert_string_equal(json_string_value(json_object_get(failure, "message")), "it broke");
    assert_int_equal(json_integer_value(json_object_get(failure, "first_schedule")), 17);
    assert_int_equal(json_integer_value(json_object_get(failure, "count")), 3);
    assert_int_equal(json_integer_value(json_object_get(failure, "preemptions")), 2);
    assert_string_equal(json_string_value(json_object_get(failure, "file")), "out/a.ravel");
    assert_true(json_is_array(json_object_get(failure, "threads")));
    assert_true(json_is_false(json_object_get(failure, "known")));
    failure = json_array_get(failures, 1);
    assert_int_equal(json_integer_value(json_object_get(failure, "id")), 2);
    assert_true(json_is_true(json_object_get(failure, "known")));
    assert_string_equal(json_string_value(json_object_get(object, "stopped_by")), "failure");
    json_decref(object);
    expect_text(&result, "failure 2 of 2");
    expect_text(&result, "a known failure, saved by an earlier run, still happens:\ndeadlock: it broke");
    expect_text(&result, "to see it again: ravel replay out/a.ravel");
    expect_text(&result, "2 failures in 10,000 schedules (pct:3, seed 7, memory isolation), 2.5 s\n");
    rv_result_free(&result);
}

static bool is_there(const struct rv_result *result, enum rv_kind kind, uint64_t signature) {
    const struct rv_failure failure = {.kind = kind, .signature = signature};
    return rv_result_find(result, &failure) != NULL;
}

static void failures_are_told_apart_by_kind_and_signature(void **state) {
    (void)state;
    struct rv_result result = a_result();
    struct rv_failure failure = a_failure(RV_KIND_ASSERT, 5);
    rv_result_add(&result, &failure);
    assert_null(failure.message); /* taken over */
    assert_true(is_there(&result, RV_KIND_ASSERT, 5));
    assert_false(is_there(&result, RV_KIND_ABORT, 5));
    assert_false(is_there(&result, RV_KIND_ASSERT, 6));
    rv_result_free(&result);
}

static struct rv_failure a_race(uint64_t signature, unsigned one, unsigned other) {
    struct rv_failure failure = a_failure(RV_KIND_RACE, signature);
    struct rv_race_text *race = failure.race = rv_text_alloc(1, sizeof *race);
    const unsigned lines[2] = {one, other};
    for (unsigned i = 0; i < 2; i++) {
        struct rv_stack_text *stack = i ? &race->second.stack : &race->first.stack;
        stack->count = 1;
        stack->frames = rv_text_alloc(1, sizeof *stack->frames);
        stack->frames[0] = (struct rv_location){.function = rv_text_copy("f"),
                                                .file = rv_text_copy("a.c"),
                                                .source = rv_text_copy(""),
                                                .module = rv_text_copy(""),
                                                .line = lines[i]};
    }
    rv_race_complete(race);
    return failure;
}

static void races_are_told_apart_by_their_lines_and_come_last(void **state) {
    (void)state;
    struct rv_result result = a_result();
    struct rv_failure race = a_race(1, 10, 20), swapped = a_race(2, 20, 10), other = a_race(3, 10, 21),
                      failure = a_failure(RV_KIND_ASSERT, 5);
    rv_result_add(&result, &race);
    assert_non_null(rv_result_find(&result, &swapped));
    assert_null(rv_result_find(&result, &other));
    rv_result_add(&result, &failure);
    assert_int_equal(rv_result_failed(&result), 1);
    rv_result_sort(&result);
    assert_int_equal(result.found[0].failure.kind, RV_KIND_ASSERT);
    assert_int_equal(result.found[1].failure.signature, 1);
    rv_failure_free(&swapped);
    rv_failure_free(&other);
    rv_result_free(&result);
}

static void nondeterminism_is_a_finding_of_its_own(void **state) {
    (void)state;
    struct rv_result result = a_result();
    result.nondeterminism = (struct rv_nondeterminism){.found = true,
                                                       .what = rv_text_copy("it differs"),
                                                       .first = rv_text_copy("thread 1 reads"),
                                                       .second = rv_text_copy("thread 1 writes\x1b[2J"),
                                                       .event = 12};
    json_t *object = rv_result_json(&result), *found = json_object_get(object, "nondeterminism");
    assert_string_equal(json_string_value(json_object_get(found, "what")), "it differs");
    assert_int_equal(json_integer_value(json_object_get(found, "event")), 12);
    assert_string_equal(json_string_value(json_object_get(found, "first")), "thread 1 reads");
    assert_int_equal(json_array_size(json_object_get(object, "failures")), 0);
    json_decref(object);
    expect_text(
        &result,
        "nondeterminism: it differs\n  first difference, event 12:\n    one execution: thread 1 reads\n"
        "    the other:     thread 1 writes\\x1b[2J\n");
    expect_text(&result, "no failure in 10,000 schedules");
    rv_result_free(&result);
}

static void the_summary_says_why_it_ended(void **state) {
    (void)state;
    struct rv_result result = a_result();
    expect_text(&result, "no failure in 10,000 schedules (pct:3, seed 7, memory isolation), 2.5 s\n");
    result.schedules = 1;
    result.isolation = RV_ISOLATION_FORK;
    expect_text(&result, "no failure in 1 schedule (pct:3, seed 7, fork isolation), 2.5 s\n");
    result.stopped_by = RV_STOP_TIME;
    expect_text(&result, "; the time was up\n");
    result.stopped_by = RV_STOP_INTERRUPT;
    expect_text(&result, "; interrupted\n");
    result.stopped_by = RV_STOP_COMPLETE;
    result.complete = true;
    expect_text(&result, "; complete: every schedule has been covered\n");
    result.not_terminating = 2;
    expect_text(&result, "2 executions were cut off after 1000 scheduling points (--max-steps)\n");
    rv_notes_add(&result.notes, rv_text_copy("uses OpenMP\x1b[31m"));
    expect_text(&result, "note: uses OpenMP\\x1b[31m\n");
    rv_notes_add(&result.fixed, rv_text_copy("out/a.ravel"));
    expect_text(&result, "fixed: out/a.ravel passes now (the file is kept)\n");
    rv_result_free(&result);
}

static void progress_tells_speed_and_what_is_left(void **state) {
    (void)state;
    char line[256];
    struct rv_progress_state at = {
        .schedules = 2000, .budget = 10000, .seconds = 2, .coverage = 31, .failures = 1};
    rv_progress_line(line, sizeof line, &at);
    assert_string_equal(line, "2,000 schedules, 1,000/s, coverage 31, 1 failure, about 8 s left");
    at.time_limit = 5; /* comes first */
    rv_progress_line(line, sizeof line, &at);
    assert_string_equal(line, "2,000 schedules, 1,000/s, coverage 31, 1 failure, about 3 s left");
    at = (struct rv_progress_state){.budget = 10000};
    rv_progress_line(line, sizeof line, &at);
    assert_string_equal(line, "0 schedules, 0/s, coverage 0, 0 failures");
    at = (struct rv_progress_state){.schedules = 10, .budget = 1000000, .seconds = 1};
    rv_progress_line(line, sizeof line, &at);
    assert_string_equal(line, "10 schedules, 10/s, coverage 0, 0 failures, about 27.8 h left");
}

static void progress_tells_how_far_a_search_is(void **state) {
    (void)state;
    char line[256];
    struct rv_progress_state at = {.schedules = 1234,
                                   .budget = 1234,
                                   .seconds = 1,
                                   .search = true,
                                   .done = 0.404,
                                   .depth = 31,
                                   .pruned = 1200};
    rv_progress_line(line, sizeof line, &at);
    assert_string_equal(line,
                        "1,234 schedules, 1,234/s, coverage 0, 0 failures, about 40% of the tree (estimate), "
                        "depth 31, pruned 1,200");
    at.grows = true;
    at.pruned = 0;
    rv_progress_line(line, sizeof line, &at);
    assert_string_equal(line,
                        "1,234 schedules, 1,234/s, coverage 0, 0 failures, at most about 40% of the tree "
                        "(estimate), depth 31");
    at.done = 0.004;
    rv_progress_line(line, sizeof line, &at);
    assert_non_null(strstr(line, "at most less than 1% of the tree"));
}

static void json_tells_how_far_a_search_was(void **state) {
    (void)state;
    struct rv_result result = {.program = &program};
    json_t *object = rv_result_json(&result);
    assert_null(json_object_get(object, "search"));
    json_decref(object);
    result.search = (struct rv_search_result){.known = true, .estimated_total = 77, .depth = 5, .pruned = 3};
    object = rv_result_json(&result);
    json_t *search = json_object_get(object, "search");
    assert_int_equal(json_integer_value(json_object_get(search, "estimated_total")), 77);
    assert_int_equal(json_integer_value(json_object_get(search, "depth")), 5);
    assert_int_equal(json_integer_value(json_object_get(search, "pruned")), 3);
    json_decref(object);
}

/* --- the vault --- */

static char directory[64];

static int make_directory(void **state) {
    (void)state;
    strcpy(directory, "/tmp/ravel-vault-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    return rmdir(directory); /* fails if a test left something */
}

static void the_same_failure_has_the_same_file(void **state) {
    (void)state;
    struct rv_vault vault;
    char *error = NULL, *path = rv_text_format("%s/a/b/", directory);
    assert_true(rv_vault_open(&vault, path, &error));
    struct rv_failure one = a_failure(RV_KIND_ASSERT, 1), again = a_failure(RV_KIND_ASSERT, 1),
                      other = a_failure(RV_KIND_ASSERT, 2);
    assert_true(rv_vault_save(&vault, &one, &error));
    assert_true(rv_vault_save(&vault, &again, &error));
    assert_true(rv_vault_save(&vault, &other, &error));
    assert_string_equal(one.file, again.file);
    assert_string_not_equal(one.file, other.file);
    char **list = rv_vault_list(&vault);
    assert_non_null(list[0]);
    assert_non_null(list[1]);
    assert_null(list[2]);
    rv_vault_close(&vault);
    struct stat status;
    assert_int_equal(stat(path, &status), 0); /* not empty: it stays */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(unlink(list[i]), 0);
        free(list[i]);
    }
    free(list);
    path[strlen(path) - 1] = 0;
    assert_int_equal(rmdir(path), 0);
    *strrchr(path, '/') = 0;
    assert_int_equal(rmdir(path), 0);
    rv_failure_free(&one);
    rv_failure_free(&again);
    rv_failure_free(&other);
    free(path);
}

static void a_vault_that_stays_empty_leaves_nothing(void **state) {
    (void)state;
    struct rv_vault vault;
    char *error = NULL, *path = rv_text_format("%s/x/y/z", directory);
    struct stat status;
    assert_true(rv_vault_open(&vault, path, &error));
    assert_int_equal(stat(path, &status), 0);
    rv_vault_close(&vault);
    strcpy(path + strlen(directory), "/x");
    assert_int_equal(stat(path, &status), -1);
    free(path);
}

static void a_vault_for_later_is_made_when_something_is_saved(void **state) {
    (void)state;
    struct rv_vault vault;
    char *error = NULL, *path = rv_text_format("%s/p/q", directory);
    struct stat status;
    assert_true(rv_vault_open_later(&vault, path, &error));
    assert_int_equal(stat(path, &status), -1);
    struct rv_failure failure = a_failure(RV_KIND_ASSERT, 1);
    assert_true(rv_vault_save(&vault, &failure, &error));
    rv_vault_close(&vault);
    assert_int_equal(unlink(failure.file), 0);
    assert_int_equal(rmdir(path), 0);
    *strrchr(path, '/') = 0;
    assert_int_equal(rmdir(path), 0);
    assert_false(rv_vault_open_later(&vault, "/dev/null/failures", &error));
    assert_string_equal(error, "/dev/null/failures: failures cannot be saved there: Not a directory");
    free(error);
    rv_failure_free(&failure);
    free(path);
}

static void a_directory_that_another_ravel_removed_is_made_again(void **state) {
    (void)state;
    struct rv_vault vault;
    char *error = NULL, *path = rv_text_format("%s/a", directory);
    assert_true(rv_vault_open(&vault, path, &error));
    assert_int_equal(rmdir(path), 0);
    struct rv_failure failure = a_failure(RV_KIND_ASSERT, 1);
    assert_true(rv_vault_save(&vault, &failure, &error));
    assert_null(error);
    assert_int_equal(unlink(failure.file), 0);
    rv_vault_close(&vault);
    rv_failure_free(&failure);
    free(path);
}

static void what_cannot_be_written_is_said(void **state) {
    (void)state;
    struct rv_vault vault;
    char *error = NULL;
    assert_false(rv_vault_open(&vault, "/dev/null/failures", &error));
    assert_string_equal(error, "/dev/null/failures: failures cannot be saved there: Not a directory");
    free(error);
    error = NULL;
    assert_false(rv_vault_open(&vault, "/proc/ravel", &error));
    assert_non_null(strstr(error, "/proc/ravel: failures cannot be saved there: "));
    free(error);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_of_the_contract_is_there),
        cmocka_unit_test(nothing_explored_is_no_division_by_zero),
        cmocka_unit_test(failures_are_numbered_and_complete),
        cmocka_unit_test(failures_are_told_apart_by_kind_and_signature),
        cmocka_unit_test(races_are_told_apart_by_their_lines_and_come_last),
        cmocka_unit_test(nondeterminism_is_a_finding_of_its_own),
        cmocka_unit_test(the_summary_says_why_it_ended),
        cmocka_unit_test(progress_tells_speed_and_what_is_left),
        cmocka_unit_test(progress_tells_how_far_a_search_is),
        cmocka_unit_test(json_tells_how_far_a_search_was),
        cmocka_unit_test_setup_teardown(the_same_failure_has_the_same_file, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_vault_that_stays_empty_leaves_nothing, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(a_vault_for_later_is_made_when_something_is_saved, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(a_directory_that_another_ravel_removed_is_made_again, make_directory,
                                        remove_directory),
        cmocka_unit_test(what_cannot_be_written_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
