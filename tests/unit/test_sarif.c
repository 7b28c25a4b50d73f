/* Races and deadlocks for code-review systems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "race_fixture.h"
#include "race_sample.h"
#include "report/sarif.h"
#include "sarif_rules.h"

static const struct rv_sarif_roots roots = {"/home/me/bank/build", "/home/me/bank"}, nowhere = {NULL, NULL};

/* The log, once it is known to keep the rules, also after it was written and read. */
static json_t *checked(json_t *log) {
    struct sarif_check check = sarif_check_log(log);
    assert_string_equal(check.wrong, "");
    char *text = json_dumps(log, 0);
    assert_non_null(text);
    json_t *again = json_loads(text, 0, NULL);
    assert_true(json_equal(log, again));
    json_decref(again);
    free(text);
    return log;
}

static json_t *log_of(const struct rv_race_text *race, const struct rv_deadlock_text *deadlock,
                      const struct rv_sarif_roots *at) {
    return checked(rv_sarif(race, race != NULL, deadlock, deadlock != NULL, at, "1.2.3"));
}

static json_t *run_of(const json_t *log) { return json_array_get(json_object_get(log, "runs"), 0); }

static json_t *result_of(const json_t *log) {
    return json_array_get(json_object_get(run_of(log), "results"), 0);
}

/* "relatedLocations.0.message.text" */
static json_t *at_path(json_t *value, const char *path) {
    char copy[256], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *key = strtok_r(copy, ".", &rest); key && value; key = strtok_r(NULL, ".", &rest))
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
                                     : json_object_get(value, key);
    return value;
}

static void assert_text(json_t *value, const char *path, const char *expected) {
    const char *text = json_string_value(at_path(value, path));
    if (!text) fail_msg("there is no %s", path);
    assert_string_equal(text, expected);
}

static void assert_number(json_t *value, const char *path, json_int_t expected) {
    assert_true(json_is_integer(at_path(value, path)));
    assert_int_equal(json_integer_value(at_path(value, path)), expected);
}

/* --- the rules are rules --- */

static void assert_wrong(json_t *log, const char *expected) {
    struct sarif_check check = sarif_check_log(log);
    if (!strstr(check.wrong, expected)) fail_msg("\"%s\" does not say \"%s\"", check.wrong, expected);
    json_decref(log);
}

static json_t *some_log(void) {
    struct sample sample;
    sample_fill(&sample);
    return log_of(&sample.race, &sample.deadlock, &roots);
}

static void test_the_check_finds_what_is_wrong(void **state) {
    (void)state;
    json_t *log = some_log();
    json_object_set_new(result_of(log), "ruleIndex", json_integer(2));
    assert_wrong(log, "ruleIndex and ruleId differ");
    log = some_log();
    json_object_set_new(result_of(log), "level", json_string("fatal"));
    assert_wrong(log, "result.level is fatal");
    log = some_log();
    json_object_set_new(at_path(result_of(log), "locations.0.physicalLocation.region"), "startLine",
                        json_integer(0));
    assert_wrong(log, "region.startLine");
    log = some_log();
    json_object_set_new(at_path(result_of(log), "locations.0.physicalLocation.artifactLocation"), "uri",
                        json_string("a b.c"));
    assert_wrong(log, "the URI a b.c");
    log = some_log();
    json_object_set_new(at_path(result_of(log), "relatedLocations.1"), "id", json_integer(1));
    assert_wrong(log, "an id is not unique");
    log = some_log();
    json_object_set_new(at_path(result_of(log), "message"), "text", json_string("see [here](77)"));
    assert_wrong(log, "a link");
    log = some_log();
    json_object_del(result_of(log), "message");
    assert_wrong(log, "result needs message");
    log = some_log();
    json_array_append(at_path(result_of(log), "stacks"), at_path(result_of(log), "stacks.0"));
    assert_wrong(log, "alike");
    log = some_log();
    json_object_set_new(result_of(log), "colour", json_true());
    assert_wrong(log, "result has no colour");
}

