#include "report/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "report/printer.h"
#include "report/text.h"

enum { LEVELS_MAX = 16 };

void rv_locate_own(struct rv_symboliser *symbols, rv_code code, struct rv_location *location) {
    struct rv_location levels[LEVELS_MAX];
    if (code == 0 || code == RV_CODE_UNKNOWN) {
        rv_location_blank(location);
        return;
    }
    unsigned count = rv_symbolise_code(symbols, code, true, levels, LEVELS_MAX), own = 0;
    while (own < count && !rv_is_own_code(&levels[own])) own++;
    if (own == count) own = 0;
    for (unsigned i = 0; i < count; i++) {
        if (i != own) rv_location_free(&levels[i]);
    }
    *location = levels[own];
}

static void add_frames(struct rv_stack_text *stack, const struct rv_location *levels, unsigned count) {
    stack->frames = rv_text_realloc(stack->frames, stack->count + count, sizeof *stack->frames);
    memcpy(stack->frames + stack->count, levels, count * sizeof *levels);
    stack->count += count;
}

/* What the C library does before it calls main or a thread's function says nothing. */
static bool is_start_of_threads(const struct rv_symboliser *symbols, rv_code code) {
    return code == RV_CODE_UNKNOWN || rv_symbolise_is_runtime(symbols, code) ||
           rv_symbolise_is_system(symbols, code);
}

struct rv_stack_text rv_stack_of(struct rv_symboliser *symbols, const rv_code *frames, unsigned count,
                                 bool first_is_return) {
    struct rv_stack_text stack = {0};
    unsigned end = 0;
    while (end < count && frames[end] != 0) end++;
    while (end > 1 && is_start_of_threads(symbols, frames[end - 1])) end--;
    for (unsigned i = 0; i < end; i++) {
        struct rv_location levels[LEVELS_MAX];
        if (frames[i] == RV_CODE_UNKNOWN || rv_symbolise_is_runtime(symbols, frames[i])) continue;
        add_frames(&stack, levels,
                   rv_symbolise_code(symbols, frames[i], i > 0 || first_is_return, levels, LEVELS_MAX));
    }
    return stack;
}
