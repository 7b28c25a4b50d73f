#include "strategy/order.h"

#include <string.h>

#include "strategy/sample.h"

enum { MOST_GRANULES = 64, FIRST_WIDTH = 8, MOST_KEYS = 1 << 20 };

/* What a new transition depends on, while it is looked up. */
struct lookup {
    struct rv_order *order;
    const uint32_t *base; /* what its thread knew before */
    uint32_t thread;
    uint32_t since; /* from this transition on its thread stood before it */
    uint32_t self;  /* its number, if it is in the chains already */
    struct rv_races *races;
    uint32_t preds[RV_MAX_RACES]; /* dependent, not known to the thread before */
    uint32_t pred_count;
    bool certain[RV_MAX_RACES]; /* by race: it could have gone first */
};

void rv_order_init(struct rv_order *order, struct rv_arena *arena) {
    *order = (struct rv_order){.arena = arena, .width = FIRST_WIDTH};
}

static uint32_t *clock_of(const struct rv_order *order, uint32_t transition) {
    return &order->clocks[(size_t)transition * order->width];
}

/* ---- room ---- */

static bool reserve_clocks(struct rv_order *order) {
    uint32_t *larger = rv_grow(order->arena, order->clocks, &order->clock_capacity,
                               (order->count + 1) * order->width, sizeof *larger);
    if (larger) order->clocks = larger;
    return larger != NULL;
}

/* Room for this thread in every clock. */
static bool widen(struct rv_order *order, uint32_t thread) {
    uint32_t width = order->width;
    while (width <= thread) width *= 2;
    if (width == order->width) return true;
    uint32_t capacity = (order->capacity ? order->capacity : 64) * width;
    uint32_t *clocks = rv_arena_alloc(order->arena, capacity * sizeof *clocks);
    if (!clocks) return false;
    for (uint32_t i = 0; i < order->count; i++)
        memcpy(&clocks[(size_t)i * width], clock_of(order, i), order->width * sizeof *clocks);
    order->clocks = clocks;
    order->clock_capacity = capacity;
    order->width = width;
    return true;
}

uint32_t rv_order_number_of(struct rv_order *order, uint32_t lineage) {
    uint32_t number = rv_index_add(&order->lineages, order->arena, lineage, sizeof(uint32_t), MOST_KEYS);
    struct rv_order_thread *threads =
        number == RV_NO_NUMBER
            ? NULL
            : rv_grow(order->arena, order->threads, &order->thread_capacity, number, sizeof *threads);
    if (threads) order->threads = threads;
    if (!threads || !widen(order, number)) {
        order->full = true;
        return RV_NO_NUMBER;
    }
    ((uint32_t *)order->lineages.items)[number] = lineage;
    for (; order->thread_count <= number; order->thread_count++)
        order->threads[order->thread_count] = (struct rv_order_thread){0};
    return number;
}

static uint32_t number_of_new(struct rv_order *order, const struct rv_candidate *candidate) {
    uint32_t number = rv_order_number_of(order, candidate->lineage);
    struct rv_order_name *names =
        rv_grow(order->arena, order->names, &order->name_capacity, candidate->thread, sizeof *names);
    if (names) order->names = names;
    if (number == RV_NO_NUMBER || !names) {
        order->full = true;
        return 0;
    }
    names[candidate->thread] = (struct rv_order_name){candidate->lineage, number + 1};
    return number;
}

uint32_t rv_order_number(struct rv_order *order, const struct rv_candidate *candidate) {
    if (candidate->thread < order->name_capacity) {
        const struct rv_order_name *name = &order->names[candidate->thread];
        if (name->number && name->lineage == candidate->lineage) return name->number - 1;
    }
    return number_of_new(order, candidate);
}

/* ---- transitions ---- */

void rv_order_truncate(struct rv_order *order, uint32_t count) {
    order->open = false;
    while (order->count > count) {
        const struct rv_transition *last = &order->transitions[--order->count];
        order->threads[last->footprint.thread].last = last->before;
        order->last_global = last->last_global;
        order->able_count = last->able;
        while (order->entry_count > last->entries) {
            const struct rv_order_entry *entry = &order->entries[--order->entry_count];
            uint32_t number = rv_index_find(&order->newest, entry->granule);
            ((uint32_t *)order->newest.items)[number] = entry->older;
        }
    }
    for (uint32_t i = 0; i < order->thread_count; i++)
        if (order->threads[i].birth > count) order->threads[i].alive = false;
}