/* --- what is there --- */

static void test_nothing_found_is_a_log_too(void **state) {
    (void)state;
    json_t *log = log_of(NULL, NULL, &roots), *run = run_of(log);
    assert_text(log, "version", "2.1.0");
    assert_int_equal(json_array_size(json_object_get(run, "results")), 0);
    assert_text(run, "tool.driver.name", "ravel");
    assert_text(run, "tool.driver.semanticVersion", "1.2.3");
    assert_text(run, "tool.driver.rules.0.id", "ravel.race");
    assert_text(run, "tool.driver.rules.1.id", "ravel.deadlock");
    assert_text(run, "originalUriBaseIds.SRCROOT.uri", "file:///home/me/bank/");
    json_decref(log);
}

static void test_a_race(void **state) {
    (void)state;
    struct sample sample;
    sample_fill(&sample);
    json_t *log = log_of(&sample.race, NULL, &roots), *result = result_of(log);
    assert_text(result, "ruleId", "ravel.race");
    assert_text(
        result, "message.text",
        "Potential data race on queue.head between a write of 8 bytes by thread 1 (producer) in queue_push() "
        "and an [atomic read of 8 bytes (relaxed)](1) by thread 0 (main) in queue_pop(). No lock and no "
        "other synchronisation orders them. Its memory, heap block of 64 bytes, was [allocated](2) by thread "
        "0 (main). It was not seen to happen: something that is not known may prevent it.");
    assert_text(result, "locations.0.physicalLocation.artifactLocation.uri", "build/src/queue.c");
    assert_number(result, "locations.0.physicalLocation.region.startLine", 41);
    assert_text(result, "locations.0.logicalLocations.0.fullyQualifiedName", "queue_push");
    assert_number(result, "relatedLocations.0.physicalLocation.region.startLine", 57);
    assert_text(result, "relatedLocations.2.message.text", "thread 1 (producer) is created");
    assert_number(result, "occurrenceCount", 3);
    assert_text(result, "properties.status", "potential");
    assert_null(at_path(result, "properties.file"));
    json_decref(log);
}

static void test_each_thread_has_its_stack_and_its_flow(void **state) {
    (void)state;
    struct sample sample;
    sample_fill(&sample);
    json_t *log = log_of(&sample.race, NULL, &roots), *result = result_of(log);
    assert_text(result, "stacks.0.message.text", "1. thread 1 (producer): write of 8 bytes");
    assert_text(result, "stacks.0.frames.0.module", "libc.so.6");
    assert_text(result, "stacks.0.frames.0.location.physicalLocation.artifactLocation.uri",
                "file:///lib/libc.so.6");
    assert_number(result, "stacks.0.frames.2.location.physicalLocation.region.startLine", 12);
    json_t *flow = at_path(result, "codeFlows.0.threadFlows.0");
    assert_text(flow, "message.text", "thread 1 (producer)");
    assert_text(flow, "locations.0.location.message.text", "calls queue_push");
    assert_number(flow, "locations.0.location.physicalLocation.region.startLine", 12);
    assert_text(flow, "locations.1.location.message.text", "calls memcpy");
    assert_text(flow, "locations.2.location.message.text", "write of 8 bytes");
    assert_text(flow, "locations.2.importance", "essential");
    json_decref(log);
}

static void test_locks_stand_where_they_were_taken(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_REAL);
    json_t *log = log_of(&race, NULL, &roots);
    json_t *flow = at_path(result_of(log), "codeFlows.0.threadFlows.0");
    assert_text(flow, "locations.0.location.message.text", "calls deposit");
    assert_text(flow, "locations.1.location.message.text", "takes bank.lock");
    assert_text(flow, "locations.1.kinds.0", "acquire");
    assert_text(flow, "locations.2.location.message.text", "write of 4 bytes");
    assert_int_equal(json_array_size(at_path(flow, "locations")), 3);
    json_decref(log);
    rv_race_free(&race);
}

