/* A search divided among workers, interleaved at random in one process, against brute force and the search by one. Parts
 * are given away all the time, after every third execution: far more often than by the engine. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/rng.h"
#include "simulator.h"
#include "strategy/dpor.h"
#include "strategy/part.h"
#include "supervisor/pool.h"

enum { MANY = 4000, ENOUGH = 500, LIMIT = 3000, SMALLEST = 40, MOST_WORKERS = 3, ROOM = 1 << 20 };

static struct sim_knowledge knowledge;
static struct sim_result result;
static char buffer[ROOM];

static uint64_t number_from(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* dpor, but the traces of its executions are noted. */
static struct rv_strategy noting;
static bool (*real_end)(void *state, const struct rv_strategy_end *outcome);
static struct sim_set *noted;

static bool note_and_end(void *opaque, const struct rv_strategy_end *outcome) {
    const struct rv_dpor *state = opaque;
    if (noted) sim_set_add(noted, rv_order_hash(&state->order) | 1);
    return real_end(opaque, outcome);
}

static void note_traces(struct sim_instance *instance, struct sim_set *set) {
    noting = *instance->strategy;
    if (noting.end != note_and_end) real_end = noting.end;
    noting.end = note_and_end;
    instance->strategy = &noting;
    noted = set;
}

/* As a worker does. */
struct part_worker {
    struct sim_instance instance;
    bool busy;
};

struct division {
    const char *strategy;
    uint32_t workers;
    struct part_worker worker[MOST_WORKERS];
    struct rv_pool pool;
    struct rv_rng rng;
    struct rv_known *known;
    uint64_t executions, splits;
    bool complete, over;
};

