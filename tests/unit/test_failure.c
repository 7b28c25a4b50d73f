/* The failure file: what is written is what is read, and nothing else is accepted. The area: clamped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#include "base/rng.h"
#include "report/relevant.h"
#include "race_fixture.h"

static void assert_rejected(const char *text, const char *expected) {
    struct rv_failure failure;
    char *error = NULL;
    assert_false(rv_failure_from_text(&failure, text, strlen(text), "f.ravel", &error));
    assert_non_null(error);
    if (!strstr(error, expected)) fail_msg("\"%s\" does not say \"%s\"", error, expected);
    free(error);
}

/* The sample with the first `from` replaced by `to`. */
static char *edited(const char *from, const char *to) {
    struct rv_failure failure = fixture_failure();
    char *text = rv_failure_to_text(&failure), *at = strstr(text, from);
    assert_non_null(at);
    struct rv_text out = {0};
    rv_text_add_n(&out, text, (size_t)(at - text));
    rv_text_add(&out, to);
    rv_text_add(&out, at + strlen(from));
    free(text);
    rv_failure_free(&failure);
    return rv_text_take(&out);
}

static void rejects(const char *from, const char *to, const char *expected) {
    char *text = edited(from, to);
    assert_rejected(text, expected);
    free(text);
}

static void test_round_trip_is_exact(void **state) {
    (void)state;
    struct rv_failure first = fixture_failure(), second;
    char *text = rv_failure_to_text(&first), *error = NULL;
    assert_true(rv_failure_from_text(&second, text, strlen(text), "f.ravel", &error));
    char *again = rv_failure_to_text(&second);
    assert_string_equal(text, again);
    assert_string_equal(second.args[1], first.args[1]);
    assert_null(second.args[2]);
    assert_string_equal(second.output, first.output);
    assert_memory_equal(second.runs, first.runs, 5 * sizeof *first.runs);
    assert_int_equal(second.choice_count, 15);
    assert_memory_equal(second.choices, first.choices, 15);
    assert_memory_equal(&second.config, &first.config, sizeof first.config);
    assert_int_equal(second.thread_count, 3);
    assert_int_equal(second.threads[1].owner, RV_NO_THREAD);
    assert_string_equal(second.threads[2].held[0].acquired.frames[0].function, "transfer");
    assert_true(second.events[2].decisive);
    assert_string_equal(second.events[2].note, "changes it in between");
    assert_int_equal(second.block->free_thread, RV_NO_THREAD);
    assert_int_equal(second.event_hash, UINT64_MAX);
    assert_string_equal(second.file, "f.ravel");
    free(text);
    free(again);
    rv_failure_free(&first);
    rv_failure_free(&second);
}

static void test_schedule_reads_as_documented(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    char *text = rv_failure_to_text(&failure);
    assert_non_null(strstr(text, "\nschedule 0@15 1@7 2!@30 1@end 0@end\n"));
    assert_non_null(strstr(text, "\nchoices 0*12 2 1 0\n"));
    assert_memory_equal(text, "ravel-failure 1\n", 16);
    free(text);
    rv_failure_free(&failure);
}

static void test_long_schedules_are_wrapped(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure(), back;
    failure.run_count = 5000;
    failure.runs = rv_text_realloc(failure.runs, failure.run_count, sizeof *failure.runs);
    for (unsigned i = 0; i < 5000; i++) failure.runs[i] = (struct rv_run){i % 7, i % 3 == 0, i * 1000};
    char *text = rv_failure_to_text(&failure), *error = NULL;
    for (const char *line = strstr(text, "\nschedule"); line && strncmp(line, "\nschedule", 9) == 0;
         line = strchr(line + 1, '\n')) {
        assert_true(strcspn(line + 1, "\n") <= 100);
    }
    assert_true(rv_failure_from_text(&back, text, strlen(text), "f", &error));
    assert_int_equal(back.run_count, 5000);
    assert_memory_equal(back.runs, failure.runs, 5000 * sizeof *failure.runs);
    free(text);
    rv_failure_free(&failure);
    rv_failure_free(&back);
}

#define LONG "01234567890123456789"