static void assert_level(enum rv_race_status status, bool predicted, const char *expected) {
    struct rv_race_text race = fixture_race(status);
    race.predicted = predicted;
    json_t *log = log_of(&race, NULL, &roots);
    assert_text(result_of(log), "level", expected);
    json_decref(log);
    rv_race_free(&race);
}

static void test_levels_say_how_sure_it_is(void **state) {
    (void)state;
    assert_level(RV_RACE_HARMFUL, false, "error");
    assert_level(RV_RACE_REAL, true, "error");
    assert_level(RV_RACE_POTENTIAL, true, "warning");
    assert_level(RV_RACE_POTENTIAL, false, "note");
}

static void test_a_harmful_race_says_how_to_see_it(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_HARMFUL);
    json_t *log = log_of(&race, NULL, &roots);
    const char *text = json_string_value(at_path(result_of(log), "message.text"));
    assert_non_null(strstr(text,
                           " It was seen 12 times and verified in 1 try. What it did: assert: balance is 90, "
                           "not 100. To see the harm: ravel replay .ravel/failures/h.ravel; to see the race: "
                           "ravel replay .ravel/failures/r.ravel"));
    assert_text(result_of(log), "properties.file", ".ravel/failures/r.ravel");
    assert_text(result_of(log), "properties.harm_file", ".ravel/failures/h.ravel");
    json_decref(log);
    rv_race_free(&race);
}

static void test_a_deadlock(void **state) {
    (void)state;
    struct sample sample;
    sample_fill(&sample);
    json_t *log = log_of(NULL, &sample.deadlock, &roots), *result = result_of(log);
    assert_text(result, "ruleId", "ravel.deadlock");
    assert_number(result, "ruleIndex", 1);
    assert_text(
        result, "message.text",
        "Deadlock of 2 threads: thread 1 (teller) [holds](1) bank.a and waits for bank.b; thread 2 (teller) "
        "[holds](3) bank.b and [waits](4) for bank.a. It was seen 1 time and verified in 4 tries. To see "
        "it again: ravel replay ravel-1.ravel");
    assert_number(result, "locations.0.physicalLocation.region.startLine", 30);
    assert_text(result, "codeFlows.0.threadFlows.1.locations.0.location.message.text", "takes bank.b");
    assert_text(result, "codeFlows.0.threadFlows.1.locations.1.location.message.text", "waits for bank.a");
    json_decref(log);
}

/* --- where things are --- */

static void assert_uri(const char *file, const struct rv_sarif_roots *at, const char *expected, bool based) {
    struct sample sample;
    sample_fill(&sample);
    sample.writer[1].file = (char *)file;
    json_t *log = log_of(&sample.race, NULL, at),
           *place = at_path(result_of(log), "locations.0.physicalLocation.artifactLocation");
    assert_text(place, "uri", expected);
    assert_int_equal(json_object_get(place, "uriBaseId") != NULL, based);
    json_decref(log);
}

static void test_paths_are_uris(void **state) {
    (void)state;
    const struct rv_sarif_roots top = {"/", "/"};
    assert_uri("src/a.c", &roots, "build/src/a.c", true);
    assert_uri("../src/./x//a.c", &roots, "src/x/a.c", true);
    assert_uri("/home/me/bank/a.c", &roots, "a.c", true);
    assert_uri("/home/me/bankrupt/a.c", &roots, "file:///home/me/bankrupt/a.c", false);
    assert_uri("../../../you/a.c", &roots, "file:///home/you/a.c", false);
    assert_uri("/../../..", &roots, "file:///", false);
    assert_uri("/home/me/bank", &roots, "file:///home/me/bank", false);
    assert_uri("a b/c:d#e?f%g.c++", &nowhere, "a%20b/c%3Ad%23e%3Ff%25g.c++", false);
    assert_uri("/home/me/bank/\xff\xc3\xa4\n.c", &roots, "%FF%C3%A4%0A.c", true);
    assert_uri("/a.c", &top, "a.c", true);
}

