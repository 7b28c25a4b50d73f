/* The search of dpor.c in parts (part.h): why the parts together are the search.
 *
 * Split. At the lowest level with a branch left, everything above that level is given away: whoever takes it gets the
 * whole stack, may go back as far as the level above (its floor), and so explores all that can follow the transition under way
 * at the level. The giver goes on with the next branch of the level, with that transition asleep there but marked `away`:
 * its footprint, which decides when it wakes, is known from its execution. Branches stay in their order, so no branch begins with
 * something that sleeps.
 *
 * Results. Races of the part given away whose first transition is at the level or below ask for beginnings that are not
 * its own to explore. It puts them into its copy of the trees down there, by the ordinary rule, marked as `fresh`: so
 * what the giver will explore anyhow is not told, and nothing twice. At its end it hands them in. The giver does not go
 * below the level before it has them (`children`): with nothing left above it hands itself in as waiting; and carries
 * on, somewhere, when all branches given away at that level are back. By then everything at the level sleeps, and the
 * ordinary rule decides what is new. Beginnings for lower levels cannot begin with what is under way there, for they
 * have a transition in them that depends on it.
 *
 * Doubtful results. What sleeps by then was explored while the other part was away, without what that one found. So whether
 * everything that begins with a returned v was seen there, nobody can tell from the trees: it may be the one beginning that
 * leads to an execution that was missed. Therefore v becomes a branch all the same, `doubtful`, and is tried:
 * if the trace that comes of it is one that somebody has explored (rv_known, a set of all of them), its races were dealt
 * with there and nothing else is done. If not, something was missed, and it is explored like any other; known traces below
 * it are not gone into.
 *
 * What is away. The undivided search may drop a beginning v because something that sleeps, s, could come first in it. If s is a
 * part of v, then all that begins with v is explored under s. If it is not, but independent of all of v, then there
 * may be executions that begin with v where s could not come first, since something that it depends on follows v before it.
 * The undivided search has put those into its trees before it went on, when it found the race with s, under s. While
 * s is away nobody has found that race. So what is away drops only beginnings that it is a part of. The price: a beginning may be
 * explored under which all turns out to begin with s; a part of an execution is then repeated (`redundant`).
 *
 * Choices. A branch with prescribed choices has only these explored; the others come from the execution that made
 * the other choices, which may be away. So a tree with choices (a signal that can wake one of several) is not divided;
 * if the first choice comes up when it was already, it is searched again by one (RV_PART_WHOLE).
 *
 * Nothing keeps rv_known for another run: a search that is carried on may explore more of what is doubtful than it has to.
 *
 * This has not been proved. test_strategy_division.c compares with brute force and with the traces of the undivided search: on
 * 2,376 divided searches of random programs (RAVEL_FIRST_PROGRAM=20001 RAVEL_PROGRAMS=16000), with 14,189 parts given away,
 * no trace was missing, and 2% of the executions were repeated. That is with a division after every third execution; ravel
 * divides when somebody is idle: tests/programs/ok_semaphores.c takes 72,165 executions alone, 72,171 by two workers.
 *
 * The format. Threads are numbers into a table of lineages, for each search has numbers of its own. A transition has its
 * footprints and its entries in the chains; clocks and races are worked out again. A sleeper that was asleep at
 * the level below is its place there. Trees are written as they are walked: a node, what may follow it, an end mark.
 */
#include <string.h>

#include "strategy/dpor.h"
#include "strategy/sample.h"

enum { NO_MORE = 0, MORE = 1, INHERITED = 2, AWAY = 3, MOST_ENTRIES = 1 << 16, MOST_SIZE = 1 << 24 };

/* ---- writing ---- */

