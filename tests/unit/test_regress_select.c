/* The example of the spec: a map whose containsValue gets a call of a new function and whose clear gets modcount++. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/select.h"
#include "regress/select_private.h"
#include "sketch.h"

static const char old_map[] = "function containsValue\n"
                              "block v1 -> 1:v2 0:v3\n"
                              "  tab = table  r:table\n"
                              "  if value\n"
                              "block v2 -> v4\n"
                              "  for i++ compare values\n"
                              "block v3 -> v4\n"
                              "  return true\n"
                              "block v4\n"
                              "  return false\n"
                              "function clear\n"
                              "block c1 -> c2\n"
                              "  lock lock:this\n"
                              "  tab = table  r:table\n"
                              "block c2 -> 1:c2 0:c3\n"
                              "  tab[i] = null  w:tab\n"
                              "block c3\n"
                              "  unlock unlock:this\n";

static const char new_map[] = "function containsValue\n"
                              "block v1 -> 1:v2 0:v3\n"
                              "  tab = table  r:table\n"
                              "  if value\n"
                              "block v2 -> v4\n"
                              "  for ++i compare values\n"
                              "block v3 -> v4\n"
                              "  return  call:containsNull\n"
                              "block v4\n"
                              "  return false\n"
                              "function containsNull\n"
                              "block n1 -> n2\n"
                              "  tabs = table  r:table\n"
                              "block n2 -> 1:n3 0:n5\n"
                              "  e = tab[i]  r:tab\n"
                              "block n3 -> n2\n"
                              "  e = e.next  r:next\n"
                              "block n5\n"
                              "  return no\n"
                              "function clear\n"
                              "block c1 -> c2\n"
                              "  lock lock:this\n"
                              "  tab = table  r:table\n"
                              "block c2 -> 1:c2 0:c3\n"
                              "  tab[i] = null  w:tab\n"
                              "block c3\n"
                              "  unlock unlock:this\n"
                              "  modcount++  r:modcount w:modcount\n";

/* Blocks of the base that a thread covers. */
struct row {
    unsigned thread;
    const char *blocks;
};
static const struct row rows[6][2] = {
    {{1, "c1 c2 c3"}, {2, "v1 v3 v4"}}, /* tc1: clear, containsValue(null) */
    {{1, "c1 c2 c3"}, {2, "v1 v3 v4"}}, /* tc2: the same in another map */
    {{1, "c1 c2 c3"}, {2, "c1 c2 c3"}}, /* tc3: clear, clear */
    {{1, "c1 c2 c3"}, {2, "v1 v2 v4"}}, /* tc4: clear, containsValue(something) */
    {{1, "v1 v3 v4"}, {2, "v1 v2 v4"}}, /* tc5: containsValue(null), containsValue(something) */
    {{1, "v1 v2 v4"}, {2, "v1 v2 v4"}}, /* tc6: containsValue(something), twice */
};

struct fixture {
    struct sketch old, new;
    struct rv_match match;
    struct rv_impact impact;
    struct rv_isvps isvps;
    struct rv_history_test tests[6];
    struct rv_selection selection;
};

static void observe(struct fixture *fixture, struct rv_history_test *test, const struct row *row) {
    for (const char *at = row->blocks; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        char name[8];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        test->observed = realloc(test->observed, (test->observed_count + 1) * sizeof *test->observed);
        test->observed[test->observed_count++] =
            (struct rv_observed){sketch_block(&fixture->old, name), row->thread, false};
    }
}

static void set_up(struct fixture *fixture) {
    *fixture = (struct fixture){.tests = {{0}}};
    sketch_make(&fixture->old, old_map);
    sketch_make(&fixture->new, new_map);
    rv_match_make(&fixture->match, &fixture->old.version, &fixture->new.version);
    rv_impact_make(&fixture->impact, &fixture->match);
    assert_true(rv_isvps_make(&fixture->isvps, &fixture->impact));
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++) observe(fixture, &fixture->tests[i], &rows[i][k]);
}

static void tear_down(struct fixture *fixture) {
    for (int i = 0; i < 6; i++) free(fixture->tests[i].observed);
    rv_isvps_free(&fixture->isvps);
    rv_impact_free(&fixture->impact);
    rv_match_free(&fixture->match);
    sketch_free(&fixture->old);
    sketch_free(&fixture->new);
}