/* Files from before schedules of events have none of their lines. */
static void test_what_is_optional_may_be_missing(void **state) {
    (void)state;
    struct rv_failure without = fixture_failure(), back;
    char *error = NULL;
    memset(without.config.test, 0, sizeof without.config.test);
    memset(without.config.plan_label, 0, sizeof without.config.plan_label);
    memset(without.config.plan, 0, sizeof without.config.plan);
    without.config.direct = 0;
    char *text = rv_failure_to_text(&without);
    assert_null(strstr(text, "\ntest "));
    assert_null(strstr(text, "\ndirect "));
    assert_null(strstr(text, "\nschedule-label "));
    assert_null(strstr(text, "\nplan "));
    assert_true(rv_failure_from_text(&back, text, strlen(text), "f", &error));
    assert_memory_equal(&back.config, &without.config, sizeof back.config);
    free(text);
    rv_failure_free(&back);
    rv_failure_free(&without);
}

static void test_errors_name_line_and_expectation(void **state) {
    (void)state;
    assert_rejected("", "f.ravel:1: expected \"ravel-failure 1\"");
    assert_rejected("\x7f"
                    "ELF\n",
                    "f.ravel:1: expected \"ravel-failure 1\"");
    assert_rejected("ravel-failure 2\n", "f.ravel:1: version \"2\" of the format is not supported");
    assert_rejected("ravel-failure 1\nkind assert\n", "f.ravel:3: expected \"end\": the file is cut off");
    assert_rejected("ravel-failure 1\nkind ass", "f.ravel:2: the file is cut off in this line");
    assert_rejected("ravel-failure 1\nkind assert\nend\n", "there is no \"program\" line");
    assert_rejected("ravel-failure 1\nfrobnicate 1\n", "f.ravel:2: unknown keyword \"frobnicate\"");
    rejects("kind assert", "kind weird", "f.ravel:2: unknown kind of failure \"weird\"");
    rejects("kind assert", "kind assert assert", "f.ravel:2: expected the end of the line");
    rejects("0@15", "0@", "expected a run such as 0@15");
    rejects("0@15", "x@1", "expected a run such as 0@15");
    rejects("0@15", "0@99999999999999999999", "expected a run such as 0@15");
    rejects("0*12", "0*99999999", "expected choices");
    rejects("0*12", "256", "expected choices");
    rejects("0*12", "0*0", "expected choices");
    rejects("0*12", "0*1048576 0", "more than 1048576 choices");
    rejects("preemptions 1", "preemptions 4294967296", "a number up to 4294967295");
    rejects("preemptions 1", "preemptions -1", "a number up to");
    rejects("preemptions 1", "preemptions 1\npreemptions 1", "preemptions a second time");
    rejects("message \"", "message \"\\q", "unknown escape");
    rejects("message \"", "message \"\\x00", "unknown escape");
    rejects("failed\"", "failed", "no closing quote");
    rejects("event 1 \"read\"", "event 1 \"reed\"", "unknown operation \"reed\"");
    rejects("thread 0 \"main\"", "frame \"\" \"\" 0 \"\" \"\" 0\nthread 0 \"main\"",
            "\"frame\" belongs to a thread");
    rejects("\nend\n", "\nend\nmore\n", "expected nothing after \"end\"");
    rejects("test \"put_take\"", "test \"" LONG LONG LONG LONG LONG LONG LONG "\"", "is longer than 127");
    rejects("\nplan \"", "\nplan 1 \"", "a text");
    rejects("direct 1", "direct 1\ndirect 1", "direct a second time");
}

static void test_every_truncation_is_seen(void **state) {
    (void)state;
    struct rv_failure failures[2] = {fixture_failure(), fixture_race_failure()}, back;
    for (unsigned i = 0; i < 2; i++) {
        char *text = rv_failure_to_text(&failures[i]);
        for (size_t size = 0; size < strlen(text); size++) {
            char *error = NULL;
            assert_false(rv_failure_from_text(&back, text, size, "f", &error));
            assert_non_null(strchr(error, ':'));
            free(error);
        }
        free(text);
        rv_failure_free(&failures[i]);
    }
}

