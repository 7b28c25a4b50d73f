/* The least solution, in waves: cycles of edges become one node each, sets flow along the edges in topological order, and
 * then whatever depends on what a node points to (loads, stores, shifts, calls, copies) is looked at for the locations that
 * are new; that gives new edges, and the next wave begins. (Pereira and Berlin, "Wave propagation and deep
 * propagation for pointer analysis", CGO 2009.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modeller/modeller.h"

uint32_t rm_node_new(struct rm *rm) {
    uint32_t node = RM_ADD(rm, node);
    rm->nodes[node].same = node;
    rm->nodes[node].object = RM_NONE;
    return node;
}

uint32_t rm_find(struct rm *rm, uint32_t node) {
    while (rm->nodes[node].same != node) {
        rm->nodes[node].same = rm->nodes[rm->nodes[node].same].same;
        node = rm->nodes[node].same;
    }
    return node;
}

const struct rm_bits *rm_points(struct rm *rm, uint32_t node) {
    static const struct rm_bits empty;
    return node == RM_NONE ? &empty : &rm->nodes[rm_find(rm, node)].points;
}

static void append(struct rm_list *to, struct rm_list *from) {
    for (uint32_t i = 0; i < from->count; i++) rm_list_add(to, from->items[i]);
    free(from->items);
    *from = (struct rm_list){0};
}

static void add_shift(struct rm_node *node, struct rm_shift shift) {
    if (node->shift_count == node->shift_capacity) {
        node->shift_capacity = node->shift_capacity ? node->shift_capacity * 2 : 2;
        node->shifts = rv_text_realloc(node->shifts, node->shift_capacity, sizeof *node->shifts);
    }
    node->shifts[node->shift_count++] = shift;
}

void rm_merge(struct rm *rm, uint32_t a, uint32_t b) {
    a = rm_find(rm, a);
    b = rm_find(rm, b);
    if (a == b) return;
    struct rm_node *to = &rm->nodes[a], *from = &rm->nodes[b];
    from->same = a;
    rm->changed = true;
    rm_bits_and(&to->flown, &from->flown);
    rm_bits_and(&to->applied, &from->applied);
    rm_bits_or(&to->points, &from->points);
    rm_bits_or(&to->edges, &from->edges);
    rm_bits_or(&to->loads, &from->loads);
    rm_bits_or(&to->stores, &from->stores);
    for (uint32_t i = 0; i < from->shift_count; i++) add_shift(to, from->shifts[i]);
    append(&to->calls, &from->calls);
    append(&to->passages, &from->passages);
    rm_bits_free(&from->flown);
    rm_bits_free(&from->applied);
    rm_bits_free(&from->points);
    rm_bits_free(&from->edges);
    rm_bits_free(&from->loads);
    rm_bits_free(&from->stores);
    free(from->shifts);
    from->shifts = NULL;
    from->shift_count = from->shift_capacity = 0;
}

void rm_edge(struct rm *rm, uint32_t from, uint32_t to) {
    if (from == RM_NONE || to == RM_NONE) return;
    from = rm_find(rm, from);
    to = rm_find(rm, to);
    if (from == to || !rm_bits_add(&rm->nodes[from].edges, to)) return;
    if (rm_bits_or(&rm->nodes[to].points, &rm->nodes[from].points)) rm->changed = true;
}

void rm_point(struct rm *rm, uint32_t node, uint32_t location) {
    if (node == RM_NONE || location == RM_NONE) return;
    if (rm_bits_add(&rm->nodes[rm_find(rm, node)].points, location)) rm->changed = true;
}

/* What a node has already seen has to be gone through again for a constraint that comes later. */
static struct rm_node *renewed(struct rm *rm, uint32_t node) {
    struct rm_node *at = &rm->nodes[rm_find(rm, node)];
    at->applied.count = 0;
    rm->changed = true;
    return at;
}

void rm_load_from(struct rm *rm, uint32_t address, uint32_t to) {
    if (address == RM_NONE || to == RM_NONE) return;
    rm_bits_add(&renewed(rm, address)->loads, to);
}

void rm_store_to(struct rm *rm, uint32_t address, uint32_t from) {
    if (address == RM_NONE || from == RM_NONE) return;
    rm_bits_add(&renewed(rm, address)->stores, from);
}

void rm_shift(struct rm *rm, uint32_t from, uint32_t to, int64_t offset, uint64_t stride) {
    if (from == RM_NONE || to == RM_NONE) return;
    if (offset == 0 && stride == 0)
        rm_edge(rm, from, to);
    else
        add_shift(renewed(rm, from), (struct rm_shift){to, offset, stride});
}

