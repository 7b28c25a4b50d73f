/* The patterns as a table, and their definition as a program: nested loops over all accesses. */
#include "analysis/patterns.h"

#define R(thread, variable) \
    { thread, variable, false }
#define W(thread, variable) \
    { thread, variable, true }
enum { A, B };
enum { X, Y };

const struct rv_pattern rv_pattern_table[RV_PATTERNS + 1] = {
    [1] = {2, {R(A, X), W(B, X)}},
    [2] = {2, {W(A, X), R(B, X)}},
    [3] = {2, {W(A, X), W(B, X)}},
    [4] = {3, {R(A, X), W(B, X), R(A, X)}},
    [5] = {3, {W(A, X), W(B, X), R(A, X)}},
    [6] = {3, {W(A, X), R(B, X), W(A, X)}},
    [7] = {3, {R(A, X), W(B, X), W(A, X)}},
    [8] = {3, {W(A, X), W(B, X), W(A, X)}},
    [9] = {4, {W(A, X), W(B, X), W(B, Y), W(A, Y)}},
    [10] = {4, {W(A, X), W(B, Y), W(B, X), W(A, Y)}},
    [11] = {4, {W(A, X), W(B, Y), W(A, Y), W(B, X)}},
    [12] = {4, {W(A, X), R(B, X), R(B, Y), W(A, Y)}},
    [13] = {4, {W(A, X), R(B, Y), R(B, X), W(A, Y)}},
    [14] = {4, {R(A, X), W(B, X), W(B, Y), R(A, Y)}},
    [15] = {4, {R(A, X), W(B, Y), W(B, X), R(A, Y)}},
    [16] = {4, {R(A, X), W(B, Y), R(A, Y), W(B, X)}},
    [17] = {4, {W(A, X), R(B, Y), W(A, Y), R(B, X)}},
};

const char *rv_pattern_text(unsigned pattern) {
    static const char *const texts[RV_PATTERNS + 1] = {
        "",
        "a:R(x) b:W(x)",
        "a:W(x) b:R(x)",
        "a:W(x) b:W(x)",
        "a:R(x) b:W(x) a:R(x)",
        "a:W(x) b:W(x) a:R(x)",
        "a:W(x) b:R(x) a:W(x)",
        "a:R(x) b:W(x) a:W(x)",
        "a:W(x) b:W(x) a:W(x)",
        "a:W(x) b:W(x) b:W(y) a:W(y)",
        "a:W(x) b:W(y) b:W(x) a:W(y)",
        "a:W(x) b:W(y) a:W(y) b:W(x)",
        "a:W(x) b:R(x) b:R(y) a:W(y)",
        "a:W(x) b:R(y) b:R(x) a:W(y)",
        "a:R(x) b:W(x) b:W(y) a:R(y)",
        "a:R(x) b:W(y) b:W(x) a:R(y)",
        "a:R(x) b:W(y) a:R(y) b:W(x)",
        "a:W(x) b:R(y) a:W(y) b:R(x)",
    };
    return texts[pattern <= RV_PATTERNS ? pattern : 0];
}

struct search {
    const struct rv_pattern_access *accesses;
    size_t count;
    const uint32_t *variables;
    const struct rv_pattern *pattern;
    size_t chosen[RV_PATTERN_STEPS];
};

/* Whether access `at` can be step `number`, after those that were chosen before. */
static bool fits(const struct search *search, size_t at, unsigned number) {
    const struct rv_pattern_step *steps = search->pattern->step, *step = &steps[number];
    const struct rv_pattern_access *access = &search->accesses[at];
    if (access->write != step->write) return false;
    for (unsigned i = 0; i < number; i++) {
        const struct rv_pattern_access *before = &search->accesses[search->chosen[i]];
        if ((before->thread == access->thread) != (steps[i].second == step->second)) return false;
        if (steps[i].other == step->other
                ? before->object != access->object
                : search->variables[before->object] == search->variables[access->object])
            return false;
    }
    return true;
}

static void look(struct search *search, unsigned number, struct rv_instance *instance, rv_pattern_emit *emit,
                 void *context) {
    if (number == search->pattern->steps) {
        emit(context, instance);
        return;
    }
    for (size_t at = number ? search->chosen[number - 1] + 1 : 0; at < search->count; at++) {
        if (!fits(search, at, number)) continue;
        const struct rv_pattern_access *access = &search->accesses[at];
        search->chosen[number] = at;
        instance->statements[number] = access->statement;
        instance->variables[search->pattern->step[number].other] = search->variables[access->object];
        look(search, number + 1, instance, emit, context);
    }
}

void rv_patterns_exact(const struct rv_pattern_access *accesses, size_t count, const uint32_t *variables,
                       rv_pattern_emit *emit, void *context) {
    for (uint32_t i = 1; i <= RV_PATTERNS; i++) {
        struct search search = {
            .accesses = accesses, .count = count, .variables = variables, .pattern = &rv_pattern_table[i]};
        struct rv_instance instance = {.pattern = i};
        look(&search, 0, &instance, emit, context);
    }
}
