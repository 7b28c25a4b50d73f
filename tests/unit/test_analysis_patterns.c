/* Memory-access patterns: the fast matcher against the exact one, on random traces; the example of the paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/patterns.h"
#include "base/rng.h"

enum { MOST = 1 << 17 };

/* A set of instances. */
struct set {
    uint32_t count;
    struct rv_instance *slots; /* pattern 0: free */
};

static uint64_t hash_of(const struct rv_instance *instance) {
    const uint32_t *words = (const uint32_t *)(const void *)instance;
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof *instance / sizeof *words; i++)
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
    return hash >> 40;
}

static bool has(const struct set *set, const struct rv_instance *instance) {
    uint64_t at = hash_of(instance);
    for (; set->slots[at % MOST].pattern; at++)
        if (memcmp(&set->slots[at % MOST], instance, sizeof *instance) == 0) return true;
    return false;
}

static void add(void *context, const struct rv_instance *instance) {
    struct set *set = context;
    if (has(set, instance)) return;
    uint64_t at = hash_of(instance);
    while (set->slots[at % MOST].pattern) at++;
    set->slots[at % MOST] = *instance;
    assert_true(++set->count < MOST / 2);
}

static struct set new_set(void) {
    struct set set = {.slots = calloc(MOST, sizeof(struct rv_instance))};
    assert_non_null(set.slots);
    return set;
}

struct trace {
    uint32_t count, objects, threads;
    struct rv_pattern_access accesses[64];
    uint32_t variables[16];
};

static void random_trace(struct trace *trace, struct rv_rng *rng) {
    trace->objects = 1 + (uint32_t)rv_rng_below(rng, 5);
    trace->threads = 2 + (uint32_t)rv_rng_below(rng, 3);
    trace->count = (uint32_t)rv_rng_below(rng, 60);
    uint32_t sites = 1 + (uint32_t)rv_rng_below(rng, 4);
    for (uint32_t i = 0; i < trace->objects; i++)
        trace->variables[i] = rv_rng_below(rng, 4) ? i : (uint32_t)rv_rng_below(rng, trace->objects);
    uint32_t thread = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        if (!rv_rng_below(rng, 3)) thread = (uint32_t)rv_rng_below(rng, trace->threads);
        trace->accesses[i] = (struct rv_pattern_access){.object = (uint32_t)rv_rng_below(rng, trace->objects),
                                                        .statement = 100 + (uint32_t)rv_rng_below(rng, sites),
                                                        .thread = thread,
                                                        .write = rv_rng_below(rng, 2)};
    }
}

/* As if nothing had been seen. */
static void forget(struct rv_patterns *patterns) {
    memset(patterns->memo, 0, sizeof patterns->memo);
    memset(patterns->wanted.pairs, 0, sizeof patterns->wanted.pairs);
    patterns->wanted.variable_count = patterns->wanted.pool_used = 0;
    patterns->wanted.spent = patterns->spent = 0;
    patterns->debt = 0;
}

static void feed(struct rv_patterns *patterns, const struct trace *trace, uint64_t index, struct set *set) {
    rv_patterns_begin(patterns);
    for (uint32_t i = 0; i < trace->objects; i++)
        assert_int_equal(rv_patterns_object(patterns, trace->variables[i]), i);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct rv_pattern_access *access = &trace->accesses[i];
        rv_patterns_access(patterns, access->object, access->thread, access->statement, access->write);
    }
    rv_patterns_end(patterns, index, add, set);
}

static void assert_subset(const struct set *part, const struct set *whole) {
    for (uint32_t i = 0; i < MOST; i++)
        if (part->slots[i].pattern) assert_true(has(whole, &part->slots[i]));
}

/* Each trace by itself: the same instances where no bound was met, never one too many. */
static void fast_is_exact(void **state) {
    (void)state;
    struct rv_rng rng = rv_rng_stream(7, 1);
    struct rv_patterns *patterns = calloc(1, sizeof *patterns);
    struct set fast = new_set(), exact = new_set();
    uint32_t compared = 0;
    uint64_t found = 0;
    for (unsigned round = 0; round < 3000; round++) {
        struct trace trace;
        random_trace(&trace, &rng);
        forget(patterns);
        fast.count = exact.count = 0;
        memset(fast.slots, 0, MOST * sizeof *fast.slots);
        memset(exact.slots, 0, MOST * sizeof *exact.slots);
        feed(patterns, &trace, round, &fast);
        rv_patterns_exact(trace.accesses, trace.count, trace.variables, add, &exact);
        assert_subset(&fast, &exact);
        if (patterns->missed) continue;
        assert_int_equal(fast.count, exact.count);
        compared++;
        found += exact.count;
    }
    assert_true(compared > 2900);
    assert_true(found > 100000);
    free(fast.slots);
    free(exact.slots);
    free(patterns);
}