/* "3 1 2": the tests in their order, from 1; with " | " before the rest. */
static void choose(struct fixture *fixture, enum rv_technique technique, enum rv_rank order, uint64_t seed,
                   bool rest, char text[64]) {
    struct rv_select_options options = {technique, order, seed, rest};
    struct rv_selection selection;
    char *to = text;
    rv_select(&selection, &fixture->impact, &fixture->isvps, fixture->tests, 6, &options);
    *to = 0;
    for (uint32_t i = 0; i < selection.count; i++)
        to += sprintf(to, "%s%s%u", i ? " " : "", i == selection.selected ? "| " : "",
                      selection.choices[i].test + 1);
    rv_selection_free(&selection);
}

static void chooses(struct fixture *fixture, enum rv_technique technique, enum rv_rank order, uint64_t seed,
                    bool rest, const char *expected) {
    char text[64];
    choose(fixture, technique, order, seed, rest, text);
    assert_string_equal(text, expected);
}

/* --- the sets --- */

static enum rv_reason reason_of(const struct fixture *fixture, const char *line, unsigned n) {
    return fixture->impact.sites[sketch_site(new_map, &fixture->new, line, n)].reason;
}

static void test_shared_variables_and_what_is_impacted(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    assert_int_equal(fixture.new.model->site_count, 8);
    assert_int_equal(reason_of(&fixture, "tab = table", 0), RV_UNIMPACTED);       /* sv1 */
    assert_int_equal(reason_of(&fixture, "tabs = table", 0), RV_IMPACT_FUNCTION); /* sv2 */
    assert_int_equal(reason_of(&fixture, "e = tab[i]", 0), RV_IMPACT_FUNCTION);   /* sv3 */
    assert_int_equal(reason_of(&fixture, "e = e.next", 0), RV_IMPACT_FUNCTION);   /* sv4 */
    assert_int_equal(reason_of(&fixture, "tab[i] = null", 0), RV_UNIMPACTED);     /* sv6 */
    assert_int_equal(reason_of(&fixture, "modcount++", 0), RV_IMPACT_ADDED);      /* sv7 */
    assert_int_equal(reason_of(&fixture, "modcount++", 1), RV_IMPACT_ADDED);      /* sv8 */
    const char *clear = strstr(new_map, "function clear");
    assert_non_null(clear);
    for (uint32_t i = 0; i < fixture.new.model->site_count; i++) /* sv5: table in clear */
        if (strcmp(fixture.new.model->functions[fixture.new.model->sites[i].function].name, "clear") == 0 &&
            strcmp(fixture.new.model->variables[fixture.new.model->sites[i].variable].name, "table") == 0)
            assert_int_equal(fixture.impact.sites[i].reason, RV_UNIMPACTED);
    tear_down(&fixture);
}

static bool has_pair(const struct fixture *fixture, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < fixture->isvps.count; i++) {
        const struct rv_isvp *pair = &fixture->isvps.pairs[i];
        if ((pair->first == a && pair->second == b) || (pair->first == b && pair->second == a)) return true;
    }
    return false;
}

static void test_pairs(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    uint32_t sv3 = sketch_site(new_map, &fixture.new, "e = tab[i]", 0),
             sv6 = sketch_site(new_map, &fixture.new, "tab[i] = null", 0);
    uint32_t sv7 = sketch_site(new_map, &fixture.new, "modcount++", 0),
             sv8 = sketch_site(new_map, &fixture.new, "modcount++", 1);
    assert_int_equal(fixture.isvps.count, 3);
    assert_true(has_pair(&fixture, sv3, sv6));
    assert_true(has_pair(&fixture, sv7, sv8));
    assert_true(has_pair(&fixture, sv8, sv8));
    tear_down(&fixture);
}

/* --- the orders --- */

static void test_selection_and_order(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    chooses(&fixture, RV_BY_SIMRT, RV_RANK_SIMRT, 1, false, "3 1 2");
    chooses(&fixture, RV_BY_SIMRT, RV_RANK_SIMRT, 1, true, "3 1 2 | 5 4 6");
    chooses(&fixture, RV_BY_SIMRT, RV_RANK_GIVEN, 1, false, "1 2 3");
    tear_down(&fixture);
}