static struct division division_new(const char *strategy, uint32_t workers, uint64_t seed) {
    struct division division = {.strategy = strategy, .workers = workers, .rng = rv_rng_stream(seed, 5)};
    division.known = mmap(NULL, sizeof *division.known, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(division.known != MAP_FAILED);
    for (uint32_t i = 0; i < workers; i++)
        division.worker[i].instance = sim_instance_divided(strategy, division.known);
    return division;
}

static void division_free(struct division *division) {
    for (uint32_t i = 0; i < division->workers; i++) sim_instance_free(&division->worker[i].instance);
    rv_pool_free(&division->pool);
    munmap(division->known, sizeof *division->known);
}

static const struct rv_division *parts_of(const struct division *division) {
    return division->worker[0].instance.strategy->division;
}

static void hand_in(struct division *division, uint32_t worker) {
    size_t size = parts_of(division)->hand_in(division->worker[worker].instance.state, buffer, sizeof buffer);
    assert_true(size > 0);
    rv_pool_hand_in(&division->pool, worker, buffer, size);
    division->worker[worker].busy = false;
}

/* All that is in it: the part, then the results that it waited for. */
static void take(struct division *division, uint32_t worker, struct rv_pool_part *part) {
    const struct rv_division *parts = parts_of(division);
    void *state = division->worker[worker].instance.state;
    struct rv_pool_data data = rv_pool_deliver(part);
    struct rv_part header = {0};
    if (data.size) memcpy(&header, data.bytes, sizeof header);
    assert_true(parts->take(state, division->pool.tree, data.size ? data.bytes : NULL, (size_t)header.size));
    for (size_t at = header.size; at < data.size;) {
        struct rv_part next;
        memcpy(&next, data.bytes + at, sizeof next);
        assert_true(parts->add(state, data.bytes + at, (size_t)next.size));
        at += next.size;
    }
    free(data.bytes);
    division->worker[worker].busy = true;
    if (header.kind == RV_PART_WAITS && !parts->carry_on(state)) hand_in(division, worker);
}

static void judge(struct division *division) {
    uint32_t flags = rv_pool_judge(&division->pool, 0);
    const struct sim_instance *judge = &division->worker[0].instance;
    if (parts_of(division)->judge(judge->state, division->pool.tree, flags)) {
        division->worker[0].busy = true;
        return;
    }
    division->over = true;
    division->complete = rv_strategy_complete(judge->strategy, judge->state);
}

static void find_work(struct division *division, uint32_t worker) {
    struct rv_pool_part *part = rv_pool_next(&division->pool, worker);
    if (part)
        take(division, worker, part);
    else if (division->pool.count == 0)
        judge(division);
}

static void work(struct division *division, uint32_t worker, const struct sim_program *program,
                 struct sim_set *states) {
    struct sim_instance *instance = &division->worker[worker].instance;
    sim_run(program, &knowledge, instance, 0, &result);
    division->executions++;
    sim_set_add(states, result.final);
    if (!result.go_on) {
        hand_in(division, worker);
    } else if (rv_rng_below(&division->rng, 3) == 0) {
        size_t size = parts_of(division)->split(instance->state, buffer, sizeof buffer);
        if (!size) return;
        division->splits++;
        rv_pool_split(&division->pool, worker, buffer, size);
    }
}

/* False: too many executions. */
static bool search(struct division *division, const struct sim_program *program, struct sim_set *states) {
    rv_pool_plant(&division->pool);
    while (!division->over && division->executions < 4 * LIMIT) {
        uint32_t worker = (uint32_t)rv_rng_below(&division->rng, division->workers);
        if (division->worker[worker].busy)
            work(division, worker, program, states);
        else
            find_work(division, worker);
    }
    return division->over;
}

/* Executions of a search by one, with what is known. 0: too many. */
static uint64_t alone(const char *strategy, const struct sim_program *program, struct sim_set *traces) {
    struct sim_instance instance = sim_instance(strategy, 1, 0, 1, UINT64_MAX);
    if (traces) note_traces(&instance, traces);
    uint64_t executions = 0;
    do {
        sim_run(program, &knowledge, &instance, executions++, &result);
    } while (result.go_on && executions < LIMIT);
    sim_instance_free(&instance);
    return result.go_on ? 0 : executions;
}

static struct sim_program program_of(uint64_t seed) {
    uint32_t threads = 2 + (uint32_t)(seed % 2), length = seed % 2 ? 6 : 11;
    return seed % 3 ? sim_rich_program(seed, threads, length) : sim_random_program(seed, threads, length);
}

static bool includes(const struct sim_set *all, const struct sim_set *some) {
    for (size_t i = 0; i < some->capacity; i++)
        if (some->items[i] && !sim_set_has(all, some->items[i])) return false;
    return true;
}

struct counts {
    uint64_t searches, splits, executions, more;
};

static void divide(const struct sim_program *program, uint64_t seed, uint32_t workers, const struct sim_set *traces,
                   uint64_t executions, struct counts *counts) {
    struct division division = division_new("dpor", workers, seed * 4 + workers);
    struct sim_set reached = {0}, seen = {0}, all = {0};
    sim_final_states(program, &all);
    for (uint32_t i = 0; i < workers; i++) note_traces(&division.worker[i].instance, &seen);
    if (!search(&division, program, &reached))
        fail_msg("program %lu, %u workers: %lu executions, one needs %lu", seed, workers, division.executions, executions);
    if (!division.complete) fail_msg("program %lu, %u workers: not complete", seed, workers);
    if (!sim_set_equal(&reached, &all))
        fail_msg("program %lu, %u workers: %zu of %zu states", seed, workers, reached.count, all.count);
    if (!includes(&seen, traces))
        fail_msg("program %lu, %u workers: traces are missing of %zu", seed, workers, traces->count);
    counts->searches++;
    counts->splits += division.splits;
    counts->executions += executions;
    counts->more += division.executions - executions;
    sim_set_free(&reached);
    sim_set_free(&seen);
    sim_set_free(&all);
    division_free(&division);
}

/* All states, all traces, and few executions more than one worker needs. */
static void all_traces_of_a_divided_search(void **unused) {
    (void)unused;
    struct counts counts = {0};
    uint64_t first = number_from("RAVEL_FIRST_PROGRAM", 1), many = number_from("RAVEL_PROGRAMS", MANY);
    for (uint64_t seed = first; seed < first + many; seed++) {
        struct sim_program program = program_of(seed);
        struct sim_set traces = {0};
        memset(&knowledge, 0, sizeof knowledge);
        uint64_t executions = alone("dpor", &program, NULL) ? alone("dpor", &program, &traces) : 0;
        for (uint32_t workers = 2; workers <= MOST_WORKERS && executions > SMALLEST; workers++)
            divide(&program, seed, workers, &traces, executions, &counts);
        sim_set_free(&traces);
    }
    print_message("%lu searches, %lu parts given away, %lu executions, %lu more than undivided\n", counts.searches,
                  counts.splits, counts.executions, counts.more);
    assert_true(many < MANY || (counts.searches >= ENOUGH && counts.splits > 5 * counts.searches));
    assert_true(counts.more <= counts.executions / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_traces_of_a_divided_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
