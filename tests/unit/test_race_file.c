/* A race as lines of a failure file: what is written is what is read, and nothing else is accepted. Edits and cuts at
 * random places are in test_failure.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#include "race_fixture.h"

static void assert_says(char *text, const char *expected) {
    if (!strstr(text, expected)) fail_msg("\"%s\" does not say \"%s\"", text, expected);
}

static void assert_equal_sides(const struct rv_race_side *a, const struct rv_race_side *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->order, b->order);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->thread.id, b->thread.id);
    assert_int_equal(a->thread.creator, b->thread.creator);
    assert_string_equal(a->thread.name, b->thread.name);
    assert_int_equal(a->thread.created.count, b->thread.created.count);
    assert_int_equal(a->stack.count, b->stack.count);
    assert_int_equal(a->held_count, b->held_count);
    for (unsigned i = 0; i < a->held_count; i++) {
        assert_string_equal(a->held[i].object, b->held[i].object);
        assert_int_equal(a->held[i].acquired.count, b->held[i].acquired.count);
    }
}

static void test_what_is_written_is_read(void **state) {
    (void)state;
    for (unsigned plain = 0; plain < 2; plain++) {
        struct rv_failure failure = fixture_race_failure(), back;
        if (plain) {
            rv_race_free(failure.race);
            *failure.race = fixture_race(RV_RACE_REAL);
        }
        char *text = rv_failure_to_text(&failure), *error = NULL;
        assert_true(rv_failure_from_text(&back, text, strlen(text), "f.ravel", &error));
        char *again = rv_failure_to_text(&back);
        assert_string_equal(text, again);
        const struct rv_race_text *a = failure.race, *b = back.race;
        assert_non_null(b);
        assert_int_equal(a->status, b->status);
        assert_int_equal(a->predicted, b->predicted);
        assert_int_equal(a->standing, b->standing);
        assert_int_equal(a->signature, b->signature);
        assert_int_equal(a->count, b->count);
        assert_int_equal(a->tries, b->tries);
        assert_string_equal(a->variable, b->variable);
        assert_string_equal(a->why, b->why);
        assert_string_equal(a->harm, b->harm);
        assert_string_equal(a->harm_file, b->harm_file);
        assert_string_equal(b->file, "f.ravel"); /* what replays it */
        assert_equal_sides(&a->first, &b->first);
        assert_equal_sides(&a->second, &b->second);
        assert_int_equal(a->block != NULL, b->block != NULL);
        if (a->block) assert_int_equal(a->block->free_thread, b->block->free_thread);
        if (a->block) assert_int_equal(b->block->released.count, 2);
        free(text);
        free(again);
        rv_failure_free(&failure);
        rv_failure_free(&back);
    }
}

static void test_a_race_without_its_lines_reads_still(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure(), back;
    failure.kind = RV_KIND_RACE;
    char *text = rv_failure_to_text(&failure), *error = NULL;
    assert_true(rv_failure_from_text(&back, text, strlen(text), "f.ravel", &error));
    assert_null(back.race);
    free(text);
    text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    rv_failure_print(&back, out, &(struct rv_print_options){.width = 100});
    fclose(out);
    assert_says(text, "race: Assertion");
    free(text);
    rv_failure_free(&failure);
    rv_failure_free(&back);
}

/* The file with the first `from` after its race line's start replaced by `to` is rejected with these words, in the line of
 * the edit or `later`. */
static void rejects(const char *from, const char *to, int later, const char *expected) {
    struct rv_failure failure = fixture_race_failure(), back;
    char *text = rv_failure_to_text(&failure), *race = strstr(text, "\nrace "), *at = strstr(race, from),
         *error = NULL;
    assert_non_null(at);
    struct rv_text out = {0};
    rv_text_add_n(&out, text, (size_t)(at - text));
    int line = 1 + later;
    for (const char *c = text; c < at; c++) line += *c == '\n';
    rv_text_add(&out, to);
    rv_text_add(&out, at + strlen(from));
    if (rv_failure_from_text(&back, out.data, out.size, "f", &error)) fail_msg("%s is accepted", to);
    char *whole = rv_text_format("f:%d: %s", line, expected);
    if (strncmp(error, whole, strlen(whole)) != 0) fail_msg("\"%s\" does not say \"%s\"", error, whole);
    free(whole);
    free(error);
    free(out.data);
    free(text);
    rv_failure_free(&failure);
}

