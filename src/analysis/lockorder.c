/* Goodlock (Havelund, SPIN 2000) with the refinements of Bensalem and Havelund (HVC 2005): gate locks, and happens-before by
 * everything but locks in the place of their segments.
 *
 * Each wait is an edge from the lock held to the lock wanted, kept in a list of the lock held. When one comes, the cycles
 * that it closes are searched depth first, four edges at most, dropping a path as soon as two of its edges cannot be waited on at
 * once. So each cycle is found when its last edge comes. Two edges are ordered if the thread of the later one knew
 * the epoch of the earlier one, for which each keeps its thread's clock.
 *
 * Of edges that are alike in all but time two are kept: the first, and the latest, which gives way to the next. A lock that
 * is renewed begins a new list, and edges to the old one lead nowhere: they name the lock by a number for each life.
 */
#include "analysis/lockorder.h"

enum { EXECUTION_MEMORY = 1 << 30, LIMIT = 1 << 20 };

struct edge {
    struct edge *next; /* from the same lock */
    struct rv_lock_wait wait;
    uint32_t from, to; /* lives of locks */
    uint32_t locks;    /* number of the set of what is held */
    uint64_t epoch;
    struct rv_clock clock;
};

struct lock {
    uint64_t address;
    struct edge *edges;
    uint32_t life;
};

/* Edges that are alike in all but time. */
struct kind {
    struct edge *first, *latest;
};

bool rv_lockorder_init(struct rv_lockorder *order, const struct rv_pages *pages,
                       rv_lockorder_callback *callback, void *user) {
    *order = (struct rv_lockorder){.callback = callback, .user = user};
    if (!rv_hb_init(&order->hb, pages, EXECUTION_MEMORY, false)) return false;
    rv_lockorder_begin(order);
    return true;
}

void rv_lockorder_begin(struct rv_lockorder *order) {
    (void)rv_hb_begin(&order->hb);
    order->held = (struct rv_held){.arena = &order->hb.arena};
    order->locks = order->kinds = order->cycles = (struct rv_index){0};
    order->lives = 0;
    order->lowest = UINT64_MAX;
    order->highest = 0;
    order->exhausted = false;
}

static void *item(struct rv_lockorder *order, struct rv_index *index, uint64_t key, size_t size) {
    uint32_t number = rv_index_add(index, &order->hb.arena, key, size, LIMIT);
    if (number == RV_NO_NUMBER) {
        order->exhausted = true;
        return NULL;
    }
    return (char *)index->items + number * size;
}

static struct lock *lock_at(struct rv_lockorder *order, uint64_t address) {
    struct lock *lock = item(order, &order->locks, address, sizeof *lock);
    if (!lock || lock->life) return lock;
    lock->address = address;
    lock->life = ++order->lives;
    if (address < order->lowest) order->lowest = address;
    if (address > order->highest) order->highest = address;
    return lock;
}

/* Locks in this range begin a new life. */
static void renew(struct rv_lockorder *order, uint64_t address, uint64_t size) {
    if (!size || address > order->highest || (address < order->lowest && order->lowest - address >= size))
        return;
    struct lock *locks = order->locks.items;
    for (uint32_t i = 0; i < order->locks.count; i++) {
        if (locks[i].address - address >= size) continue;
        locks[i].edges = NULL;
        locks[i].life = ++order->lives;
    }
}

static bool is_ordered(const struct edge *a, const struct edge *b) {
    const struct edge *first = a->wait.wanted_step < b->wait.wanted_step ? a : b,
                      *second = first == a ? b : a;
    return rv_epoch_clock(first->epoch) <= rv_clock_get(&second->clock, rv_epoch_slot(first->epoch));
}

/* Two threads can stand at these waits at once. */
static bool is_possible(const struct rv_lockorder *order, const struct edge *a, const struct edge *b) {
    return a->wait.thread != b->wait.thread && !is_ordered(a, b) &&
           !rv_locksets_meet(rv_held_set(&order->held, a->locks), rv_held_set(&order->held, b->locks));
}

/* The first cannot go on while the second waits. */
static bool is_blocked_by(const struct edge *a, const struct edge *b) {
    return a->to == b->from && !(a->wait.wanted_shared && b->wait.held_shared);
}

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static void report(struct rv_lockorder *order, struct edge *const *path, uint32_t length) {
    struct rv_lock_wait waits[RV_LONGEST_CYCLE];
    uint64_t key = length; /* the same wherever the cycle is entered */
    for (uint32_t i = 0; i < length; i++) {
        waits[i] = path[i]->wait;
        key += mix(mix(waits[i].held_site) + waits[i].wanted_site);
    }
    uint32_t known = order->cycles.count;
    if (!item(order, &order->cycles, key, 1) || order->cycles.count == known) return;
    order->callback(order->user, waits, length);
}

