/* Lock-order deadlocks: twins for each condition, and random streams against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/lockorder.h"
#include "streams.h"

enum { A = 0x1000, B = 0x1040, C = 0x1080, D = 0x10c0, E = 0x1100, G = 0x1140, S = 0x2000 };

static struct rv_lockorder order;
static uint32_t report_count, longest;
static struct rv_lock_wait waits[RV_LONGEST_CYCLE];

static void note(void *user, const struct rv_lock_wait *cycle, uint32_t count) {
    (void)user;
    report_count++;
    longest = count > longest ? count : longest;
    memcpy(waits, cycle, count * sizeof *cycle);
}

static int setup(void **state) {
    (void)state;
    return rv_lockorder_init(&order, &test_pages, note, NULL) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    pages_free_all();
    return 0;
}

static void watch(const struct rv_step *steps, uint32_t count) {
    rv_lockorder_begin(&order);
    report_count = longest = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct rv_step step = steps[i];
        if (!step.site) step.site = i + 1;
        rv_lockorder_step(&order, &step, i);
    }
    assert_false(order.exhausted);
}

#define T(number, what, at, ...) \
    { .thread = number, .kind = RV_STEP_##what, .address = at, __VA_ARGS__ }
#define TWO                T(0, CREATE, 1), T(0, CREATE, 2)
#define LOCK(number, lock) T(number, LOCK, lock)
#define FREE(number, lock) T(number, UNLOCK, lock)
/* One lock within the other. */
#define NEST(number, outer, inner) \
    LOCK(number, outer), LOCK(number, inner), FREE(number, inner), FREE(number, outer)
#define cycles(expected, ...)                          \
    do {                                               \
        const struct rv_step steps_[] = {__VA_ARGS__}; \
        watch(steps_, sizeof steps_ / sizeof *steps_); \
        assert_int_equal(report_count, expected);      \
    } while (0)

static void opposite_orders_are_reported(void **state) {
    (void)state;
    cycles(1, TWO, NEST(1, A, B), NEST(2, B, A));
    assert_int_equal(longest, 2);
    assert_true(waits[0].thread == 2 && waits[0].held == B && waits[0].wanted == A &&
                waits[0].held_step == 6 && waits[0].wanted_step == 7 && waits[0].held_site == 7 &&
                waits[0].wanted_site == 8);
    assert_true(waits[1].thread == 1 && waits[1].held == A && waits[1].wanted == B);
    cycles(0, TWO, NEST(1, A, B), NEST(2, A, B));
    cycles(0, TWO, NEST(1, A, B), LOCK(2, B), FREE(2, B), LOCK(2, A));
}

static void one_thread_alone_is_not(void **state) {
    (void)state;
    cycles(0, TWO, NEST(1, A, B), NEST(1, B, A));
}

static void guarded_cycles_are_not(void **state) {
    (void)state;
    cycles(0, TWO, LOCK(1, G), NEST(1, A, B), FREE(1, G), LOCK(2, G), NEST(2, B, A), FREE(2, G));
    cycles(1, TWO, LOCK(1, G), NEST(1, A, B), FREE(1, G), LOCK(2, E), NEST(2, B, A), FREE(2, E));
    cycles(1, TWO, LOCK(1, G), NEST(1, A, B), FREE(1, G), LOCK(2, G), FREE(2, G), NEST(2, B, A));
    cycles(1, TWO, T(1, LOCK_SHARED, G), NEST(1, A, B), T(1, UNLOCK_SHARED, G), T(2, LOCK_SHARED, G),
           NEST(2, B, A));
}

static void ordered_cycles_are_not(void **state) {
    (void)state;
    cycles(0, T(0, CREATE, 1), NEST(1, A, B), T(1, EXIT, 0), T(0, JOIN, 1), NEST(0, B, A));
    cycles(1, T(0, CREATE, 1), NEST(1, A, B), T(1, EXIT, 0), NEST(0, B, A));
    cycles(0, NEST(0, A, B), T(0, CREATE, 1), NEST(1, B, A));
    cycles(1, T(0, CREATE, 1), NEST(0, A, B), NEST(1, B, A));
    cycles(0, TWO, NEST(1, A, B), T(1, SEND, S), T(2, RECEIVE, S), NEST(2, B, A));
    /* two threads one after the other, but each beside main */
    cycles(0, T(0, CREATE, 1), NEST(1, A, B), T(1, EXIT, 0), T(0, JOIN, 1), T(0, CREATE, 2), NEST(2, B, A));
}