/* What is remembered of earlier executions loses nothing: the union of many is the union of what each has. */
static void memory_loses_nothing(void **state) {
    (void)state;
    struct rv_patterns *patterns = calloc(1, sizeof *patterns);
    unsigned whole = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct rv_rng rng = rv_rng_stream(11, seed);
        struct set fast = new_set(), exact = new_set();
        memset(patterns, 0, sizeof *patterns);
        struct trace trace;
        unsigned missed = 0;
        random_trace(&trace, &rng);
        for (unsigned round = 0; round < 60; round++) {
            for (uint32_t i = 1; i < trace.count; i++) { /* another order of the same accesses, mostly */
                uint32_t other = (uint32_t)rv_rng_below(&rng, i + 1);
                if (rv_rng_below(&rng, 4)) continue;
                struct rv_pattern_access access = trace.accesses[i];
                trace.accesses[i] = trace.accesses[other];
                trace.accesses[other] = access;
            }
            feed(patterns, &trace, round, &fast);
            missed |= patterns->missed;
            assert_false(missed & ~(unsigned)RV_MISSED_WORK);
            rv_patterns_exact(trace.accesses, trace.count, trace.variables, add, &exact);
        }
        assert_subset(&fast, &exact);
        if (!missed) assert_int_equal(fast.count, exact.count);
        whole += !missed;
        free(fast.slots);
        free(exact.slots);
    }
    assert_true(whole > 10);
    free(patterns);
}

/* Too much of everything: less is found, nothing that is not there, and it is said. */
static void bounds_are_said(void **state) {
    (void)state;
    struct rv_patterns *patterns = calloc(1, sizeof *patterns);
    struct set fast = new_set();
    rv_patterns_begin(patterns);
    for (uint32_t i = 0; i < RV_PATTERN_OBJECTS; i++) assert_int_equal(rv_patterns_object(patterns, i), i);
    assert_int_equal(rv_patterns_object(patterns, 0), UINT32_MAX);
    for (uint32_t i = 0; i < RV_PATTERN_ACCESSES + 10; i++)
        rv_patterns_access(patterns, i % 8, i % 3, 1 + i % 2, i % 2);
    assert_int_equal(patterns->missed, RV_MISSED_OBJECTS | RV_MISSED_ACCESSES);
    rv_patterns_end(patterns, 0, add, &fast);
    assert_true(patterns->missed & RV_MISSED_WORK || fast.count > 0);
    rv_patterns_begin(patterns);
    (void)rv_patterns_object(patterns, 0);
    for (uint32_t i = 0; i < 3 * RV_PATTERN_KEYS; i++) rv_patterns_access(patterns, 0, i % 2, i, true);
    rv_patterns_end(patterns, 1, add, &fast);
    assert_int_equal(patterns->missed, RV_MISSED_KEYS);
    free(fast.slots);
    free(patterns);
}

/* The paper's example: isAsSevereAsThreshold reads at s4 and s5, setThreshold writes at s9; s4 s9 s5 covers 3 (of 16). */
static void example(void **state) {
    (void)state;
    struct rv_patterns *patterns = calloc(1, sizeof *patterns);
    struct set fast = new_set(), exact = new_set();
    const struct trace trace = {.count = 3,
                                .objects = 1,
                                .accesses = {{0, 4, 0, false}, {0, 9, 1, true}, {0, 5, 0, false}},
                                .variables = {77}};
    feed(patterns, &trace, 0, &fast);
    rv_patterns_exact(trace.accesses, trace.count, trace.variables, add, &exact);
    assert_int_equal(fast.count, 3);
    assert_int_equal(exact.count, 3);
    assert_true(has(&fast, &(struct rv_instance){1, {77, 0}, {4, 9, 0, 0}}));
    assert_true(has(&fast, &(struct rv_instance){2, {77, 0}, {9, 5, 0, 0}}));
    assert_true(has(&fast, &(struct rv_instance){4, {77, 0}, {4, 9, 5, 0}}));
    free(fast.slots);
    free(exact.slots);
    free(patterns);
}

/* Damage in flat data is no way out of it. */
static void damage_is_survived(void **state) {
    (void)state;
    struct rv_patterns *patterns = calloc(1, sizeof *patterns);
    struct set fast = new_set();
    struct rv_rng rng = rv_rng_stream(3, 3);
    for (unsigned round = 0; round < 300; round++) {
        struct trace trace;
        random_trace(&trace, &rng);
        rv_patterns_begin(patterns);
        for (uint32_t i = 0; i < trace.objects; i++) (void)rv_patterns_object(patterns, trace.variables[i]);
        for (uint32_t i = 0; i < trace.count; i++)
            rv_patterns_access(patterns, trace.accesses[i].object, trace.accesses[i].thread,
                               trace.accesses[i].statement, trace.accesses[i].write);
        unsigned char *bytes = (unsigned char *)patterns->events;
        for (unsigned i = 0; i < 20; i++)
            bytes[rv_rng_below(&rng, 40 * sizeof patterns->events[0])] = (unsigned char)rv_rng_next(&rng);
        bytes = (unsigned char *)patterns->objects;
        for (unsigned i = 0; i < 5; i++)
            bytes[rv_rng_below(&rng, 5 * sizeof patterns->objects[0])] |= (unsigned char)rv_rng_next(&rng);
        if (!rv_rng_below(&rng, 8)) patterns->event_count = (uint32_t)rv_rng_next(&rng);
        if (!rv_rng_below(&rng, 8)) patterns->object_count = (uint32_t)rv_rng_next(&rng);
        fast.count = 0;
        memset(fast.slots, 0, MOST * sizeof *fast.slots);
        rv_patterns_end(patterns, round, add, &fast);
    }
    free(fast.slots);
    free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example),
        cmocka_unit_test(fast_is_exact),
        cmocka_unit_test(memory_loses_nothing),
        cmocka_unit_test(bounds_are_said),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
