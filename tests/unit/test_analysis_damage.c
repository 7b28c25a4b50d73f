/* Streams that no program could have produced, as a damaged trace may hold: the analyses end, say the same each time, and
 * are as good as new for the next execution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/lockorder.h"
#include "analysis/lockset.h"
#include "analysis/race_hb.h"
#include "analysis/syncp.h"
#include "streams.h"

enum { ARENA = 32 << 20 };
static struct rv_race race;
static struct rv_lockset_races lockset;
static struct rv_lockorder lockorder;
static struct rv_arena arena;
static void *memory;
static uint64_t told; /* hash of all reports */

static void tell(uint64_t a, uint64_t b) { told = (told ^ (a << 32 | b)) * 0x9e3779b97f4a7c15u + 1; }

static void note_race(void *user, const struct rv_race_report *r) {
    (void)user;
    tell(r->first.step, r->second.step);
}
static void note_lockset(void *user, const struct rv_lockset_report *r) {
    (void)user;
    tell(r->first.step, r->second.step);
}
static void note_cycle(void *user, const struct rv_lock_wait *waits, uint32_t count) {
    (void)user;
    tell(waits[0].wanted_step, count);
}
static void note_pair(void *user, uint32_t first, uint32_t second) {
    (void)user;
    tell(first, second);
}

static int setup(void **state) {
    (void)state;
    memory = calloc(1, ARENA);
    rv_arena_init(&arena, memory, ARENA);
    return memory && rv_race_init(&race, &test_pages, note_race, NULL) &&
                   rv_lockset_init(&lockset, &test_pages, RV_LOCKSET_KEEP, note_lockset, NULL) &&
                   rv_lockorder_init(&lockorder, &test_pages, note_cycle, NULL)
               ? 0
               : -1;
}

static int teardown(void **state) {
    (void)state;
    free(memory);
    pages_free_all();
    return 0;
}

static uint64_t all_of(const struct stream *stream) {
    told = 0;
    rv_race_begin(&race);
    rv_lockset_begin(&lockset);
    rv_lockorder_begin(&lockorder);
    for (uint32_t i = 0; i < stream->count; i++) {
        rv_race_step(&race, &stream->steps[i], i);
        rv_lockset_step(&lockset, &stream->steps[i], i);
        rv_lockorder_step(&lockorder, &stream->steps[i], i);
    }
    assert_true(rv_syncp_find(stream->steps, stream->count, &arena, note_pair, NULL));
    return told;
}

static void garbage_does_no_harm(void **state) {
    (void)state;
    static struct stream stream;
    uint32_t exhausted = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct rv_rng rng = rv_rng_stream(10, seed);
        stream.count = STREAM_STEPS;
        for (uint32_t i = 0; i < stream.count; i++) {
            struct rv_step *step = &stream.steps[i];
            step->kind = (uint8_t)rv_rng_below(&rng, RV_STEP_KINDS + 2); /* two that do not exist */
            step->order = (uint8_t)rv_rng_below(&rng, 8);
            step->thread = (uint32_t)rv_rng_below(&rng, 5);
            step->site = rv_rng_below(&rng, 40);
            step->address =
                rv_rng_below(&rng, 2) ? rv_rng_below(&rng, 8) : 0x200000 - 8 + rv_rng_below(&rng, 16);
            if (!rv_rng_below(&rng, 50)) step->address = UINT64_MAX - rv_rng_below(&rng, 4);
            step->size = rv_rng_below(&rng, 40);
        }
        uint64_t first = all_of(&stream);
        assert_true(all_of(&stream) == first);
        exhausted += race.exhausted;
    }
    assert_true(exhausted < 390); /* a thread number beyond all limits */
}

static void an_exhausted_analysis_begins_again(void **state) {
    (void)state;
    struct stream stream = {
        .count = 4,
        .steps = {{.kind = RV_STEP_CREATE, .address = 1},
                  {.kind = RV_STEP_CREATE, .address = UINT32_MAX - 1},
                  {.kind = RV_STEP_WRITE, .address = 64, .size = 4, .site = 1},
                  {.kind = RV_STEP_WRITE, .address = 64, .size = 4, .site = 2, .thread = 1}}};
    rv_race_begin(&race);
    told = 0;
    for (uint32_t i = 0; i < stream.count; i++) rv_race_step(&race, &stream.steps[i], i);
    assert_true(race.exhausted && !told); /* no verdicts any more */
    stream.steps[1].address = 2;
    rv_race_begin(&race);
    for (uint32_t i = 0; i < stream.count; i++) rv_race_step(&race, &stream.steps[i], i);
    assert_true(!race.exhausted && told);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(garbage_does_no_harm),
        cmocka_unit_test(an_exhausted_analysis_begins_again),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
