/* Races and deadlocks as people see them, and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#include "race_fixture.h"

/* --- for people --- */

static char *printed(struct rv_race_text *race, unsigned width) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    rv_race_print(race, out, &(struct rv_print_options){.width = width});
    fclose(out);
    rv_race_free(race);
    return text;
}

static void assert_printed(struct rv_race_text *race, unsigned width, const char *expected) {
    char *text = printed(race, width);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_says(char *text, const char *expected) {
    if (!strstr(text, expected)) fail_msg("\"%s\" does not say \"%s\"", text, expected);
}

static void assert_silent(char *text, const char *unexpected) {
    if (strstr(text, unexpected)) fail_msg("\"%s\" says \"%s\"", text, unexpected);
}

#define SIDES                                                              \
    "  thread 2 (deposit) writes 4 bytes in deposit() at bank.c:13\n"      \
    "        balance = b + 1;\n"                                           \
    "    #0 deposit() at src/bank.c:13\n"                                  \
    "    #1 worker() at src/bank.c:90\n"                                   \
    "    holds bank.lock, acquired: transfer() bank.c:41 < worker() :90\n" \
    "    created by thread 0 (main): main() bank.c:72 < worker() :90\n"    \
    "  thread 1 (deposit) reads 4 bytes in deposit() at bank.c:12\n"       \
    "        int b = balance;\n"                                           \
    "    #0 deposit() at src/bank.c:12\n"                                  \
    "    #1 worker() at src/bank.c:90\n"                                   \
    "    holds no lock\n"                                                  \
    "    created by thread 0 (main): main() bank.c:71 < worker() :90\n"    \
    "\n"                                                                   \
    "why: no lock is held by both, and nothing orders the two\n"

static void test_a_harmful_race(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_HARMFUL);
    assert_printed(&race, 100,
                   "data race (harmful): balance\n" SIDES "seen 12 times; verified in 1 try\n"
                   "harm: assert: balance is 90, not 100\n"
                   "  to see the harm: ravel replay .ravel/failures/h.ravel\n"
                   "to see it again: ravel replay .ravel/failures/r.ravel\n");
}

static void test_a_real_race(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_REAL);
    race.tries = 0;
    race.count = 1;
    assert_printed(&race, 100,
                   "data race: balance\n" SIDES "seen 1 time\n"
                   "harm: none seen; but the language says nothing about what such a program does\n"
                   "to see it again: ravel replay .ravel/failures/r.ravel\n");
}

static void test_a_potential_race_says_what_is_missing(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_POTENTIAL);
    race.tries = 20;
    assert_printed(&race, 100,
                   "potential data race: balance\n" SIDES "suspected 12 times, not seen to happen\n"
                   "verification did not get both threads to these accesses in 20 tries\n"
                   "what to do: look for what orders the two accesses; if there is nothing, they race\n");
    race = fixture_race(RV_RACE_POTENTIAL);
    race.tries = 0;
    char *text = printed(&race, 100);
    assert_says(text, "not verified: no execution has tried to get both threads to these accesses\n");
    free(text);
}

static void test_a_predicted_race_can_happen(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_POTENTIAL);
    race.predicted = true;
    char *text = printed(&race, 200);
    assert_says(text, "predicted data race: balance\n");
    assert_says(text, "predicted 12 times, not seen to happen\n"
                      "verification did not get both threads to these accesses in 1 try\n"
                      "it can happen all the same: ");
    assert_silent(text, "ravel replay");
    assert_silent(text, "what to do");
    free(text);
}

static void test_the_memory_is_told(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_HARMFUL);
    race.block = fixture_block();
    char *text = printed(&race, 100);
    assert_says(text, "\nthe memory: struct account.next (heap block from open() bank.c:8), byte 8 of 24\n"
                      "  allocated by thread 0 (main): open() bank.c:8 < worker() :90\n"
                      "  freed by thread 1 (deposit): shut() bank.c:9 < worker() :90\n"
                      "seen 12 times");
    free(text);
}