static void put_footprint(struct rv_part_writer *to, const struct rv_footprint *footprint) {
    rv_part_put32(to, footprint->thread);
    rv_part_put(to, &footprint->op, sizeof footprint->op);
    rv_part_put8(to, (uint8_t)(footprint->global | footprint->blocks << 1));
    rv_part_put8(to, footprint->count);
    rv_part_put8(to, footprint->choices);
    rv_part_put8(to, footprint->fixed);
    rv_part_put(to, footprint->choice, footprint->choices);
    rv_part_put(to, footprint->choice_of, footprint->choices);
    for (uint32_t i = 0; i < footprint->count; i++) {
        rv_part_put64(to, footprint->ranges[i].start);
        rv_part_put32(to, footprint->ranges[i].size);
        rv_part_put8(to, footprint->ranges[i].write);
    }
}

static void put_threads(struct rv_part_writer *to, const struct rv_dpor *state) {
    const struct rv_order *order = &state->order;
    rv_part_put32(to, order->thread_count);
    for (uint32_t i = 0; i < order->thread_count; i++) {
        bool there = order->threads[i].alive && order->threads[i].birth <= order->count;
        rv_part_put32(to, ((const uint32_t *)order->lineages.items)[i]);
        rv_part_put8(to, there);
        rv_part_put32(to, there ? order->threads[i].birth : 0);
    }
}

static void put_transitions(struct rv_part_writer *to, const struct rv_order *order) {
    rv_part_put32(to, order->count);
    for (uint32_t i = 0; i < order->count; i++) {
        const struct rv_transition *transition = &order->transitions[i];
        uint32_t end = i + 1 < order->count ? order->transitions[i + 1].entries : order->entry_count;
        put_footprint(to, &transition->footprint);
        put_footprint(to, &transition->announced);
        rv_part_put64(to, transition->step);
        rv_part_put32(to, transition->birth);
        rv_part_put32(to, end - transition->entries);
        for (uint32_t k = transition->entries; k < end; k++) {
            const struct rv_order_entry *entry = &order->entries[k];
            rv_part_put64(to, entry->granule);
            rv_part_put8(to, entry->bytes);
            rv_part_put8(to, entry->write);
            rv_part_put8(to, entry->room);
        }
        rv_part_put32(to, transition->able_end - transition->able);
        for (uint32_t k = transition->able; k < transition->able_end; k++) rv_part_put32(to, order->able[k]);
    }
}

static uint32_t sleep_end(const struct rv_dpor *state, uint32_t level) {
    return level < state->recorded ? state->levels[level + 1].sleep : state->asleep_count;
}

static void put_sleep(struct rv_part_writer *to, const struct rv_dpor *state, uint32_t level) {
    uint32_t begin = state->levels[level].sleep, below = level ? state->levels[level - 1].sleep : begin;
    for (uint32_t i = begin; i < sleep_end(state, level); i++) {
        uint32_t at = below;
        while (at < begin && state->asleep[at] != state->asleep[i]) at++;
        const struct rv_dpor_node *sleeper = &state->nodes[state->asleep[i]];
        rv_part_put8(to, at < begin ? INHERITED : sleeper->away ? AWAY : MORE);
        if (at < begin)
            rv_part_put32(to, at - below);
        else
            put_footprint(to, &sleeper->footprint);
    }
    rv_part_put8(to, NO_MORE);
}

/* Nodes in their order; after each what may follow it; an end mark after each list. The path lies in `sequence`. */
static void put_tree(struct rv_part_writer *to, const struct rv_dpor *state, uint32_t first,
                     bool keep_fresh) {
    uint32_t node = first, depth = 0;
    for (;;) {
        if (node) {
            rv_part_put8(to, MORE);
            put_footprint(to, &state->nodes[node].footprint);
            rv_part_put8(
                to, (uint8_t)((keep_fresh && state->nodes[node].fresh) | state->nodes[node].doubtful << 1));
            state->path[depth++] = node;
            node = state->nodes[node].child;
        } else {
            rv_part_put8(to, NO_MORE);
            if (!depth) return;
            node = state->nodes[state->path[--depth]].sibling;
        }
    }
}