static void test_relative_paths_begin_where_the_file_is(void **state) {
    (void)state;
    char directory[] = "/tmp/ravel-sarif-XXXXXX", below[64], file[64], link[64], through[64];
    assert_non_null(mkdtemp(directory));
    snprintf(below, sizeof below, "%s/build", directory);
    snprintf(file, sizeof file, "%s/a.c", directory);
    assert_int_equal(mkdir(below, 0700), 0);
    const struct rv_sarif_roots found = {below, directory}, above = {below, below};
    assert_uri("a.c", &found, "build/a.c", true);
    fclose(fopen(file, "w"));
    assert_uri("a.c", &found, "a.c", true);
    assert_uri("b.c", &found, "build/b.c", true);
    assert_uri("a.c", &above, "a.c", true);
    snprintf(link, sizeof link, "%s-link", directory);
    snprintf(through, sizeof through, "%s-link/a.c", directory);
    assert_int_equal(symlink(directory, link), 0);
    assert_uri(through, &found, "a.c", true);
    assert_int_equal(unlink(link) | unlink(file) | rmdir(below) | rmdir(directory), 0);
}

static void test_the_root_is_where_the_history_is(void **state) {
    (void)state;
    char directory[] = "/tmp/ravel-sarif-XXXXXX", git[64], below[64];
    assert_non_null(mkdtemp(directory));
    snprintf(git, sizeof git, "%s/.git", directory);
    snprintf(below, sizeof below, "%s/build", directory);
    assert_int_equal(mkdir(below, 0700), 0);
    char *root = rv_sarif_find_root(below);
    assert_string_equal(root, below);
    free(root);
    assert_int_equal(mkdir(git, 0700), 0);
    root = rv_sarif_find_root(below);
    assert_string_equal(root, directory);
    free(root);
    assert_int_equal(rmdir(git) | rmdir(below) | rmdir(directory), 0);
    root = rv_sarif_find_root("/");
    assert_string_equal(root, "/");
    free(root);
}

/* --- fingerprints --- */

static char *print_of(const struct rv_race_text *race, const char *name) {
    json_t *log = log_of(race, NULL, &roots);
    const char *text =
        json_string_value(json_object_get(at_path(result_of(log), "partialFingerprints"), name));
    assert_non_null(text);
    char *copy = rv_text_copy(text);
    json_decref(log);
    return copy;
}

static void assert_prints(const struct rv_race_text *a, const struct rv_race_text *b, const char *name,
                          bool equal) {
    char *first = print_of(a, name), *second = print_of(b, name);
    assert_int_equal(strcmp(first, second) == 0, equal);
    free(first);
    free(second);
}

static void test_fingerprints_survive_lines_that_move(void **state) {
    (void)state;
    struct rv_race_text a = fixture_race(RV_RACE_REAL), b = fixture_race(RV_RACE_POTENTIAL), side;
    rv_text_set(&a.variable, rv_text_copy("struct node.next (heap block from push() queue.c:41)"));
    rv_text_set(&b.variable, rv_text_copy("struct node.next (heap block from push() queue.c:1234)"));
    b.first.stack.frames[0].line += 100;
    b.signature++;
    side.first = b.first; /* the other way round */
    b.first = b.second;
    b.second = side.first;
    assert_prints(&a, &b, "names/v1", true);
    assert_prints(&a, &b, "text/v1", true);
    assert_prints(&a, &b, "signature/v1", false);
    rv_text_set(&b.first.stack.frames[0].source, rv_text_copy("int c = balance;"));
    assert_prints(&a, &b, "names/v1", true);
    assert_prints(&a, &b, "text/v1", false);
    rv_text_set(&b.variable, rv_text_copy("a::b:"));
    assert_prints(&a, &b, "names/v1", false);
    rv_race_free(&a);
    rv_race_free(&b);
}

/* --- what may come --- */

#define NASTY "\xff\xfe{0} [a](http:x) ](2) [\n\x1b[31m\xe2\x80\xae\"\\ "

