/* Inference over hand-made logs, with the paper's example; edits and diffs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "migrate/edits.h"
#include "migrate/infer.h"
#include "report/text.h"

/* A log as it is written: "thread type info". */
struct line {
    uint32_t thread;
    enum rv_migrate_type type;
    int64_t info;
};
#define LINES(...) ((const struct line[]){__VA_ARGS__, {0, 0, 0}})
#define BEGIN(t) \
    {t, RV_MIGRATE_TEST_BEGIN, 0}, { t, RV_MIGRATE_ENTER, 0 }
#define END(t) \
    {t, RV_MIGRATE_LEAVE, 0}, { t, RV_MIGRATE_TEST_END, 0 }
#define ENTER(t) \
    { t, RV_MIGRATE_ENTER, 1 }
#define LEAVE(t) \
    { t, RV_MIGRATE_LEAVE, 1 }
#define STEP(t, p) \
    { t, RV_MIGRATE_STEP, p }
#define SLEEP(t) \
    { t, RV_MIGRATE_SLEEP_CALL, 1000000 }
#define WAKE(t) \
    { t, RV_MIGRATE_SLEEP_RETURN, 0 }
#define BLOCK(t) \
    { t, RV_MIGRATE_BLOCK_CALL, RV_MIGRATE_WAIT_OTHER }
#define GO(t) \
    { t, RV_MIGRATE_BLOCK_RETURN, 0 }
#define JOINING(t) \
    { t, RV_MIGRATE_BLOCK_CALL, RV_MIGRATE_WAIT_JOIN }
#define JOINED(t, u) \
    {t, RV_MIGRATE_BLOCK_RETURN, 0}, { t, RV_MIGRATE_JOINED, u }
#define START(t, u) \
    {t, RV_MIGRATE_THREAD_START, u}, { u, RV_MIGRATE_THREAD_BEGIN, t }
#define OVER(t) \
    { t, RV_MIGRATE_THREAD_END, 0 }

static struct rv_log log_of(const struct line *lines) {
    struct rv_log log = {0};
    for (; lines->type; lines++) {
        log.entries = rv_text_realloc(log.entries, log.count + 1, sizeof *log.entries);
        log.entries[log.count] = (struct rv_migrate_entry){.time = (int64_t)log.count,
                                                           .info = lines->info,
                                                           .process = 1,
                                                           .thread = lines->thread,
                                                           .type = lines->type};
        log.count++;
    }
    return log;
}

/* function 0 is the test, 1 the thread's. */
static struct rv_function functions[] = {{.name = "test"}, {.name = "other"}};
#define CALL(f, name) \
    { .function = (f), .acts = true, .looks = true, .callee = (name) }
#define PAUSE(f) \
    { .function = (f), .sleep = true, .sleeps = true, .callee = "usleep" }
#define CREATE(f) \
    { .function = (f), .creates = true, .callee = "create" }
#define JOIN(f) \
    { .function = (f), .joins = true, .looks = true, .callee = "join" }
#define RETURN(f) \
    { .function = (f), .leaves = true, .callee = "return" }

struct fixture {
    struct rv_source source;
    struct rv_run runs[8];
    struct rv_inference inference;
    uint32_t count;
};

static void give(struct fixture *fixture, const struct line *lines) {
    struct rv_log log = log_of(lines);
    assert_true(rv_run_cut(&fixture->runs[fixture->count++], &log, 0, fixture->source.place_count));
    rv_log_free(&log);
}

static char *infer(struct fixture *fixture, double confidence) {
    struct rv_inference *all = &fixture->inference;
    rv_infer(all, &fixture->source, fixture->runs, fixture->count, confidence);
    rv_marks_name(&all, 1, &fixture->source);
    return rv_schedule_text(all);
}

static void finish(struct fixture *fixture) {
    for (uint32_t i = 0; i < fixture->count; i++) rv_run_free(&fixture->runs[i]);
    rv_inference_free(&fixture->inference);
}

static void assert_schedule(struct rv_place *places, uint32_t place_count, const struct line *lines,
                            const char *expected) {
    struct fixture fixture = {
        .source = {
            .functions = functions, .function_count = 2, .places = places, .place_count = place_count}};
    give(&fixture, lines);
    char *schedule = infer(&fixture, 0.5);
    assert_string_equal(schedule, expected);
    free(schedule);
    finish(&fixture);
}
#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