static void readers_do_not_block_readers(void **state) {
    (void)state;
#define SHARED(number, outer, inner) \
    LOCK(number, outer), T(number, LOCK_SHARED, inner), T(number, UNLOCK_SHARED, inner), FREE(number, outer)
#define UNDER(number, outer, inner) \
    T(number, LOCK_SHARED, outer), LOCK(number, inner), FREE(number, inner), T(number, UNLOCK_SHARED, outer)
    cycles(0, TWO, SHARED(1, A, B), UNDER(2, B, A));
    cycles(1, TWO, SHARED(1, A, B), NEST(2, B, A));
    cycles(1, TWO, NEST(1, A, B), UNDER(2, B, A));
#undef SHARED
#undef UNDER
}

static void tries_do_not_wait(void **state) {
    (void)state;
    cycles(0, TWO, NEST(1, A, B), LOCK(2, B), T(2, LOCK, A, .order = RV_LOCK_TRIED));
    cycles(1, TWO, NEST(1, A, B), T(2, LOCK, B, .order = RV_LOCK_TRIED), LOCK(2, A));
}

static void recursion_is_no_wait(void **state) {
    (void)state;
    cycles(0, TWO, LOCK(1, A), LOCK(1, B), LOCK(1, A), FREE(1, A), FREE(1, B), FREE(1, A), NEST(2, A, B));
    cycles(1, TWO, LOCK(1, A), LOCK(1, A), FREE(1, A), LOCK(1, B), FREE(1, B), FREE(1, A), NEST(2, B, A));
}

static void longer_cycles_are_found_up_to_four(void **state) {
    (void)state;
#define FIVE T(0, CREATE, 1), T(0, CREATE, 2), T(0, CREATE, 3), T(0, CREATE, 4), T(0, CREATE, 5)
    cycles(1, FIVE, NEST(1, A, B), NEST(2, B, C), NEST(3, C, A));
    assert_int_equal(longest, 3);
    cycles(1, FIVE, NEST(3, C, D), NEST(1, A, B), NEST(4, D, A), NEST(2, B, C));
    assert_int_equal(longest, 4);
    cycles(0, FIVE, NEST(1, A, B), NEST(2, B, C), NEST(3, C, D), NEST(4, D, E), NEST(5, E, A));
    cycles(0, FIVE, NEST(1, A, B), NEST(2, B, C), NEST(1, C, A)); /* twice the same thread */
#undef FIVE
}

static void locks_have_lives(void **state) {
    (void)state;
    cycles(0, TWO, NEST(1, A, B), T(0, RENEW, A), NEST(2, B, A));
    cycles(0, TWO, NEST(1, A, B), T(0, ALLOC, B, .size = 8), NEST(2, B, A));
    cycles(1, TWO, NEST(1, A, B), T(0, ALLOC, B + 8, .size = 8), NEST(2, B, A));
}

static void loops_are_reported_once(void **state) {
    (void)state;
    struct rv_step steps[STREAM_STEPS] = {TWO};
    uint32_t count = 2;
    while (count + 8 <= STREAM_STEPS) {
        const struct rv_step round[] = {NEST(1, A, B), NEST(2, B, A)};
        memcpy(&steps[count], round, sizeof round);
        for (uint32_t i = 0; i < 8; i++) steps[count + i].site = 100 + i;
        count += 8;
    }
    watch(steps, count);
    assert_int_equal(report_count, 1);
    assert_int_equal(order.kinds.count, 2);
}

/* The first of many like waits is ordered before the other thread's, the latest is not. */
static void the_latest_of_like_waits_counts(void **state) {
    (void)state;
    struct rv_step steps[] = {TWO,           NEST(1, A, B),    NEST(1, A, B), T(1, SEND, S),
                              NEST(1, A, B), T(2, RECEIVE, S), NEST(2, B, A)};
    for (uint32_t i = 2; i < 15; i++)
        steps[i].site = 50 + (i < 10 ? (i - 2) % 4 : i == 10 ? 9 : (i - 11) % 4);
    watch(steps, sizeof steps / sizeof *steps);
    assert_int_equal(report_count, 1);
}

/* Thread 3's wait can be at once with the first of thread 1's like waits only. */
static void the_first_of_like_waits_counts(void **state) {
    (void)state;
    struct rv_step steps[] = {T(0, CREATE, 1),  T(0, CREATE, 2), T(0, CREATE, 3),
                              NEST(1, A, B),    NEST(3, B, C),   T(3, SEND, S),
                              T(1, RECEIVE, S), NEST(1, A, B),   NEST(2, C, A)};
    for (uint32_t i = 0; i < 4; i++) steps[3 + i].site = steps[13 + i].site = 50 + i;
    watch(steps, sizeof steps / sizeof *steps);
    assert_int_equal(report_count, 1);
    assert_int_equal(longest, 3);
}