static void add_able(struct rv_order *order, uint32_t thread) {
    uint32_t *larger =
        rv_grow(order->arena, order->able, &order->able_capacity, order->able_count, sizeof *larger);
    if (!larger) {
        order->full = true;
        return;
    }
    order->able = larger;
    order->able[order->able_count++] = thread;
}

void rv_order_threads(struct rv_order *order, const struct rv_point *point) {
    order->able_count = order->count ? order->transitions[order->count - 1].able_end : 0;
    order->able_first = order->able_count;
    for (uint32_t i = 0; i < point->count; i++) {
        uint32_t number = rv_order_number(order, &point->candidates[i]);
        if (!order->full) add_able(order, number);
        if (order->full) return;
        struct rv_order_thread *thread = &order->threads[number];
        if (!thread->alive) *thread = (struct rv_order_thread){.birth = order->count, .alive = true};
    }
}

/* A time-out that must wait until nothing else can happen (strict timing) is in order with everything. */
static struct rv_footprint announced_by(struct rv_order *order, const struct rv_candidate *candidate) {
    bool waits = candidate->next.flags & RV_OPF_BLOCKS;
    return (struct rv_footprint){.thread = rv_order_number(order, candidate),
                                 .op = candidate->next.op,
                                 .blocks = waits && !candidate->timeout,
                                 .global = waits && candidate->timeout};
}

bool rv_order_open(struct rv_order *order, const struct rv_candidate *candidate) {
    uint32_t at = order->count;
    struct rv_transition *larger =
        rv_grow(order->arena, order->transitions, &order->capacity, at, sizeof *larger);
    if (larger) order->transitions = larger;
    if (!larger || order->full || !reserve_clocks(order)) {
        order->full = true;
        return false;
    }
    struct rv_order_thread *thread = &order->threads[rv_order_number(order, candidate)];
    struct rv_transition *transition = &order->transitions[at];
    *transition = (struct rv_transition){
        .footprint = announced_by(order, candidate),
        .step = candidate->step,
        .before = thread->last,
        .birth = thread->birth,
        .entries = order->entry_count,
        .last_global = order->last_global,
        .able = order->able_first,
        .able_end = order->able_count,
        .room = candidate->next.room,
    };
    transition->announced = transition->footprint;
    struct rv_operation own = candidate->next;
    own.other = 0;
    rv_footprint_add(&transition->announced, &own);
    transition->own_ranges = transition->announced.count;
    rv_footprint_add(&transition->announced, &candidate->next);
    thread->last = at + 1;
    order->count = at + 1;
    order->open = true;
    return true;
}

static void add_entry(struct rv_order *order, uint64_t granule, uint8_t bytes, bool write, uint8_t room) {
    uint32_t at = order->count - 1;
    uint32_t number = rv_index_add(&order->newest, order->arena, granule, sizeof(uint32_t), MOST_KEYS);
    struct rv_order_entry *larger =
        rv_grow(order->arena, order->entries, &order->entry_capacity, order->entry_count, sizeof *larger);
    if (number == RV_NO_NUMBER || !larger) {
        order->full = true;
        return;
    }
    order->entries = larger;
    uint32_t *newest = &((uint32_t *)order->newest.items)[number];
    order->entries[order->entry_count++] = (struct rv_order_entry){
        .granule = granule, .transition = at, .older = *newest, .bytes = bytes, .write = write, .room = room};
    *newest = order->entry_count;
}

static uint8_t bytes_in(const struct rv_range *range, uint64_t granule) {
    uint64_t start = granule << 3, end = range->start + range->size;
    unsigned bytes = 0xff;
    if (start < range->start) bytes &= 0xffu << (range->start - start);
    if (start + 8 > end) bytes &= 0xffu >> (start + 8 - end);
    return (uint8_t)bytes;
}

static void enter(struct rv_order *order, const struct rv_range *range, uint8_t room) {
    uint64_t last = (range->start + range->size - 1) >> 3;
    for (uint64_t granule = range->start >> 3; granule <= last; granule++)
        add_entry(order, granule, bytes_in(range, granule), range->write, room);
}

