#include "runtime/events_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 24, MAX_MISSING = 4 };

struct rv_line rv_line_begin(char *text, size_t size) {
    if (size) text[0] = 0;
    return (struct rv_line){.text = text, .size = size};
}

void rv_line_add(struct rv_line *line, const char *format, ...) {
    if (line->used + 1 >= line->size) return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line->text + line->used, line->size - line->used, format, arguments);
    va_end(arguments);
    if (length > 0) line->used += (size_t)length;
    if (line->used >= line->size) line->used = line->size - 1;
}

void rv_plan_add_atom(struct rv_line *line, const struct rv_plan_atom *atom) {
    rv_line_add(line, "%s", atom->name);
    if (atom->count > 1) rv_line_add(line, "#%u", atom->count);
    if (atom->thread) rv_line_add(line, "@%s", atom->thread);
}

void rv_plan_add_ordering(struct rv_line *line, const struct rv_plan *plan,
                          const struct rv_plan_ordering *ordering) {
    rv_line_add(line, "\"%.*s\"", (int)ordering->length, plan->text + ordering->at);
}

/* ---- what does not hold ---- */

static void add_never(struct rv_line *line, const struct rv_plan_state *state, uint32_t number) {
    const struct rv_plan_atom *atom = &state->plan->atoms[number];
    uint32_t count = rv_monitor_count(state->monitor, number);
    rv_plan_add_atom(line, atom);
    if (count && atom->count > 1)
        rv_line_add(line, " (%u so far)", count);
    else
        rv_line_add(line, " (has not happened)");
}

static bool happened(const struct rv_plan_state *state, uint32_t number) {
    const struct rv_plan_atom *atom = &state->plan->atoms[number];
    return rv_monitor_count(state->monitor, number) >= (atom->count ? atom->count : 1);
}

static void add_open(struct rv_line *line, const struct rv_plan_state *state, uint32_t number, int depth);

static void add_both(struct rv_line *line, const struct rv_plan_state *state, const struct rv_plan_node *node,
                     int depth) {
    bool left = !rv_monitor_holds(state->monitor, node->left, state->view);
    bool right = !rv_monitor_holds(state->monitor, node->right, state->view);
    if (left) add_open(line, state, node->left, depth);
    if (left && right) rv_line_add(line, node->kind == RV_PLAN_OR ? " or " : " and ");
    if (right) add_open(line, state, node->right, depth);
}

static void add_denied(struct rv_line *line, const struct rv_plan_state *state,
                       const struct rv_plan_node *node) {
    const struct rv_plan_node *denied = &state->plan->nodes[node->left];
    if (denied->kind == RV_PLAN_ATOM) {
        rv_line_add(line, "!");
        rv_plan_add_atom(line, &state->plan->atoms[denied->atom]);
        rv_line_add(line, " (it has happened)");
    } else if (denied->kind == RV_PLAN_BLOCKED) {
        rv_line_add(line, "!blocked@%s (it is blocked)", denied->thread);
    } else {
        rv_line_add(line, "what it denies to be over");
    }
}

static void add_open(struct rv_line *line, const struct rv_plan_state *state, uint32_t number, int depth) {
    const struct rv_plan_node *node = &state->plan->nodes[number];
    if (depth > MAX_DEPTH) {
        rv_line_add(line, "...");
        return;
    }
    switch (node->kind) {
    case RV_PLAN_ATOM: add_never(line, state, node->atom); break;
    case RV_PLAN_HELD:
        rv_line_add(line, "[");
        rv_plan_add_atom(line, &state->plan->atoms[node->atom]);
        rv_line_add(line, happened(state, node->atom) ? "] (has happened, but its thread is not blocked)"
                                                      : "] (has not happened)");
        break;
    case RV_PLAN_BLOCKED: rv_line_add(line, "blocked@%s (is not)", node->thread); break;
    case RV_PLAN_NOT: add_denied(line, state, node); break;
    case RV_PLAN_AND:
    case RV_PLAN_OR: add_both(line, state, node, depth + 1); break;
    }
}

void rv_plan_add_open(struct rv_line *line, const struct rv_plan_state *state,
                      const struct rv_plan_ordering *ordering) {
    add_open(line, state, ordering->condition, 0);
    rv_line_add(line, ", by ");
    rv_plan_add_ordering(line, state->plan, ordering);
}

/* ---- what never happened ---- */

static void suggest(struct rv_line *line, const struct rv_plan_state *state, const struct rv_plan_atom *atom,
                    const char *const *names, size_t count) {
    uint32_t number = (uint32_t)(atom - state->plan->atoms),
             so_far = rv_monitor_count(state->monitor, number);
    if (so_far) {
        rv_line_add(line, " (it happened %u time%s)", so_far, so_far == 1 ? "" : "s");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (atom->what != RV_PLAN_EVENT || strcmp(names[i], atom->name) != 0) continue;
        if (atom->thread)
            rv_line_add(line, " (%s happened, but in no thread called %s)", atom->name, atom->thread);
        return;
    }
    const char *near = atom->what == RV_PLAN_EVENT ? rv_plan_near(atom->name, names, count) : NULL;
    if (near) rv_line_add(line, " (did you mean %s?)", near);
}

bool rv_plan_add_missing(struct rv_line *line, const struct rv_plan_state *state, const char *const *names,
                         size_t count) {
    uint32_t cursor = 0, found = 0;
    const struct rv_plan_atom *atom;
    while ((atom = rv_monitor_missing(state->monitor, &cursor))) {
        if (found++ >= MAX_MISSING) continue;
        rv_line_add(line, found > 1 ? ", " : "never happened: ");
        rv_plan_add_atom(line, atom);
        suggest(line, state, atom, names, count);
    }
    if (found > MAX_MISSING) rv_line_add(line, " and %u more", found - MAX_MISSING);
    return found > 0;
}
