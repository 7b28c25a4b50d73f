/* Steered executions: how many tries it takes until two threads stand at their accesses, or a cycle of locks closes.
 *
 * The simulator has no loops and few variables, so a program wears a disguise here: the strategy is told other locations and
 * objects for some of its operations (one location for a hundred of them is a loop). A spy between simulator and strategy
 * does that, and looks for itself whether two threads have met.
 *
 * Each case is measured with SEEDS fresh strategies. The seeds are fixed, so nothing here is left to chance.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "simulator.h"

enum { SEEDS = 51, TRIES_MAX = 100, MEDIAN_MAX = 3, CANDIDATES_MAX = 2 * SIM_BODIES };
enum { A = 0xa000, B = 0xb000, H1 = 0x11, W1 = 0x12, H2 = 0x21, W2 = 0x22, H3 = 0x31, W3 = 0x32 };
enum { MEMORY = 0x100000 };

extern const struct rv_strategy rv_strategy_steer;

static struct sim_program program;
static struct sim_knowledge knowledge;
static struct sim_result result;
static uint64_t sites[SIM_SITES], objects[SIM_SITES]; /* what the strategy is told; 0: the truth */
static bool met;

/* ---- the spy */

static void disguise(struct rv_operation *operation) {
    uint64_t at = operation->site - 1;
    if (!operation->site || at >= SIM_SITES) return;
    if (sites[at]) operation->site = sites[at];
    if (objects[at]) operation->object = objects[at];
}

static bool meets(const struct rv_candidate *a, const struct rv_candidate *b, uint64_t first,
                  uint64_t second) {
    return a->thread != b->thread && a->next.site == first && b->next.site == second &&
           a->next.object == b->next.object && ((a->next.flags | b->next.flags) & RV_OPF_WRITE);
}

static uint64_t other_side = B;

static uint32_t spy_pick(void *state, const struct rv_point *point) {
    struct rv_candidate candidates[CANDIDATES_MAX];
    struct rv_point told = *point;
    for (uint32_t i = 0; i < point->count; i++) {
        candidates[i] = point->candidates[i];
        disguise(&candidates[i].next);
    }
    for (uint32_t i = 0; i < point->count; i++)
        for (uint32_t k = 0; k < point->count; k++)
            met |= meets(&candidates[i], &candidates[k], A, other_side);
    told.candidates = candidates;
    return rv_strategy_steer.pick(state, &told);
}

static void spy_observe(void *state, uint32_t thread, const struct rv_operation *done) {
    struct rv_operation told = *done;
    if (!(told.op == RV_OP_UNLOCK && sites[told.site - 1])) disguise(&told);
    rv_strategy_steer.observe(state, thread, &told);
}

/* ---- programs */

static void begin(void) {
    memset(&program, 0, sizeof program);
    memset(&knowledge, 0, sizeof knowledge);
    memset(sites, 0, sizeof sites);
    memset(objects, 0, sizeof objects);
    other_side = B;
}

static void at(uint32_t body, uint64_t site) {
    uint32_t last = body * SIM_OPS + program.bodies[body].count - 1;
    sites[last] = site;
}

static void access_at(uint32_t body, enum sim_op op, uint64_t site, uint32_t element) {
    sim_op(&program, body, op, 7, 0);
    at(body, site);
    uint32_t last = body * SIM_OPS + program.bodies[body].count - 1;
    objects[last] = MEMORY + 4 * element;
    knowledge.conflict[last] = true;
}

static void lock_at(uint32_t body, uint64_t site, uint32_t mutex) {
    sim_op(&program, body, SIM_LOCK, mutex, 0);
    at(body, site);
}

static void unlock(uint32_t body, uint32_t mutex) { sim_op(&program, body, SIM_UNLOCK, mutex, 0); }

static void chatter(uint32_t body, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) sim_op(&program, body, SIM_ADD, 6, 1);
}