static void note(struct rv_order *order, const struct rv_operation *operation) {
    struct rv_transition *transition = &order->transitions[order->count - 1];
    struct rv_range range;
    rv_footprint_add(&transition->footprint, operation);
    if (!rv_range_of(operation, &range, &transition->footprint.global)) return;
    if (range.size > MOST_GRANULES * 8)
        transition->footprint.global = true;
    else
        enter(order, &range, operation->room);
}

void rv_order_observe(struct rv_order *order, const struct rv_operation *done) {
    if (!order->open) return;
    struct rv_transition *transition = &order->transitions[order->count - 1];
    if (done->op == transition->footprint.op) transition->seen = true;
    note(order, done);
}

/* ---- what depends on what ---- */

static void add_pred(struct lookup *lookup, uint32_t transition) {
    for (uint32_t i = 0; i < lookup->pred_count; i++)
        if (lookup->preds[i] == transition) return;
    if (lookup->pred_count < RV_MAX_RACES)
        lookup->preds[lookup->pred_count++] = transition;
    else
        lookup->order->full = true;
}

static void add_race(struct lookup *lookup, uint32_t transition, bool certain) {
    struct rv_races *races = lookup->races;
    if (!races) return;
    for (uint32_t i = 0; i < races->count; i++) {
        if (races->with[i] != transition) continue;
        lookup->certain[i] |= certain;
        return;
    }
    if (races->count == RV_MAX_RACES) {
        races->overflow = true;
        return;
    }
    lookup->certain[races->count] = certain;
    races->with[races->count++] = transition;
}

static bool known(const struct lookup *lookup, uint32_t transition) {
    uint32_t thread = lookup->order->transitions[transition].footprint.thread;
    return thread == lookup->thread || (lookup->base && lookup->base[thread] > transition);
}

enum answer { NO, PERHAPS, YES };

static bool was_able(const struct rv_order *order, uint32_t transition, uint32_t thread) {
    const struct rv_transition *there = &order->transitions[transition];
    for (uint32_t i = there->able; i < there->able_end; i++)
        if (order->able[i] == thread) return true;
    return false;
}

/* Whether an operation that waits finds enough room; ANY says little where it does not look at its object alone. */
static enum answer fits(uint16_t op, uint8_t room) {
    if (!(room & (op == RV_OP_RDLOCK ? RV_ROOM_SHARED : RV_ROOM_EXCLUSIVE))) return NO;
    return rv_op_flags[op] & RV_OPF_IO ? PERHAPS : YES;
}

/* Whether what is looked up could have gone on before the transition, where this was the room. */
static enum answer could_precede(const struct lookup *lookup, const struct rv_footprint *self,
                                 uint32_t transition, uint8_t room) {
    if (lookup->since <= transition) return was_able(lookup->order, transition, lookup->thread) ? YES : NO;
    if (self->global) return PERHAPS;
    return self->blocks ? fits(self->op, room) : YES;
}

/* Goes through the chain of one granule. */
static void look_up(struct lookup *lookup, uint64_t granule, uint8_t bytes, bool write,
                    const struct rv_footprint *self) {
    const struct rv_order *order = lookup->order;
    uint32_t number = rv_index_find(&order->newest, granule);
    if (number == RV_NO_NUMBER) return;
    uint32_t at = ((const uint32_t *)order->newest.items)[number];
    bool ordered = false; /* everything older happens before something found */
    for (; at; at = order->entries[at - 1].older) {
        const struct rv_order_entry *entry = &order->entries[at - 1];
        if (entry->transition == lookup->self) continue;
        if (!(entry->bytes & bytes) || !(entry->write || write)) continue;
        bool covers = entry->write && (entry->bytes & bytes) == bytes;
        if (known(lookup, entry->transition)) {
            if (covers) return;
            continue;
        }
        enum answer answer = could_precede(lookup, self, entry->transition, entry->room);
        if (!ordered) add_pred(lookup, entry->transition);
        if (answer != NO) add_race(lookup, entry->transition, answer == YES);
        ordered |= covers;
        if (covers && answer == YES) return;
    }
}