static void test_accesses_have_words(void **state) {
    (void)state;
    static const struct {
        enum rv_step_kind kind;
        unsigned order, size;
        const char *words, *verb;
    } accesses[] = {
        {RV_STEP_READ, 0, 1, "read of 1 byte", "(deposit) reads 1 byte in "},
        {RV_STEP_WRITE, RV_ORDER_SEQ_CST, 4, "write of 4 bytes", "(deposit) writes 4 bytes in "},
        {RV_STEP_WRITE, 0, 0, "write", "(deposit) writes it in "},
        {RV_STEP_ATOMIC_READ, RV_ORDER_RELAXED, 8, "atomic read of 8 bytes (relaxed)",
         "(deposit) atomically reads 8 bytes (relaxed) in "},
        {RV_STEP_ATOMIC_WRITE, RV_ORDER_RELEASE, 8, "atomic write of 8 bytes (release)",
         "(deposit) atomically writes 8 bytes (release) in "},
        {RV_STEP_ATOMIC_RMW, RV_ORDER_ACQ_REL, 4, "atomic read-modify-write of 4 bytes (acq_rel)",
         "(deposit) atomically updates 4 bytes (acq_rel) in "},
        {RV_STEP_FREE, 0, 24, "free", "(deposit) frees the memory in "},
    };
    for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++) {
        struct rv_race_text race = fixture_race(RV_RACE_REAL);
        race.first.kind = (uint8_t)accesses[i].kind;
        race.first.order = (uint8_t)accesses[i].order;
        race.first.size = accesses[i].size;
        char *words = rv_race_access_words(&race.first), *text = printed(&race, 100);
        assert_string_equal(words, accesses[i].words);
        assert_says(text, accesses[i].verb);
        free(words);
        free(text);
    }
}

static void test_locks_are_counted_past_a_few(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_REAL);
    for (unsigned i = 0; i < 6; i++) {
        char *name = rv_text_format("locks[%u]", i);
        fixture_hold(&race.second, name);
        free(name);
    }
    char *text = printed(&race, 100);
    assert_says(text, "    holds locks[0], acquired: transfer() bank.c:41 < worker() :90\n"
                      "    and locks[1], acquired: transfer() bank.c:42 < worker() :90\n");
    assert_says(text, "    and locks[3], acquired: transfer() bank.c:44 < worker() :90\n"
                      "    and 2 more\n");
    assert_silent(text, "holds no lock");
    free(text);
}

static void test_what_is_not_known_is_left_out(void **state) {
    (void)state;
    struct rv_race_text race = {.status = RV_RACE_REAL, .count = 1};
    race.first.kind = RV_STEP_LOCK; /* no access: damaged */
    race.first.thread.creator = race.second.thread.creator = RV_NO_THREAD;
    race.second.thread.id = 1;
    rv_race_complete(&race);
    assert_printed(&race, 100,
                   "data race: memory without a name\n"
                   "  thread 0 (main) reads it\n"
                   "    (no stack)\n"
                   "    holds no lock\n"
                   "  thread 1 reads it\n"
                   "    (no stack)\n"
                   "    holds no lock\n"
                   "\n"
                   "seen 1 time\n"
                   "harm: none seen; but the language says nothing about what such a program does\n");
}

static void test_a_stack_of_one_frame_is_told_once(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_REAL);
    rv_location_free(&race.first.stack.frames[--race.first.stack.count]);
    char *text = printed(&race, 100);
    assert_says(text, "writes 4 bytes in deposit() at src/bank.c:13\n"
                      "        balance = b + 1;\n"
                      "    holds bank.lock");
    free(text);
}

static void assert_lines_fit(const char *text, unsigned width) {
    while (*text) {
        size_t size = strcspn(text, "\n");
        char *line = rv_text_copy_n(text, size);
        if (rv_text_columns(line) > width) fail_msg("wider than %u: \"%s\"", width, line);
        for (const char *at = line; *at; at++) assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
        free(line);
        text += size + (text[size] == '\n');
    }
}