/* tc1 and tc2 tie: the seed decides, the same way each time; tc3 is first by any. */
static void test_ties_by_seed(void **state) {
    (void)state;
    struct fixture fixture;
    char text[64], again[64];
    unsigned other = 0;
    set_up(&fixture);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        choose(&fixture, RV_BY_SIMRT, RV_RANK_SIMRT, seed, false, text);
        choose(&fixture, RV_BY_SIMRT, RV_RANK_SIMRT, seed, false, again);
        assert_string_equal(text, again);
        assert_true(strcmp(text, "3 1 2") == 0 || strcmp(text, "3 2 1") == 0);
        other += strcmp(text, "3 2 1") == 0;
    }
    assert_in_range(other, 5, 35);
    tear_down(&fixture);
}

static void test_baselines(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    chooses(&fixture, RV_BY_DEJAVU, RV_RANK_GIVEN, 1, false, "1 2 3 4 5 6");
    chooses(&fixture, RV_BY_ALL, RV_RANK_GIVEN, 1, false, "1 2 3 4 5 6");
    /* Without threads tc4 covers modcount++ against itself. */
    chooses(&fixture, RV_BY_SIMRT_NOTHREADS, RV_RANK_GIVEN, 1, false, "1 2 3 4");
    char text[64], other[64];
    choose(&fixture, RV_BY_ALL, RV_RANK_RANDOM, 1, false, text);
    choose(&fixture, RV_BY_ALL, RV_RANK_RANDOM, 2, false, other);
    assert_string_not_equal(text, other);
    /* All six have three blocks at least; tc4 and one of others first: whatever they are, four blocks and more come first. */
    choose(&fixture, RV_BY_ALL, RV_RANK_ABC, 1, false, text);
    assert_true(text[0] == '1' || text[0] == '2' || text[0] == '4');
    tear_down(&fixture);
}

static void test_a_test_of_unknown_coverage_is_selected(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    fixture.tests[5].always = true;
    fixture.tests[5].observed_count = 0;
    chooses(&fixture, RV_BY_SIMRT, RV_RANK_GIVEN, 1, false, "1 2 3 6");
    tear_down(&fixture);
}

static void test_nothing_changed_nothing_selected(void **state) {
    (void)state;
    struct fixture fixture = {.tests = {{0}}};
    sketch_make(&fixture.old, old_map);
    sketch_make(&fixture.new, old_map);
    rv_match_make(&fixture.match, &fixture.old.version, &fixture.new.version);
    rv_impact_make(&fixture.impact, &fixture.match);
    assert_true(rv_isvps_make(&fixture.isvps, &fixture.impact));
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++) observe(&fixture, &fixture.tests[i], &rows[i][k]);
    chooses(&fixture, RV_BY_SIMRT, RV_RANK_SIMRT, 1, false, "");
    chooses(&fixture, RV_BY_DEJAVU, RV_RANK_SIMRT, 1, false, "");
    tear_down(&fixture);
}

static void test_ranking_resets(void **state) {
    (void)state;
    static const uint32_t a[] = {0, 1, 2}, b[] = {0, 1}, c[] = {3}, d[] = {2};
    const struct rv_rank_item items[] = {{a, 3, 3}, {b, 2, 2}, {c, 1, 1}, {d, 1, 1}, {NULL, 0, 0}};
    uint32_t order[5];
    struct rv_rng rng = rv_rng_stream(1, 0);
    rv_rank(items, 5, NULL, 4, &rng, order);
    /* a, then c; then nothing is left to cover: b, d; the one without anything last */
    const uint32_t expected[] = {0, 2, 1, 3, 4};
    assert_memory_equal(order, expected, sizeof expected);
    const uint32_t weights[] = {1, 1, 1, 9};
    rng = rv_rng_stream(1, 0);
    rv_rank(items, 5, weights, 4, &rng, order);
    assert_int_equal(order[0], 2);
    /* What is covered surely counts before what is possibly. */
    const struct rv_rank_item doubtful[] = {{a, 3, 0}, {c, 1, 1}};
    rng = rv_rng_stream(1, 0);
    rv_rank(doubtful, 2, NULL, 4, &rng, order);
    assert_int_equal(order[0], 1);
}

