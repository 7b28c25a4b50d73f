/* The runtime's own allocator: blocks do not overlap, are aligned, keep their sizes, and are used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/rng.h"
#include "runtime/internal_heap.h"

enum { BLOCKS = 300 };

static void test_random_blocks(void **state) {
    (void)state;
    static unsigned char *blocks[BLOCKS];
    static size_t sizes[BLOCKS];
    struct rv_rng rng = {3};
    for (int round = 0; round < 20000; round++) {
        size_t i = rv_rng_below(&rng, BLOCKS);
        if (blocks[i]) {
            assert_int_equal(rv_internal_size(blocks[i]), sizes[i]);
            for (size_t at = 0; at < sizes[i]; at++) assert_int_equal(blocks[i][at], (unsigned char)i);
            rv_internal_free(blocks[i]);
            blocks[i] = NULL;
            continue;
        }
        size_t align = (size_t)1 << rv_rng_below(&rng, 14);
        sizes[i] = rv_rng_below(&rng, rv_rng_below(&rng, 20) ? 200 : 20000);
        blocks[i] = rv_internal_allocate(sizes[i], align);
        assert_non_null(blocks[i]);
        assert_true(rv_internal_owns(blocks[i]));
        assert_int_equal((uintptr_t)blocks[i] % align, 0);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)i, sizes[i]);
    }
}

static void test_freed_blocks_come_back(void **state) {
    (void)state;
    char *block = rv_internal_allocate(100, 16);
    rv_internal_free(block);
    assert_ptr_equal(rv_internal_allocate(90, 16), block);
}

static void test_too_much(void **state) {
    (void)state;
    assert_null(rv_internal_allocate(RV_INTERNAL_SIZE, 16));
    assert_null(rv_internal_allocate(SIZE_MAX, 16));
    assert_null(rv_internal_allocate(SIZE_MAX - 31, 16));
    assert_null(rv_internal_allocate(10, RV_INTERNAL_SIZE));
    assert_false(rv_internal_owns(&state));
    char *large = rv_internal_allocate((size_t)1 << 30, 16);
    assert_non_null(large);
    large[0] = large[((size_t)1 << 30) - 1] = 1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_blocks),
        cmocka_unit_test(test_freed_blocks_come_back),
        cmocka_unit_test(test_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
