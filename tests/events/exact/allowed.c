/* allowed PLAN: the orders of the program's events that the plan allows, one a line as the program prints them, by trying all.
 * Each is held against a monitor of its own from its beginning, apart from what the runtime does.
 * allowed --normal PLAN: of such lines on standard input, the first in the alphabet of all that are equivalent: events of two
 * threads commute unless the plan speaks of both.
 * allowed --random SEED: a plan over the program's events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "plan/monitor.h"

enum { THREADS = 3, EVENTS = 2, ALL = THREADS * EVENTS };
static const char *const names[THREADS] = {"main", "x", "y"};
static const char events[THREADS][EVENTS] = {{'e', 'A'}, {'a', 'b'}, {'c', 'd'}}; /* A: main's a */
static const struct rv_plan *plan;

static bool nobody(const void *user, uint32_t thread) {
    (void)user, (void)thread;
    return false;
}
static const struct rv_monitor_view view = {nobody, NULL};

static const char *name_of(char event) {
    static char name[2];
    name[0] = event == 'A' ? 'a' : event;
    return name;
}

static bool violates(const unsigned *threads) {
    unsigned done[THREADS] = {0};
    struct rv_monitor *monitor = rv_monitor_begin(aligned_alloc(16, rv_monitor_size(plan)), plan);
    bool violated = false;
    for (uint32_t i = 0; i < THREADS; i++) rv_monitor_name(monitor, i, names[i]);
    for (unsigned i = 0; i < ALL; i++) {
        unsigned thread = threads[i];
        struct rv_moment moment = {RV_PLAN_EVENT, name_of(events[thread][done[thread]++]), thread};
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

static unsigned thread_of(char event) {
    for (unsigned thread = 0; thread < THREADS; thread++)
        if (memchr(events[thread], event, EVENTS)) return thread;
    return THREADS;
}

static bool is_known(const struct rv_monitor *monitor, char event) {
    return rv_monitor_known(monitor, &(struct rv_moment){RV_PLAN_EVENT, name_of(event), thread_of(event)});
}

/* The least event first, of those that nothing before them is ordered with. */
static void print_normal(const struct rv_monitor *monitor, char *line) {
    for (size_t left = strlen(line); left > 0; left--) {
        size_t least = left;
        for (size_t i = 0; i < left; i++) {
            bool first = true;
            for (size_t k = 0; k < i; k++)
                first = first && thread_of(line[k]) != thread_of(line[i]) &&
                        !(is_known(monitor, line[k]) && is_known(monitor, line[i]));
            if (first && (least == left || line[i] < line[least])) least = i;
        }
        putchar(line[least]);
        memmove(line + least, line + least + 1, left - least);
    }
    putchar('\n');
}

static void normalise(void) {
    char line[64];
    struct rv_monitor *monitor = rv_monitor_begin(aligned_alloc(16, rv_monitor_size(plan)), plan);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        printf("S ");
        print_normal(monitor, line + 2);
    }
    free(monitor);
}

static void print_event(uint64_t random) {
    static const char *const known[] = {"a", "b", "c", "d", "e", "a#2", "a@x", "a@main", "a#1"};
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
    bool normal = argc == 3 && strcmp(argv[1], "--normal") == 0;
    plan = argc == 2 || normal ? rv_plan_parse(&arena, argv[argc - 1], &error) : NULL;
    if (!plan) return 2;
    if (normal)
        normalise();
    else
        try_all(threads, 0);
    return 0;
}
