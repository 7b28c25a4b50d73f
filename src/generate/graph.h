/* What an oracle (linear.h) has told of a test: states of the module, and what each call gives in them.
 *
 * A *node* is reached by an order of calls. Orders of the same calls that end in one known state share a node; while states
 * are not known it is a tree. An *edge* is a call made there: how it ended, with what, and the node it leads to.
 * Nodes and edges are numbers; they grow and stay for all executions of the test. Node 0: no call was made.
 */
#ifndef RV_GENERATE_GRAPH_H
#define RV_GENERATE_GRAPH_H

#include <stddef.h>

#include "generate/linear.h"

enum { RV_NO_NODE = 0xffffffffu };

struct rv_linear_edge {
    bool known;
    enum rv_outcome_end end;
    uint32_t node; /* if it returned */
    struct rv_bytes result;
};

struct rv_linear_node {
    uint64_t done;         /* set of the calls made */
    uint64_t state;        /* as the oracle says; 0: not known */
    uint32_t parent, call; /* the first order that led here: that of parent, then the call */
    uint32_t visited;      /* the walk that was here last */
};

struct rv_linear_graph {
    uint32_t calls; /* of the test */
    struct rv_linear_node *nodes;
    struct rv_linear_edge *edges; /* [node * calls + call] */
    uint32_t count, capacity;     /* nodes */
    uint32_t *slots;              /* node + 1 by (done, state), for those with a known state; 0: free */
    uint32_t slot_count, slots_used;
    uint32_t walks;
};

struct rv_linear_graph *rv_graph_create(uint32_t calls);
void rv_graph_free(struct rv_linear_graph *graph);

static inline struct rv_linear_edge *rv_graph_edge(struct rv_linear_graph *graph, uint32_t node,
                                                   uint32_t call) {
    return &graph->edges[(size_t)node * graph->calls + call];
}

/* The order that leads to the node. Its length. */
uint32_t rv_graph_order(const struct rv_linear_graph *graph, uint32_t node, uint32_t *order);

/* Takes in what an order gave. false: it contradicts what is known. */
bool rv_graph_learn(struct rv_linear_graph *graph, const uint32_t *order, const struct rv_answer *outcomes,
                    uint32_t count);

/* A new walk through the graph; whether it comes to the node for the first time. */
void rv_graph_walk(struct rv_linear_graph *graph);
bool rv_graph_visit(struct rv_linear_graph *graph, uint32_t node);

#endif
