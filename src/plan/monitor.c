/* What is kept of the past is small, because the logic asks for no more: how often each source (index.h) has happened, in which thread for
 * the last time, and in which thread each atom was reached. Conditions are looked at when their target is about to happen or has
 * happened, in one pass over their nodes: who is blocked changes without telling us. */
#include "plan/monitor.h"

#include <assert.h>
#include <string.h>

#include "plan/index.h"

/* A thread with a name of the plan. */
struct named {
    const char *name; /* the plan's copy */
    uint32_t thread;
};

struct counter {
    uint32_t count;
    uint32_t last; /* thread; if count > 0 */
};

struct rv_monitor {
    const struct rv_plan *plan;
    uint32_t named_count;
    struct named named[RV_MONITOR_THREADS];
    struct counter
        counters[]; /* of sources; behind them, of atoms: the thread in which the count was reached */
};

static uint32_t *reached_in(struct rv_monitor *monitor) {
    return (uint32_t *)(monitor->counters + monitor->plan->index->source_count);
}

static const uint32_t *was_reached_in(const struct rv_monitor *monitor) {
    return (const uint32_t *)(monitor->counters + monitor->plan->index->source_count);
}

size_t rv_monitor_size(const struct rv_plan *plan) {
    size_t size = sizeof(struct rv_monitor) + plan->index->source_count * sizeof(struct counter) +
                  plan->atom_count * sizeof(uint32_t);
    return (size + 15) & ~(size_t)15;
}

struct rv_monitor *rv_monitor_begin(void *memory, const struct rv_plan *plan) {
    struct rv_monitor *monitor = memory;
    assert(((uintptr_t)memory & (_Alignof(struct rv_monitor) - 1)) == 0);
    memset(monitor, 0, rv_monitor_size(plan));
    monitor->plan = plan;
    rv_monitor_name(monitor, 0, "main");
    return monitor;
}

/* --- names of threads --- */

static struct named *entry_of(const struct rv_monitor *monitor, uint32_t thread) {
    for (uint32_t i = 0; i < monitor->named_count; i++)
        if (monitor->named[i].thread == thread) return (struct named *)&monitor->named[i];
    return NULL;
}

static const char *name_of(const struct rv_monitor *monitor, uint32_t thread) {
    const struct named *entry = entry_of(monitor, thread);
    return entry ? entry->name : NULL;
}

static void forget_name(struct rv_monitor *monitor, uint32_t thread) {
    struct named *entry = entry_of(monitor, thread);
    if (entry) *entry = monitor->named[--monitor->named_count];
}

bool rv_monitor_name(struct rv_monitor *monitor, uint32_t thread, const char *name) {
    const char *own = rv_plan_index_thread(monitor->plan->index, name);
    struct named *entry = entry_of(monitor, thread);
    if (!own) {
        forget_name(monitor, thread);
        return true;
    }
    if (!entry) {
        if (monitor->named_count == RV_MONITOR_THREADS) return false;
        entry = &monitor->named[monitor->named_count++];
    }
    *entry = (struct named){own, thread};
    return true;
}

/* --- conditions --- */

static bool is_blocked(const struct rv_monitor_view *view, uint32_t thread) {
    return view && view->blocked(view->user, thread);
}

static bool all_blocked(const struct rv_monitor *monitor, const char *name,
                        const struct rv_monitor_view *view) {
    bool any = false;
    for (uint32_t i = 0; i < monitor->named_count; i++) {
        if (monitor->named[i].name != name) continue;
        if (!is_blocked(view, monitor->named[i].thread)) return false;
        any = true;
    }
    return any;
}

static bool has_happened(const struct rv_monitor *monitor, uint32_t atom) {
    return monitor->counters[monitor->plan->index->source_of[atom]].count >= monitor->plan->atoms[atom].count;
}

static bool is_held(const struct rv_monitor *monitor, const struct rv_plan_node *node,
                    const struct rv_monitor_view *view) {
    if (!has_happened(monitor, node->atom)) return false;
    uint32_t last = monitor->counters[monitor->plan->index->source_of[node->atom]].last;
    return is_blocked(view, node->last ? last : was_reached_in(monitor)[node->atom]);
}

