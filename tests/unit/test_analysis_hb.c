/* The happens-before race detector: every kind of edge with a racing and an ordered twin, then random streams against the
 * definition (streams.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/race_hb.h"
#include "streams.h"

enum { X = 0x10000, L = 0x20000, A = 0x30000, REPORTS = 4096 };

static struct rv_race race;
static struct rv_race_report reports[REPORTS];
static uint32_t report_count;

static void note(void *user, const struct rv_race_report *report) {
    (void)user;
    if (report_count < REPORTS) reports[report_count++] = *report;
}

static int setup(void **state) {
    (void)state;
    return rv_race_init(&race, &test_pages, note, NULL) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    pages_free_all();
    return 0;
}

static void watch(const struct rv_step *steps, uint32_t count) {
    rv_race_begin(&race);
    report_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct rv_step step = steps[i];
        if (!step.site) step.site = i + 1;
        rv_race_step(&race, &step, i);
    }
    assert_false(race.exhausted);
}

#define T(number, what, at, ...) \
    { .thread = number, .kind = RV_STEP_##what, .address = at, __VA_ARGS__ }
#define TWO T(0, CREATE, 1), T(0, CREATE, 2)
#define races(expected, ...)                           \
    do {                                               \
        const struct rv_step steps_[] = {__VA_ARGS__}; \
        watch(steps_, sizeof steps_ / sizeof *steps_); \
        assert_int_equal(report_count, expected);      \
    } while (0)
#define W(number)     T(number, WRITE, X, .size = 4)
#define R(number)     T(number, READ, X, .size = 4)
#define ORDER(order_) .size = 4, .order = RV_ORDER_##order_

static void unordered_accesses_race_unless_both_read(void **state) {
    (void)state;
    races(1, TWO, W(1), W(2));
    races(1, TWO, W(1), R(2));
    races(1, TWO, R(1), W(2));
    races(0, TWO, R(1), R(2));
    races(0, TWO, W(1), R(1));
}

static void a_report_names_both_accesses(void **state) {
    (void)state;
    races(1, TWO, T(1, WRITE, X + 2, .size = 2, .site = 77), T(2, READ, X, .size = 8, .site = 88));
    const struct rv_race_report *r = &reports[0];
    assert_int_equal(r->address, X + 2);
    assert_true(r->first.thread == 1 && r->first.site == 77 && r->first.step == 2 && r->first.size == 2 &&
                r->first.address == X + 2 && r->first.kind == RV_STEP_WRITE);
    assert_true(r->second.thread == 2 && r->second.site == 88 && r->second.step == 3 && r->second.size == 8 &&
                r->second.address == X && r->second.kind == RV_STEP_READ);
}

static void bytes_are_told_apart(void **state) {
    (void)state;
    races(0, TWO, T(1, WRITE, X, .size = 1), T(2, WRITE, X + 1, .size = 1));
    races(0, TWO, T(1, WRITE, X, .size = 4), T(2, WRITE, X + 4, .size = 4));
    races(1, TWO, T(1, WRITE, X + 6, .size = 4), T(2, WRITE, X + 9, .size = 1)); /* over two granules */
    races(0, TWO, T(1, WRITE, X + 6, .size = 4), T(2, WRITE, X + 10, .size = 1));
    races(1, TWO, T(1, WRITE, X, .size = 100), T(2, READ, X + 99, .size = 1)); /* a range */
    races(0, TWO, T(1, WRITE, X, .size = 100), T(2, READ, X + 100, .size = 1));
}

/* Bytes touched one after the other by one statement become one cell, but not across what others did in between. */
static void repeated_statements_are_kept_as_one(void **state) {
    (void)state;
#define BYTE(number, at, site_) T(number, WRITE, at, .size = 1, .site = site_)
    races(1, TWO, BYTE(1, X, 5), BYTE(1, X + 1, 5), BYTE(1, X + 2, 5),
          T(2, READ, X + 2, .size = 2, .site = 6));
    assert_int_equal(reports[0].first.address, X + 2);
    assert_int_equal(reports[0].first.size, 1);
    races(0, TWO, BYTE(1, X, 5), BYTE(1, X + 1, 5), T(2, READ, X + 2, .size = 2, .site = 6));
    races(2, TWO, BYTE(1, X, 5), BYTE(2, X, 6), BYTE(1, X + 1, 5), BYTE(1, X, 7));
#undef BYTE
}