static void mutate(struct rv_rng *rng, char *text, size_t *size) {
    for (uint64_t edits = 1 + rv_rng_below(rng, 4); edits > 0 && *size > 8; edits--) {
        size_t at = rv_rng_below(rng, *size), length = 1 + rv_rng_below(rng, 40);
        if (at + length > *size) length = *size - at;
        switch (rv_rng_below(rng, 4)) {
        case 0: text[at] = (char)rv_rng_next(rng); break;
        case 1: text[at] = "0123456789\"\\@!* \n"[rv_rng_below(rng, 17)]; break;
        case 2:
            memmove(text + at, text + at + length, *size - at - length);
            *size -= length;
            break;
        default: memmove(text + at, text + rv_rng_below(rng, *size - length + 1), length); break;
        }
    }
}

/* Whatever is read is good enough to be printed, exported and written again. */
static void edit_and_use(struct rv_failure *failure) {
    struct rv_failure back;
    char *text = rv_failure_to_text(failure), *copy = rv_text_alloc(strlen(text) + 1, 1);
    struct rv_rng rng = {42};
    FILE *null = fopen("/dev/null", "w");
    unsigned accepted = 0;
    for (unsigned i = 0; i < 6000; i++) {
        size_t size = strlen(text);
        char *error = NULL;
        memcpy(copy, text, size);
        mutate(&rng, copy, &size);
        if (!rv_failure_from_text(&back, copy, size, "f", &error)) {
            assert_non_null(error);
            free(error);
            continue;
        }
        accepted++;
        struct rv_print_options options = {.colour = i & 1, .width = i % 130};
        rv_failure_print(&back, null, &options);
        json_t *json = rv_failure_json(&back, 1);
        char *dumped = json_dumps(json, 0);
        assert_non_null(dumped);
        free(dumped);
        json_decref(json);
        free(rv_failure_to_text(&back));
        rv_failure_free(&back);
    }
    assert_true(accepted > 100);
    fclose(null);
    free(text);
    free(copy);
    rv_failure_free(failure);
}

static void test_thousands_of_edits_never_crash(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure(), race = fixture_race_failure();
    edit_and_use(&failure);
    edit_and_use(&race);
}

static void test_file_is_written_whole_or_not_at_all(void **state) {
    (void)state;
    char directory[] = "/tmp/rv-failure-XXXXXX", *error = NULL;
    assert_non_null(mkdtemp(directory));
    char *path = rv_text_format("%s/a.ravel", directory),
         *nowhere = rv_text_format("%s/none/a.ravel", directory);
    struct rv_failure failure = fixture_failure(), back;
    assert_true(rv_failure_write(&failure, path, &error));
    assert_true(rv_failure_read(&back, path, &error));
    assert_string_equal(back.message, failure.message);
    rv_failure_free(&back);
    assert_false(rv_failure_write(&failure, nowhere, &error));
    assert_non_null(strstr(error, "No such file or directory"));
    free(error);
    error = NULL;
    assert_false(rv_failure_read(&back, nowhere, &error));
    assert_non_null(strstr(error, nowhere));
    free(error);
    error = NULL;
    assert_false(rv_failure_read(&back, directory, &error));
    assert_non_null(strstr(error, "directory"));
    free(error);
    unlink(path);
    assert_int_equal(rmdir(directory), 0); /* no temporary file was left */
    free(path);
    free(nowhere);
    rv_failure_free(&failure);
}

/* --- from the area --- */

static void add_event(struct rv_area *area, uint32_t thread, enum rv_op op, uint64_t address,
                      unsigned flags) {
    area->events[area->outcome.event_count++] = (struct rv_event){.thread = thread,
                                                                  .op = (uint16_t)op,
                                                                  .address = address,
                                                                  .size = 4,
                                                                  .flags = (uint16_t)flags,
                                                                  .site = RV_CODE_UNKNOWN,
                                                                  .caller = RV_CODE_UNKNOWN,
                                                                  .step = area->outcome.event_count};
}

static const struct rv_relevant *chosen_at(const struct rv_relevant *chosen, unsigned count, uint64_t index) {
    for (unsigned i = 0; i < count; i++) {
        if (chosen[i].index == index) return &chosen[i];
    }
    return NULL;
}