static void test_texts_are_harmless(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_HARMFUL);
    race.block = fixture_block();
    race.block->freed = true;
    char **texts[] = {&race.variable,
                      &race.why,
                      &race.file,
                      &race.harm,
                      &race.harm_file,
                      &race.block->description,
                      &race.first.thread.name,
                      &race.first.held[0].object,
                      &race.first.stack.frames[0].function,
                      &race.first.stack.frames[0].file,
                      &race.second.stack.frames[1].function,
                      &race.second.stack.frames[1].module};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) rv_text_set(texts[i], rv_text_copy(NASTY));
    json_decref(log_of(&race, NULL, &roots));
    json_decref(log_of(&race, NULL, &nowhere));
    rv_race_free(&race);
}

static void test_a_race_of_which_nothing_is_known(void **state) {
    (void)state;
    struct rv_race_text race = {.count = UINT64_MAX};
    rv_race_complete(&race);
    json_t *log = log_of(&race, NULL, &nowhere), *result = result_of(log);
    assert_null(at_path(result, "locations"));
    assert_null(at_path(result, "relatedLocations"));
    assert_null(at_path(result, "codeFlows"));
    assert_null(at_path(run_of(log), "originalUriBaseIds"));
    assert_number(result, "occurrenceCount", INT64_MAX);
    json_decref(log);
    rv_race_free(&race);
}

static void test_places_of_which_little_is_known(void **state) {
    (void)state;
    struct rv_location frames[] = {sample_at("", "", 0, ""), sample_at("", "", 7, "/bin/x"),
                                   sample_at("f", "", 0, ""), sample_at("", "a.c", 0, "")};
    for (size_t i = 0; i < 4; i++) {
        struct sample sample;
        sample_fill(&sample);
        sample.race.count = 0;
        sample.race.first.stack = (struct rv_stack_text){frames + i, 1};
        sample.race.second.stack = (struct rv_stack_text){frames, (unsigned)i + 1};
        sample.race.second.thread = sample.race.first.thread; /* alike, and yet unique */
        sample.waits[0].held_at = (struct rv_stack_text){frames, (unsigned)i + 1};
        sample.waits[0].wanted_at = sample.waits[1].wanted_at = (struct rv_stack_text){NULL, 0};
        sample.waits[0].held = "";
        sample.waits[1].wanted = "";
        json_decref(log_of(&sample.race, &sample.deadlock, &roots));
        sample.deadlock.wait_count = 0;
        json_decref(log_of(&sample.race, &sample.deadlock, &nowhere));
    }
}

static void test_a_place_without_a_line_has_no_region(void **state) {
    (void)state;
    struct sample sample;
    sample_fill(&sample);
    sample.race.first.stack.count = 1; /* memcpy in the C library */
    json_t *log = log_of(&sample.race, NULL, &roots);
    assert_non_null(at_path(result_of(log), "locations.0.physicalLocation"));
    assert_null(at_path(result_of(log), "locations.0.physicalLocation.region"));
    json_decref(log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_check_finds_what_is_wrong),
        cmocka_unit_test(test_nothing_found_is_a_log_too),
        cmocka_unit_test(test_a_race),
        cmocka_unit_test(test_each_thread_has_its_stack_and_its_flow),
        cmocka_unit_test(test_locks_stand_where_they_were_taken),
        cmocka_unit_test(test_levels_say_how_sure_it_is),
        cmocka_unit_test(test_a_harmful_race_says_how_to_see_it),
        cmocka_unit_test(test_a_deadlock),
        cmocka_unit_test(test_paths_are_uris),
        cmocka_unit_test(test_relative_paths_begin_where_the_file_is),
        cmocka_unit_test(test_the_root_is_where_the_history_is),
        cmocka_unit_test(test_fingerprints_survive_lines_that_move),
        cmocka_unit_test(test_texts_are_harmless),
        cmocka_unit_test(test_a_race_of_which_nothing_is_known),
        cmocka_unit_test(test_places_of_which_little_is_known),
        cmocka_unit_test(test_a_place_without_a_line_has_no_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