/* ---- measuring */

static unsigned tries(const char *spec, uint64_t seed, bool deadlock) {
    struct rv_strategy spy = rv_strategy_steer;
    spy.pick = spy_pick;
    spy.observe = spy_observe;
    struct sim_instance steer = sim_instance(spec, seed, 0, 1, TRIES_MAX);
    struct sim_knowledge fresh = knowledge;
    steer.strategy = &spy;
    unsigned index = 0;
    bool found = false;
    for (; index < TRIES_MAX && !found; index++) {
        met = false;
        sim_run(&program, &fresh, &steer, index, &result);
        assert_false(result.not_terminating);
        found = deadlock ? result.kind == RV_KIND_DEADLOCK : met;
    }
    sim_instance_free(&steer);
    return found ? index : TRIES_MAX + 1;
}

static int compare(const void *a, const void *b) {
    unsigned first = *(const unsigned *)a, second = *(const unsigned *)b;
    return (first > second) - (first < second);
}

static void measure(const char *what, const char *spec, bool deadlock) {
    unsigned counts[SEEDS];
    for (uint64_t seed = 0; seed < SEEDS; seed++) counts[seed] = tries(spec, seed, deadlock);
    qsort(counts, SEEDS, sizeof *counts, compare);
    print_message("%-40s median %u, nine of ten %u, most %u\n", what, counts[SEEDS / 2],
                  counts[SEEDS * 9 / 10], counts[SEEDS - 1]);
    assert_true(counts[SEEDS / 2] <= MEDIAN_MAX);
    assert_true(counts[SEEDS - 1] <= TRIES_MAX);
}

static void measure_race(const char *what) {
    char spec[64];
    snprintf(spec, sizeof spec, "steer:race,%x,%x", A, (unsigned)other_side);
    measure(what, spec, false);
}

static void measure_deadlock(const char *what, const char *spec) { measure(what, spec, true); }

/* ---- races */

static void each_once(void **unused) {
    (void)unused;
    begin();
    chatter(1, 40);
    access_at(1, SIM_WRITE, A, 0);
    chatter(1, 5);
    access_at(2, SIM_READ, B, 0);
    chatter(2, 60);
    sim_create_all(&program, 2);
    measure_race("each side once");
}

static void one_element_of_many(void **unused) {
    (void)unused;
    begin();
    for (uint32_t i = 0; i < 100; i++) access_at(1, SIM_WRITE, A, i);
    chatter(2, 3);
    access_at(2, SIM_WRITE, B, 57);
    sim_create_all(&program, 2);
    measure_race("one element of many");
}

static void one_element_of_two_loops(void **unused) {
    (void)unused;
    begin();
    for (uint32_t i = 0; i < 100; i++) access_at(1, SIM_WRITE, A, i);
    for (uint32_t i = 0; i < 100; i++) access_at(2, SIM_WRITE, B, i == 31 ? 57 : 200 + i);
    sim_create_all(&program, 2);
    measure_race("one element of two loops");
}

static void only_before(void **unused) {
    (void)unused;
    begin();
    sim_op(&program, 1, SIM_WRITE, 0, 1);
    at(1, A);
    knowledge.conflict[SIM_OPS] = true;
    objects[SIM_OPS] = MEMORY;
    chatter(2, 5);
    sim_op(&program, 2, SIM_READ, 0, 0);
    sim_op(&program, 2, SIM_SKIP_IF, 0, 1);
    access_at(2, SIM_WRITE, B, 0);
    sim_create_all(&program, 2);
    measure_race("only before the first side");
}

static void only_after_an_earlier_one(void **unused) {
    (void)unused;
    begin();
    for (int i = 0; i < 3; i++) access_at(1, SIM_WRITE, A, 0);
    sim_op(&program, 1, SIM_POST, 0, 0);
    access_at(1, SIM_WRITE, A, 0);
    sim_op(&program, 2, SIM_WAIT, 0, 0);
    access_at(2, SIM_WRITE, B, 0);
    sim_create_all(&program, 2);
    measure_race("only after an earlier one");
}