static void test_lost_update_is_decisive(void **state) {
    (void)state;
    struct rv_area *area = fixture_area();
    struct rv_relevant chosen[RV_RELEVANT_MAX];
    area->outcome.kind = RV_KIND_ASSERT;
    add_event(area, 0, RV_OP_CREATE, 0, 0);
    add_event(area, 1, RV_OP_READ, 0x5000, RV_EVENT_SWITCH); /* private to thread 1 */
    add_event(area, 1, RV_OP_READ, 0x1000, 0);
    add_event(area, 2, RV_OP_READ, 0x1000, RV_EVENT_SWITCH | RV_EVENT_PREEMPT);
    add_event(area, 2, RV_OP_WRITE, 0x1000, 0);
    add_event(area, 1, RV_OP_WRITE, 0x1000, RV_EVENT_SWITCH);
    add_event(area, 0, RV_OP_READ, 0x1000, RV_EVENT_SWITCH);
    unsigned count = rv_relevant_select(area, chosen);
    assert_non_null(chosen_at(chosen, count, 2)->note);
    assert_null(chosen_at(chosen, count, 3)->note);
    assert_string_equal(chosen_at(chosen, count, 4)->note, "changes it in between");
    assert_string_equal(chosen_at(chosen, count, 5)->note,
                        "overwrites that change with a result from before");
    assert_null(chosen_at(chosen, count, 6)->note);
    fixture_area_free(area);
}

static void test_neighbours_in_a_word_are_two_objects(void **state) {
    (void)state;
    struct rv_area *area = fixture_area();
    struct rv_relevant chosen[RV_RELEVANT_MAX];
    area->outcome.kind = RV_KIND_ASSERT;
    add_event(area, 1, RV_OP_READ, 0x1000, RV_EVENT_SWITCH);
    add_event(area, 2, RV_OP_WRITE, 0x1004, RV_EVENT_SWITCH | RV_EVENT_PREEMPT);
    add_event(area, 1, RV_OP_WRITE, 0x1000, RV_EVENT_SWITCH);
    unsigned count = rv_relevant_select(area, chosen);
    for (unsigned i = 0; i < count; i++) assert_null(chosen[i].note);
    area->events[1].address = 0x1002; /* overlaps now */
    count = rv_relevant_select(area, chosen);
    assert_int_equal(count, 3);
    for (unsigned i = 0; i < count; i++) assert_non_null(chosen[i].note);
    fixture_area_free(area);
}

static void test_creation_and_join_put_in_order(void **state) {
    (void)state;
    struct rv_area *area = fixture_area();
    struct rv_relevant chosen[RV_RELEVANT_MAX];
    area->outcome.kind = RV_KIND_ASSERT;
    area->outcome.thread = 2;
    add_event(area, 0, RV_OP_WRITE, 0x1000, 0); /* an argument */
    add_event(area, 0, RV_OP_CREATE, 1, 0);
    add_event(area, 0, RV_OP_CREATE, 2, 0);
    add_event(area, 1, RV_OP_READ, 0x1000, 0);
    add_event(area, 1, RV_OP_WRITE, 0x2000, 0); /* a result */
    add_event(area, 1, RV_OP_EXIT, 1, 0);
    add_event(area, 0, RV_OP_JOIN, 1, 0);
    add_event(area, 0, RV_OP_READ, 0x2000, 0);
    add_event(area, 0, RV_OP_WRITE, 0x3000, 0); /* nothing orders it against thread 2 */
    add_event(area, 2, RV_OP_READ, 0x3000, 0);
    unsigned count = rv_relevant_select(area, chosen);
    uint64_t ordered[] = {0, 3, 4, 7};
    for (unsigned i = 0; i < 4; i++) assert_null(chosen_at(chosen, count, ordered[i]));
    assert_non_null(chosen_at(chosen, count, 8));
    assert_non_null(chosen_at(chosen, count, 9));
    fixture_area_free(area);
}

