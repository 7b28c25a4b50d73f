/* What of the orderings is needed. Nodes are counted passes of events; edges are the orderings, and what holds anyway: program
 * order, the creation and the end of threads, and that the second pass comes after the first. */
#include <stdlib.h>
#include <string.h>

#include "migrate/infer.h"
#include "report/text.h"

enum { NODES = 512 };
enum { NONE, ANYWAY, PLAIN, BLOCK };

struct node {
    uint32_t event, order;
};

struct graph {
    struct node nodes[NODES];
    uint32_t count;
    uint8_t edge[NODES][NODES];
    bool reaches[NODES][NODES];
};

/* NODES: there is no room. */
static uint32_t node_of(struct graph *graph, uint32_t event, uint32_t order) {
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].event == event && graph->nodes[i].order == order) return i;
    if (graph->count < NODES) graph->nodes[graph->count] = (struct node){event, order};
    return graph->count < NODES ? graph->count++ : NODES;
}

/* When and in which thread the node happened in the run; false: it did not. */
static bool happened(const struct rv_run *run, const struct rv_mark *event, uint32_t order, uint32_t *moment,
                     uint32_t *thread) {
    for (uint32_t i = 0; i < run->pass_count; i++) {
        const struct rv_pass *pass = &run->passes[i];
        if (pass->place != event->place || (event->after ? pass->end_order : pass->order) != order) continue;
        *moment = event->after ? pass->end : pass->begin;
        *thread = pass->thread;
        return true;
    }
    return false;
}

static bool before_in(const struct rv_run *run, uint32_t a_moment, uint32_t a_thread, uint32_t b_moment,
                      uint32_t b_thread) {
    const struct rv_run_thread *a = &run->threads[a_thread], *b = &run->threads[b_thread];
    if (a_thread == b_thread) return a_moment < b_moment;
    if (b->creator == a_thread && a_moment < b->created) return true;
    return a->joiner == b_thread && a->join != RV_NEVER && a->join < b_moment;
}

static bool before_anyway(const struct rv_inference *all, const struct node *a, const struct node *b,
                          const struct rv_run *runs, uint32_t count) {
    if (a->event == b->event && a->order < b->order) return true;
    bool seen = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a_moment, a_thread, b_moment, b_thread;
        if (!happened(&runs[i], &all->marks[a->event], a->order, &a_moment, &a_thread) ||
            !happened(&runs[i], &all->marks[b->event], b->order, &b_moment, &b_thread))
            continue;
        if (!before_in(&runs[i], a_moment, a_thread, b_moment, b_thread)) return false;
        seen = true;
    }
    return seen;
}

static void close_graph(struct graph *graph) {
    for (uint32_t a = 0; a < graph->count; a++)
        for (uint32_t b = 0; b < graph->count; b++) graph->reaches[a][b] = graph->edge[a][b] != NONE;
    for (uint32_t via = 0; via < graph->count; via++)
        for (uint32_t a = 0; a < graph->count; a++)
            for (uint32_t b = 0; graph->reaches[a][via] && b < graph->count; b++)
                if (graph->reaches[via][b]) graph->reaches[a][b] = true;
}

/* Another way from a to b: for a blocked a, it has to begin with a being blocked at something. */
static bool another_way(const struct graph *graph, uint32_t a, uint32_t b) {
    bool block = graph->edge[a][b] == BLOCK;
    for (uint32_t via = 0; via < graph->count; via++)
        if (via != b && via != a && (block ? graph->edge[a][via] == BLOCK : graph->edge[a][via] != NONE) &&
            graph->reaches[via][b])
            return true;
    return false;
}

void rv_orderings_reduce(struct rv_inference *inference, const struct rv_run *runs, uint32_t count) {
    struct graph *graph = rv_text_alloc(1, sizeof *graph);
    uint32_t *from = rv_text_alloc(inference->ordering_count, sizeof *from);
    uint32_t *to = rv_text_alloc(inference->ordering_count, sizeof *to);
    for (uint32_t i = 0; i < inference->ordering_count; i++) {
        struct rv_ordering_found *ordering = &inference->orderings[i];
        if (ordering->fate != RV_KEPT_ORDERING) continue;
        from[i] = node_of(graph, ordering->from, ordering->from_order);
        to[i] = node_of(graph, ordering->to, ordering->to_order);
        if (from[i] == NODES || to[i] == NODES || from[i] == to[i])
            ordering->fate = RV_DROPPED_SELDOM;
        else
            graph->edge[from[i]][to[i]] = ordering->block ? BLOCK : PLAIN;
    }
    for (uint32_t a = 0; a < graph->count; a++)
        for (uint32_t b = 0; b < graph->count; b++)
            if (a != b && graph->edge[a][b] == NONE &&
                before_anyway(inference, &graph->nodes[a], &graph->nodes[b], runs, count))
                graph->edge[a][b] = ANYWAY;
    close_graph(graph);
    for (uint32_t i = 0; i < inference->ordering_count; i++) {
        struct rv_ordering_found *ordering = &inference->orderings[i];
        if (ordering->fate != RV_KEPT_ORDERING || !graph->reaches[to[i]][from[i]]) continue;
        ordering->fate = RV_DROPPED_CYCLE;
        graph->edge[from[i]][to[i]] = NONE;
    }
    close_graph(graph);
    for (uint32_t i = 0; i < inference->ordering_count; i++)
        if (inference->orderings[i].fate == RV_KEPT_ORDERING && another_way(graph, from[i], to[i]))
            inference->orderings[i].fate = RV_DROPPED_IMPLIED;
    free(from);
    free(to);
    free(graph);
}