/* Figure 1 of the paper: take waits for add, and then add for take. */
static struct rv_place queue[] = {CREATE(0),      PAUSE(0), CALL(0, "take"), CALL(0, "take"), JOIN(0),
                                  CALL(1, "add"), PAUSE(1), CALL(1, "add"),  RETURN(1)};
#define QUEUE_LOG                                                                                      \
    LINES(BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 1), SLEEP(1), ENTER(2), STEP(2, 5), STEP(2, 6),   \
          SLEEP(2), WAKE(1), STEP(1, 2), STEP(1, 3), BLOCK(1), WAKE(2), STEP(2, 7), GO(1), STEP(1, 4), \
          JOINING(1), STEP(2, 8), LEAVE(2), OVER(2), JOINED(1, 2), END(1))

static void the_papers_queue(void **state) {
    (void)state;
    assert_schedule(queue, COUNT(queue), QUEUE_LOG,
                    "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2");
}

static void events_have_places_and_confidence(void **state) {
    (void)state;
    struct fixture fixture = {
        .source = {
            .functions = functions, .function_count = 2, .places = queue, .place_count = COUNT(queue)}};
    give(&fixture, QUEUE_LOG);
    give(&fixture, QUEUE_LOG);
    /* in this one the queue is never empty: nobody blocks */
    give(&fixture, LINES(BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 1), SLEEP(1), ENTER(2), STEP(2, 5),
                         STEP(2, 6), SLEEP(2), WAKE(1), STEP(1, 2), STEP(1, 3), STEP(1, 4), JOINING(1),
                         WAKE(2), STEP(2, 7), STEP(2, 8), LEAVE(2), OVER(2), JOINED(1, 2), END(1)));
    char *schedule = infer(&fixture, 0.6);
    assert_string_equal(schedule, "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2");
    free(schedule);
    const struct rv_ordering_found *found = fixture.inference.orderings;
    assert_int_equal(found[0].hits, 3);
    assert_int_equal(found[1].hits, 2);
    for (uint32_t i = 0; i < fixture.inference.mark_count; i++) {
        const struct rv_mark *mark = &fixture.inference.marks[i];
        if (mark->used) assert_false(mark->after);
    }
    rv_inference_free(&fixture.inference);
    schedule = infer(&fixture, 0.7);
    assert_string_equal(schedule, "finishedAdd -> startingTake");
    free(schedule);
    finish(&fixture);
}

/* What the sleeper does next is a join: nothing to order. */
static void a_sleep_before_a_join_orders_nothing(void **state) {
    (void)state;
    static struct rv_place places[] = {CREATE(0), PAUSE(0), JOIN(0), CALL(1, "add")};
    assert_schedule(places, COUNT(places),
                    LINES(BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 1), SLEEP(1), ENTER(2), STEP(2, 3),
                          LEAVE(2), OVER(2), WAKE(1), STEP(1, 2), JOINED(1, 2), END(1)),
                    "");
}

static void what_is_over_is_finished(void **state) {
    (void)state;
    static struct rv_place places[] = {CREATE(0), PAUSE(0),       CALL(0, "look"),
                                       JOIN(0),   CALL(1, "add"), RETURN(1)};
    assert_schedule(places, COUNT(places),
                    LINES(BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 1), SLEEP(1), ENTER(2), STEP(2, 4),
                          STEP(2, 5), LEAVE(2), OVER(2), WAKE(1), STEP(1, 2), STEP(1, 3), JOINED(1, 2),
                          END(1)),
                    "finishedAdd -> startingLook");
}

/* A thread that runs all the time, or does nothing, is not waited for. */
static void who_runs_is_not_waited_for(void **state) {
    (void)state;
    static struct rv_place places[] = {CREATE(0), PAUSE(0), CALL(0, "look"), JOIN(0), CALL(1, "add")};
    assert_schedule(places, COUNT(places),
                    LINES(BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 1), SLEEP(1), ENTER(2), STEP(2, 4),
                          WAKE(1), STEP(1, 2), STEP(1, 3), JOINING(1), LEAVE(2), OVER(2), JOINED(1, 2),
                          END(1)),
                    "");
}