/* All cycles that begin with this path. As deep as the longest cycle. */
static void search(struct rv_lockorder *order, struct edge **path,
                   uint32_t length) { /* NOLINT(misc-no-recursion) */
    const struct edge *last = path[length - 1];
    uint32_t at = rv_index_find(&order->locks, last->wait.wanted);
    if (at == RV_NO_NUMBER) return;
    for (struct edge *edge = ((struct lock *)order->locks.items)[at].edges; edge; edge = edge->next) {
        bool possible = is_blocked_by(last, edge);
        for (uint32_t i = 0; i < length && possible; i++) possible = is_possible(order, path[i], edge);
        if (!possible) continue;
        path[length] = edge;
        if (is_blocked_by(edge, path[0]))
            report(order, path, length + 1);
        else if (length + 1 < RV_LONGEST_CYCLE)
            search(order, path, length + 1);
    }
}

/* An edge in the list of its lock to be filled: a new one, or the latest of its kind. NULL: no memory. */
static struct edge *edge_of(struct rv_lockorder *order, struct lock *from, const struct edge *like) {
    uint64_t key = mix(mix(mix(mix((uint64_t)like->from << 32 | like->to) + like->wait.held_site) +
                           like->wait.wanted_site) +
                       ((uint64_t)like->locks << 32 | like->wait.thread)) +
                   like->wait.held_shared * 2u + like->wait.wanted_shared;
    struct kind *kind = item(order, &order->kinds, key, sizeof *kind);
    if (!kind) return NULL;
    if (kind->latest) return kind->latest;
    struct edge *edge = rv_arena_alloc(&order->hb.arena, sizeof *edge);
    if (!edge) {
        order->exhausted = true;
        return NULL;
    }
    *(kind->first ? &kind->latest : &kind->first) = edge;
    edge->next = from->edges;
    from->edges = edge;
    return edge;
}

static void add_edge(struct rv_lockorder *order, const struct rv_hb_thread *thread,
                     const struct rv_lock_hold *held, const struct rv_step *step, uint32_t number) {
    const struct lock *to = lock_at(order, step->address);
    uint32_t life = to ? to->life : 0;
    struct lock *from = lock_at(order, held->lock.address);
    if (!from || !life) return;
    struct edge like = {.wait = {.held = held->lock.address,
                                 .wanted = step->address,
                                 .held_site = held->site,
                                 .wanted_site = step->site,
                                 .held_step = held->step,
                                 .wanted_step = number,
                                 .thread = thread->number,
                                 .held_shared = held->lock.shared,
                                 .wanted_shared = step->kind == RV_STEP_LOCK_SHARED},
                        .from = from->life,
                        .to = life,
                        .locks = rv_held_by(&order->held, step->thread),
                        .epoch = thread->epoch};
    struct edge *edge = edge_of(order, from, &like);
    if (!edge) return;
    like.next = edge->next;
    like.clock = edge->clock;
    *edge = like;
    if (!rv_clock_copy(&order->hb.pool, &edge->clock, &thread->clock)) {
        order->exhausted = true;
        return;
    }
    struct edge *path[RV_LONGEST_CYCLE] = {edge};
    search(order, path, 1);
}

/* A recursive lock that is held already is not waited for. */
static void wait_for(struct rv_lockorder *order, const struct rv_hb_thread *thread,
                     const struct rv_step *step, uint32_t number) {
    const struct rv_held_thread *held = rv_held_thread(&order->held, step->thread);
    if (!held || step->order == RV_LOCK_TRIED) return;
    for (uint32_t i = 0; i < held->count; i++)
        if (held->locks[i].lock.address == step->address) return;
    for (uint32_t i = 0; i < held->count; i++) add_edge(order, thread, &held->locks[i], step, number);
}

void rv_lockorder_step(struct rv_lockorder *order, const struct rv_step *step, uint32_t number) {
    if (order->exhausted) return;
    const struct rv_hb_thread *thread = rv_hb_before(&order->hb, step);
    if (thread && (step->kind == RV_STEP_LOCK || step->kind == RV_STEP_LOCK_SHARED))
        wait_for(order, thread, step, number);
    if (step->kind == RV_STEP_ALLOC) renew(order, step->address, step->size);
    if (step->kind == RV_STEP_RENEW) renew(order, step->address, 1);
    if (!rv_held_step(&order->held, step, number)) order->exhausted = true;
    rv_hb_after(&order->hb, step);
    if (order->hb.exhausted) order->exhausted = true;
}
