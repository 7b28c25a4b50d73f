#include "generate/linear.h"

#include <assert.h>
#include <string.h>

#include "generate/graph.h"

/* One walk: depth first through the states that the allowed orders reach. */
struct walk {
    struct rv_linear *linear;
    const struct rv_history *history;
    struct rv_linear_verdict *verdict; /* NULL: all orders are walked through to the end, whatever was seen */
    uint32_t likely[RV_MAX_CALLS];     /* all calls, in the order in which a run is continued */
    uint32_t likely_count;
    uint64_t required;                /* calls that must be in the order */
    uint64_t allowed;                 /* and those that may */
    uint64_t before[RV_MAX_CALLS];    /* calls that must come before this one */
    uint32_t order[RV_MAX_CALLS];     /* from the start to where the walk is */
    bool unknown;                     /* the oracle did not tell */
    struct rv_linear_summary summary; /* of what was met */
};

void rv_linear_init(struct rv_linear *linear, const struct rv_history *test, struct rv_oracle oracle,
                    uint64_t max_runs) {
    *linear = (struct rv_linear){.oracle = oracle, .max_runs = max_runs};
    linear->graph = rv_graph_create(test->count);
}

void rv_linear_free(struct rv_linear *linear) {
    rv_graph_free(linear->graph);
    *linear = (struct rv_linear){0};
}

/* Whether `first` is continued with before `second`: what returned first, then what did not, then what was not made. */
static bool likelier(const struct rv_call *first, const struct rv_call *second) {
    if (first->state != second->state) return first->state > second->state;
    return first->state == RV_CALL_RETURNED && first->returned < second->returned;
}

static void sort_likely(struct walk *walk) {
    const struct rv_call *calls = walk->history->calls;
    for (uint32_t i = 0; i < walk->history->count; i++) {
        uint32_t j = walk->likely_count++;
        for (; j > 0 && likelier(&calls[i], &calls[walk->likely[j - 1]]); j--)
            walk->likely[j] = walk->likely[j - 1];
        walk->likely[j] = i;
    }
}

/* Asks for `call` in `node`, and for all others after it, while it is at it. */
static bool ask(struct walk *walk, uint32_t node, uint32_t call) {
    struct rv_linear *linear = walk->linear;
    uint32_t order[RV_MAX_CALLS], count = rv_graph_order(linear->graph, node, order), told;
    uint64_t made = linear->graph->nodes[node].done | 1ull << call;
    struct rv_answer outcomes[RV_MAX_CALLS] = {0};
    order[count++] = call;
    uint32_t asked = count;
    for (uint32_t i = 0; i < walk->likely_count; i++) {
        uint32_t next = walk->likely[i];
        if (made >> next & 1 || (walk->before[next] & ~made)) continue;
        order[count++] = next;
        made |= 1ull << next;
    }
    if (linear->contradictory || linear->runs >= linear->max_runs) return false;
    linear->runs++;
    told = linear->oracle.run(linear->oracle.user, order, count, outcomes);
    assert(told <= count);
    if (told && !rv_graph_learn(linear->graph, order, outcomes, told)) linear->contradictory = true;
    return !linear->contradictory && told >= asked;
}

/* What `call` gives in `node`; NULL if the oracle does not tell. */
static const struct rv_linear_edge *step(struct walk *walk, uint32_t node, uint32_t call) {
    const struct rv_linear_edge *edge = rv_graph_edge(walk->linear->graph, node, call);
    if (!edge->known && !ask(walk, node, call)) {
        walk->unknown = true;
        return NULL;
    }
    edge = rv_graph_edge(walk->linear->graph, node, call);
    walk->summary.blocks |= edge->end == RV_OUTCOME_BLOCKED;
    walk->summary.fails |= edge->end == RV_OUTCOME_FAILED;
    return edge;
}

static void keep_order(struct walk *walk, uint32_t depth) {
    memcpy(walk->verdict->order, walk->order, depth * sizeof *walk->order);
    walk->verdict->count = depth;
}