/* main makes a second thread after a sleep: that one waits. */
static void a_sleep_before_create_lets_the_new_thread_wait(void **state) {
    (void)state;
    static struct rv_function three[] = {{.name = "test"}, {.name = "first"}, {.name = "second"}};
    static struct rv_place places[] = {CREATE(0), PAUSE(0),       CREATE(0),
                                       JOIN(0),   CALL(1, "put"), CALL(2, "get")};
    struct fixture fixture = {
        .source = {.functions = three, .function_count = 3, .places = places, .place_count = COUNT(places)}};
    give(&fixture, LINES(BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 1), SLEEP(1), ENTER(2), STEP(2, 4),
                         BLOCK(2), WAKE(1), STEP(1, 2), START(1, 3), STEP(1, 3), JOINING(1), ENTER(3),
                         STEP(3, 5), GO(2), LEAVE(2), OVER(2), LEAVE(3), OVER(3), JOINED(1, 2), END(1)));
    char *schedule = infer(&fixture, 0.5);
    assert_string_equal(schedule, "[startingPut] -> startingGet");
    free(schedule);
    finish(&fixture);
}

/* Three blocked in the same statement are three; their orders count. */
static void passes_are_counted(void **state) {
    (void)state;
    static struct rv_place places[] = {CREATE(0), PAUSE(0), CALL(0, "open"), JOIN(0), CALL(1, "await")};
    assert_schedule(places, COUNT(places),
                    LINES(BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 0), START(1, 3), STEP(1, 1), SLEEP(1),
                          ENTER(2), STEP(2, 4), BLOCK(2), ENTER(3), STEP(3, 4), BLOCK(3), WAKE(1), STEP(1, 2),
                          GO(2), GO(3), STEP(1, 3), JOINING(1), LEAVE(2), OVER(2), LEAVE(3), OVER(3),
                          JOINED(1, 2), END(1)),
                    "[startingAwait#1] -> startingOpen, [startingAwait#2] -> startingOpen");
}

/* A job that runs three times in one worker: the last one counts, and the worker's own wait is nobody's statement. */
static void the_last_of_several_is_waited_for(void **state) {
    (void)state;
    static struct rv_place places[] = {CREATE(0), PAUSE(0), CALL(0, "look"), CALL(1, "job")};
    assert_schedule(places, COUNT(places),
                    LINES(BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 1), SLEEP(1), ENTER(2), STEP(2, 3),
                          LEAVE(2), ENTER(2), STEP(2, 3), LEAVE(2), BLOCK(2), WAKE(1), STEP(1, 2), END(1)),
                    "finishedJob#2 -> startingLook");
}

/* [a] -> b and [b] -> c: then [a] -> c says nothing new. */
static void what_is_implied_is_dropped(void **state) {
    (void)state;
    static struct rv_function three[] = {{.name = "test"}, {.name = "first"}, {.name = "second"}};
    static struct rv_place places[] = {CREATE(0),       CREATE(0), PAUSE(0),         CALL(0, "look"),
                                       CALL(1, "wait"), PAUSE(2),  CALL(2, "cancel")};
    struct fixture fixture = {
        .source = {.functions = three, .function_count = 3, .places = places, .place_count = COUNT(places)}};
    give(&fixture, LINES(BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 1), START(1, 3), STEP(1, 2), SLEEP(1),
                         ENTER(3), STEP(3, 5), SLEEP(3), ENTER(2), STEP(2, 4), BLOCK(2), WAKE(3), STEP(3, 6),
                         BLOCK(3), WAKE(1), STEP(1, 3), END(1)));
    char *schedule = infer(&fixture, 0.5);
    assert_string_equal(schedule, "[startingWait] -> startingCancel, [startingCancel] -> startingLook");
    free(schedule);
    uint32_t implied = 0;
    for (uint32_t i = 0; i < fixture.inference.ordering_count; i++)
        implied += fixture.inference.orderings[i].fate == RV_DROPPED_IMPLIED;
    assert_int_equal(implied, 1);
    finish(&fixture);
}