static struct rv_race_text race_of_long_names(void) {
    struct rv_race_text race = fixture_race(RV_RACE_HARMFUL);
    const char *name = "a_function_whose_name_does_not_end_before_the_width_of_the_terminal";
    race.block = fixture_block();
    rv_text_set(&race.variable, rv_text_format("%s.member", name));
    rv_text_set(&race.first.stack.frames[0].function, rv_text_copy(name));
    rv_text_set(&race.first.thread.created.frames[0].function, rv_text_copy(name));
    rv_text_set(&race.first.held[0].acquired.frames[0].function, rv_text_copy(name));
    rv_text_set(&race.second.thread.name, rv_text_copy(name));
    rv_text_set(&race.block->allocated.frames[0].function, rv_text_copy(name));
    rv_text_set(&race.harm, rv_text_copy(name));
    return race;
}

static void test_long_names_fit_the_width(void **state) {
    (void)state;
    for (unsigned width = 40; width <= 120; width += 5) {
        struct rv_race_text race = race_of_long_names();
        char *text = printed(&race, width);
        assert_lines_fit(text, width);
        free(text);
    }
    struct rv_race_text race = race_of_long_names();
    char *text = printed(&race, 60);
    assert_says(text, "bank.c:41\n"); /* names lose their middle, not their lines */
    assert_says(text, "bank.c:72\n");
    assert_says(text, "bank.c:8\n");
    free(text);
}

static void test_hostile_text_is_harmless(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_HARMFUL);
    const char *bad = "\033[2J\n\r\x7f\xff";
    race.block = fixture_block();
    char **texts[] = {&race.variable,
                      &race.why,
                      &race.file,
                      &race.harm,
                      &race.harm_file,
                      &race.block->description,
                      &race.first.thread.name,
                      &race.first.stack.frames[0].function,
                      &race.first.stack.frames[0].file,
                      &race.first.stack.frames[0].source,
                      &race.first.held[0].object,
                      &race.second.thread.created.frames[0].function,
                      &race.block->allocated.frames[0].function};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) rv_text_set(texts[i], rv_text_copy(bad));
    char *text = printed(&race, 60);
    assert_lines_fit(text, 60);
    assert_says(text, "data race (harmful): \\x1b[2J\\n\\x0d\\x7f\\xff\n");
    free(text);
}

static struct rv_deadlock_text fixture_deadlock(void) {
    struct rv_deadlock_text deadlock = {.count = 3, .wait_count = 2};
    static const char *const names[] = {"left", "right"}, *const locks[] = {"a.lock", "b.lock"};
    deadlock.waits = rv_text_alloc(2, sizeof *deadlock.waits);
    for (unsigned i = 0; i < 2; i++) {
        deadlock.waits[i] = (struct rv_deadlock_wait){
            .thread = {i + 1, rv_text_copy(names[i]), 0, fixture_stack("main", 70 + i)},
            .held = rv_text_copy(locks[i]),
            .wanted = rv_text_copy(locks[1 - i]),
            .held_at = fixture_stack(names[i], 40 + i),
            .wanted_at = fixture_stack(names[i], 50 + i)};
    }
    deadlock.waits[1].wanted_shared = true;
    rv_deadlock_complete(&deadlock);
    return deadlock;
}

static void assert_deadlock(struct rv_deadlock_text *deadlock, const char *expected) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    rv_deadlock_print(deadlock, out, &(struct rv_print_options){.width = 100});
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    rv_deadlock_free(deadlock);
}

#define CYCLE                                                           \
    "  thread 1 (left) holds a.lock and waits for b.lock\n"             \
    "    took a.lock: left() bank.c:40 < worker() :90\n"                \
    "    waits for b.lock: left() bank.c:50 < worker() :90\n"           \
    "    created by thread 0 (main): main() bank.c:70 < worker() :90\n" \
    "  thread 2 (right) holds b.lock and waits for a.lock (shared)\n"   \
    "    took b.lock: right() bank.c:41 < worker() :90\n"               \
    "    waits for a.lock: right() bank.c:51 < worker() :90\n"          \
    "    created by thread 0 (main): main() bank.c:71 < worker() :90\n" \
    "\n"

static void test_a_potential_deadlock(void **state) {
    (void)state;
    struct rv_deadlock_text deadlock = fixture_deadlock();
    assert_deadlock(&deadlock,
                    "potential deadlock: 2 threads wait for each other\n" CYCLE
                    "suspected 3 times, not seen to happen\n"
                    "not verified: no execution has tried to get each thread to where it waits\n"
                    "what to do: take these locks in the same order everywhere, or find what keeps the "
                    "threads apart\n");
}