static void locked_at_first(void **unused) {
    (void)unused;
    begin();
    for (uint32_t body = 1; body <= 2; body++) {
        for (int i = 0; i < 4; i++) {
            lock_at(body, 0, 0);
            access_at(body, SIM_WRITE, body == 1 ? A : B, 0);
            unlock(body, 0);
        }
        if (body == 1) access_at(1, SIM_WRITE, A, 0);
        chatter(body, 3);
    }
    sim_create_all(&program, 2);
    measure_race("in a critical section at first");
}

/* Whoever finds the lock taken never comes to its side. */
static void gives_up(void **unused) {
    (void)unused;
    begin();
    lock_at(1, 0, 0);
    access_at(1, SIM_WRITE, A, 0);
    unlock(1, 0);
    chatter(1, 3);
    access_at(1, SIM_WRITE, A, 0);
    chatter(2, 3);
    sim_op(&program, 2, SIM_TRYLOCK, 0, 0);
    sim_op(&program, 2, SIM_SKIP_IF, 0, 78);
    access_at(2, SIM_WRITE, B, 0);
    unlock(2, 0);
    sim_create_all(&program, 2);
    measure_race("gives up while the other is held");
}

static void waits_in_a_loop(void **unused) {
    (void)unused;
    begin();
    access_at(1, SIM_WRITE, A, 0);
    sim_op(&program, 1, SIM_ADD, 0, 1);
    chatter(1, 2);
    access_at(1, SIM_WRITE, A, 0);
    sim_op(&program, 2, SIM_SPIN, 0, 0);
    access_at(2, SIM_READ, B, 0);
    sim_create_all(&program, 2);
    measure_race("waits in a loop for the held thread");
}

static void sleeps_before(void **unused) {
    (void)unused;
    begin();
    access_at(1, SIM_WRITE, A, 0);
    for (int i = 0; i < 30; i++) sim_op(&program, 2, SIM_SLEEP, 0, 0);
    for (int i = 0; i < 30; i++) sim_op(&program, 2, SIM_YIELD, 0, 0);
    access_at(2, SIM_READ, B, 0);
    sim_create_all(&program, 2);
    measure_race("sleeps and yields before");
}

static void same_statement(void **unused) {
    (void)unused;
    for (uint32_t threads = 2; threads < SIM_BODIES; threads += 3) {
        begin();
        other_side = A;
        for (uint32_t body = 1; body <= threads; body++) {
            chatter(body, body);
            access_at(body, SIM_WRITE, A, 0);
        }
        sim_create_all(&program, threads);
        measure_race("the same statement");
    }
}

static void created_late(void **unused) {
    (void)unused;
    begin();
    access_at(0, SIM_WRITE, A, 0);
    chatter(0, 5);
    sim_op(&program, 0, SIM_CREATE, 1, 0);
    access_at(0, SIM_WRITE, A, 0);
    sim_op(&program, 0, SIM_JOIN, 1, 0);
    chatter(1, 5);
    access_at(1, SIM_READ, B, 0);
    measure_race("created late by the other side");
}

/* ---- cycles of locks */

static void lock_two(uint32_t body, uint32_t first, uint64_t first_site, uint32_t second,
                     uint64_t second_site) {
    lock_at(body, first_site, first);
    chatter(body, 1);
    lock_at(body, second_site, second);
    unlock(body, second);
    unlock(body, first);
}

static void two_locks(void **unused) {
    (void)unused;
    begin();
    chatter(1, 20);
    lock_two(1, 0, H1, 1, W1);
    lock_two(2, 1, H2, 0, W2);
    chatter(2, 20);
    sim_create_all(&program, 2);
    measure_deadlock("two locks", "steer:lock,11-12,21-22");
    measure_deadlock("two locks, held at unknown places", "steer:lock,0-12,0-22");
}