/* What depends on a change matters to tests that execute it, also before there are threads. */
static void test_the_change_must_be_executed(void **state) {
    (void)state;
    static const char old_text[] = "function begin\nblock b1\n  x = 1  w:x\n"
                                   "function use\nblock u1 -> 1:u2 0:u3\n  if x  r:x\n"
                                   "block u2 -> u3\n  y = 1  w:y\nblock u3\n  return\n",
                      new_text[] = "function begin\nblock b1\n  x = 2  w:x\n"
                                   "function use\nblock u1 -> 1:u2 0:u3\n  if x  r:x\n"
                                   "block u2 -> u3\n  y = 1  w:y\nblock u3\n  return\n";
    struct fixture fixture = {.tests = {{0}}};
    sketch_make(&fixture.old, old_text);
    sketch_make(&fixture.new, new_text);
    rv_match_make(&fixture.match, &fixture.old.version, &fixture.new.version);
    rv_impact_make(&fixture.impact, &fixture.match);
    assert_true(rv_isvps_make(&fixture.isvps, &fixture.impact));
    for (int i = 0; i < 6; i++)
        for (unsigned k = 1; k <= 2; k++) observe(&fixture, &fixture.tests[i], &(struct row){k, "u1 u2 u3"});
    observe(&fixture, &fixture.tests[3], &(struct row){0, "b1"});
    fixture.tests[3].observed[fixture.tests[3].observed_count - 1].alone = true;
    chooses(&fixture, RV_BY_SIMRT, RV_RANK_SIMRT, 1, false, "4");
    tear_down(&fixture);
}

/* One variable that is written in so many blocks that nobody could tell tests apart by pairs of them. */
static char *many_blocks(unsigned count, int value) {
    size_t room = (size_t)count * 64 + 64, at = (size_t)snprintf(NULL, 0, "function f\n");
    char *text = malloc(room);
    assert_non_null(text);
    snprintf(text, room, "function f\n");
    for (unsigned i = 0; i < count; i++) {
        bool last = i + 1 == count;
        at += (size_t)snprintf(text + at, room - at, "block b%u", i);
        if (!last) at += (size_t)snprintf(text + at, room - at, " -> b%u", i + 1);
        at += (size_t)snprintf(text + at, room - at, "\n  x = %d  w:x\n", value);
    }
    return text;
}

static bool has_pairs(unsigned count) {
    struct fixture fixture = {.tests = {{0}}};
    char *old_text = many_blocks(count, 1), *new_text = many_blocks(count, 2);
    sketch_make(&fixture.old, old_text);
    sketch_make(&fixture.new, new_text);
    rv_match_make(&fixture.match, &fixture.old.version, &fixture.new.version);
    rv_impact_make(&fixture.impact, &fixture.match);
    bool made = rv_isvps_make(&fixture.isvps, &fixture.impact);
    assert_true(made == (fixture.isvps.target_count > 0));
    tear_down(&fixture);
    free(old_text);
    free(new_text);
    return made;
}

static void test_too_many_pairs_are_said_so(void **state) {
    (void)state;
    assert_true(has_pairs(50));
    assert_false(has_pairs(2100)); /* 2100 * 2101 / 2 > RV_TARGETS_MAX */
}

static void test_apfd(void **state) {
    (void)state;
    const uint32_t first[] = {1, 2}, late[] = {10}, never[] = {0};
    assert_true(fabs(rv_apfd(first, 2, 10) - (1 - 3.0 / 20 + 0.05)) < 1e-9);
    assert_true(fabs(rv_apfd(late, 1, 10) - 0.05) < 1e-9);
    assert_true(fabs(rv_apfd(never, 1, 10) + 0.05) < 1e-9);
    assert_true(rv_apfd(NULL, 0, 10) == 1);
    /* The example of the papers on prioritization: five tests, ten faults; orders A B C D E, E D C B A and C E B A D. */
    const uint32_t given[] = {1, 3, 3, 3, 1, 2, 2, 5, 5, 5}, turned[] = {3, 3, 3, 3, 2, 3, 3, 1, 1, 1},
                   best[] = {1, 1, 1, 1, 1, 1, 1, 2, 2, 2};
    assert_true(fabs(rv_apfd(given, 10, 5) - 0.5) < 1e-9);
    assert_true(fabs(rv_apfd(turned, 10, 5) - 0.64) < 1e-9);
    assert_true(fabs(rv_apfd(best, 10, 5) - 0.84) < 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_variables_and_what_is_impacted),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_selection_and_order),
        cmocka_unit_test(test_ties_by_seed),
        cmocka_unit_test(test_baselines),
        cmocka_unit_test(test_a_test_of_unknown_coverage_is_selected),
        cmocka_unit_test(test_nothing_changed_nothing_selected),
        cmocka_unit_test(test_ranking_resets),
        cmocka_unit_test(test_the_change_must_be_executed),
        cmocka_unit_test(test_too_many_pairs_are_said_so),
        cmocka_unit_test(test_apfd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