static void test_memory_on_a_stack_names_its_thread(void **state) {
    (void)state;
    struct rv_area *area = fixture_area();
    area->outcome.kind = RV_KIND_ASSERT;
    area->outcome.thread = 2;
    area->outcome.thread_count = 1;
    area->thread_reports[0] =
        (struct rv_thread_report){.id = 2, .owner = RV_NO_THREAD, .stack_low = 0x7000, .stack_size = 0x1000};
    add_event(area, 1, RV_OP_WRITE, 0x7ff8, 0);
    add_event(area, 2, RV_OP_READ, 0x7ff8, RV_EVENT_SWITCH);
    add_event(area, 1, RV_OP_WRITE, 0x8000, RV_EVENT_SWITCH);
    struct rv_symboliser *symbols = rv_symboliser_open(area, NULL);
    struct rv_failure failure = {0};
    rv_failure_from_area(&failure, area, symbols);
    assert_int_equal(failure.event_count, 3);
    assert_string_equal(failure.events[0].object, "variable A (on the stack of thread 2)");
    assert_string_equal(failure.events[1].object, "variable A (on the stack of thread 2)");
    assert_string_equal(failure.events[2].object, "memory B");
    rv_failure_free(&failure);
    rv_symboliser_close(symbols);
    fixture_area_free(area);
}

static void test_free_and_use_are_decisive(void **state) {
    (void)state;
    struct rv_area *area = fixture_area();
    struct rv_relevant chosen[RV_RELEVANT_MAX];
    area->outcome.kind = RV_KIND_USE_AFTER_FREE;
    area->outcome.thread = 1;
    area->outcome.block = 7;
    add_event(area, 1, RV_OP_READ, 0x9000, 0);
    area->events[0].block = 7;
    add_event(area, 2, RV_OP_READ, 0x100, RV_EVENT_SWITCH);
    add_event(area, 2, RV_OP_FREE, 0x9000, 0);
    area->events[2].block = 7;
    unsigned count = rv_relevant_select(area, chosen);
    assert_string_equal(chosen_at(chosen, count, 0)->note, "uses the block while it is alive");
    assert_string_equal(chosen_at(chosen, count, 2)->note, "frees the block");
    fixture_area_free(area);
}

static void test_deadlock_marks_the_acquisitions(void **state) {
    (void)state;
    struct rv_area *area = fixture_area();
    struct rv_relevant chosen[RV_RELEVANT_MAX];
    area->outcome.kind = RV_KIND_DEADLOCK;
    area->outcome.thread = RV_NO_THREAD;
    add_event(area, 1, RV_OP_LOCK, 0x100, RV_EVENT_SWITCH);
    add_event(area, 2, RV_OP_LOCK, 0x200, RV_EVENT_SWITCH | RV_EVENT_PREEMPT);
    area->outcome.thread_count = 2;
    area->thread_reports[0] = (struct rv_thread_report){
        .id = 1, .state = RV_THREAD_BLOCKED, .op = RV_OP_LOCK, .object = 0x200, .owner = 2};
    area->thread_reports[1] = (struct rv_thread_report){
        .id = 2, .state = RV_THREAD_BLOCKED, .op = RV_OP_LOCK, .object = 0x100, .owner = 1};
    unsigned count = rv_relevant_select(area, chosen);
    assert_int_equal(count, 2);
    assert_non_null(chosen[0].note);
    assert_non_null(chosen[1].note);
    fixture_area_free(area);
}

static void test_long_traces_are_cut_to_what_matters(void **state) {
    (void)state;
    struct rv_area *area = fixture_area();
    struct rv_relevant chosen[RV_RELEVANT_MAX];
    area->outcome.kind = RV_KIND_ASSERT;
    add_event(area, 1, RV_OP_WRITE, 0x100, 0);
    for (unsigned i = 0; i < 20000; i++)
        add_event(area, 2, RV_OP_READ, 0x100, 0); /* a spin loop: one place */
    for (unsigned i = 0; i < 2000; i++) {         /* shared, all different */
        add_event(area, 1, RV_OP_WRITE, 0x1000 + i * 8, 0);
        add_event(area, 2, RV_OP_READ, 0x1000 + i * 8, 0);
    }
    unsigned count = rv_relevant_select(area, chosen), spins = 0;
    assert_int_equal(count, RV_RELEVANT_MAX);
    for (unsigned i = 0; i < count; i++) {
        spins += chosen[i].index > 0 && chosen[i].index <= 20000;
        assert_true(i == 0 || chosen[i].index > chosen[i - 1].index);
    }
    assert_true(spins <= 4);
    assert_int_equal(chosen[count - 1].index, area->outcome.event_count - 1);
    fixture_area_free(area);
}

