#include "generate/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static uint32_t slot_of(const struct rv_linear_graph *graph, uint64_t done, uint64_t state) {
    uint64_t hash = (done ^ state * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(hash >> 32) & (graph->slot_count - 1);
}

/* The slot of the node with these calls and this state, or the free one where it would be. */
static uint32_t *find_slot(struct rv_linear_graph *graph, uint64_t done, uint64_t state) {
    uint32_t i = slot_of(graph, done, state);
    for (; graph->slots[i]; i = (i + 1) & (graph->slot_count - 1)) {
        const struct rv_linear_node *node = &graph->nodes[graph->slots[i] - 1];
        if (node->done == done && node->state == state) break;
    }
    return &graph->slots[i];
}

static void enlarge_slots(struct rv_linear_graph *graph) {
    uint32_t *old = graph->slots, old_count = graph->slot_count;
    graph->slot_count = old_count ? old_count * 2 : 64;
    graph->slots = rv_text_alloc(graph->slot_count, sizeof *graph->slots);
    for (uint32_t i = 0; i < old_count; i++) {
        if (!old[i]) continue;
        const struct rv_linear_node *node = &graph->nodes[old[i] - 1];
        *find_slot(graph, node->done, node->state) = old[i];
    }
    free(old);
}

static uint32_t add_node(struct rv_linear_graph *graph, const struct rv_linear_node *node) {
    if (graph->count == graph->capacity) {
        size_t calls = graph->calls, old = graph->capacity;
        graph->capacity = graph->capacity ? graph->capacity * 2 : 32;
        graph->nodes = rv_text_realloc(graph->nodes, graph->capacity, sizeof *graph->nodes);
        graph->edges = rv_text_realloc(graph->edges, graph->capacity * calls, sizeof *graph->edges);
        if (calls)
            memset(graph->edges + old * calls, 0, (graph->capacity - old) * calls * sizeof *graph->edges);
    }
    graph->nodes[graph->count] = *node;
    return graph->count++;
}

struct rv_linear_graph *rv_graph_create(uint32_t calls) {
    struct rv_linear_graph *graph = rv_text_alloc(1, sizeof *graph);
    graph->calls = calls;
    enlarge_slots(graph);
    add_node(graph, &(struct rv_linear_node){.parent = RV_NO_NODE});
    return graph;
}

void rv_graph_free(struct rv_linear_graph *graph) {
    if (!graph) return;
    for (size_t i = 0; i < (size_t)graph->count * graph->calls; i++) rv_bytes_free(&graph->edges[i].result);
    free(graph->edges);
    free(graph->nodes);
    free(graph->slots);
    free(graph);
}

uint32_t rv_graph_order(const struct rv_linear_graph *graph, uint32_t node, uint32_t *order) {
    uint32_t count = (uint32_t)__builtin_popcountll(graph->nodes[node].done), i = count;
    for (; graph->nodes[node].parent != RV_NO_NODE; node = graph->nodes[node].parent)
        order[--i] = graph->nodes[node].call;
    assert(i == 0);
    return count;
}

/* The node after `call` is made in `from`. */
static uint32_t next_node(struct rv_linear_graph *graph, uint32_t from, uint32_t call, uint64_t state) {
    struct rv_linear_node node = {graph->nodes[from].done | 1ull << call, state, from, call, 0};
    if (!state) return add_node(graph, &node);
    if (2 * graph->slots_used >= graph->slot_count) enlarge_slots(graph);
    uint32_t *slot = find_slot(graph, node.done, state);
    if (!*slot) {
        *slot = add_node(graph, &node) + 1;
        graph->slots_used++;
    }
    return *slot - 1;
}

bool rv_graph_learn(struct rv_linear_graph *graph, const uint32_t *order, const struct rv_answer *outcomes,
                    uint32_t count) {
    uint32_t node = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert(order[i] < graph->calls && !(graph->nodes[node].done >> order[i] & 1));
        struct rv_linear_edge *edge = rv_graph_edge(graph, node, order[i]);
        bool returned = outcomes[i].end == RV_OUTCOME_RETURNED;
        if (!edge->known) {
            edge->known = true;
            edge->end = outcomes[i].end;
            if (returned) rv_bytes_set(&edge->result, outcomes[i].result.data, outcomes[i].result.size);
            uint32_t next = returned ? next_node(graph, node, order[i], outcomes[i].state) : RV_NO_NODE;
            rv_graph_edge(graph, node, order[i])->node = next; /* edges may have moved */
        } else if (edge->end != outcomes[i].end ||
                   (returned && !rv_bytes_equal(&edge->result, &outcomes[i].result))) {
            return false;
        }
        if (!returned) return i + 1 == count;
        node = rv_graph_edge(graph, node, order[i])->node;
    }
    return true;
}

void rv_graph_walk(struct rv_linear_graph *graph) { graph->walks++; }

bool rv_graph_visit(struct rv_linear_graph *graph, uint32_t node) {
    if (graph->nodes[node].visited == graph->walks) return false;
    graph->nodes[node].visited = graph->walks;
    return true;
}