static void three_locks(void **unused) {
    (void)unused;
    begin();
    chatter(1, 20);
    lock_two(1, 0, H1, 1, W1);
    lock_two(2, 1, H2, 2, W2);
    chatter(2, 20);
    lock_two(3, 2, H3, 0, W3);
    sim_create_all(&program, 3);
    measure_deadlock("three locks", "steer:lock,11-12,21-22,31-32");
}

static void three_locks_at_one_place(void **unused) {
    (void)unused;
    begin();
    for (uint32_t body = 1; body <= 3; body++)
        for (int i = 0; i < 3; i++) lock_two(body, body - 1, H1, body % 3, W1);
    sim_create_all(&program, 3);
    measure_deadlock("three locks, the same statements", "steer:lock,11-12,11-12,11-12");
}

static void gate_on_one_side(void **unused) {
    (void)unused;
    begin();
    lock_at(1, 0, 2);
    lock_two(1, 0, H1, 1, W1);
    unlock(1, 2);
    lock_at(2, 0, 2);
    unlock(2, 2);
    chatter(2, 5);
    lock_two(2, 1, H2, 0, W2);
    sim_create_all(&program, 2);
    measure_deadlock("a gate on one side", "steer:lock,11-12,21-22");
}

static void taken_many_times_before(void **unused) {
    (void)unused;
    begin();
    lock_two(1, 0, H1, 1, W1);
    for (int i = 0; i < 20; i++) {
        lock_at(2, 0, 0);
        unlock(2, 0);
    }
    lock_two(2, 1, H2, 0, W2);
    sim_create_all(&program, 2);
    measure_deadlock("taken many times before", "steer:lock,11-12,21-22");
}

static void all_locks_through_one_function(void **unused) {
    (void)unused;
    begin();
    for (uint32_t body = 1; body <= 2; body++) {
        for (uint32_t i = 0; i < 4; i++) {
            lock_two(body, 2, H1, 0, H1);
            lock_two(body, 3, H1, 1, H1);
        }
        lock_two(body, body - 1, H1, 2 - body, H1);
    }
    sim_create_all(&program, 2);
    measure_deadlock("all through one function", "steer:lock,11-11,11-11");
}

/* ---- the parameter */