/* A path cannot be longer than there are nodes. */
static bool reserve_path(struct rv_dpor *state) {
    uint32_t *larger =
        rv_grow(state->arena, state->path, &state->path_capacity, state->node_count, sizeof *larger);
    if (larger) state->path = larger;
    return larger != NULL;
}

static uint32_t flags_of(const struct rv_dpor *state) {
    return (state->learned ? RV_PART_LEARNED : 0u) | (state->mismatch ? RV_PART_MISMATCH : 0u) |
           (state->cut ? RV_PART_CUT : 0u) | (state->split ? RV_PART_SPLIT : 0u) |
           (state->choices ? RV_PART_WHOLE : 0u) | (state->nondeterministic ? RV_PART_NONDETERMINISTIC : 0u);
}

/* How much of the tree is left at these levels and above. */
double rv_dpor_left(const struct rv_dpor *state, uint32_t floor) {
    double width = 1, left = 0; /* of what lies below the branch under way at this level */
    if (!state->recorded && !state->executions && !state->floor) return 1;
    for (uint32_t level = 0; level <= state->recorded && level < state->level_capacity; level++) {
        uint32_t remain = 0;
        for (uint32_t node = state->levels[level].wakeup; node; node = state->nodes[node].sibling) remain++;
        if (state->levels[level].done + remain == 0) continue; /* one branch, or not begun */
        width /= state->levels[level].done + remain + (level < state->recorded);
        if (level >= floor) left += width * remain;
    }
    return left;
}

static size_t put_stack(struct rv_dpor *state, enum rv_part_kind kind, uint32_t floor, void *buffer,
                        size_t room) {
    struct rv_part_writer to;
    bool split = floor > state->floor;
    struct rv_part header = {.kind = kind,
                             .level = split ? floor - 1 : state->recorded,
                             .flags = flags_of(state),
                             .strategy = RV_PART_DPOR,
                             .left = rv_dpor_left(state, floor)};
    if (!reserve_path(state)) return SIZE_MAX;
    rv_part_begin(&to, buffer, room, &header);
    rv_part_put32(&to, floor);
    rv_part_put64(&to, split ? 0 : state->executions);
    rv_part_put8(&to, state->other_choice);
    rv_part_put32(&to, state->doubt);
    put_threads(&to, state);
    put_transitions(&to, &state->order);
    for (uint32_t level = 0; level <= state->order.count; level++) {
        const struct rv_dpor_level *from = &state->levels[level];
        rv_part_put32(&to, from->done);
        rv_part_put32(&to, split ? 0 : from->children);
        bool merged = from->merged;
        rv_part_put8(&to, merged);
        if (merged) put_footprint(&to, &from->others);
        put_sleep(&to, state, level);
        put_tree(&to, state, from->wakeup, !split);
    }
    return rv_part_end(&to);
}

static size_t freeze(const void *opaque, void *buffer, size_t room) {
    struct rv_dpor *state = (struct rv_dpor *)opaque; /* but for room to walk in, it stays as it is */
    if (!state->level_capacity && !rv_dpor_reserve_level(state, 0)) return SIZE_MAX;
    return put_stack(state, RV_PART_STACK, state->floor, buffer, room);
}

/* ---- giving away ---- */

bool rv_dpor_was_known(struct rv_dpor *state) {
    if (!state->known || state->choices) return false; /* such a tree is not divided */
    uint64_t hash = rv_order_hash(&state->order) + state->tree * 0x9e3779b97f4a7c15u;
    return rv_known_add(state->known, hash ? hash : 1);
}

static bool may_split(const struct rv_dpor *state, uint32_t level) {
    return state->levels[level].wakeup && !state->levels[level].merged && state->doubt != level + 1;
}