/* All calls that returned are done and explained: would the pending ones wait here? */
static bool waits_here(struct walk *walk, uint32_t node, uint32_t depth) {
    if (!walk->history->stuck) return true;
    for (uint32_t call = 0; call < walk->history->count; call++) {
        if (walk->history->calls[call].state != RV_CALL_PENDING) continue;
        const struct rv_linear_edge *edge = step(walk, node, call);
        if (!edge) return false;
        if (edge->end == RV_OUTCOME_BLOCKED) continue;
        if (edge->end == RV_OUTCOME_RETURNED && walk->verdict->kind != RV_LINEAR_DEADLOCK) {
            walk->verdict->kind = RV_LINEAR_DEADLOCK;
            walk->verdict->waiter = call;
            keep_order(walk, depth);
        }
        return false;
    }
    return true;
}

static bool as_seen(const struct walk *walk, uint32_t call, const struct rv_linear_edge *edge) {
    const struct rv_call *seen = &walk->history->calls[call];
    return !walk->verdict || seen->state != RV_CALL_RETURNED || rv_bytes_equal(&seen->result, &edge->result);
}

/* Whether an order that is looked for goes on from here. One that is abandoned because the oracle does not tell must not be taken
 * for one that does not exist: `unknown` remembers it. */
static bool walk_from(struct walk *walk, uint32_t node, uint32_t depth) {
    uint64_t done = walk->linear->graph->nodes[node].done;
    if ((done & walk->required) == walk->required) {
        walk->summary.through++;
        if (walk->verdict && waits_here(walk, node, depth)) {
            keep_order(walk, depth);
            return true;
        }
    }
    for (uint32_t call = 0; call < walk->history->count; call++) {
        if (!(walk->allowed & ~done & 1ull << call) || (walk->before[call] & ~done)) continue;
        const struct rv_linear_edge *edge = step(walk, node, call);
        if (!edge || edge->end != RV_OUTCOME_RETURNED || !as_seen(walk, call, edge)) continue;
        if (!rv_graph_visit(walk->linear->graph, edge->node)) continue;
        walk->order[depth] = call;
        if (walk_from(walk, edge->node, depth + 1)) return true;
    }
    return false;
}

static bool walk_all(struct walk *walk) {
    rv_graph_walk(walk->linear->graph);
    rv_graph_visit(walk->linear->graph, 0);
    return walk_from(walk, 0, 0);
}

void rv_linear_check(struct rv_linear *linear, const struct rv_history *history,
                     struct rv_linear_verdict *verdict) {
    struct walk walk = {.linear = linear, .history = history, .verdict = verdict};
    assert(history->count == linear->graph->calls);
    *verdict = (struct rv_linear_verdict){.kind = RV_LINEAR_NO};
    for (uint32_t call = 0; call < history->count; call++) {
        enum rv_call_state state = history->calls[call].state;
        if (state == RV_CALL_RETURNED) walk.required |= 1ull << call;
        if (state == RV_CALL_PENDING && !history->stuck) walk.allowed |= 1ull << call;
        for (uint32_t other = 0; other < history->count; other++)
            if (rv_history_precedes(history, other, call)) walk.before[call] |= 1ull << other;
    }
    walk.allowed |= walk.required;
    sort_likely(&walk);
    if (walk_all(&walk)) {
        verdict->kind = RV_LINEAR_YES;
    } else if (!walk.unknown && verdict->kind == RV_LINEAR_NO) {
        walk.verdict = NULL;
        walk_all(&walk);
        if (walk.summary.fails)
            verdict->kind = RV_LINEAR_MISUSE;
        else if (!walk.summary.through)
            verdict->kind = RV_LINEAR_UNSPECIFIED;
    }
    if (verdict->kind != RV_LINEAR_YES && walk.unknown) verdict->kind = RV_LINEAR_UNKNOWN;
    if (linear->contradictory) verdict->kind = RV_LINEAR_UNKNOWN;
}

struct rv_linear_summary rv_linear_sequential(struct rv_linear *linear, const struct rv_history *test) {
    struct walk walk = {.linear = linear, .history = test};
    assert(test->count == linear->graph->calls);
    for (uint32_t call = 0; call < test->count; call++) {
        walk.required |= 1ull << call;
        walk.likely[walk.likely_count++] = call;
        for (uint32_t other = 0; other < test->count; other++)
            if (rv_history_ordered(test, other, call)) walk.before[call] |= 1ull << other;
    }
    walk.allowed = walk.required;
    walk_all(&walk);
    walk.summary.known = !walk.unknown && !linear->contradictory;
    return walk.summary;
}