static void test_a_real_deadlock(void **state) {
    (void)state;
    struct rv_deadlock_text deadlock = fixture_deadlock();
    deadlock.status = RV_RACE_REAL;
    deadlock.tries = 2;
    rv_text_set(&deadlock.file, rv_text_copy("d.ravel"));
    assert_deadlock(&deadlock,
                    "deadlock: 2 threads wait for each other\n" CYCLE "seen 3 times; verified in 2 tries\n"
                    "to see it again: ravel replay d.ravel\n");
}

static void test_a_failure_that_is_a_race_shows_the_race(void **state) {
    (void)state;
    struct rv_failure failure = fixture_race_failure();
    char *text = NULL;
    size_t size;
    rv_text_set(&failure.file, rv_text_copy("x.ravel"));
    FILE *out = open_memstream(&text, &size);
    rv_failure_print(&failure, out, &(struct rv_print_options){.width = 100});
    fclose(out);
    assert_memory_equal(text, "data race (harmful): balance\n", 29);
    assert_says(text, "\n1 preemption, 4 switches; schedule 17\n");
    assert_says(text, " => about to update balance |                        | :21  in deposit()\n"
                      " =>                         | about to write balance | :22  in deposit()\n");
    assert_says(text, "\nto see it again: ravel replay x.ravel\n");
    assert_silent(text, "FAILS");
    assert_silent(text, "other threads:");
    assert_ptr_equal(strstr(text, "the memory:"), strstr(text, "the memory: struct account.next"));
    free(text);
    rv_failure_free(&failure);
}

/* --- JSON --- */

static const char *string_of(json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static void test_json_of_a_race(void **state) {
    (void)state;
    struct rv_race_text race = fixture_race(RV_RACE_HARMFUL);
    race.second.kind = RV_STEP_ATOMIC_READ;
    race.second.order = RV_ORDER_ACQUIRE;
    race.block = fixture_block();
    json_t *json = rv_race_json(&race), *first = json_object_get(json, "first"),
           *second = json_object_get(json, "second"), *thread = json_object_get(first, "thread"),
           *lock = json_array_get(json_object_get(first, "locks"), 0);
    assert_string_equal(string_of(json, "status"), "harmful");
    assert_true(json_is_false(json_object_get(json, "predicted")));
    assert_string_equal(string_of(json, "signature"), "0xabcdef0123456789");
    assert_string_equal(string_of(json, "variable"), "balance");
    assert_string_equal(string_of(json, "why"), "no lock is held by both, and nothing orders the two");
    assert_int_equal(json_integer_value(json_object_get(json, "count")), 12);
    assert_int_equal(json_integer_value(json_object_get(json, "tries")), 1);
    assert_string_equal(string_of(json, "file"), ".ravel/failures/r.ravel");
    assert_string_equal(string_of(json, "harm"), "assert: balance is 90, not 100");
    assert_string_equal(string_of(json, "harm_file"), ".ravel/failures/h.ravel");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "block"), "size")), 24);
    assert_string_equal(string_of(first, "access"), "write of 4 bytes");
    assert_string_equal(string_of(first, "kind"), "write");
    assert_null(json_object_get(first, "order"));
    assert_string_equal(string_of(first, "function"), "deposit");
    assert_string_equal(string_of(first, "file"), "src/bank.c");
    assert_int_equal(json_integer_value(json_object_get(first, "line")), 13);
    assert_int_equal(json_integer_value(json_object_get(first, "size")), 4);
    assert_int_equal(json_array_size(json_object_get(first, "stack")), 2);
    assert_int_equal(json_integer_value(json_object_get(thread, "id")), 2);
    assert_string_equal(string_of(thread, "name"), "deposit");
    assert_int_equal(json_integer_value(json_object_get(thread, "created_by")), 0);
    assert_int_equal(json_array_size(json_object_get(thread, "created")), 2);
    assert_string_equal(string_of(lock, "name"), "bank.lock");
    assert_int_equal(json_array_size(json_object_get(lock, "acquired")), 2);
    assert_string_equal(string_of(second, "order"), "acquire");
    assert_int_equal(json_array_size(json_object_get(second, "locks")), 0);
    json_decref(json);
    rv_race_free(&race);
}