static size_t split(void *opaque, void *buffer, size_t room) {
    struct rv_dpor *state = opaque;
    uint32_t level = state->floor;
    for (uint32_t i = level; i <= state->recorded; i++)
        if (state->levels[i].children) level = i; /* it is us who have to wait there */
    if (state->choices || (state->whole && state->executions <= RV_SEARCH_YOUNG)) return 0;
    while (level < state->recorded && !may_split(state, level)) level++;
    if (level >= state->recorded) return 0;
    size_t size = put_stack(state, RV_PART_STACK, level + 1, buffer, room);
    if (size > room) return 0;
    for (uint32_t above = state->recorded; above > level; above--) {
        rv_dpor_free_tree(state, state->levels[above].wakeup);
        state->levels[above].wakeup = RV_NO_NODE;
        rv_dpor_forget_sleep(state, above);
    }
    uint32_t before = state->asleep_count;
    rv_dpor_fall_asleep(state, level);
    for (uint32_t i = before; i < state->asleep_count; i++) state->nodes[state->asleep[i]].away = true;
    rv_order_truncate(&state->order, level);
    state->recorded = level;
    state->levels[level].done++;
    state->levels[level].children++;
    state->other_choice = state->whole = false;
    if (state->doubt > level) state->doubt = 0;
    state->split = true;
    return size;
}

static void put_beginning(struct rv_part_writer *to, const struct rv_dpor *state, uint32_t level,
                          uint32_t length) {
    rv_part_put8(to, MORE);
    rv_part_put32(to, level);
    rv_part_put32(to, length);
    for (uint32_t i = 0; i < length; i++) put_footprint(to, &state->nodes[state->path[i]].footprint);
}

/* The paths to fresh leaves. */
static void put_beginnings(struct rv_part_writer *to, const struct rv_dpor *state, uint32_t level) {
    uint32_t node = state->levels[level].wakeup, depth = 0;
    for (;;) {
        if (node) {
            state->path[depth++] = node;
            if (state->nodes[node].fresh && !state->nodes[node].child) put_beginning(to, state, level, depth);
            node = state->nodes[node].child;
            continue;
        }
        if (!depth) return;
        node = state->nodes[state->path[--depth]].sibling;
    }
}

static size_t hand_in(void *opaque, void *buffer, size_t room) {
    struct rv_dpor *state = opaque;
    struct rv_part header = {
        .kind = RV_PART_RESULT, .flags = flags_of(state), .strategy = RV_PART_DPOR, .level = state->floor};
    struct rv_part_writer to;
    size_t size = SIZE_MAX;
    if (state->waits) {
        size = put_stack(state, RV_PART_WAITS, state->floor, buffer, room);
    } else if (reserve_path(state)) {
        rv_part_begin(&to, buffer, room, &header);
        put_threads(&to, state);
        for (uint32_t level = 0; level < state->floor; level++) put_beginnings(&to, state, level);
        rv_part_put8(&to, NO_MORE);
        size = rv_part_end(&to);
    }
    rv_dpor_clear(state);
    return size <= room ? size : 0;
}

/* ---- reading ---- */

struct reading {
    struct rv_dpor *state;
    struct rv_part_reader from;
    const uint32_t *numbers; /* of threads, here */
    uint32_t threads;        /* how many there are */
};

static struct rv_footprint get_footprint(struct reading *reading) {
    struct rv_part_reader *from = &reading->from;
    struct rv_footprint footprint = {0};
    uint32_t thread = rv_part_get32(from);
    if (thread >= reading->threads)
        from->bad = true;
    else
        footprint.thread = reading->numbers[thread];
    rv_part_get(from, &footprint.op, sizeof footprint.op);
    uint8_t bits = rv_part_get8(from);
    footprint.global = bits & 1;
    footprint.blocks = bits & 2;
    footprint.count = rv_part_get8(from);
    footprint.choices = rv_part_get8(from);
    footprint.fixed = rv_part_get8(from);
    if (footprint.count > RV_FOOTPRINT_RANGES || footprint.choices > RV_FOOTPRINT_CHOICES ||
        footprint.fixed > footprint.choices || bits > 3)
        from->bad = true;
    if (from->bad) return (struct rv_footprint){0};
    rv_part_get(from, footprint.choice, footprint.choices);
    rv_part_get(from, footprint.choice_of, footprint.choices);
    for (uint32_t i = 0; i < footprint.count; i++) {
        struct rv_range *range = &footprint.ranges[i];
        range->start = rv_part_get64(from);
        range->size = rv_part_get_most(from, MOST_SIZE);
        range->write = rv_part_get8(from);
        if (!range->size || range->start > UINT64_MAX - range->size) from->bad = true;
    }
    return from->bad ? (struct rv_footprint){0} : footprint;
}