void rm_passage(struct rm *rm, uint32_t address, uint32_t object, uint64_t size, bool in) {
    if (address == RM_NONE) return;
    uint32_t index = RM_ADD(rm, passage);
    rm->passages[index] = (struct rm_passage){object, size ? size : UINT64_MAX, in};
    rm_list_add(&renewed(rm, address)->passages, index);
}

void rm_call_through(struct rm *rm, uint32_t address, uint32_t call) {
    if (address != RM_NONE) rm_list_add(&renewed(rm, address)->calls, call);
}

/* --- cycles and order --- */

struct walk {
    uint32_t *index, *low, *stack, *order, *path;
    struct rm_iterator *positions;
    uint8_t *on_stack;
    uint32_t next, stack_count, order_count;
};

/* Tarjan's algorithm without recursion. Edges are rewritten to the nodes that stand for their ends on the way. */
static void walk_from(struct rm *rm, struct walk *walk, uint32_t root) {
    uint32_t depth = 0;
    walk->path[0] = root;
    walk->index[root] = walk->low[root] = ++walk->next;
    walk->stack[walk->stack_count++] = root;
    walk->on_stack[root] = 1;
    walk->positions[0] = (struct rm_iterator){&rm->nodes[root].edges, 0, 0};
    for (;;) {
        uint32_t node = walk->path[depth], next;
        if (rm_bits_next(&walk->positions[depth], &next)) {
            next = rm_find(rm, next);
            if (!walk->index[next]) {
                walk->index[next] = walk->low[next] = ++walk->next;
                walk->stack[walk->stack_count++] = next;
                walk->on_stack[next] = 1;
                walk->path[++depth] = next;
                walk->positions[depth] = (struct rm_iterator){&rm->nodes[next].edges, 0, 0};
            } else if (walk->on_stack[next] && walk->index[next] < walk->low[node])
                walk->low[node] = walk->index[next];
            continue;
        }
        if (walk->low[node] == walk->index[node]) {
            uint32_t member, first = walk->order_count;
            do {
                member = walk->stack[--walk->stack_count];
                walk->on_stack[member] = 0;
                if (member != node) walk->order[walk->order_count++] = member;
            } while (member != node);
            /* Merged when the walk is over, for iterators look at edges: marked by their low. */
            for (uint32_t i = first; i < walk->order_count; i++)
                walk->low[walk->order[i]] = node | UINT32_C(0x80000000);
            walk->order[walk->order_count++] = node;
        }
        if (depth == 0) return;
        uint32_t parent = walk->path[--depth];
        if (!(walk->low[node] & UINT32_C(0x80000000)) && walk->low[node] < walk->low[parent])
            walk->low[parent] = walk->low[node];
    }
}

/* Nodes in topological order of their edges, each cycle one node; malloc'ed. */
static uint32_t *order_nodes(struct rm *rm, uint32_t *order_count) {
    uint32_t count = rm->node_count, kept = 0;
    struct walk walk = {.index = rv_text_alloc(count, 4),
                        .low = rv_text_alloc(count, 4),
                        .stack = rv_text_alloc(count, 4),
                        .order = rv_text_alloc(count, 4),
                        .path = rv_text_alloc(count + 1, 4),
                        .on_stack = rv_text_alloc(count, 1),
                        .positions = rv_text_alloc(count + 1, sizeof(struct rm_iterator))};
    for (uint32_t i = 0; i < count; i++)
        if (rm->nodes[i].same == i && !walk.index[i] && rm->nodes[i].edges.count) walk_from(rm, &walk, i);
    for (uint32_t i = 0; i < walk.order_count; i++) {
        uint32_t node = walk.order[i];
        if (walk.low[node] & UINT32_C(0x80000000)) rm_merge(rm, walk.low[node] & UINT32_C(0x7fffffff), node);
    }
    for (uint32_t i = walk.order_count; i-- > 0;)
        if (rm->nodes[walk.order[i]].same == walk.order[i]) walk.stack[kept++] = walk.order[i];
    free(walk.index);
    free(walk.low);
    free(walk.order);
    free(walk.path);
    free(walk.on_stack);
    free(walk.positions);
    *order_count = kept;
    return walk.stack;
}

static void renew_edges(struct rm *rm, uint32_t node) {
    struct rm_bits fresh = {0};
    uint32_t next;
    bool stale = false;
    RM_EACH(next, &rm->nodes[node].edges) {
        uint32_t real = rm_find(rm, next);
        stale |= real != next;
        if (real != node) rm_bits_add(&fresh, real);
    }
    if (!stale) {
        rm_bits_free(&fresh);
        return;
    }
    rm_bits_free(&rm->nodes[node].edges);
    rm->nodes[node].edges = fresh;
}