static void mutexes_order(void **state) {
    (void)state;
    races(0, TWO, T(1, LOCK, L), W(1), T(1, UNLOCK, L), T(2, LOCK, L), W(2));
    races(1, TWO, T(1, LOCK, L), W(1), T(1, UNLOCK, L), T(2, LOCK, L + 8), W(2));
    races(1, TWO, T(1, LOCK, L), T(1, UNLOCK, L), W(1), T(2, LOCK, L), W(2));
}

static void shared_holders_do_not_order_each_other(void **state) {
    (void)state;
    races(1, TWO, T(1, LOCK_SHARED, L), W(1), T(1, UNLOCK_SHARED, L), T(2, LOCK_SHARED, L), W(2));
    races(0, TWO, T(1, LOCK_SHARED, L), W(1), T(1, UNLOCK_SHARED, L), T(2, LOCK, L), W(2));
    races(0, TWO, T(1, LOCK, L), W(1), T(1, UNLOCK, L), T(2, LOCK_SHARED, L), W(2));
}

static void channels_order_receivers_after_senders(void **state) {
    (void)state;
    races(0, TWO, W(1), T(1, SEND, L), T(2, RECEIVE, L), W(2));
    races(1, TWO, T(1, SEND, L), W(1), T(2, RECEIVE, L), W(2));
    races(1, TWO, W(1), T(1, SEND, L), T(2, RECEIVE, L + 4), W(2));
    races(1, TWO, T(1, RECEIVE, L), W(1), T(2, RECEIVE, L), W(2));
}

static void annotations_order(void **state) {
    (void)state;
    races(0, TWO, W(1), T(1, BEFORE, L), T(2, AFTER, L), W(2));
    races(1, TWO, W(1), T(1, BEFORE, L), T(2, AFTER, L + 1), W(2));
    races(1, TWO, W(1), T(1, BEFORE, L), T(2, RECEIVE, L), W(2));
}

static void barriers_order_all_with_all(void **state) {
    (void)state;
    races(0, TWO, W(1), T(1, BARRIER, L, .size = 2), T(2, BARRIER, L, .size = 2), W(2));
    races(0, TWO, W(2), T(1, BARRIER, L, .size = 2), T(2, BARRIER, L, .size = 2), W(1));
    races(1, TWO, T(1, BARRIER, L, .size = 2), T(2, BARRIER, L, .size = 2), W(1), W(2));
    /* the next round, with thread 0 and 1, tells thread 2 nothing */
    races(1, TWO, T(1, BARRIER, L, .size = 2), T(2, BARRIER, L, .size = 2), W(1), T(1, BARRIER, L, .size = 2),
          T(0, BARRIER, L, .size = 2), W(2));
}

static void threads_are_ordered_by_creation_and_joining(void **state) {
    (void)state;
    races(0, W(0), T(0, CREATE, 1), W(1));
    races(1, T(0, CREATE, 1), W(0), W(1));
    races(0, T(0, CREATE, 1), W(1), T(1, EXIT, 0), T(0, JOIN, 1), W(0));
    races(1, T(0, CREATE, 1), W(1), T(1, EXIT, 0), W(0));
}

static void atomics_order_as_written(void **state) {
    (void)state;
    races(0, TWO, W(1), T(1, ATOMIC_WRITE, A, ORDER(RELEASE)), T(2, ATOMIC_READ, A, ORDER(ACQUIRE)), R(2));
    races(0, TWO, W(1), T(1, ATOMIC_WRITE, A, ORDER(SEQ_CST)), T(2, ATOMIC_READ, A, ORDER(CONSUME)), R(2));
    races(1, TWO, W(1), T(1, ATOMIC_WRITE, A, ORDER(RELAXED)), T(2, ATOMIC_READ, A, ORDER(ACQUIRE)), R(2));
    races(1, TWO, W(1), T(1, ATOMIC_WRITE, A, ORDER(RELEASE)), T(2, ATOMIC_READ, A, ORDER(RELAXED)), R(2));
    races(0, TWO, W(1), T(1, ATOMIC_RMW, A, ORDER(RELEASE)), T(2, ATOMIC_RMW, A, ORDER(ACQUIRE)), R(2));
    races(1, TWO, W(1), T(1, ATOMIC_RMW, A, ORDER(ACQUIRE)), T(2, ATOMIC_RMW, A, ORDER(RELEASE)), R(2));
    races(1, TWO, T(1, ATOMIC_WRITE, A, ORDER(RELEASE)), W(1), T(2, ATOMIC_READ, A, ORDER(ACQUIRE)), R(2));
}

