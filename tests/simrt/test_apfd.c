/* The APFD against cases worked out by hand. */
#include "apfd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(double value, double expected) {
    assert_true(value > expected - 1e-9 && value < expected + 1e-9);
}

static void one_race_by_its_place(void **state) {
    (void)state;
    const bool finds[] = {true, false, false, false};
    expect(apfd(finds, 1, (size_t[]){0, 1, 2, 3}, 4),
           1 - 1.0 / 4 + 1.0 / 8); /* 0.875: the best there is for four tests */
    expect(apfd(finds, 1, (size_t[]){1, 0, 2, 3}, 4), 0.625);
    expect(apfd(finds, 1, (size_t[]){1, 2, 3, 0}, 4), 0.125);
}

/* The example of the papers on prioritization: five tests, ten faults; order C E B A D. */
static void several_races_by_first_test(void **state) {
    (void)state;
    bool finds[50] = {false};
    const int table[][7] = {{1, 5}, {1, 5, 6, 7}, {1, 2, 3, 4, 5, 6, 7}, {5}, {8, 9, 10}};
    for (size_t test = 0; test < 5; test++)
        for (size_t i = 0; i < 7 && table[test][i] > 0; i++)
            finds[test * 10 + (size_t)table[test][i] - 1] = true;
    expect(apfd(finds, 10, (size_t[]){0, 1, 2, 3, 4}, 5), 0.5);
    expect(apfd(finds, 10, (size_t[]){4, 3, 2, 1, 0}, 5), 0.64);
    expect(apfd(finds, 10, (size_t[]){2, 4, 1, 0, 3}, 5), 0.84);
}

static void what_is_not_found_comes_after_all(void **state) {
    (void)state;
    const bool finds[] = {true, false, false, false};
    expect(apfd(finds, 2, (size_t[]){0, 1}, 2), 1 - 4.0 / 4 + 1.0 / 4);
    expect(apfd(finds, 2, (size_t[]){1}, 1), 1 - 4.0 / 2 + 1.0 / 2); /* below 0: nothing of it found */
}

static void without_races_or_tests(void **state) {
    (void)state;
    expect(apfd(NULL, 0, (size_t[]){0}, 1), 1);
    expect(apfd(NULL, 3, NULL, 0), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_race_by_its_place),
        cmocka_unit_test(several_races_by_first_test),
        cmocka_unit_test(what_is_not_found_comes_after_all),
        cmocka_unit_test(without_races_or_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