bool rv_monitor_holds(const struct rv_monitor *monitor, uint32_t node, const struct rv_monitor_view *view) {
    const struct rv_plan_node *nodes = monitor->plan->nodes;
    uint32_t first = nodes[node].first;
    bool values[RV_PLAN_NODES]; /* of node first + i */
    for (uint32_t i = first; i <= node; i++) {
        const struct rv_plan_node *at = &nodes[i];
        bool value = false;
        switch (at->kind) {
        case RV_PLAN_ATOM: value = has_happened(monitor, at->atom); break;
        case RV_PLAN_HELD: value = is_held(monitor, at, view); break;
        case RV_PLAN_BLOCKED: value = all_blocked(monitor, at->thread, view); break;
        case RV_PLAN_NOT: value = !values[at->left - first]; break;
        case RV_PLAN_AND: value = values[at->left - first] && values[at->right - first]; break;
        case RV_PLAN_OR: value = values[at->left - first] || values[at->right - first]; break;
        }
        values[i - first] = value;
    }
    return values[node - first];
}

/* --- moments --- */

static const char *const names_of[] = {[RV_PLAN_START] = "start",
                                       [RV_PLAN_END] = "end",
                                       [RV_PLAN_BLOCK] = "block",
                                       [RV_PLAN_UNBLOCK] = "unblock"};

/* The sources that a moment concerns. */
struct concerned {
    uint32_t sources[2];
    uint32_t count;
};

static struct concerned concerned_by(const struct rv_monitor *monitor, const struct rv_moment *moment) {
    const struct rv_plan_index *index = monitor->plan->index;
    const char *thread = name_of(monitor, moment->thread);
    const char *name = moment->what == RV_PLAN_EVENT ? moment->name : names_of[moment->what];
    struct concerned concerned = {.count = 0};
    uint32_t source = RV_PLAN_NONE;
    while ((source = rv_plan_index_find(index, moment->what, name, source)) != RV_PLAN_NONE) {
        const char *wanted = index->sources[source].thread;
        if (wanted && wanted != thread) continue;
        assert(concerned.count < 2);
        concerned.sources[concerned.count++] = source;
    }
    return concerned;
}

bool rv_monitor_known(const struct rv_monitor *monitor, const struct rv_moment *moment) {
    if (moment->what == RV_PLAN_EVENT)
        return rv_plan_index_find(monitor->plan->index, RV_PLAN_EVENT, moment->name, RV_PLAN_NONE) !=
               RV_PLAN_NONE;
    const char *thread = name_of(monitor, moment->thread);
    if (!thread || moment->what == RV_PLAN_END) return thread != NULL; /* its name must be forgotten */
    return concerned_by(monitor, moment).count > 0;
}

/* The first ordering that the moment violates, if it happens now. */
static const struct rv_plan_ordering *violated(const struct rv_monitor *monitor,
                                               const struct concerned *concerned,
                                               const struct rv_monitor_view *view) {
    const struct rv_plan *plan = monitor->plan;
    const struct rv_plan_index *index = plan->index;
    uint32_t found = RV_PLAN_NONE;
    for (uint32_t i = 0; i < concerned->count; i++) {
        uint32_t source = concerned->sources[i], ordering = index->sources[source].first_ordering;
        for (; ordering < found; ordering = index->next_ordering[ordering]) {
            uint32_t count = plan->atoms[plan->orderings[ordering].target].count;
            if (count && count != monitor->counters[source].count + 1) continue;
            if (!rv_monitor_holds(monitor, plan->orderings[ordering].condition, view)) found = ordering;
        }
    }
    return found == RV_PLAN_NONE ? NULL : &plan->orderings[found];
}

bool rv_monitor_allows(const struct rv_monitor *monitor, const struct rv_moment *moment,
                       const struct rv_monitor_view *view, const struct rv_plan_ordering **why) {
    const struct rv_plan_ordering *ordering = NULL;
    if (moment->what != RV_PLAN_BLOCK && moment->what != RV_PLAN_UNBLOCK) {
        struct concerned concerned = concerned_by(monitor, moment);
        ordering = violated(monitor, &concerned, view);
    }
    if (why) *why = ordering;
    return !ordering;
}