/* Goes through the transitions of one thread, or through those that everything depends on; last: 1 + the latest. */
static void look_back(struct lookup *lookup, const struct rv_footprint *self, uint32_t last, bool globals) {
    const struct rv_order *order = lookup->order;
    bool first = true;
    while (last && !known(lookup, last - 1)) {
        enum answer answer = could_precede(lookup, self, last - 1, RV_ROOM_ANY);
        if (first) add_pred(lookup, last - 1);
        if (answer != NO) add_race(lookup, last - 1, answer == YES);
        if (answer == YES) return;
        first = false;
        last = globals ? order->transitions[last - 1].last_global : order->transitions[last - 1].before;
    }
}

static void look_up_all(struct lookup *lookup, const struct rv_footprint *footprint) {
    struct rv_order *order = lookup->order;
    for (uint32_t i = 0; i < footprint->count; i++) {
        const struct rv_range *range = &footprint->ranges[i];
        uint64_t last = (range->start + range->size - 1) >> 3;
        for (uint64_t granule = range->start >> 3; granule <= last; granule++)
            look_up(lookup, granule, bytes_in(range, granule), range->write, footprint);
    }
    for (uint32_t i = 0; footprint->global && i < order->thread_count; i++)
        if (i != lookup->thread) look_back(lookup, footprint, order->threads[i].last, false);
    look_back(lookup, footprint, order->last_global, true);
}

/* Keeps the races between which nothing stands that could be reversed itself: that would be done first. */
static void keep_adjacent(struct lookup *lookup) {
    struct rv_races *races = lookup->races;
    struct rv_races all = *races;
    races->count = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t with = all.with[i];
        bool between = false;
        for (uint32_t k = 0; k < all.count && !between; k++)
            between =
                lookup->certain[k] && all.with[k] > with && rv_order_before(lookup->order, with, all.with[k]);
        if (!between) races->with[races->count++] = with;
    }
}

static uint32_t standing_since(uint32_t before, uint32_t birth) { return before > birth ? before : birth; }

static const uint32_t *base_clock(const struct rv_order *order, uint32_t before, uint32_t birth) {
    if (before) return clock_of(order, before - 1);
    return birth ? clock_of(order, birth - 1) : NULL;
}

static void join(uint32_t *clock, const uint32_t *other, uint32_t width) {
    for (uint32_t i = 0; i < width; i++)
        if (other[i] > clock[i]) clock[i] = other[i];
}

/* What the last transition, all of whose accesses are entered, comes after; and what it races with. */
static void settle(struct rv_order *order, struct rv_races *races) {
    uint32_t at = order->count - 1;
    struct rv_transition *transition = &order->transitions[at];
    const uint32_t *base = base_clock(order, transition->before, transition->birth);
    struct lookup lookup = {
        .order = order,
        .base = base,
        .thread = transition->footprint.thread,
        .since = standing_since(transition->before, transition->birth),
        .self = at,
        .races = races,
    };
    order->threads[lookup.thread].last = transition->before; /* itself is no predecessor */
    look_up_all(&lookup, &transition->footprint);
    order->threads[lookup.thread].last = at + 1;
    if (races) keep_adjacent(&lookup);
    uint32_t *clock = clock_of(order, at);
    memset(clock, 0, order->width * sizeof *clock);
    if (base) join(clock, base, order->width);
    for (uint32_t i = 0; i < lookup.pred_count; i++)
        join(clock, clock_of(order, lookup.preds[i]), order->width);
    clock[lookup.thread] = at + 1;
    if (transition->footprint.global) order->last_global = at + 1;
}

void rv_order_close(struct rv_order *order, struct rv_races *races) {
    if (races) *races = (struct rv_races){0};
    if (!order->open) return;
    order->open = false;
    uint32_t at = order->count - 1;
    struct rv_transition *transition = &order->transitions[at];
    if (!transition->seen) {
        const struct rv_footprint *announced = &transition->announced;
        rv_footprint_merge(&transition->footprint, announced);
        for (uint32_t i = 0; i < transition->own_ranges;
             i++) { /* of another one it tells itself, with the room */
            if (announced->ranges[i].size > MOST_GRANULES * 8)
                transition->footprint.global = true;
            else
                enter(order, &announced->ranges[i], transition->room);
        }
    }
    settle(order, races);
}

