/* The heap against a model: random calls, and after them every byte's shadow, every block's identity, every
 * misuse. Each test runs in a forked child with a heap of its own, for the heap lies at fixed addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "runtime/heap.h"

#define MIB ((size_t)1 << 20)

/* In the child a failed check says where and exits with 1; cmocka's own longjmp stays in the parent. */
#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                                     \
        }                                                                                 \
    } while (0)

static void in_child(void (*body)(void)) {
    pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static struct rv_heap_origin origin(uint32_t thread, uint32_t kind, uint32_t depth) {
    struct rv_heap_origin result = {.thread = thread, .frame_count = depth};
    for (uint32_t i = 0; i < depth; i++) result.frames[i] = 0x400000 + kind * 0x100u + i;
    return result;
}

static bool same_origin(const struct rv_heap_origin *a, const struct rv_heap_origin *b) {
    return a->thread == b->thread && a->frame_count == b->frame_count &&
           memcmp(a->frames, b->frames, a->frame_count * sizeof(a->frames[0])) == 0;
}

/* ---- the model ---- */

struct model {
    char *address;
    size_t size;
    uint32_t number;
    bool live;
    uint32_t mark; /* kinds of both origins, and the byte the block is filled with */
};
enum { MODEL_MAX = 200000 };
static struct model *model;
static uint32_t model_count;

static size_t some_size(struct rv_rng *rng) {
    uint64_t dice = rv_rng_below(rng, 100);
    if (dice < 70) return rv_rng_below(rng, 200);
    if (dice < 95) return rv_rng_below(rng, 5000);
    if (dice < 99) return rv_rng_below(rng, 100000);
    return rv_rng_below(rng, MIB);
}

static size_t some_align(struct rv_rng *rng) {
    return rv_rng_below(rng, 10) ? 1 : (size_t)1 << rv_rng_below(rng, 15);
}

static void model_allocate(struct rv_rng *rng) {
    struct model *block = &model[model_count];
    size_t align = some_align(rng);
    block->size = some_size(rng);
    block->mark = (uint32_t)rv_rng_below(rng, 200);
    struct rv_heap_origin by = origin(block->mark % 7, block->mark, block->mark % 13);
    block->address = rv_heap_allocate(block->size, align, &by);
    CHECK(block->address);
    CHECK((uintptr_t)block->address % 16 == 0 && (uintptr_t)block->address % align == 0);
    block->number = ++model_count;
    block->live = true;
    memset(block->address, (int)block->mark, block->size);
}

static void check_contents(const struct model *block) {
    for (size_t i = 0; i < block->size; i++) CHECK((uint8_t)block->address[i] == (uint8_t)block->mark);
}

static void model_release(struct model *block) {
    struct rv_heap_origin by = origin(block->mark % 5, block->mark + 1000, (block->mark + 3) % 13);
    enum rv_heap_status expected = block->live ? RV_HEAP_OK : RV_HEAP_DOUBLE_FREE;
    if (block->live) check_contents(block);
    CHECK(rv_heap_size(block->address) == (block->live ? block->size : 0));
    CHECK(rv_heap_release(block->address, &by) == expected);
    block->live = false;
}

/* What the model says about one byte: live blocks by a map of the whole used arena. */
static void check_shadow(void) {
    struct rv_region regions[RV_HEAP_REGIONS];
    unsigned count = rv_heap_regions(regions);
    size_t used = 0;
    for (unsigned i = 0; i < count; i++)
        if ((uintptr_t)regions[i].base == RV_HEAP_BASE) used = *regions[i].used;
    uint8_t *usable = calloc(1, used + 16);
    for (uint32_t i = 0; i < model_count; i++)
        if (model[i].live) {
            size_t at = (size_t)((uintptr_t)model[i].address - RV_HEAP_BASE);
            CHECK(at + model[i].size + 16 <= used);
            for (size_t j = 0; j < model[i].size; j++) {
                CHECK(!usable[at + j]); /* live blocks do not overlap */
                usable[at + j] = 1;
            }
        }
    for (size_t i = 0; i < used; i++) CHECK(rv_heap_accessible(RV_HEAP_BASE + i, 1) == (usable[i] != 0));
    struct rv_rng rng = {7};
    for (int i = 0; i < 20000; i++) { /* longer accesses: all bytes or none */
        size_t at = rv_rng_below(&rng, used - 600), size = 1 + rv_rng_below(&rng, 500);
        bool all = memchr(usable + at, 0, size) == NULL;
        CHECK(rv_heap_accessible(RV_HEAP_BASE + at, size) == all);
    }
    free(usable);
}

static void check_live_blocks(void) {
    for (uint32_t i = 0; i < model_count; i++) {
        const struct model *block = &model[i];
        if (!block->live) continue;
        struct rv_heap_block found;
        struct rv_heap_origin by = origin(block->mark % 7, block->mark, block->mark % 13);
        size_t inside = block->size / 2;
        CHECK(rv_heap_find((uintptr_t)block->address + inside, &found));
        CHECK(found.number == block->number && found.address == (uintptr_t)block->address);
        CHECK(found.size == block->size && !found.freed && same_origin(&found.allocated, &by));
        uint32_t offset = 0;
        CHECK(rv_heap_number((uintptr_t)block->address + block->size + 15, &offset) == block->number);
        CHECK(offset == block->size + 15);
        CHECK(rv_heap_release(block->address + (block->size ? 16 : 8), NULL) == RV_HEAP_NOT_A_BLOCK);
        CHECK(rv_heap_release(block->address + 1, NULL) == RV_HEAP_NOT_A_BLOCK);
    }
}

static void random_operations(void) {
    CHECK(rv_heap_init(4096 * MIB));
    model = calloc(MODEL_MAX, sizeof(*model));
    struct rv_rng rng = {42};
    uint32_t live[600], live_count = 0;
    for (int i = 0; i < 100000; i++) {
        if (live_count < 600 && (live_count == 0 || rv_rng_below(&rng, 600) > live_count / 2)) {
            live[live_count++] = model_count;
            model_allocate(&rng);
        } else {
            uint32_t pick = (uint32_t)rv_rng_below(&rng, live_count);
            struct model *block = &model[live[pick]];
            model_release(block);
            if (i % 16 == 0) model_release(block); /* still in quarantine: a double free */
            live[pick] = live[--live_count];
        }
    }
    check_shadow();
    check_live_blocks();
}

static void test_random_operations_agree_with_model(void **state) {
    (void)state;
    in_child(random_operations);
}

/* ---- misuse ---- */

static void misuse(void) {
    CHECK(rv_heap_init(64 * MIB));
    struct rv_heap_origin a = origin(3, 1, 12), b = origin(4, 2, 1);
    char *first = rv_heap_allocate(24, 1, &a), *second = rv_heap_allocate(13, 1, &a);
    CHECK(rv_heap_accessible((uintptr_t)first, 24));
    CHECK(!rv_heap_accessible((uintptr_t)first + 24, 1)); /* overflow by one */
    CHECK(!rv_heap_accessible((uintptr_t)first + 20, 8)); /* half in, half out */
    CHECK(!rv_heap_accessible((uintptr_t)first - 1, 1));  /* underflow of the very first block */
    CHECK(!rv_heap_accessible((uintptr_t)second - 1, 1));
    CHECK(rv_heap_accessible((uintptr_t)second + 8, 5) && !rv_heap_accessible((uintptr_t)second + 8, 6));
    struct rv_heap_block block;
    CHECK(rv_heap_find((uintptr_t)first + 24, &block) && block.number == 1 && !block.freed);
    CHECK(!rv_heap_find((uintptr_t)first - 1, &block));

    CHECK(rv_heap_release(first, &b) == RV_HEAP_OK);
    CHECK(!rv_heap_accessible((uintptr_t)first, 1) && !rv_heap_accessible((uintptr_t)first + 23, 1));
    CHECK(rv_heap_find((uintptr_t)first + 8, &block) && block.freed && block.number == 1 && block.size == 24);
    CHECK(same_origin(&block.allocated, &a) && same_origin(&block.released, &b));
    CHECK(rv_heap_release(first, &b) == RV_HEAP_DOUBLE_FREE);
    int local = 0;
    CHECK(rv_heap_release(&local, &b) == RV_HEAP_NOT_A_BLOCK);
    CHECK(rv_heap_release((void *)(RV_HEAP_BASE + RV_HEAP_SIZE / 2), &b) == RV_HEAP_NOT_A_BLOCK);
    CHECK(rv_heap_release((void *)RV_HEAP_BASE, &b) == RV_HEAP_NOT_A_BLOCK);

    char *empty = rv_heap_allocate(0, 1, NULL), *other = rv_heap_allocate(0, 1, NULL);
    CHECK(empty && other && empty != other && !rv_heap_accessible((uintptr_t)empty, 1));
    CHECK(rv_heap_find((uintptr_t)empty, &block) && block.size == 0 && block.allocated.frame_count == 0);
    CHECK(rv_heap_release(empty, NULL) == RV_HEAP_OK && rv_heap_release(empty, NULL) == RV_HEAP_DOUBLE_FREE);
}

static void test_misuse_is_recognised(void **state) {
    (void)state;
    in_child(misuse);
}

/* ---- quarantine, limit, large blocks ---- */

static void quarantine(void) {
    CHECK(rv_heap_init(1024 * MIB));
    char *victim = rv_heap_allocate(1000, 1, NULL);
    memset(victim, 'v', 1000);
    CHECK(rv_heap_release(victim, NULL) == RV_HEAP_OK);
    size_t freed = 0;
    while (freed + MIB + 1000 < RV_HEAP_QUARANTINE) { /* chunks are a little longer than their blocks */
        char *filler = rv_heap_allocate(500000, 1, NULL);
        CHECK(rv_heap_release(filler, NULL) == RV_HEAP_OK);
        char *same = rv_heap_allocate(1000, 1, NULL);
        CHECK(same != victim);
        freed += 502000;
    }
    CHECK(!rv_heap_accessible((uintptr_t)victim, 1));
    for (int i = 0; i < 8; i++) CHECK(rv_heap_release(rv_heap_allocate(500000, 1, NULL), NULL) == RV_HEAP_OK);
    char *again = rv_heap_allocate(990, 1, NULL);
    CHECK(again == victim);
    CHECK(again[0] == 'v'); /* what the former owner left */
    CHECK(rv_heap_accessible((uintptr_t)again, 990) && !rv_heap_accessible((uintptr_t)again, 991));
}

static void test_freed_memory_waits_in_quarantine_then_is_reused(void **state) {
    (void)state;
    in_child(quarantine);
}

static void bounded_reuse(void) {
    CHECK(rv_heap_init(1024 * MIB));
    struct rv_rng rng = {5};
    uintptr_t highest = 0;
    for (int i = 0; i < 20000; i++) {
        size_t size = 1 + rv_rng_below(&rng, 3 * MIB);
        char *block = rv_heap_allocate(size, i % 3 ? 1 : 8192, NULL);
        CHECK(block && rv_heap_release(block, NULL) == RV_HEAP_OK);
        uintptr_t end = (uintptr_t)block + size - RV_HEAP_BASE;
        if (end > highest) highest = end;
    }
    CHECK(highest < 1024 * MIB); /* 30 GB went through; a quarantine and a list per class remain */
}

static void test_reuse_bounds_the_arena(void **state) {
    (void)state;
    in_child(bounded_reuse);
}

static void limits(void) {
    CHECK(rv_heap_init(10 * MIB));
    CHECK(!rv_heap_allocate(10 * MIB + 1, 1, NULL));
    char *all = rv_heap_allocate(10 * MIB, 1, NULL);
    CHECK(all && !rv_heap_allocate(1, 1, NULL));
    CHECK((uintptr_t)all % 4096 == 0);
    CHECK(rv_heap_accessible((uintptr_t)all, 10 * MIB) && !rv_heap_accessible((uintptr_t)all, 10 * MIB + 1));
    struct rv_heap_block block;
    CHECK(rv_heap_find((uintptr_t)all + 10 * MIB - 1, &block) && block.address == (uintptr_t)all);
    CHECK(rv_heap_release(all, NULL) == RV_HEAP_OK);
    CHECK(!rv_heap_accessible((uintptr_t)all + 5 * MIB, 1));
    CHECK(rv_heap_allocate(1, 1, NULL));
    CHECK(!rv_heap_allocate(SIZE_MAX, 1, NULL) && !rv_heap_allocate(SIZE_MAX - 15, 16, NULL));
    CHECK(!rv_heap_allocate(1, (size_t)1 << 62, NULL));
}

static void test_limit_and_large_blocks(void **state) {
    (void)state;
    in_child(limits);
}

/* ---- state lies in the regions ---- */

struct saved {
    struct rv_region regions[RV_HEAP_REGIONS];
    unsigned count;
    size_t used[RV_HEAP_REGIONS];
    char *copy[RV_HEAP_REGIONS];
};

static size_t used_now(const struct rv_region *region) {
    return region->used ? *region->used : region->fixed;
}

static size_t save(struct saved *saved) {
    size_t total = 0;
    saved->count = rv_heap_regions(saved->regions);
    for (unsigned i = 0; i < saved->count; i++) {
        total += saved->used[i] = used_now(&saved->regions[i]);
        saved->copy[i] = malloc(saved->used[i]);
        memcpy(saved->copy[i], saved->regions[i].base, saved->used[i]);
    }
    return total;
}

static void put_back(const struct saved *saved) {
    for (unsigned i = saved->count; i-- > 0;) { /* the counters lie in region 0: last */
        const struct rv_region *region = &saved->regions[i];
        size_t now = used_now(region);
        memset(region->base + saved->used[i], 0, now - saved->used[i]);
        memcpy(region->base, saved->copy[i], saved->used[i]);
    }
}

static void one_future(uintptr_t *addresses) {
    struct rv_rng rng = {99};
    char *highest = NULL;
    for (int i = 0; i < 3000; i++) {
        struct rv_heap_origin by = origin(1, (uint32_t)rv_rng_below(&rng, 50), 5);
        size_t size = some_size(&rng), align = some_align(&rng);
        char *block = rv_heap_allocate(size, align, &by);
        for (size_t j = 0; j < size && block > highest; j++)
            CHECK(!block[j]); /* never used in this execution */
        if (block > highest) highest = block;
        memset(block, 1, size);
        if (rv_rng_below(&rng, 2)) CHECK(rv_heap_release(block, &by) == RV_HEAP_OK);
        addresses[i] = (uintptr_t)block;
    }
}

static void restoring(void) {
    CHECK(rv_heap_init(4096 * MIB));
    struct rv_heap_origin by = origin(0, 1, 6);
    for (size_t i = 0; i < 3; i++) CHECK(rv_heap_allocate(24 + i, 1, &by));
    struct saved saved;
    size_t total = save(&saved);
    CHECK(total < 8 << 10); /* three small blocks cost next to nothing to restore */
    uintptr_t first[3000] = {0}, second[3000] = {0};
    one_future(first);
    put_back(&saved);
    struct saved again;
    CHECK(save(&again) == total);
    for (unsigned i = 0; i < saved.count; i++) CHECK(!memcmp(saved.copy[i], again.copy[i], saved.used[i]));
    one_future(second);
    CHECK(!memcmp(first, second, sizeof(first)));
}

static void test_restored_regions_have_the_same_future(void **state) {
    (void)state;
    in_child(restoring);
}

/* ---- systems that refuse the reservation ---- */

static void little_address_space(void) {
    struct rlimit limit = {.rlim_cur = 600 * MIB, .rlim_max = 600 * MIB};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK(rv_heap_init(4096 * MIB));
    size_t count = 0;
    char *block;
    while ((block = rv_heap_allocate(100000, 1, NULL)) != NULL) {
        block[0] = block[99999] = 'x';
        CHECK(rv_heap_accessible((uintptr_t)block, 100000) &&
              !rv_heap_accessible((uintptr_t)block + 100000, 1));
        CHECK(++count < 10000);
    }
    CHECK(count > 1000);
}

static void test_smaller_reservation_under_an_address_space_limit(void **state) {
    (void)state;
    in_child(little_address_space);
}

static void compact_table(void) {
    CHECK(rv_heap_init(4096 * MIB));
    for (uint32_t i = 0; i < 100000; i++) {
        struct rv_heap_origin by = origin(i % 4, i % 64, 12);
        CHECK(rv_heap_allocate(16, 1, &by));
    }
    struct rv_region regions[RV_HEAP_REGIONS];
    unsigned count = rv_heap_regions(regions);
    size_t total = 0;
    for (unsigned i = 0; i < count; i++) total += used_now(&regions[i]);
    CHECK(total < 100000u * (16 + 64)); /* below 64 bytes a block besides its data */
}

static void test_a_block_costs_less_than_64_bytes(void **state) {
    (void)state;
    in_child(compact_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations_agree_with_model),
        cmocka_unit_test(test_misuse_is_recognised),
        cmocka_unit_test(test_freed_memory_waits_in_quarantine_then_is_reused),
        cmocka_unit_test(test_reuse_bounds_the_arena),
        cmocka_unit_test(test_limit_and_large_blocks),
        cmocka_unit_test(test_restored_regions_have_the_same_future),
        cmocka_unit_test(test_smaller_reservation_under_an_address_space_limit),
        cmocka_unit_test(test_a_block_costs_less_than_64_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