static void release_sequences_go_on_through_updates_and_own_writes(void **state) {
    (void)state;
#define HEAD TWO, W(1), T(1, ATOMIC_WRITE, A, ORDER(RELEASE))
#define TAIL T(2, ATOMIC_READ, A, ORDER(ACQUIRE)), R(2)
    races(0, HEAD, T(0, ATOMIC_RMW, A, ORDER(RELAXED)), TAIL);
    races(1, HEAD, T(0, ATOMIC_WRITE, A, ORDER(RELAXED)), TAIL);
    races(1, HEAD, T(0, ATOMIC_WRITE, A, ORDER(RELEASE)), TAIL);
    races(0, HEAD, T(1, ATOMIC_WRITE, A, ORDER(RELAXED)), TAIL);
    races(0, HEAD, T(0, ATOMIC_RMW, A, ORDER(RELEASE)), T(1, ATOMIC_WRITE, A, ORDER(RELAXED)), TAIL);
    races(1, HEAD, T(0, ATOMIC_RMW, A, ORDER(RELEASE)), T(0, ATOMIC_WRITE, A, ORDER(RELAXED)), TAIL);
#undef HEAD
#undef TAIL
}

static void fences_stand_for_orders(void **state) {
    (void)state;
#define F(number, order_) T(number, FENCE, 0, .order = RV_ORDER_##order_)
#define PUT               T(1, ATOMIC_WRITE, A, ORDER(RELAXED))
#define GET               T(2, ATOMIC_READ, A, ORDER(RELAXED))
    races(0, TWO, W(1), F(1, RELEASE), PUT, GET, F(2, ACQUIRE), R(2));
    races(1, TWO, W(1), PUT, GET, F(2, ACQUIRE), R(2));
    races(1, TWO, W(1), F(1, RELEASE), PUT, GET, R(2));
    races(1, TWO, W(1), F(1, ACQUIRE), PUT, GET, F(2, ACQUIRE), R(2));
    races(1, TWO, W(1), F(1, RELEASE), PUT, GET, F(2, RELEASE), R(2));
    races(1, TWO, F(1, RELEASE), W(1), PUT, GET, F(2, ACQUIRE), R(2));
    races(1, TWO, W(1), F(1, RELEASE), PUT, F(2, ACQUIRE), GET, R(2));
    races(0, TWO, W(1), F(1, SEQ_CST), PUT, GET, F(2, SEQ_CST), R(2));
    races(1, TWO, W(1), F(1, SEQ_CST), F(2, SEQ_CST), R(2));
#undef F
#undef PUT
#undef GET
}

static void atomics_race_with_plain_accesses_only(void **state) {
    (void)state;
    races(0, TWO, T(1, ATOMIC_WRITE, X, ORDER(RELAXED)), T(2, ATOMIC_RMW, X, ORDER(RELAXED)));
    races(1, TWO, T(1, ATOMIC_WRITE, X, ORDER(RELAXED)), R(2));
    races(1, TWO, R(1), T(2, ATOMIC_RMW, X, ORDER(RELAXED)));
    races(1, TWO, W(1), T(2, ATOMIC_READ, X, ORDER(ACQUIRE)));
    races(0, TWO, R(1), T(2, ATOMIC_READ, X, ORDER(ACQUIRE)));
    races(1, TWO, T(1, ATOMIC_WRITE, X, ORDER(RELAXED)), T(2, READ, X + 3, .size = 1));
    races(0, TWO, T(1, ATOMIC_WRITE, X, ORDER(RELAXED)), T(2, READ, X + 4, .size = 1));
}

