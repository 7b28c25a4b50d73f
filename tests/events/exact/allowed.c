/* allowed PLAN: the orders of the program's events that the plan allows, one a line as the program prints them, by trying all.
 * Each is held against a monitor of its own from its beginning, apart from what the runtime does.
 * allowed --random SEED: a plan over the program's events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "plan/monitor.h"

enum { THREADS = 3, EVENTS = 2, ALL = THREADS * EVENTS };
static const char *const names[THREADS] = {"x", "y", "z"};
static const char events[THREADS][EVENTS] = {{'a', 'b'}, {'c', 'd'}, {'e', 'a'}};
static const struct rv_plan *plan;

static bool nobody(const void *user, uint32_t thread) {
    (void)user, (void)thread;
    return false;
}
static const struct rv_monitor_view view = {nobody, NULL};

static bool violates(const unsigned *threads) {
    unsigned done[THREADS] = {0};
    struct rv_monitor *monitor = rv_monitor_begin(aligned_alloc(16, rv_monitor_size(plan)), plan);
    bool violated = false;
    for (uint32_t i = 0; i < THREADS; i++) rv_monitor_name(monitor, i + 1, names[i]);
    for (unsigned i = 0; i < ALL; i++) {
        unsigned thread = threads[i];
        char name[2] = {events[thread][done[thread]++], 0};
        struct rv_moment moment = {RV_PLAN_EVENT, name, thread + 1};
        if (rv_monitor_happen(monitor, &moment, &view)) violated = true;
    }
    free(monitor);
    return violated;
}

static void try_all(unsigned *threads, unsigned count) {
    unsigned used[THREADS] = {0};
    if (count == ALL) {
        unsigned done[THREADS] = {0};
        if (violates(threads)) return;
        printf("S ");
        for (unsigned i = 0; i < ALL; i++) putchar(events[threads[i]][done[threads[i]]++]);
        putchar('\n');
        return;
    }
    for (unsigned i = 0; i < count; i++) used[threads[i]]++;
    for (unsigned thread = 0; thread < THREADS; thread++) {
        if (used[thread] == EVENTS) continue;
        threads[count] = thread;
        try_all(threads, count + 1);
    }
}

static void print_event(uint64_t random) {
    static const char *const known[] = {"a", "b", "c", "d", "e", "a#2", "a@x", "a@z", "a#1"};
    printf("%s", known[random % (sizeof known / sizeof known[0])]);
}

static void print_condition(struct rv_rng *random, unsigned depth) {
    uint64_t kind = rv_rng_next(random) % 4;
    if (depth == 0 || kind < 2) {
        print_event(rv_rng_next(random));
        return;
    }
    printf("(");
    print_condition(random, depth - 1);
    printf(kind == 2 ? " && " : " || ");
    print_condition(random, depth - 1);
    printf(")");
}

static void print_random(uint64_t seed) {
    struct rv_rng random = rv_rng_stream(seed, 0);
    unsigned count = 1 + (unsigned)(rv_rng_next(&random) % 3);
    for (unsigned i = 0; i < count; i++) {
        if (i) printf(", ");
        print_condition(&random, 2);
        printf(" -> ");
        print_event(rv_rng_next(&random));
    }
    printf("\n");
}

int main(int argc, char **argv) {
    static _Alignas(16) char memory[1 << 20];
    struct rv_arena arena;
    struct rv_plan_error error;
    unsigned threads[ALL];
    if (argc == 3 && strcmp(argv[1], "--random") == 0) {
        print_random(strtoull(argv[2], NULL, 10));
        return 0;
    }
    rv_arena_init(&arena, memory, sizeof memory);
    plan = argc == 2 ? rv_plan_parse(&arena, argv[1], &error) : NULL;
    if (!plan) return 2;
    try_all(threads, 0);
    return 0;
}