static void flow(struct rm *rm, uint32_t node) {
    static struct rm_bits fresh;
    struct rm_node *from = &rm->nodes[node];
    rm_bits_minus(&fresh, &from->points, &from->flown);
    if (!fresh.count) return;
    renew_edges(rm, node);
    uint32_t next;
    RM_EACH(next, &from->edges) rm_bits_or(&rm->nodes[next].points, &fresh);
    rm_bits_or(&from->flown, &fresh);
}

/* --- what depends on what a node points to --- */

static void shift(struct rm *rm, uint32_t location, const struct rm_shift *how) {
    uint32_t index = rm->nodes[location].object;
    uint64_t offset = rm->nodes[location].offset;
    const struct rm_object *object = &rm->objects[index];
    if (object->kind == RM_FUNCTION) return;
    if (object->collapsed) {
        rm_point(rm, how->target, object->base);
        return;
    }
    int64_t moved = (int64_t)offset + how->offset;
    uint64_t start, element, size;
    if (how->stride &&
        !rm_array_at(rm, object, rm_normal_offset(rm, object, moved), how->stride, &start, &element, &size)) {
        rm_collapse(rm, index);
        rm_point(rm, how->target, rm->objects[index].base);
        return;
    }
    /* Back from an element: the element may not have been the first. */
    if (how->offset < 0 && rm_array_at(rm, object, offset, (uint64_t)-how->offset, &start, &element, &size) &&
        moved < (int64_t)start)
        rm_point(rm, how->target, rm_field(rm, index, (int64_t)offset));
    rm_point(rm, how->target, rm_field(rm, index, moved));
}

static void pass(struct rm *rm, uint32_t location, const struct rm_passage *how) {
    uint32_t object = rm->nodes[location].object;
    uint64_t offset = rm->nodes[location].offset;
    if (rm->objects[object].kind == RM_FUNCTION) return;
    if (rm->objects[object].collapsed) offset = 0;
    uint64_t size = how->size, text = 0;
    if (size == UINT64_MAX && !rm->objects[object].collapsed)
        text = rm_text_at(rm, &rm->objects[object], offset, false);
    if (text) size = text;
    if (how->in)
        rm_copy_object(rm, object, offset, how->object, 0, size);
    else
        rm_copy_object(rm, how->object, 0, object, offset, size);
}

static void apply(struct rm *rm, uint32_t node) {
    static struct rm_bits fresh;
    struct rm_node *at = &rm->nodes[node];
    if (!at->loads.count && !at->stores.count && !at->shift_count && !at->calls.count && !at->passages.count)
        return;
    rm_bits_minus(&fresh, &at->points, &at->applied);
    if (!fresh.count) return;
    rm_bits_or(&at->applied, &fresh);
    uint32_t location, other;
    struct rm_bits loads = {0}, stores = {0}; /* nodes may merge meanwhile */
    rm_bits_or(&loads, &at->loads);
    rm_bits_or(&stores, &at->stores);
    RM_EACH(location, &fresh) {
        uint32_t object = rm->nodes[location].object;
        if (rm->objects[object].kind == RM_FUNCTION) {
            for (uint32_t i = 0; node = rm_find(rm, node), i < rm->nodes[node].calls.count; i++) {
                uint32_t function =
                    rm_map_get(&rm->functions_of, (uint64_t)(uintptr_t)rm->objects[object].value, 0);
                if (function != RM_NONE) rm_connect(rm, rm->nodes[node].calls.items[i], function);
            }
            continue;
        }
        RM_EACH(other, &loads) rm_edge(rm, location, other);
        RM_EACH(other, &stores) rm_edge(rm, other, location);
        for (uint32_t i = 0; node = rm_find(rm, node), i < rm->nodes[node].shift_count; i++) {
            struct rm_shift how = rm->nodes[node].shifts[i];
            shift(rm, location, &how);
        }
        for (uint32_t i = 0; node = rm_find(rm, node), i < rm->nodes[node].passages.count; i++) {
            struct rm_passage how = rm->passages[rm->nodes[node].passages.items[i]];
            pass(rm, location, &how);
        }
    }
    rm_bits_free(&loads);
    rm_bits_free(&stores);
}

void rm_solve(struct rm *rm) {
    unsigned waves = 0;
    do {
        uint32_t count;
        rm->changed = false;
        uint32_t *order = order_nodes(rm, &count);
        rm->changed = false;
        for (uint32_t i = 0; i < count; i++) flow(rm, order[i]);
        free(order);
        for (uint32_t i = 0; i < rm->node_count; i++)
            if (rm->nodes[i].same == i) apply(rm, i);
        waves++;
    } while (rm->changed);
    if (getenv("RAVEL_MODEL_TRACE"))
        fprintf(stderr, "ravel-model: %u waves, %u nodes, %u objects\n", waves, rm->node_count,
                rm->object_count);
}
