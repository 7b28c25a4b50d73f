#include "cli/program_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

/* A fixed day, so that what programs print and hash does not depend on today. */
static const int64_t clock_base = 1767225600; /* 2026-01-01 00:00:00 UTC */

enum { ARENA = 1 << 20 };

/* False: *error says why. *momentary as in the plan. */
static bool read_plan(const char *text, struct rv_plan_error *error, bool *momentary) {
    struct rv_arena arena;
    void *memory = aligned_alloc(16, ARENA);
    if (!memory) abort();
    memset(memory, 0, ARENA);
    rv_arena_init(&arena, memory, ARENA);
    const struct rv_plan *plan = rv_plan_parse(&arena, text, error);
    if (plan) *momentary = plan->momentary;
    free(memory);
    return plan != NULL;
}

const char *rv_check_plan(const char *text) {
    static char wrong[400];
    struct rv_plan_error error;
    bool momentary;
    if (read_plan(text, &error, &momentary)) return NULL;
    snprintf(wrong, sizeof wrong, "character %u: %s%s%s%s", error.at + 1, error.message,
             error.hint[0] ? " (" : "", error.hint, error.hint[0] ? ")" : "");
    return wrong;
}

const char *rv_check_test(const char *text) {
    const char *label = strchr(text, ':');
    size_t size = label ? (size_t)(label - text) : strlen(text);
    if (size == 0 || size >= sizeof((struct rv_config *)0)->test) return "expected the name of a test";
    if (label && strlen(label + 1) >= sizeof((struct rv_config *)0)->plan_label)
        return "the label is too long";
    return NULL;
}

static void choose_test(struct rv_config *config, const char *test, const char *plan) {
    struct rv_plan_error error;
    bool momentary = false;
    const char *label = test ? strchr(test, ':') : NULL;
    if (test)
        snprintf(config->test, sizeof config->test, "%.*s",
                 (int)(label ? label - test : (ptrdiff_t)strlen(test)), test);
    if (label) snprintf(config->plan_label, sizeof config->plan_label, "%s", label + 1);
    if (!plan || !read_plan(plan, &error, &momentary)) return;
    snprintf(config->plan, sizeof config->plan, "%s", plan);
    config->hidden |= momentary;
}

struct rv_config rv_program_config(const struct rv_program_options *options,
                                   const struct rv_program *program) {
    uint32_t watchdog_ms = options->watchdog < 1e6 ? (uint32_t)(options->watchdog * 1000) : 1000000000;
    struct rv_config config = {.seed = options->seed,
                               .max_steps = options->max_steps,
                               .isolation = options->isolation,
                               .timing = options->timing,
                               .spurious = options->spurious,
                               .expect_exit = options->expect_exit,
                               .watchdog_ms = watchdog_ms ? watchdog_ms : 1,
                               .memory_limit = options->memory_limit << 20,
                               .clock_base = clock_base,
                               .instrumented = program->instrumented};
    choose_test(&config, options->test, options->plan);
    return config;
}