bool rv_order_repeat(struct rv_order *order, const struct rv_transition *closed,
                     const struct rv_order_given *given, struct rv_races *races) {
    uint32_t at = order->count;
    struct rv_transition *larger =
        rv_grow(order->arena, order->transitions, &order->capacity, at, sizeof *larger);
    if (larger) order->transitions = larger;
    if (!larger || order->full || !reserve_clocks(order)) return false;
    struct rv_order_thread *thread = &order->threads[closed->footprint.thread];
    order->transitions[at] = *closed;
    order->transitions[at].before = thread->last;
    order->transitions[at].entries = order->entry_count;
    order->transitions[at].last_global = order->last_global;
    thread->last = at + 1;
    order->count = at + 1;
    for (uint32_t i = 0; i < given->entry_count; i++) {
        const struct rv_order_entry *entry = &given->entries[i];
        add_entry(order, entry->granule, entry->bytes, entry->write, entry->room);
    }
    order->able_count = at ? order->transitions[at - 1].able_end : 0;
    order->transitions[at].able = order->able_count;
    for (uint32_t i = 0; i < given->able_count && !order->full; i++) add_able(order, given->able[i]);
    order->transitions[at].able_end = order->able_count;
    *races = (struct rv_races){0};
    settle(order, races);
    return !order->full;
}

void rv_order_pending_races(struct rv_order *order, const struct rv_candidate *candidate,
                            struct rv_races *races) {
    *races = (struct rv_races){0};
    struct rv_footprint footprint = announced_by(order, candidate);
    const struct rv_order_thread *thread = &order->threads[footprint.thread];
    if (order->full || !thread->alive) return;
    rv_footprint_add(&footprint, &candidate->next);
    struct lookup lookup = {.order = order,
                            .base = base_clock(order, thread->last, thread->birth),
                            .thread = footprint.thread,
                            .since = standing_since(thread->last, thread->birth),
                            .self = order->count,
                            .races = races};
    look_up_all(&lookup, &footprint);
    keep_adjacent(&lookup);
}

/* ---- for searches that look for one at a time ---- */

struct latest {
    struct lookup lookup;
    const struct rv_footprint *self;
    rv_order_accept accept;
    void *context;
    uint32_t best; /* 1 + */
};

static void consider(struct latest *latest, uint32_t transition, uint8_t room) {
    enum answer answer = could_precede(&latest->lookup, latest->self, transition, room);
    if (answer != NO && latest->accept(latest->context, transition, answer == YES) && answer == YES)
        latest->best = transition + 1;
}

static void latest_in_chain(struct latest *latest, uint64_t granule, uint8_t bytes, bool write) {
    const struct rv_order *order = latest->lookup.order;
    uint32_t number = rv_index_find(&order->newest, granule);
    if (number == RV_NO_NUMBER) return;
    uint32_t at = ((const uint32_t *)order->newest.items)[number];
    for (; at; at = order->entries[at - 1].older) {
        const struct rv_order_entry *entry = &order->entries[at - 1];
        if (entry->transition < latest->best) return;
        if (entry->transition == latest->lookup.self) continue;
        if (!(entry->bytes & bytes) || !(entry->write || write)) continue;
        if (known(&latest->lookup, entry->transition)) {
            if (entry->write && (entry->bytes & bytes) == bytes) return; /* so is all that is older */
            continue;
        }
        consider(latest, entry->transition, entry->room);
    }
}

static void latest_global(struct latest *latest) {
    const struct rv_order *order = latest->lookup.order;
    if (latest->self->global) {
        for (uint32_t i = order->count; i > latest->best; i--)
            if (!known(&latest->lookup, i - 1)) consider(latest, i - 1, RV_ROOM_ANY);
        return;
    }
    for (uint32_t i = order->last_global; i > latest->best; i = order->transitions[i - 1].last_global)
        if (!known(&latest->lookup, i - 1)) consider(latest, i - 1, RV_ROOM_ANY);
}

static uint32_t find_latest(struct latest *latest) {
    const struct rv_footprint *footprint = latest->self;
    for (uint32_t i = 0; i < footprint->count; i++) {
        const struct rv_range *range = &footprint->ranges[i];
        uint64_t last = (range->start + range->size - 1) >> 3;
        for (uint64_t granule = range->start >> 3; granule <= last; granule++)
            latest_in_chain(latest, granule, bytes_in(range, granule), range->write);
    }
    latest_global(latest);
    return latest->best;
}