/* The threads, and their numbers here; of those that are there already, if asked, since when. */
static bool get_threads(struct reading *reading, bool births) {
    struct rv_dpor *state = reading->state;
    struct rv_part_reader *from = &reading->from;
    uint32_t count = rv_part_get32(from);
    if (count > (from->size - from->at) / 9) return false;
    uint32_t *larger = rv_grow(state->arena, state->numbers, &state->number_capacity, count, sizeof *larger);
    if (!larger) return false;
    state->numbers = larger;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = rv_order_number_of(&state->order, rv_part_get32(from));
        if (number == RV_NO_NUMBER) return false;
        state->numbers[i] = number;
        struct rv_order_thread thread = {.alive = rv_part_get8(from)};
        thread.birth = rv_part_get32(from);
        if (births) state->order.threads[number] = thread;
    }
    reading->numbers = state->numbers;
    reading->threads = count;
    return !from->bad;
}

static bool get_entries(struct reading *reading, uint32_t count) {
    struct rv_dpor *state = reading->state;
    struct rv_order_entry *larger =
        rv_grow(state->arena, state->entries, &state->entry_capacity, count, sizeof *larger);
    if (!larger) return false;
    state->entries = larger;
    for (uint32_t i = 0; i < count; i++) {
        state->entries[i] = (struct rv_order_entry){.granule = rv_part_get64(&reading->from)};
        state->entries[i].bytes = rv_part_get8(&reading->from);
        state->entries[i].write = rv_part_get8(&reading->from);
        state->entries[i].room = rv_part_get8(&reading->from);
    }
    return !reading->from.bad;
}

static bool get_able(struct reading *reading, uint32_t count) {
    struct rv_dpor *state = reading->state;
    uint32_t *larger = rv_grow(state->arena, state->able, &state->able_capacity, count, sizeof *larger);
    if (!larger) return false;
    state->able = larger;
    for (uint32_t i = 0; i < count && !reading->from.bad; i++) {
        uint32_t thread = rv_part_get32(&reading->from);
        if (thread >= reading->threads) return false;
        state->able[i] = reading->numbers[thread];
    }
    return !reading->from.bad;
}

static bool get_transitions(struct reading *reading) {
    struct rv_dpor *state = reading->state;
    struct rv_part_reader *from = &reading->from;
    uint32_t count = rv_part_get32(from);
    for (uint32_t i = 0; i < count && !from->bad; i++) {
        struct rv_transition transition = {.footprint = get_footprint(reading)};
        struct rv_races races;
        transition.announced = get_footprint(reading);
        transition.step = rv_part_get64(from);
        transition.birth = rv_part_get_most(from, i);
        transition.seen = true;
        uint32_t entries = rv_part_get_most(from, MOST_ENTRIES);
        if (from->bad || !get_entries(reading, entries)) return false;
        uint32_t able = rv_part_get_most(from, 2 * reading->threads); /* a time-out is another way to go on */
        if (from->bad || !get_able(reading, able)) return false;
        struct rv_order_given given = {state->entries, state->able, entries, able};
        if (!rv_dpor_reserve_level(state, i + 1)) return false;
        if (!rv_order_repeat(&state->order, &transition, &given, &races)) return false;
        rv_dpor_add_races(state, &races, i);
    }
    for (uint32_t i = 0; i < reading->threads; i++)
        if (state->order.threads[reading->numbers[i]].birth > count) return false;
    return !from->bad;
}