static void test_wrong_lines_are_named(void **state) {
    (void)state;
    rejects("\"harmful\"", "\"bad\"", 0, "expected the status of a race, not \"bad\"");
    rejects("\"harmful\"", "harmful", 0, "expected the status of a race in double quotes");
    rejects("\"harmful\" 1", "\"harmful\" 2", 0, "expected 0 or 1, a number up to 1");
    rejects("0xabcdef0123456789", "0xabcdef01234567890", 0, "expected a signature, a number up to");
    rejects(" 12 1 \"", " 12 4294967296 \"", 0, "expected a number of tries");
    rejects("the two\"", "the two\" 1", 0, "expected the end of the line");
    rejects("\"balance\" \"no", "\"no", 0, "expected a reason in double quotes");
    rejects("  race-first", "race \"real\" 0 0 0 0 0 \"\" \"\"\nrace-first", 0, "race a second time");
    rejects("race-first 2", "race-first -1", 0, "expected a thread's number");
    rejects("\"write\" \"\"", "\"fence\" \"\"", 0, "expected a kind of access, not \"fence\"");
    rejects("\"write\" \"\"", "\"write\" \"relaxed\"", 0, "expected no memory order (\"\"), not \"relaxed\"");
    rejects("\"acq_rel\"", "\"\"", 0, "expected a memory order, not \"\"");
    rejects("\"acq_rel\" 4", "\"acq_rel\"", 0, "expected a size");
    rejects("race-second", "race-first", 0, "race-first a second time");
    rejects("race-held \"bank.lock\"\n", "\n", 0, "expected a keyword");
    rejects("    race-held \"bank.lock\"\n", "", 0, "\"race-acquired\" belongs to a held lock");
    rejects("race-block", "race-bloc", 0, "unknown keyword \"race-bloc\"");
    rejects("race-released", "race-block \"\" 0 0 0 0 0\nrace-released", 0, "race-block a second time");
    rejects("race-harm", "race-harm \"a\" \"\"\nrace-harm", 1, "race-harm a second time");
    rejects("race \"", "race-harm \"\" \"\"\nrace \"", 0, "\"race-harm\" belongs to a race");
    rejects("  race-first", "race-frame \"\" \"\" 0 \"\" \"\" 0\n  race-first", 0,
            "\"race-frame\" belongs to a side of a race");
    rejects("  race-first", "race-allocated \"\" \"\" 0 \"\" \"\" 0\n  race-first", 0,
            "\"race-allocated\" belongs to a block");
}

static void test_both_sides_must_be_there(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure(), back;
    char *text = rv_failure_to_text(&failure), *error = NULL;
    text[strlen(text) - strlen("end\n")] = '\0';
    static const char *const rests[] = {"end\n", "race-first 1 \"\" -1 \"read\" \"\" 1\nend\n"};
    static const char *const expected[] = {"there is no \"race-first\" line",
                                           "there is no \"race-second\" line"};
    for (unsigned i = 0; i < 2; i++) {
        char *whole = rv_text_format("%srace \"real\" 0 0 0 0 0 \"\" \"\"\n%s", text, rests[i]);
        assert_false(rv_failure_from_text(&back, whole, strlen(whole), "f", &error));
        assert_says(error, expected[i]);
        free(error);
        free(whole);
    }
    free(text);
    rv_failure_free(&failure);
}

int main(void) {
    setenv("LC_ALL", "C", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read),
        cmocka_unit_test(test_a_race_without_its_lines_reads_still),
        cmocka_unit_test(test_wrong_lines_are_named),
        cmocka_unit_test(test_both_sides_must_be_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