/* --- random streams --- */

struct wait {
    uint32_t step; /* the wait; it holds: */
    uint64_t locks[8];
    uint32_t count;
};

static uint32_t all_waits(const struct stream *s, struct wait *all) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->steps[i].kind != RV_STEP_LOCK) continue;
        struct wait *wait = &all[count];
        *wait = (struct wait){.step = i};
        for (uint32_t k = 0; k < i; k++) {
            if (s->steps[k].thread != s->steps[i].thread) continue;
            if (s->steps[k].kind == RV_STEP_LOCK) wait->locks[wait->count++] = s->steps[k].address;
            for (uint32_t l = 0; s->steps[k].kind == RV_STEP_UNLOCK && l < wait->count; l++)
                if (wait->locks[l] == s->steps[k].address) wait->locks[l--] = wait->locks[--wait->count];
        }
        count += wait->count > 0;
    }
    return count;
}

static bool holds(const struct wait *wait, uint64_t lock) {
    for (uint32_t i = 0; i < wait->count; i++)
        if (wait->locks[i] == lock) return true;
    return false;
}

static bool at_once(const struct stream *s, const struct step_set *before, const struct wait *a,
                    const struct wait *b) {
    for (uint32_t i = 0; i < a->count; i++)
        if (holds(b, a->locks[i])) return false;
    return s->steps[a->step].thread != s->steps[b->step].thread && !has_step(&before[a->step], b->step) &&
           !has_step(&before[b->step], a->step);
}

/* Length of the shortest cycle of up to three waits; 0: none. */
static uint32_t shortest_cycle(const struct stream *s) {
    static struct step_set before[STREAM_STEPS];
    static struct wait all[STREAM_STEPS];
    happens_before(s, false, before);
    uint32_t count = all_waits(s, all), found = 0;
#define WANTS(x, y) holds(&all[y], s->steps[all[x].step].address)
    for (uint32_t x = 0; x < count; x++)
        for (uint32_t y = 0; y < count; y++) {
            if (!WANTS(x, y) || !at_once(s, before, &all[x], &all[y])) continue;
            if (WANTS(y, x)) return 2;
            for (uint32_t z = 0; z < count; z++)
                if (WANTS(y, z) && WANTS(z, x) && at_once(s, before, &all[x], &all[z]) &&
                    at_once(s, before, &all[y], &all[z]))
                    found = 3;
        }
#undef WANTS
    return found;
}

static void random_streams_agree_with_the_definition(void **state) {
    (void)state;
    static struct stream stream;
    uint32_t with[4] = {0};
    for (uint64_t seed = 0; seed < 10000; seed++) {
        struct rv_rng rng = rv_rng_stream(9, seed);
        struct stream_options options = {.threads = 2 + (uint32_t)rv_rng_below(&rng, 3),
                                         .steps = 30 + (uint32_t)rv_rng_below(&rng, 90),
                                         .locks = 2 + (uint32_t)rv_rng_below(&rng, 3),
                                         .locks_only = true};
        random_stream(&stream, &rng, &options);
        watch(stream.steps, stream.count);
        uint32_t expected = shortest_cycle(&stream);
        if ((report_count > 0) != (expected > 0)) {
            print_stream(&stream);
            fail_msg("seed %u: %u cycles reported, shortest is %u", (unsigned)seed, report_count, expected);
        }
        with[expected]++;
    }
    printf("10000 streams: %u without cycle, %u with one of two, %u of three only\n", with[0], with[2],
           with[3]);
    assert_true(with[0] > 1000 && with[2] > 1000 && with[3] > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opposite_orders_are_reported),
        cmocka_unit_test(one_thread_alone_is_not),
        cmocka_unit_test(guarded_cycles_are_not),
        cmocka_unit_test(ordered_cycles_are_not),
        cmocka_unit_test(readers_do_not_block_readers),
        cmocka_unit_test(tries_do_not_wait),
        cmocka_unit_test(recursion_is_no_wait),
        cmocka_unit_test(longer_cycles_are_found_up_to_four),
        cmocka_unit_test(locks_have_lives),
        cmocka_unit_test(loops_are_reported_once),
        cmocka_unit_test(the_latest_of_like_waits_counts),
        cmocka_unit_test(the_first_of_like_waits_counts),
        cmocka_unit_test(random_streams_agree_with_the_definition),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