static void test_json_leaves_out_what_is_not_there(void **state) {
    (void)state;
    struct rv_race_text race = {.first = {.thread = {.creator = RV_NO_THREAD}}};
    rv_race_complete(&race);
    rv_text_set(&race.variable, rv_text_copy("bad \xff byte"));
    json_t *json = rv_race_json(&race), *thread = json_object_get(json_object_get(json, "first"), "thread");
    static const char *const absent[] = {"file", "harm", "harm_file", "block"};
    for (size_t i = 0; i < 4; i++) assert_null(json_object_get(json, absent[i]));
    assert_null(json_object_get(thread, "created_by"));
    assert_null(json_object_get(thread, "created"));
    assert_string_equal(string_of(json, "status"), "potential");
    assert_string_equal(string_of(json, "variable"), "bad \xef\xbf\xbd byte");
    assert_string_equal(string_of(json_object_get(json, "first"), "function"), "");
    json_decref(json);
    rv_race_free(&race);
}

static void test_json_of_a_deadlock(void **state) {
    (void)state;
    struct rv_deadlock_text deadlock = fixture_deadlock();
    json_t *json = rv_deadlock_json(&deadlock), *threads = json_object_get(json, "threads"),
           *second = json_array_get(threads, 1);
    assert_string_equal(string_of(json, "status"), "potential");
    assert_int_equal(json_integer_value(json_object_get(json, "count")), 3);
    assert_null(json_object_get(json, "file"));
    assert_int_equal(json_array_size(threads), 2);
    assert_string_equal(string_of(second, "holds"), "b.lock");
    assert_string_equal(string_of(second, "wants"), "a.lock");
    assert_true(json_is_true(json_object_get(second, "wants_shared")));
    assert_int_equal(json_array_size(json_object_get(second, "held_at")), 2);
    assert_int_equal(json_array_size(json_object_get(second, "wanted_at")), 2);
    assert_string_equal(string_of(json_object_get(second, "thread"), "name"), "right");
    json_decref(json);
    rv_deadlock_free(&deadlock);
}

static void test_json_of_a_failure_has_its_race(void **state) {
    (void)state;
    struct rv_failure failure = fixture_race_failure(), other = fixture_failure();
    json_t *json = rv_failure_json(&failure, 1), *without = rv_failure_json(&other, 2);
    assert_string_equal(string_of(json, "kind"), "race");
    assert_string_equal(string_of(json_object_get(json, "race"), "variable"), "balance");
    assert_null(json_object_get(without, "race"));
    json_decref(json);
    json_decref(without);
    rv_failure_free(&failure);
    rv_failure_free(&other);
}

int main(void) {
    setenv("LC_ALL", "C", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_harmful_race),
        cmocka_unit_test(test_a_real_race),
        cmocka_unit_test(test_a_potential_race_says_what_is_missing),
        cmocka_unit_test(test_a_predicted_race_can_happen),
        cmocka_unit_test(test_the_memory_is_told),
        cmocka_unit_test(test_accesses_have_words),
        cmocka_unit_test(test_locks_are_counted_past_a_few),
        cmocka_unit_test(test_what_is_not_known_is_left_out),
        cmocka_unit_test(test_a_stack_of_one_frame_is_told_once),
        cmocka_unit_test(test_long_names_fit_the_width),
        cmocka_unit_test(test_hostile_text_is_harmless),
        cmocka_unit_test(test_a_potential_deadlock),
        cmocka_unit_test(test_a_real_deadlock),
        cmocka_unit_test(test_a_failure_that_is_a_race_shows_the_race),
        cmocka_unit_test(test_json_of_a_race),
        cmocka_unit_test(test_json_leaves_out_what_is_not_there),
        cmocka_unit_test(test_json_of_a_deadlock),
        cmocka_unit_test(test_json_of_a_failure_has_its_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