static bool get_sleep(struct reading *reading, uint32_t level) {
    struct rv_dpor *state = reading->state;
    struct rv_part_reader *from = &reading->from;
    uint32_t begin = state->asleep_count, below = level ? state->levels[level - 1].sleep : begin;
    state->levels[level].sleep = begin;
    for (;;) {
        uint32_t node;
        uint8_t tag = rv_part_get8(from);
        if (tag == NO_MORE) return !from->bad;
        if (tag == INHERITED) {
            uint32_t at = rv_part_get32(from);
            if (at >= begin - below) return false;
            node = state->asleep[below + at];
        } else {
            struct rv_footprint footprint = get_footprint(reading);
            node = from->bad || tag > AWAY ? RV_NO_NODE : rv_dpor_new_node(state, &footprint);
            if (node) state->nodes[node].away = tag == AWAY;
        }
        uint32_t count = state->asleep_count;
        if (!node) return false;
        rv_dpor_add_asleep(state, node);
        if (state->asleep_count == count) return false; /* no memory */
    }
}

/* As put_tree writes it. path[d] is the last node so far at depth d, or none. */
static bool get_tree(struct reading *reading, uint32_t level) {
    struct rv_dpor *state = reading->state;
    struct rv_part_reader *from = &reading->from;
    uint32_t depth = 0;
    if (!reserve_path(state)) return false;
    state->path[0] = state->levels[level].wakeup = RV_NO_NODE;
    for (;;) {
        uint8_t tag = rv_part_get8(from);
        if (from->bad || tag > MORE) return false;
        if (tag == NO_MORE) {
            if (depth-- == 0) return true;
            continue;
        }
        struct rv_footprint footprint = get_footprint(reading);
        uint8_t marks = rv_part_get8(from);
        uint32_t node = from->bad ? RV_NO_NODE : rv_dpor_new_node(state, &footprint);
        if (!node || !reserve_path(state)) return false;
        state->nodes[node].fresh = (marks & 1) && level < state->floor;
        state->nodes[node].doubtful = (marks & 2) && depth == 0;
        uint32_t last = state->path[depth];
        if (last)
            state->nodes[last].sibling = node;
        else if (depth)
            state->nodes[state->path[depth - 1]].child = node;
        else
            state->levels[level].wakeup = node;
        state->path[depth++] = node;
        state->path[depth] = RV_NO_NODE;
    }
}

static bool get_levels(struct reading *reading) {
    struct rv_dpor *state = reading->state;
    for (uint32_t level = 0; level <= state->order.count; level++) {
        if (!rv_dpor_reserve_level(state, level)) return false;
        struct rv_dpor_level *to = &state->levels[level];
        *to = (struct rv_dpor_level){.done = rv_part_get32(&reading->from)};
        to->children = rv_part_get32(&reading->from);
        to->merged = rv_part_get8(&reading->from);
        if (to->merged) to->others = get_footprint(reading);
        if (to->children && !state->divided) return false;
        if (reading->from.bad || !get_sleep(reading, level) || !get_tree(reading, level)) return false;
    }
    return true;
}

static bool get_stack(struct rv_dpor *state, const void *data, size_t size) {
    struct reading reading = {.state = state};
    struct rv_part header;
    if (!rv_part_open(&reading.from, data, size, &header)) return false;
    if (header.strategy != RV_PART_DPOR || header.kind == RV_PART_RESULT) return false;
    state->floor = rv_part_get32(&reading.from);
    state->executions += rv_part_get64(&reading.from);
    state->other_choice = rv_part_get8(&reading.from);
    state->doubt = rv_part_get32(&reading.from);
    if (!get_threads(&reading, true) || !get_transitions(&reading)) return false;
    state->recorded = state->depth = state->order.count;
    if (state->floor > (state->divided ? state->recorded : 0) || !get_levels(&reading) ||
        !rv_part_done(&reading.from))
        return false;
    state->learned |= (header.flags & RV_PART_LEARNED) != 0;
    state->mismatch |= (header.flags & RV_PART_MISMATCH) != 0;
    state->cut |= (header.flags & RV_PART_CUT) != 0;
    state->choices |= (header.flags & RV_PART_WHOLE) != 0;
    state->split |= (header.flags & RV_PART_SPLIT) != 0;
    state->nondeterministic |= (header.flags & RV_PART_NONDETERMINISTIC) != 0;
    return true;
}

