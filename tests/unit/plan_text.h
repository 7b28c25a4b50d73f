/* Helps tests of plans: memory for them, and a plan written out again from its tree, with as many parentheses as its structure
 * needs. What is written and read again is the same tree. */
#ifndef PLAN_TEXT_H
#define PLAN_TEXT_H

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

/* As long as nobody needs two plans at a time beyond this many bytes. */
struct plan_memory {
    alignas(16) char bytes[RV_PLAN_MEMORY];
    struct rv_arena arena;
};

static inline struct rv_arena *plan_arena(struct plan_memory *memory) {
    rv_arena_init(&memory->arena, memory->bytes, sizeof memory->bytes);
    memory->arena.high = sizeof memory->bytes; /* it may have been used before */
    return &memory->arena;
}

struct plan_text {
    char data[16 * RV_PLAN_TEXT];
    size_t length;
};

static inline void plan_put(struct plan_text *out, const char *text) {
    size_t length = strlen(text);
    assert(out->length + length < sizeof out->data);
    memcpy(out->data + out->length, text, length + 1);
    out->length += length;
}

static inline void plan_put_atom(struct plan_text *out, const struct rv_plan_atom *atom, bool counted) {
    char count[16];
    plan_put(out, atom->name);
    snprintf(count, sizeof count, "#%u", atom->count);
    if (counted) plan_put(out, count);
    if (atom->thread) {
        plan_put(out, "@");
        plan_put(out, atom->thread);
    }
}

/* level: 0 where "||" may stand, 1 where "&&" may, 2 elsewhere. Chains lean to the left: no deep recursion but into what
 * has parentheses, whose depth is bounded, and down the left side of chains. */
static inline void plan_put_node(struct plan_text *out, const struct rv_plan *plan, uint32_t number,
                                 int level) {
    const struct rv_plan_node *node = &plan->nodes[number];
    int own = node->kind == RV_PLAN_OR ? 0 : node->kind == RV_PLAN_AND ? 1 : 2;
    if (own < level) plan_put(out, "(");
    switch (node->kind) {
    case RV_PLAN_ATOM: plan_put_atom(out, &plan->atoms[node->atom], true); break;
    case RV_PLAN_HELD:
        plan_put(out, "[");
        plan_put_atom(out, &plan->atoms[node->atom], !node->last);
        plan_put(out, "]");
        break;
    case RV_PLAN_BLOCKED:
        plan_put(out, "blocked@");
        plan_put(out, node->thread);
        break;
    case RV_PLAN_NOT:
        plan_put(out, "!");
        plan_put_node(out, plan, node->left, 2);
        break;
    case RV_PLAN_AND:
    case RV_PLAN_OR:
        plan_put_node(out, plan, node->left, own);
        plan_put(out, node->kind == RV_PLAN_OR ? " || " : " && ");
        plan_put_node(out, plan, node->right, own + 1);
        break;
    }
    if (own < level) plan_put(out, ")");
}

static inline void plan_put_all(struct plan_text *out, const struct rv_plan *plan) {
    out->length = 0;
    out->data[0] = 0;
    for (uint32_t i = 0; i < plan->ordering_count; i++) {
        const struct rv_plan_atom *target = &plan->atoms[plan->orderings[i].target];
        if (i) plan_put(out, ", ");
        plan_put_node(out, plan, plan->orderings[i].condition, 0);
        plan_put(out, " -> ");
        plan_put_atom(out, target, target->count > 0);
    }
}

#endif