static void memory_has_lives(void **state) {
    (void)state;
    races(0, TWO, W(1), T(1, ALLOC, X, .size = 16), W(2));
    races(1, TWO, W(1), T(1, ALLOC, X + 8, .size = 16), W(2));
    races(1, TWO, W(1), T(2, FREE, X, .size = 16));
    races(1, TWO, W(2), T(2, FREE, X, .size = 16), R(1), T(1, ALLOC, X, .size = 16), R(2), R(0));
    races(0, TWO, W(1), T(1, FREE, X, .size = 16), T(2, ALLOC, X, .size = 16), W(2));
    /* what an atomic in the former life published is gone */
    races(1, TWO, W(1), T(1, ATOMIC_WRITE, A, ORDER(RELEASE)), T(0, ALLOC, A - 64, .size = 128),
          T(2, ATOMIC_READ, A, ORDER(ACQUIRE)), R(2));
    races(0, TWO, W(1), T(1, ATOMIC_WRITE, A, ORDER(RELEASE)), T(0, ALLOC, A + 4, .size = 128),
          T(2, ATOMIC_READ, A, ORDER(ACQUIRE)), R(2));
}

static void renewed_objects_order_nothing(void **state) {
    (void)state;
    races(1, TWO, W(1), T(1, SEND, L), T(0, RENEW, L), T(2, RECEIVE, L), W(2));
    races(0, TWO, W(1), T(1, SEND, L), T(0, RENEW, L + 8), T(2, RECEIVE, L), W(2));
    races(1, TWO, T(1, LOCK, L), W(1), T(1, UNLOCK, L), T(0, RENEW, L), T(2, LOCK, L), W(2));
}

static void a_pair_of_sites_is_reported_once_per_execution(void **state) {
    (void)state;
    const struct rv_step steps[] = {
        TWO, T(1, WRITE, X, .size = 1, .site = 9), T(2, WRITE, X, .size = 1, .site = 8),
        T(1, WRITE, X + 9, .size = 1, .site = 8), T(2, WRITE, X + 9, .size = 1, .site = 9)};
    for (int i = 0; i < 3; i++) {
        watch(steps, 6);
        assert_int_equal(report_count, 1);
    }
}

static void all_readers_are_remembered(void **state) {
    (void)state;
    enum { READERS = 40 };
    struct rv_step steps[3 * READERS + 1];
    uint32_t count = 0;
    for (uint32_t i = 1; i <= READERS; i++) steps[count++] = (struct rv_step)T(0, CREATE, i);
    for (uint32_t i = 1; i <= READERS; i++) steps[count++] = (struct rv_step)R(i);
    steps[count++] = (struct rv_step)W(0);
    watch(steps, count);
    assert_int_equal(report_count, READERS);
}

static void slots_of_threads_are_used_again(void **state) {
    (void)state;
    struct rv_step step;
    rv_race_begin(&race);
    report_count = 0;
    for (uint32_t i = 1; i <= 50000; i++) { /* joined threads, one after the other, all touch X */
        step = (struct rv_step)T(0, CREATE, i);
        rv_race_step(&race, &step, 1);
        step = (struct rv_step)W(i);
        step.site = i;
        rv_race_step(&race, &step, i);
        step = (struct rv_step)T(i, EXIT, 0);
        rv_race_step(&race, &step, 1);
        step = (struct rv_step)T(0, JOIN, i);
        rv_race_step(&race, &step, 1);
    }
    assert_int_equal(report_count, 0);
    assert_int_equal(race.hb.slot_count, 2);
    assert_false(race.exhausted);
    step = (struct rv_step)W(0);
    step.site = 60000;
    rv_race_step(&race, &step, 1);
    assert_int_equal(report_count, 0);
}

/* A slot must not pass to a thread whose creator does not know the end of the one before. */
static void threads_that_nobody_joined_keep_their_slots(void **state) {
    (void)state;
    races(1, T(0, CREATE, 1), W(1), T(1, EXIT, 0), T(0, CREATE, 2), W(2));
    assert_int_equal(reports[0].first.thread, 1);
    assert_int_equal(reports[0].second.thread, 2);
    struct rv_step step;
    rv_race_begin(&race);
    for (uint32_t i = 1; i <= 4000; i++) { /* thousands that live at once */
        step = (struct rv_step)T(0, CREATE, i);
        rv_race_step(&race, &step, 1);
    }
    report_count = 0;
    for (uint32_t i = 1; i <= 4000; i++) {
        step = (struct rv_step)T(i, WRITE, X + 8ul * i, .size = 8, .site = 5);
        rv_race_step(&race, &step, i);
    }
    assert_int_equal(report_count, 0);
    step = (struct rv_step)T(1, READ, X + 8 * 3999, .size = 8, .site = 6);
    rv_race_step(&race, &step, 1);
    assert_int_equal(report_count, 1);
    assert_int_equal(reports[0].first.thread, 3999);
    assert_false(race.exhausted);
}