/* The state is that of a tree: what was known of another one is not. */
static void enter_tree(struct rv_dpor *state, uint32_t tree) {
    rv_dpor_clear(state);
    if (state->tree != tree) {
        state->executions = 0;
        state->learned = state->mismatch = state->cut = state->split = false;
    }
    state->tree = tree;
}

static bool take(void *opaque, uint32_t tree, const void *data, size_t size) {
    struct rv_dpor *state = opaque;
    enter_tree(state, tree);
    state->whole = !data;
    if (!data || get_stack(state, data, size)) return true;
    rv_dpor_clear(state);
    state->cut = true;
    return false;
}

static bool add(void *opaque, const void *data, size_t size) {
    struct reading reading = {.state = opaque};
    struct rv_part_reader *from = &reading.from;
    struct rv_dpor *state = opaque;
    struct rv_part header;
    bool good = rv_part_open(from, data, size, &header) && header.strategy == RV_PART_DPOR &&
                header.kind == RV_PART_RESULT && get_threads(&reading, false);
    while (good && rv_part_get8(from) == MORE) {
        uint32_t level = rv_part_get_most(from, state->recorded), count = rv_part_get32(from);
        good = !from->bad && count && count <= (from->size - from->at) / 10;
        struct rv_footprint *larger =
            good ? rv_grow(state->arena, state->foreign, &state->foreign_capacity, count, sizeof *larger)
                 : NULL;
        if (larger) state->foreign = larger;
        for (uint32_t i = 0; larger && i < count; i++) state->foreign[i] = get_footprint(&reading);
        good = larger && !from->bad && rv_dpor_insert_foreign(state, level, count);
    }
    good = good && rv_part_done(from);
    if (!good) state->cut = true;
    return good;
}

/* What has gone to sleep at this level, not further down, has been explored by now. */
static void set_back(struct rv_dpor *state) {
    uint32_t begin = state->levels[state->recorded].sleep;
    uint32_t below = state->recorded ? state->levels[state->recorded - 1].sleep : begin;
    for (uint32_t i = begin; i < state->asleep_count; i++) {
        uint32_t at = below;
        while (at < begin && state->asleep[at] != state->asleep[i]) at++;
        if (at == begin) state->nodes[state->asleep[i]].away = false;
    }
}

static bool carry_on(void *opaque) {
    struct rv_dpor *state = opaque;
    struct rv_dpor_level *here = &state->levels[state->recorded];
    here->children = 0;
    set_back(state);
    if (here->wakeup) return true;
    rv_dpor_forget_sleep(state, state->recorded);
    return rv_dpor_go_back(state);
}

static bool judge(void *opaque, uint32_t tree, uint32_t flags) {
    struct rv_dpor *state = opaque;
    state->learned = flags & RV_PART_LEARNED;
    state->mismatch = flags & RV_PART_MISMATCH;
    state->cut = flags & RV_PART_CUT;
    state->nondeterministic = (flags & RV_PART_NONDETERMINISTIC) || (state->mismatch && !state->learned);
    state->choices |= (flags & RV_PART_WHOLE) != 0;
    bool divided_wrongly = state->choices && (flags & RV_PART_SPLIT);
    state->finished = !state->learned && !state->mismatch && !divided_wrongly;
    if (state->finished) return false;
    state->tree = tree - 1; /* whatever it was */
    enter_tree(state, tree);
    state->whole = true;
    return true;
}

const struct rv_division rv_dpor_division = {.freeze = freeze,
                                             .split = split,
                                             .hand_in = hand_in,
                                             .take = take,
                                             .add = add,
                                             .carry_on = carry_on,
                                             .judge = judge};