static void parameters_are_checked(void **unused) {
    (void)unused;
    static const char *const good[] = {
        "race,a,b",
        "race,0,0",
        "race,ffffffffffffffff,1000000001234",
        "race,DeaD,bEEf",
        "lock,1-2,3-4",
        "lock,0-2,0-4,0-1",
        "lock,1-2,3-4,5-6,7-8",
    };
    static const char *const bad[] = {
        "",
        "race",
        "race,",
        "race,a",
        "race,a,",
        "race,a,b,",
        "race,a,b,c",
        "race,a-b",
        "race,0x1,2",
        "race, a,b",
        "race,a,b ",
        "race,g,1",
        "race,-1,1",
        "Race,1,2",
        "lock",
        "lock,",
        "lock,1-2",
        "lock,1-2,",
        "lock,1-2,3",
        "lock,1-2,3-",
        "lock,1,2",
        "lock,1-2,3-4x",
        "lock,1-2;3-4",
        "lock1-2,3-4",
        "lock,,1-2",
        "dead,1-2",
        ",",
        "race,,1",
        "lock,--",
        "lock,1-2,3-4,5-6,7-8,9-a",
        "race,11111111111111111,1",
    };
    assert_non_null(rv_strategy_steer.check(NULL));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_null(rv_strategy_steer.check(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_non_null(rv_strategy_steer.check(bad[i]));
}

/* Garbage is either rejected, or a text of the right shape; every beginning of a good one is looked at, too. */
static void garbage_is_survived(void **unused) {
    (void)unused;
    static const char letters[] = "racelock,-0123456789abcdef x\xff";
    struct rv_rng rng = rv_rng_stream(1, 1);
    char text[40];
    for (int i = 0; i < 100000; i++) {
        size_t length = rv_rng_below(&rng, sizeof text);
        for (size_t k = 0; k < length; k++) text[k] = letters[rv_rng_below(&rng, sizeof letters - 1)];
        text[length] = 0;
        memcpy(text, i % 2 ? "race," : "lock,", length < 5 ? length : 5);
        if (!rv_strategy_steer.check(text)) assert_non_null(strchr(text, ','));
    }
}

/* ---- what any strategy owes */

static void repeats_itself(void **unused) {
    (void)unused;
    begin();
    for (uint32_t i = 0; i < 20; i++) access_at(1, SIM_WRITE, A, i % 5);
    for (uint32_t i = 0; i < 20; i++) access_at(2, SIM_WRITE, B, i % 7);
    sim_create_all(&program, 2);
    struct sim_instance one = sim_instance("steer:race,a000,b000", 3, 0, 1, 20),
                        two = sim_instance("steer:race,a000,b000", 3, 0, 1, 20);
    for (uint64_t i = 0; i < 20; i++) {
        struct sim_knowledge first = knowledge, second = knowledge;
        sim_run(&program, &first, &one, i, &result);
        uint64_t schedule = result.schedule;
        sim_run(&program, &second, &two, i, &result);
        assert_int_equal(schedule, result.schedule);
    }
    sim_instance_free(&one);
    sim_instance_free(&two);
}

/* Where nothing can be held, and with every kind of operation: executions end. */
static void any_program_ends(void **unused) {
    (void)unused;
    for (uint64_t seed = 0; seed < 300; seed++) {
        begin();
        program = sim_rich_program(seed, 3, 8);
        char race[64], lock[64];
        unsigned first = 1 + SIM_OPS + (unsigned)(seed % 8),
                 second = 1 + 2 * SIM_OPS + (unsigned)(seed / 8 % 8);
        snprintf(race, sizeof race, "steer:race,%x,%x", first, second);
        snprintf(lock, sizeof lock, "steer:lock,0-%x,0-0", first);
        (void)tries(race, seed, false);
        (void)tries(lock, seed, true);
    }
}

/* Without memory nobody is held, and the walk goes on. */
static void full_arena(void **unused) {
    (void)unused;
    begin();
    for (uint32_t i = 0; i < 100; i++) access_at(1, SIM_WRITE, A, 64 * i);
    access_at(2, SIM_WRITE, B, 57);
    sim_create_all(&program, 2);
    struct sim_instance steer = sim_instance("steer:race,a000,b000", 1, 0, 1, 20);
    while (rv_arena_alloc(steer.arena, 16)) continue;
    for (uint64_t i = 0; i < 20; i++) sim_run(&program, &knowledge, &steer, i, &result);
    sim_instance_free(&steer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_once),
        cmocka_unit_test(one_element_of_many),
        cmocka_unit_test(one_element_of_two_loops),
        cmocka_unit_test(only_before),
        cmocka_unit_test(only_after_an_earlier_one),
        cmocka_unit_test(locked_at_first),
        cmocka_unit_test(gives_up),
        cmocka_unit_test(waits_in_a_loop),
        cmocka_unit_test(sleeps_before),
        cmocka_unit_test(same_statement),
        cmocka_unit_test(created_late),
        cmocka_unit_test(two_locks),
        cmocka_unit_test(three_locks),
        cmocka_unit_test(three_locks_at_one_place),
        cmocka_unit_test(gate_on_one_side),
        cmocka_unit_test(taken_many_times_before),
        cmocka_unit_test(all_locks_through_one_function),
        cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(garbage_is_survived),
        cmocka_unit_test(repeats_itself),
        cmocka_unit_test(any_program_ends),
        cmocka_unit_test(full_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