static void count(struct rv_monitor *monitor, uint32_t source, uint32_t thread) {
    const struct rv_plan_index *index = monitor->plan->index;
    struct counter *counter = &monitor->counters[source];
    counter->last = thread;
    if (counter->count == UINT32_MAX) return; /* beyond RV_PLAN_COUNT one time is like the other */
    counter->count++;
    for (uint32_t atom = index->sources[source].first_atom; atom != RV_PLAN_NONE;
         atom = index->next_atom[atom])
        if (monitor->plan->atoms[atom].count == counter->count) reached_in(monitor)[atom] = thread;
}

const struct rv_plan_ordering *rv_monitor_happen(struct rv_monitor *monitor, const struct rv_moment *moment,
                                                 const struct rv_monitor_view *view) {
    struct concerned concerned = concerned_by(monitor, moment);
    const struct rv_plan_ordering *ordering = violated(monitor, &concerned, view);
    for (uint32_t i = 0; i < concerned.count; i++) count(monitor, concerned.sources[i], moment->thread);
    if (moment->what == RV_PLAN_END) forget_name(monitor, moment->thread);
    return ordering;
}

uint32_t rv_monitor_count(const struct rv_monitor *monitor, uint32_t atom) {
    return monitor->counters[monitor->plan->index->source_of[atom]].count;
}

/* --- the end --- */

/* A target that is not given a count has happened if it has once. */
static bool is_missing(const struct rv_monitor *monitor, uint32_t atom) {
    return !rv_monitor_count(monitor, atom) || !has_happened(monitor, atom);
}

/* Marks the atoms that would have had to happen for conditions to be true, with all that is not an event in favour: first,
 * children before parents, whether a node needs nothing more; then, parents before children, what those that do need.
 * Under a negation "&&" and "||" change places. */
static void mark_missing(const struct rv_monitor *monitor, bool *missing) {
    const struct rv_plan *plan = monitor->plan;
    bool negated[RV_PLAN_NODES], content[RV_PLAN_NODES], needed[RV_PLAN_NODES] = {false};
    for (uint32_t i = 0; i < plan->ordering_count; i++) {
        negated[plan->orderings[i].condition] = false;
        needed[plan->orderings[i].condition] = true;
        missing[plan->orderings[i].target] = is_missing(monitor, plan->orderings[i].target);
    }
    for (uint32_t i = plan->node_count; i-- > 0;) {
        const struct rv_plan_node *node = &plan->nodes[i];
        bool pair = node->kind == RV_PLAN_AND || node->kind == RV_PLAN_OR;
        if (node->kind == RV_PLAN_NOT) negated[node->left] = !negated[i];
        if (pair) negated[node->left] = negated[node->right] = negated[i];
    }
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const struct rv_plan_node *node = &plan->nodes[i];
        bool leaf = node->kind == RV_PLAN_ATOM || node->kind == RV_PLAN_HELD;
        content[i] = !leaf || negated[i] || !is_missing(monitor, node->atom);
        if (node->kind == RV_PLAN_NOT) content[i] = content[node->left];
        if (node->kind != RV_PLAN_AND && node->kind != RV_PLAN_OR) continue;
        bool both = (node->kind == RV_PLAN_AND) != negated[i], left = content[node->left],
             right = content[node->right];
        content[i] = both ? left && right : left || right;
    }
    for (uint32_t i = plan->node_count; i-- > 0;) {
        const struct rv_plan_node *node = &plan->nodes[i];
        if (!needed[i] || content[i]) continue;
        if (node->kind == RV_PLAN_ATOM || node->kind == RV_PLAN_HELD)
            missing[node->atom] = true;
        else
            needed[node->left] = true;
        if (node->kind == RV_PLAN_AND || node->kind == RV_PLAN_OR) needed[node->right] = true;
    }
}

const struct rv_plan_atom *rv_monitor_missing(const struct rv_monitor *monitor, uint32_t *cursor) {
    bool missing[RV_PLAN_ATOMS] = {false};
    mark_missing(monitor, missing);
    while (*cursor < monitor->plan->atom_count) {
        uint32_t atom = (*cursor)++;
        if (missing[atom]) return &monitor->plan->atoms[atom];
    }
    return NULL;
}
