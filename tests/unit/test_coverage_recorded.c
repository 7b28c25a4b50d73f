/* What a worker notes while a program runs against the definition: the exact matcher on the recording of the same executions.
 * RAVEL is ravel's path. Each statement is on one variable and no access is repeated, so that instances are told by statements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "coverage/table.h"
#include "supervisor/explore.h"

enum { SCHEDULES = 40, ACCESSES = 256, TICK_MS = 20 };

static const char source[] =
    "#include <pthread.h>\n"
    "#include <stdatomic.h>\n"
    "static int a, b, c;\n"
    "static atomic_int d;\n"
    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
    "static void *one(void *unused) {\n"
    "    pthread_mutex_lock(&lock);\n    a = b + 1;\n    pthread_mutex_unlock(&lock);\n"
    "    c++;\n    d++;\n    return unused;\n}\n"
    "static void *two(void *unused) {\n"
    "    c = a;\n    pthread_mutex_lock(&lock);\n    b = 2;\n    a = 3;\n    pthread_mutex_unlock(&lock);\n"
    "    if (atomic_load(&d)) b = c;\n    return unused;\n}\n"
    "int main(void) {\n    pthread_t threads[3];\n"
    "    pthread_create(&threads[0], 0, one, 0);\n    pthread_create(&threads[1], 0, two, 0);\n"
    "    pthread_create(&threads[2], 0, one, 0);\n    a = 7;\n"
    "    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);\n    return b < 0;\n}\n";

struct instance {
    uint64_t pattern, sites[RV_PATTERN_STEPS];
};

struct exact {
    struct rv_table instances; /* struct instance */
    struct rv_table sites;     /* codes */
};

static void add(void *context, const struct rv_instance *from) {
    struct exact *exact = context;
    struct instance instance = {.pattern = from->pattern};
    for (unsigned i = 0; i < rv_pattern_table[from->pattern].steps; i++)
        memcpy(&instance.sites[i], exact->sites.entries[from->statements[i]].bytes, sizeof(uint64_t));
    (void)rv_table_add(&exact->instances, &instance, sizeof instance, NULL);
}

/* Whether the stack of its thread: nobody else uses it here. */
static bool is_stack(const struct rv_recording *recording, uint64_t address) {
    for (uint64_t i = 0; i < recording->count; i++) {
        const struct rv_step *step = &recording->records[i].step;
        if (step->kind == RV_STEP_START && address - step->address < step->size) return true;
    }
    return false;
}

static void take(struct exact *exact, const struct rv_recording *recording) {
    struct rv_table objects = {0};
    struct rv_pattern_access accesses[ACCESSES];
    uint32_t variables[ACCESSES], count = 0;
    assert_false(recording->cut);
    for (uint64_t i = 0; i < recording->count; i++) {
        const struct rv_step *step = &recording->records[i].step;
        if (!rv_step_is_access(step->kind) || step->kind == RV_STEP_FREE ||
            is_stack(recording, step->address))
            continue;
        struct rv_pattern_access access = {
            .object = rv_table_add(&objects, &step->address, sizeof step->address, NULL),
            .statement = rv_table_add(&exact->sites, &step->site, sizeof step->site, NULL),
            .thread = step->thread,
            .write = rv_step_writes(step->kind)};
        assert_true(count + 2 < ACCESSES);
        if (step->kind == RV_STEP_ATOMIC_RMW) {
            accesses[count] = access;
            accesses[count++].write = false;
        }
        accesses[count++] = access;
    }
    for (uint32_t i = 0; i < objects.count; i++) variables[i] = i;
    rv_patterns_exact(accesses, count, variables, add, exact);
    rv_table_free(&objects);
}

static void compare(const struct exact *exact, const struct rv_area *area) {
    struct rv_table noted = {0};
    assert_int_equal(area->coverage.missed, 0);
    assert_int_equal(area->coverage.dropped, 0);
    for (uint32_t i = 0; i < RV_COVER_INSTANCES; i++) {
        struct rv_instance from;
        struct instance instance = {0};
        if (!rv_coverage_instance(&area->coverage.instances[i], &from)) continue;
        instance.pattern = from.pattern;
        for (unsigned k = 0; k < rv_pattern_table[from.pattern].steps; k++)
            instance.sites[k] = area->sites[from.statements[k]].code;
        assert_int_not_equal(rv_table_find(&exact->instances, &instance, sizeof instance), RV_TABLE_NONE);
        (void)rv_table_add(&noted, &instance, sizeof instance, NULL);
    }
    assert_int_equal(noted.count, exact->instances.count);
    assert_true(noted.count > 40);
    rv_table_free(&noted);
}

static void worker_is_exact(const char *strategy, uint32_t isolation) {
    char *error = NULL, *const no_arguments[] = {NULL};
    struct rv_program program;
    struct rv_explorer explorer;
    struct exact exact = {0};
    assert_int_equal(rv_program_open(&program, "./patterns_program", no_arguments, &error), 0);
    struct rv_config config = {.seed = 3,
                               .schedules = SCHEDULES,
                               .max_steps = 100000,
                               .workers = 1,
                               .watchdog_ms = 3000,
                               .memory_limit = 1u << 30,
                               .isolation = isolation,
                               .instrumented = program.instrumented,
                               .races = 1,
                               .keep_going = 1,
                               .record = 1,
                               .coverage = RV_COVER_ALL};
    snprintf(config.strategy, sizeof config.strategy, "%s", strategy);
    assert_true(rv_explorer_begin(&explorer, &program, &config, NULL));
    unsigned seen = 0;
    while (rv_explorer_look(&explorer)) {
        const struct rv_recording *recording = rv_explorer_recording(&explorer);
        if (recording) {
            take(&exact, recording);
            seen++;
            rv_explorer_read_on(&explorer);
        } else {
            rv_explorer_wait(&explorer, TICK_MS);
        }
    }
    rv_explorer_stop(&explorer);
    if (explorer.error) fail_msg("%s", explorer.error);
    assert_int_equal(seen, SCHEDULES);
    compare(&exact, rv_explorer_area(&explorer));
    rv_explorer_close(&explorer);
    rv_program_close(&program);
    rv_table_free(&exact.instances);
    rv_table_free(&exact.sites);
    free(error);
}

static void random_walk(void **state) {
    (void)state;
    worker_is_exact("random", RV_ISOLATION_MEMORY);
}

static void partial_orders(void **state) {
    (void)state;
    worker_is_exact("pos", RV_ISOLATION_MEMORY);
}

static void own_processes(void **state) {
    (void)state;
    worker_is_exact("pos", RV_ISOLATION_FORK);
}

static int build(void **state) {
    static char directory[] = "/tmp/ravel-coverage-XXXXXX";
    char command[4200];
    *state = directory;
    if (!getenv("RAVEL") || !mkdtemp(directory) || chdir(directory) != 0) return -1;
    FILE *out = fopen("patterns_program.c", "w");
    if (!out || fputs(source, out) < 0 || fclose(out) != 0) return -1;
    snprintf(command, sizeof command, "\"%s\" cc -g -O1 -pthread -o patterns_program patterns_program.c",
             getenv("RAVEL"));
    return system(command);
}

static int clean(void **state) {
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return chdir("/") || system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_walk),
        cmocka_unit_test(partial_orders),
        cmocka_unit_test(own_processes),
    };
    return cmocka_run_group_tests(tests, build, clean);
}