uint32_t rv_order_latest(struct rv_order *order, const struct rv_candidate *candidate, rv_order_accept accept,
                         void *context) {
    struct rv_footprint footprint = announced_by(order, candidate);
    const struct rv_order_thread *thread = &order->threads[footprint.thread];
    if (order->full || !thread->alive) return 0;
    rv_footprint_add(&footprint, &candidate->next);
    struct latest latest = {
        .lookup = {.order = order,
                   .base = base_clock(order, thread->last, thread->birth),
                   .thread = footprint.thread,
                   .since = standing_since(thread->last, thread->birth),
                   .self = order->count},
        .self = &footprint,
        .accept = accept,
        .context = context,
    };
    return find_latest(&latest);
}

uint32_t rv_order_latest_done(struct rv_order *order, uint32_t transition, rv_order_accept accept,
                              void *context) {
    const struct rv_transition *done = &order->transitions[transition];
    if (order->full) return 0;
    struct latest latest = {
        .lookup = {.order = order,
                   .base = base_clock(order, done->before, done->birth),
                   .thread = done->footprint.thread,
                   .since = standing_since(done->before, done->birth),
                   .self = transition},
        .self = &done->footprint,
        .accept = accept,
        .context = context,
    };
    return find_latest(&latest);
}

uint32_t rv_order_last_of_others(const struct rv_order *order, uint32_t transition, uint32_t *found,
                                 uint32_t most) {
    const struct rv_transition *self = &order->transitions[transition];
    if (self->own_ranges == 0) return 0;
    const struct rv_range *range = &self->announced.ranges[0];
    uint64_t granule = range->start >> 3, seen = 0;
    uint8_t bytes = bytes_in(range, granule);
    uint32_t number = rv_index_find(&order->newest, granule), count = 0;
    uint32_t at = number == RV_NO_NUMBER ? 0 : ((const uint32_t *)order->newest.items)[number];
    bool own = false;
    for (; at && count < most; at = order->entries[at - 1].older) {
        const struct rv_order_entry *entry = &order->entries[at - 1];
        const struct rv_footprint *other = &order->transitions[entry->transition].footprint;
        if (entry->transition >= transition || !(entry->bytes & bytes) || other->op == RV_OP_UNLOCK) continue;
        if (other->thread == self->footprint.thread) {
            if (entry->write) break; /* all that is older comes before this one first */
            own = true;
            continue;
        }
        if (seen >> (other->thread & 63) & 1) continue;
        seen |= UINT64_C(1) << (other->thread & 63);
        if (entry->write ? !own : range->write) found[count++] = entry->transition;
    }
    return count;
}

bool rv_order_before_next(struct rv_order *order, uint32_t a, const struct rv_candidate *candidate) {
    const struct rv_order_thread *thread = &order->threads[rv_order_number(order, candidate)];
    const uint32_t *clock = base_clock(order, thread->last, thread->birth);
    return clock && clock[order->transitions[a].footprint.thread] > a;
}

bool rv_order_before_own(const struct rv_order *order, uint32_t a, uint32_t transition) {
    const struct rv_transition *done = &order->transitions[transition];
    const uint32_t *clock = base_clock(order, done->before, done->birth);
    return clock && clock[order->transitions[a].footprint.thread] > a;
}

/* Sums over transitions, for their places in the execution do not matter: which of its thread it is, what it did,
 * and how many of each other thread happen before it. */
uint64_t rv_order_hash(const struct rv_order *order) {
    const uint32_t *lineages = order->lineages.items;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        const struct rv_transition *transition = &order->transitions[i];
        uint64_t hash = lineages[transition->footprint.thread] * 0x9e3779b97f4a7c15u + transition->step;
        for (uint32_t k = 0; k < transition->footprint.choices; k++)
            hash = hash * 31 + transition->footprint.choice[k] + 1;
        for (uint32_t k = 0; k < order->thread_count; k++) {
            uint32_t last = clock_of(order, i)[k];
            uint64_t place = last ? order->transitions[last - 1].step + 1 : 0;
            if (place) hash += ((place ^ lineages[k]) * 0xbf58476d1ce4e5b9u) * (lineages[k] | 1u);
        }
        hash ^= hash >> 31;
        sum += (hash ^ hash >> 29) * 0x94d049bb133111ebu;
    }
    return sum;
}