static void former_owners_of_a_slot_are_named(void **state) {
    (void)state;
    races(2, T(0, CREATE, 1), T(0, CREATE, 9), W(1), T(1, EXIT, 0), T(0, JOIN, 1), T(0, CREATE, 2), R(2),
          W(9));
    assert_int_equal(race.hb.slot_count, 3);
    assert_int_equal(reports[0].first.thread + reports[1].first.thread, 1 + 2);
}

static void clocks_begin_again_before_they_run_out(void **state) {
    (void)state;
    races(1, TWO, W(1), W(2));
    race.hb.last = RV_CLOCK_MAX / 2;
    races(1, TWO, W(1), W(2));
    assert_true(race.hb.base > RV_CLOCK_MAX / 2);
    races(0, TWO, R(2));
    assert_true(race.hb.base == 1);
    races(0, TWO, R(2)); /* thread 1's write belongs to another execution */
}

/* --- random streams --- */

static bool is_reported(uint32_t i, uint32_t j) {
    for (uint32_t k = 0; k < report_count; k++)
        if (reports[k].first.step == i && reports[k].second.step == j) return true;
    return false;
}

static bool releases(const struct rv_step *step) {
    return (rv_order_releases(step->order) && step->kind != RV_STEP_ATOMIC_READ) ||
           step->kind == RV_STEP_UNLOCK || step->kind == RV_STEP_UNLOCK_SHARED ||
           step->kind == RV_STEP_SEND || step->kind == RV_STEP_BEFORE || step->kind == RV_STEP_BARRIER ||
           step->kind == RV_STEP_CREATE;
}

/* A report of step j, or of an earlier plain access of its thread that it repeats. */
static bool is_seen(const struct stream *s, const bool *named, uint32_t j) {
    const struct rv_step *step = &s->steps[j];
    if (named[j]) return true;
    for (uint32_t k = j; k-- > 0;) {
        const struct rv_step *earlier = &s->steps[k];
        if (earlier->thread != step->thread) continue;
        if (releases(earlier)) return false;
        if (named[k] && step->kind <= RV_STEP_WRITE && earlier->kind <= RV_STEP_WRITE &&
            earlier->kind >= step->kind)
            return true;
    }
    return false;
}

/* The first access that races on this byte is named together with one that it races with there. */
static bool first_race_is_reported(const struct stream *s, const struct step_set *before, uint64_t byte) {
    for (uint32_t j = 0; j < s->count; j++) {
        bool racy = false;
        for (uint32_t i = 0; i < j; i++) {
            if (!races_on(s, before, i, j, byte)) continue;
            if (is_reported(i, j)) return true;
            racy = true;
        }
        if (racy) return false;
    }
    return true;
}

/* Says what is wrong, or NULL. */
static const char *disagrees(const struct stream *s, uint32_t *racy_accesses) {
    static struct step_set before[STREAM_STEPS];
    bool named[STREAM_STEPS] = {false};
    happens_before(s, true, before);
    for (uint32_t k = 0; k < report_count; k++) {
        const struct rv_race_report *r = &reports[k];
        uint32_t i = r->first.step, j = r->second.step;
        if (!races_on(s, before, i, j, r->address)) return "a report is no race";
        if (r->first.thread != s->steps[i].thread || r->first.site != s->steps[i].site)
            return "a report names another thread or site";
        named[j] = true;
    }
    for (uint32_t j = 0; j < s->count; j++) {
        const struct rv_step *step = &s->steps[j];
        if (!rv_step_is_access(step->kind)) continue;
        bool racy = false;
        for (uint32_t i = 0; i < j && !racy; i++) racy = racing_byte(s, before, i, j) != UINT64_MAX;
        if (racy && !is_seen(s, named, j)) return "a racing access is not reported";
        *racy_accesses += racy;
        for (uint64_t byte = step->address; racy && byte < step->address + step->size; byte++)
            if (!first_race_is_reported(s, before, byte)) return "the first race of a byte is not reported";
    }
    return NULL;
}