/* Two runs that contradict each other make a circle; at this confidence both orderings would stay. */
static void circles_are_dropped(void **state) {
    (void)state;
    static struct rv_function three[] = {{.name = "test"}, {.name = "first"}, {.name = "second"}};
    static struct rv_place places[] = {CREATE(0),    CREATE(0), JOIN(0),     PAUSE(1),
                                       CALL(1, "a"), PAUSE(2),  CALL(2, "b")};
    struct fixture fixture = {
        .source = {.functions = three, .function_count = 3, .places = places, .place_count = COUNT(places)}};
#define HEAD                                                                                      \
    BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 1), START(1, 3), STEP(1, 2), JOINING(1), ENTER(2), \
        STEP(2, 3), SLEEP(2), ENTER(3), STEP(3, 5), SLEEP(3)
    give(&fixture, LINES(HEAD, WAKE(2), STEP(2, 4), LEAVE(2), OVER(2), WAKE(3), STEP(3, 6), LEAVE(3), OVER(3),
                         JOINED(1, 2), END(1)));
    give(&fixture, LINES(HEAD, WAKE(3), STEP(3, 6), LEAVE(3), OVER(3), WAKE(2), STEP(2, 4), LEAVE(2), OVER(2),
                         JOINED(1, 2), END(1)));
    char *schedule = infer(&fixture, 0.5);
    assert_string_equal(schedule, "");
    assert_int_equal(fixture.inference.ordering_count, 2);
    assert_int_equal(fixture.inference.orderings[0].fate, RV_DROPPED_CYCLE);
    assert_int_equal(fixture.inference.orderings[1].fate, RV_DROPPED_CYCLE);
    free(schedule);
    finish(&fixture);
}

static void sleeps_in_loops_order_nothing(void **state) {
    (void)state;
    static struct rv_place places[] = {CREATE(0),
                                       {.sleep = true, .sleeps = true, .loop = true, .callee = "usleep"},
                                       CALL(0, "look"),
                                       CALL(1, "add")};
    assert_schedule(places, COUNT(places),
                    LINES(BEGIN(1), STEP(1, 0), START(1, 2), STEP(1, 1), SLEEP(1), ENTER(2), STEP(2, 3),
                          LEAVE(2), OVER(2), WAKE(1), STEP(1, 2), END(1)),
                    "");
}

/* Entries that make no sense are no harm. */
static void damaged_logs_are_survived(void **state) {
    (void)state;
    struct fixture fixture = {
        .source = {
            .functions = functions, .function_count = 2, .places = queue, .place_count = COUNT(queue)}};
    give(&fixture, LINES(BEGIN(1), LEAVE(1), LEAVE(1), STEP(1, 999), STEP(1, -1), WAKE(1), GO(1), OVER(9),
                         {1, RV_MIGRATE_THREAD_START, 7}, {1, RV_MIGRATE_JOINED, 70}, SLEEP(1), STEP(9, 2),
                         BLOCK(9), WAKE(1), STEP(1, 2), END(1)));
    char *schedule = infer(&fixture, 0.5);
    free(schedule);
    struct rv_log empty = {0};
    struct rv_run run;
    assert_false(rv_run_cut(&run, &empty, 0, 1));
    finish(&fixture);
}

/* ---- edits and diffs ---- */

static void edits_are_applied_in_order(void **state) {
    (void)state;
    struct rv_edits edits = {0};
    rv_edit_add(&edits, 4, 3, rv_text_copy("two"));
    rv_edit_add(&edits, 0, 0, rv_text_copy("<"));
    rv_edit_add(&edits, 0, 0, rv_text_copy("("));
    rv_edit_add(&edits, 7, 0, rv_text_copy(">"));
    char *text = rv_edits_apply(&edits, "one 222 three", 13);
    assert_string_equal(text, "<(one two> three");
    free(text);
    rv_edits_free(&edits);
}

static void diffs_are_unified(void **state) {
    (void)state;
    char *diff = rv_text_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n", "x.c");
    assert_string_equal(
        diff, "--- a/x.c\n+++ b/x.c\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+10\n");
    free(diff);
    diff = rv_text_diff("a\nb\n", "a\nb\n", "x.c");
    assert_string_equal(diff, "");
    free(diff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_queue),
        cmocka_unit_test(events_have_places_and_confidence),
        cmocka_unit_test(a_sleep_before_a_join_orders_nothing),
        cmocka_unit_test(what_is_over_is_finished),
        cmocka_unit_test(who_runs_is_not_waited_for),
        cmocka_unit_test(a_sleep_before_create_lets_the_new_thread_wait),
        cmocka_unit_test(passes_are_counted),
        cmocka_unit_test(the_last_of_several_is_waited_for),
        cmocka_unit_test(what_is_implied_is_dropped),
        cmocka_unit_test(circles_are_dropped),
        cmocka_unit_test(sleeps_in_loops_order_nothing),
        cmocka_unit_test(damaged_logs_are_survived),
        cmocka_unit_test(edits_are_applied_in_order),
        cmocka_unit_test(diffs_are_unified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
