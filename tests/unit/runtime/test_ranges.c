/* Sets of address ranges against a set of single addresses: random additions and removals, all questions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/rng.h"
#include "runtime/hooks/ranges.h"

enum { SPAN = 64, STEPS = 300, SEEDS = 300 };

static struct rv_ranges ranges;
static bool member[SPAN];

static void check_all(void) {
    for (unsigned i = 0; i < ranges.count; i++) {
        assert_true(ranges.list[i].start < ranges.list[i].end);
        for (unsigned k = 0; k < i; k++) {
            bool apart =
                ranges.list[i].end <= ranges.list[k].start || ranges.list[k].end <= ranges.list[i].start;
            assert_true(apart);
        }
    }
    for (unsigned start = 0; start < SPAN; start++) {
        bool covered = true;
        unsigned change = start + 1;
        while (change < SPAN && member[change] == member[start]) change++;
        for (unsigned end = start + 1; end <= SPAN; end++) {
            covered = covered && member[end - 1];
            assert_int_equal(rv_ranges_cover(&ranges, start, end), covered);
            uintptr_t until;
            assert_int_equal(rv_ranges_part(&ranges, start, end, &until), member[start]);
            assert_int_equal(until, end < change ? end : change);
        }
    }
}

static void same_as_single_addresses(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct rv_rng rng = rv_rng_stream(seed, 0);
        memset(&ranges, 0, sizeof ranges);
        memset(member, 0, sizeof member);
        for (int step = 0; step < STEPS; step++) {
            unsigned start = (unsigned)rv_rng_below(&rng, SPAN);
            unsigned end = start + (unsigned)rv_rng_below(&rng, SPAN - start + 1);
            bool adds = rv_rng_below(&rng, 2);
            if (adds)
                rv_ranges_add(&ranges, start, end);
            else
                rv_ranges_remove(&ranges, start, end);
            for (unsigned i = start; i < end; i++) member[i] = adds;
            if (step % 50 == 49) check_all();
        }
        assert_false(ranges.overflow);
    }
}

static void neighbours_become_one(void **state) {
    (void)state;
    memset(&ranges, 0, sizeof ranges);
    rv_ranges_add(&ranges, 0, 10);
    rv_ranges_add(&ranges, 20, 30);
    rv_ranges_add(&ranges, 10, 20);
    assert_int_equal(ranges.count, 1);
    assert_true(rv_ranges_cover(&ranges, 0, 30));
}

static void full_says_so(void **state) {
    (void)state;
    memset(&ranges, 0, sizeof ranges);
    for (uintptr_t i = 0; i < RV_RANGES; i++) rv_ranges_add(&ranges, 4 * i, 4 * i + 3);
    assert_false(ranges.overflow);
    assert_int_equal(ranges.count, RV_RANGES);
    rv_ranges_remove(&ranges, 1, 2); /* cuts one in two: no room for the second half */
    assert_true(ranges.overflow);
    assert_false(rv_ranges_cover(&ranges, 1, 2));
    ranges.overflow = false;
    rv_ranges_add(&ranges, 4 * RV_RANGES + 100, 4 * RV_RANGES + 101);
    assert_true(ranges.overflow);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_single_addresses),
        cmocka_unit_test(neighbours_become_one),
        cmocka_unit_test(full_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
