/* A graph over (event, count): an edge from x to y says that in each execution in which y happens, x happens before or is the same
 * moment. Edges come from
 *
 *   c -> e#n    each x that c is a conjunction of (x, [x], perhaps among other things) before e#n; c -> e: before e#1
 *   counts      e#1 before e#2
 *   threads     the n-th e@t is an e, and at least the n-th: e#n not after e@t#n
 *
 * The last two never lead back, so that every circle has an edge of the first kind, which is strict: something would have to
 * happen before itself. Orderings are added one by one; the first that closes a circle is named with the shortest one. */
#include "plan/circle.h"

#include <string.h>

#include "base/out.h"

struct search {
    const struct rv_plan *plan;
    uint32_t orderings;            /* of the plan, added so far */
    uint32_t queue[RV_PLAN_ATOMS]; /* atoms reached */
    uint32_t from[RV_PLAN_ATOMS];  /* the atom that this one was reached from, + 1; 0: not reached */
    uint32_t reached;
};

static uint32_t count_of(const struct rv_plan_atom *atom) { return atom->count ? atom->count : 1; }

/* By counts and threads alone. Atoms of the same event with the counts 0 and 1 (a target, a condition) imply each other. */
static bool implied(const struct rv_plan_atom *x, const struct rv_plan_atom *y) {
    if (x->what != y->what || x->name != y->name || count_of(x) > count_of(y)) return false;
    return x->thread == y->thread || !x->thread;
}

/* Whether the atom is in the conjunction. Nodes of a conjunction stand side by side below their root, children first. */
static bool conjunct(const struct rv_plan *plan, uint32_t condition, uint32_t atom) {
    bool under[RV_PLAN_NODES];
    const struct rv_plan_node *nodes = plan->nodes;
    uint32_t first = nodes[condition].first;
    for (uint32_t i = first; i <= condition; i++) under[i - first] = i == condition;
    for (uint32_t i = condition + 1; i-- > first;) {
        if (!under[i - first]) continue;
        if (nodes[i].kind == RV_PLAN_AND)
            under[nodes[i].left - first] = under[nodes[i].right - first] = true;
        else if ((nodes[i].kind == RV_PLAN_ATOM || nodes[i].kind == RV_PLAN_HELD) && nodes[i].atom == atom)
            return true;
    }
    return false;
}

static void reach(struct search *search, uint32_t atom, uint32_t from) {
    if (search->from[atom]) return;
    search->from[atom] = from + 1;
    search->queue[search->reached++] = atom;
}

/* All that is after `start` or the same moment. */
static void spread(struct search *search, uint32_t start) {
    const struct rv_plan *plan = search->plan;
    for (uint32_t i = 0; i < plan->atom_count; i++) search->from[i] = 0;
    search->reached = 0;
    reach(search, start, start);
    for (uint32_t next = 0; next < search->reached; next++) {
        uint32_t atom = search->queue[next];
        for (uint32_t i = 0; i < search->orderings; i++) {
            const struct rv_plan_ordering *ordering = &plan->orderings[i];
            if (!search->from[ordering->target] && conjunct(plan, ordering->condition, atom))
                reach(search, ordering->target, atom);
        }
        for (uint32_t i = 0; i < plan->atom_count; i++)
            if (implied(&plan->atoms[atom], &plan->atoms[i])) reach(search, i, atom);
    }
}

static void add_atom(struct rv_out *out, const struct rv_plan_atom *atom) {
    rv_out_text(out, atom->name);
    if (atom->count > 1) {
        rv_out_char(out, '#');
        rv_out_number(out, atom->count);
    }
    if (atom->thread) {
        rv_out_char(out, '@');
        rv_out_text(out, atom->thread);
    }
}

static bool same_to_read(const struct rv_plan_atom *x, const struct rv_plan_atom *y) {
    return x->name == y->name && x->thread == y->thread && count_of(x) == count_of(y);
}

/* The message: the circle that `first` -> ... -> `last` -> `first` is, in as many words as fit. */
static void tell(const struct search *search, uint32_t first, uint32_t last, struct rv_plan_error *error) {
    const struct rv_plan_atom *atoms = search->plan->atoms, *before = &atoms[last];
    struct rv_out message = {error->message, sizeof error->message, 0};
    struct rv_out hint = {error->hint, sizeof error->hint, 0};
    uint32_t path[RV_PLAN_ATOMS + 1], length = 0;
    bool tagged = false; /* an e@t that is an e */
    for (uint32_t atom = last; atom != first; atom = search->from[atom] - 1) path[length++] = atom;
    path[length++] = first;
    rv_out_text(&message, "a circle: ");
    add_atom(&message, before);
    for (uint32_t i = length; i-- > 0;) {
        const struct rv_plan_atom *atom = &atoms[path[i]];
        bool is_first = i + 1 == length;
        if (!is_first && same_to_read(atom, before)) continue;
        struct rv_out measured = {NULL, 0, 0};
        add_atom(&measured, atom);
        if (message.length + measured.length + strlen(i ? " ->  -> ..." : " -> ") >= sizeof error->message) {
            rv_out_text(&message, " -> ...");
            break;
        }
        rv_out_text(&message, " -> ");
        add_atom(&message, atom);
        tagged |= !is_first && !before->thread && atom->thread && implied(before, atom);
        before = atom;
    }
    rv_out_text(&hint,
                tagged ? "no execution can satisfy this: an event in a named thread is one in any thread, too"
                       : "no execution can satisfy this: an event would have to come before itself");
}

bool rv_plan_circle(const struct rv_plan *plan, struct rv_plan_error *error) {
    struct search search = {.plan = plan};
    for (search.orderings = 1; search.orderings <= plan->ordering_count; search.orderings++) {
        const struct rv_plan_ordering *ordering = &plan->orderings[search.orderings - 1];
        spread(&search, ordering->target);
        for (uint32_t i = 0; i < search.reached; i++) {
            uint32_t atom = search.queue[i];
            if (!conjunct(plan, ordering->condition, atom)) continue;
            error->at = ordering->at;
            error->length = ordering->length;
            tell(&search, ordering->target, atom, error);
            return true;
        }
    }
    return false;
}