static void test_a_damaged_area_is_harmless(void **state) {
    (void)state;
    struct rv_area *area = fixture_area();
    struct rv_rng rng = {7};
    for (unsigned round = 0; round < 20; round++) {
        uint64_t *words[] = {(uint64_t *)&area->outcome, (uint64_t *)area->thread_reports,
                             (uint64_t *)area->blocks, (uint64_t *)area->modules, (uint64_t *)area->events};
        size_t sizes[] = {sizeof area->outcome, sizeof area->thread_reports, 4096, sizeof area->modules,
                          4096};
        for (unsigned i = 0; i < 5; i++) {
            for (size_t k = 0; k < sizes[i] / 8; k++) words[i][k] = rv_rng_next(&rng);
        }
        area->module_count = UINT32_MAX;
        area->outcome.event_count = round % 2 ? UINT64_MAX : 100;
        area->outcome.run_count = UINT64_MAX;
        struct rv_symboliser *symbols = rv_symboliser_open(area, "/nonexistent");
        struct rv_failure failure = {0}, back;
        rv_failure_from_area(&failure, area, symbols);
        assert_true(failure.thread_count <= RV_MAX_THREAD_REPORTS && failure.run_count <= RV_MAX_RUNS);
        assert_true(strlen(failure.message) <= RV_MAX_MESSAGE);
        char *text = NULL, *error = NULL;
        text = rv_failure_to_text(&failure);
        assert_true(rv_failure_from_text(&back, text, strlen(text), "f", &error));
        rv_failure_free(&back);
        free(text);
        rv_failure_free(&failure);
        rv_symboliser_close(symbols);
    }
    fixture_area_free(area);
}

static void test_json_has_the_keys_of_the_contract(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    json_t *json = rv_failure_json(&failure, 4);
    const char *message = NULL, *kind = NULL, *function = NULL, *file = NULL, *name = NULL,
               *thread_state = NULL;
    int id, first, count, preemptions, line, thread_id;
    rv_text_set(&failure.message, rv_text_copy("bad \xff byte"));
    assert_int_equal(
        json_unpack(json, "{s:i, s:s, s:s, s:i, s:i, s:i, s:s, s:[{s:i, s:s, s:s, s:[{s:s, s:s, s:i}]}]}",
                    "id", &id, "kind", &kind, "message", &message, "first_schedule", &first, "count", &count,
                    "preemptions", &preemptions, "file", &file, "threads", "id", &thread_id, "name", &name,
                    "state", &thread_state, "stack", "function", &function, "file", &file, "line", &line),
        0);
    assert_int_equal(id, 4);
    assert_string_equal(kind, "assert");
    assert_string_equal(message, "Assertion `balance == 2' failed");
    assert_int_equal(first, 17);
    assert_int_equal(count, 3);
    assert_string_equal(function, "deposit");
    assert_int_equal(line, 20);
    assert_non_null(json_object_get(json, "memory"));
    json_decref(json);
    json = rv_failure_json(&failure, 4);
    assert_string_equal(json_string_value(json_object_get(json, "message")), "bad \xef\xbf\xbd byte");
    json_decref(json);
    rv_failure_free(&failure);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_is_exact),
        cmocka_unit_test(test_schedule_reads_as_documented),
        cmocka_unit_test(test_long_schedules_are_wrapped),
        cmocka_unit_test(test_what_is_optional_may_be_missing),
        cmocka_unit_test(test_errors_name_line_and_expectation),
        cmocka_unit_test(test_every_truncation_is_seen),
        cmocka_unit_test(test_thousands_of_edits_never_crash),
        cmocka_unit_test(test_file_is_written_whole_or_not_at_all),
        cmocka_unit_test(test_lost_update_is_decisive),
        cmocka_unit_test(test_neighbours_in_a_word_are_two_objects),
        cmocka_unit_test(test_creation_and_join_put_in_order),
        cmocka_unit_test(test_memory_on_a_stack_names_its_thread),
        cmocka_unit_test(test_free_and_use_are_decisive),
        cmocka_unit_test(test_deadlock_marks_the_acquisitions),
        cmocka_unit_test(test_long_traces_are_cut_to_what_matters),
        cmocka_unit_test(test_a_damaged_area_is_harmless),
        cmocka_unit_test(test_json_has_the_keys_of_the_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