static void random_streams_agree_with_the_definition(void **state) {
    (void)state;
    static struct stream stream;
    uint32_t racy = 0, racing_streams = 0, steps = 0;
    for (uint64_t seed = 0; seed < 10000; seed++) {
        struct rv_rng rng = rv_rng_stream(4, seed);
        struct stream_options options = {.threads = 2 + (uint32_t)rv_rng_below(&rng, 4),
                                         .steps = 10 + (uint32_t)rv_rng_below(&rng, 80),
                                         .locks = (uint32_t)rv_rng_below(&rng, 3)};
        random_stream(&stream, &rng, &options);
        watch(stream.steps, stream.count);
        uint32_t known = racy;
        const char *wrong = disagrees(&stream, &racy);
        if (wrong) {
            print_stream(&stream);
            for (uint32_t k = 0; k < report_count; k++)
                printf("reported %u %u\n", reports[k].first.step, reports[k].second.step);
            fail_msg("seed %llu: %s", (unsigned long long)seed, wrong);
        }
        racing_streams += racy > known;
        steps += stream.count;
    }
    printf("10000 streams, %u steps, %u with races, %u racy accesses\n", steps, racing_streams, racy);
    assert_true(racing_streams > 2000 && racing_streams < 9900);
}

/* With few sites, so that cells become one. The first race of all is reported when it happens; a pair of sites is
 * reported only if two accesses there race. */
static void random_streams_with_few_sites_agree(void **state) {
    (void)state;
    static struct stream stream;
    static struct step_set before[STREAM_STEPS];
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct rv_rng rng = rv_rng_stream(5, seed);
        struct stream_options options = {
            .threads = 2 + (uint32_t)rv_rng_below(&rng, 3), .steps = 60, .locks = 1};
        random_stream(&stream, &rng, &options);
        for (uint32_t i = 0; i < stream.count; i++)
            stream.steps[i].site = 1 + stream.steps[i].thread * 8 + stream.steps[i].kind;
        watch(stream.steps, stream.count);
        happens_before(&stream, true, before);
        uint32_t first = UINT32_MAX;
        uint64_t pairs[64] = {0}; /* of sites, all below 64 */
        for (uint32_t j = 0; j < stream.count; j++)
            for (uint32_t i = 0; i < j; i++) {
                if (racing_byte(&stream, before, i, j) == UINT64_MAX) continue;
                if (first == UINT32_MAX) first = j;
                pairs[stream.steps[j].site] |= (uint64_t)1 << stream.steps[i].site;
            }
        assert_int_equal(report_count ? reports[0].second.step : UINT32_MAX, first);
        for (uint32_t k = 0; k < report_count; k++)
            assert_true(pairs[reports[k].second.site] >> reports[k].first.site & 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unordered_accesses_race_unless_both_read),
        cmocka_unit_test(a_report_names_both_accesses),
        cmocka_unit_test(bytes_are_told_apart),
        cmocka_unit_test(repeated_statements_are_kept_as_one),
        cmocka_unit_test(mutexes_order),
        cmocka_unit_test(shared_holders_do_not_order_each_other),
        cmocka_unit_test(channels_order_receivers_after_senders),
        cmocka_unit_test(annotations_order),
        cmocka_unit_test(barriers_order_all_with_all),
        cmocka_unit_test(threads_are_ordered_by_creation_and_joining),
        cmocka_unit_test(atomics_order_as_written),
        cmocka_unit_test(release_sequences_go_on_through_updates_and_own_writes),
        cmocka_unit_test(fences_stand_for_orders),
        cmocka_unit_test(atomics_race_with_plain_accesses_only),
        cmocka_unit_test(memory_has_lives),
        cmocka_unit_test(renewed_objects_order_nothing),
        cmocka_unit_test(a_pair_of_sites_is_reported_once_per_execution),
        cmocka_unit_test(all_readers_are_remembered),
        cmocka_unit_test(slots_of_threads_are_used_again),
        cmocka_unit_test(threads_that_nobody_joined_keep_their_slots),
        cmocka_unit_test(former_owners_of_a_slot_are_named),
        cmocka_unit_test(clocks_begin_again_before_they_run_out),
        cmocka_unit_test(random_streams_agree_with_the_definition),
        cmocka_unit_test(random_streams_with_few_sites_agree),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
