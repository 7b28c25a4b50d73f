#include "strategy/guide.h"

#include <string.h>

#include "strategy/rules.h"
#include "strategy/sample.h"
#include "strategy/search_stack.h"

enum {
    DEFAULT_DEPTH = 5,
    MOST_LEARNING = 1000000000,
    MOST_OTHERS = 64,
    MOST_PAIRS = 1 << 17,
    LONG_ATTEMPTS = 3, /* asks for an order in which the first goes on */
    MOST_ATTEMPTS = 8,
    LOOK_BACK = 64, /* operations of a thread in which occurrences of a statement are counted */
    HISTORY_BITS = 16,
};

/* ---- settings ---- */

/* What follows `word` in the text; NULL: it begins with something else. (The program's strncmp is not ours to call.) */
static const char *after(const char *text, const char *word) {
    size_t length = strlen(word);
    return strlen(text) >= length && memcmp(text, word, length) == 0 ? text + length : NULL;
}

static bool parse_one(const char *text, struct rv_guide_settings *settings) {
    uint64_t number = 0;
    const char *rest;
    if ((rest = after(text, "learn="))) return rv_parse_number(rest, 0, MOST_LEARNING, &settings->learn);
    if ((rest = after(text, "guide=pcb:"))) return rv_search_bound(rest, &settings->bound);
    if ((rest = after(text, "rounds="))) {
        if (!rv_parse_number(rest, 1, RV_GUIDE_ROUNDS, &number)) return false;
        settings->rounds = (uint32_t)number;
        return true;
    }
    if (!rv_parse_number(text, 0, RV_STACK_FRAMES, &number)) return false;
    settings->stack_depth = (uint32_t)number;
    return true;
}

bool rv_guide_parse(const char *params, struct rv_guide_settings *settings) {
    *settings = (struct rv_guide_settings){
        .stack_depth = DEFAULT_DEPTH, .bound = RV_NO_BOUND, .rounds = RV_GUIDE_ROUNDS};
    while (params) {
        char part[32];
        size_t length = 0;
        while (params[length] && params[length] != ',') length++;
        if (length >= sizeof part) return false;
        memcpy(part, params, length);
        part[length] = '\0';
        if (!parse_one(part, settings)) return false;
        params = params[length] ? params + length + 1 : NULL;
    }
    return true;
}

void rv_guide_init(struct rv_guide *guide, struct rv_arena *arena, const struct rv_guide_settings *settings) {
    *guide = (struct rv_guide){.arena = arena, .settings = *settings, .round = 1};
    rv_hapsets_init(&guide->sets, arena);
    rv_hapsets_init(&guide->finer, arena);
}

/* ---- statements ---- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint32_t occurrence(const struct rv_guide *guide, const struct rv_order *order, uint32_t last,
                           uint32_t statement) {
    uint32_t count = 0, most = 1u << (guide->round - 1);
    for (uint32_t looked = 0; last && looked < LOOK_BACK && count < most; looked++) {
        count += guide->marks[last - 1].statement == statement;
        last = order->transitions[last - 1].before;
    }
    return count;
}

struct rv_guide_mark rv_guide_mark(struct rv_guide *guide, struct rv_order *order,
                                   const struct rv_candidate *candidate) {
    const struct rv_operation *next = &candidate->next;
    /* One call can be several statements: a wait enters, is woken, and takes its mutex back. */
    uint64_t part = next->op * 2u + ((next->flags & RV_OPF_WRITE) != 0);
    struct rv_guide_mark mark = {.fine = RV_NO_NUMBER};
    mark.statement = rv_hapset_statement(&guide->sets, next->site, mix(candidate->context, part),
                                         candidate->frames, candidate->frame_count);
    if (guide->round == 1 || order->full) return mark;
    uint32_t last = order->threads[rv_order_number(order, candidate)].last;
    if (last) mark.history = guide->marks[last - 1].history;
    uint64_t recent = mark.history & ((UINT64_C(1) << (HISTORY_BITS * (guide->round - 1))) - 1);
    if (guide->round - 1 >= 64 / HISTORY_BITS) recent = mark.history;
    uint64_t context = mix(mix(guide->round, recent), occurrence(guide, order, last, mark.statement));
    mark.fine = rv_hapset_statement(&guide->finer, mark.statement + 1u, context, NULL, 0);
    return mark;
}

void rv_guide_begin(struct rv_guide *guide, uint32_t transition, const struct rv_guide_mark *mark) {
    struct rv_guide_mark *larger =
        rv_grow(guide->arena, guide->marks, &guide->mark_capacity, transition, sizeof *larger);
    if (!larger) return;
    guide->marks = larger;
    guide->marks[transition] = *mark;
}

void rv_guide_learn(struct rv_guide *guide, const struct rv_order *order, uint32_t transition,
                    uint64_t execution) {
    uint32_t others[MOST_OTHERS];
    if (transition >= guide->mark_capacity) return;
    if (order->transitions[transition].footprint.op == RV_OP_UNLOCK) return;
    struct rv_guide_mark *mark = &guide->marks[transition];
    uint32_t count = rv_order_last_of_others(order, transition, others, MOST_OTHERS);
    for (uint32_t i = 0; i < count; i++) {
        const struct rv_guide_mark *before = &guide->marks[others[i]];
        (void)rv_hapset_add(&guide->sets, mark->statement, before->statement, execution);
        if (guide->round > 1) (void)rv_hapset_add(&guide->finer, mark->fine, before->fine, execution);
    }
    if (count) mark->history = mark->history << HISTORY_BITS | (guide->marks[others[0]].statement & 0xffff);
}

/* ---- what is left out ---- */

/* In this round. */
static uint32_t statement_of(const struct rv_guide *guide, const struct rv_guide_mark *mark) {
    return guide->round == 1 ? mark->statement : mark->fine;
}

static uint64_t pair_of(const struct rv_guide *guide, const struct rv_goal *goal) {
    return (uint64_t)guide->round << 60 | (uint64_t)goal->statement << 30 | goal->predecessor;
}

bool rv_guide_wants(const struct rv_guide *guide, const struct rv_goal *goal) {
    if (goal->statement == RV_NO_NUMBER || goal->predecessor == RV_NO_NUMBER) return false;
    const struct rv_hapsets *sets = guide->round == 1 ? &guide->sets : &guide->finer;
    if (rv_hapset_has(sets, goal->statement, goal->predecessor)) return false;
    uint32_t number = rv_index_find(&guide->attempts, pair_of(guide, goal));
    return number == RV_NO_NUMBER || ((const uint32_t *)guide->attempts.items)[number] < MOST_ATTEMPTS;
}

bool rv_guide_leaves_out(struct rv_guide *guide, uint32_t transition, const struct rv_guide_mark *pending) {
    struct rv_goal goal = {.statement = statement_of(guide, &guide->marks[transition]),
                           .predecessor = statement_of(guide, pending)};
    bool wanted = rv_guide_wants(guide, &goal);
    guide->pruned += !wanted;
    return !wanted;
}

/* ---- goals ---- */

struct rv_goal rv_guide_goal(const struct rv_guide *guide, uint32_t second, uint32_t transition,
                             uint32_t first, uint64_t step, const struct rv_guide_mark *mark) {
    return (struct rv_goal){.first = first + 1,
                            .second = second + 1,
                            .step = step,
                            .statement = statement_of(guide, &guide->marks[transition]),
                            .predecessor = statement_of(guide, mark)};
}

void rv_guide_aim(struct rv_guide *guide, const struct rv_goal *goal) {
    guide->goal = goal ? *goal : (struct rv_goal){0};
    if (!guide->goal.first) return;
    uint32_t number =
        rv_index_add(&guide->attempts, guide->arena, pair_of(guide, goal), sizeof(uint32_t), MOST_PAIRS);
    if (number == RV_NO_NUMBER) return;
    uint32_t *attempts = &((uint32_t *)guide->attempts.items)[number];
    guide->goal.immediate = (*attempts)++ >= LONG_ATTEMPTS;
}

uint32_t rv_guide_pick(struct rv_guide *guide, struct rv_order *order, const struct rv_point *point,
                       uint32_t otherwise) {
    struct rv_goal *goal = &guide->goal;
    if (!goal->first) return otherwise;
    int64_t other = -1;
    for (uint32_t i = 0; i < point->count; i++) {
        uint32_t thread = rv_order_number(order, &point->candidates[i]) + 1;
        if (rv_liking(point, i) != RV_LIKE) continue;
        if (thread == goal->first && point->candidates[i].step > goal->step) goal->reached = true;
        if (!goal->reached && thread == goal->first) return i;
        if (goal->reached && goal->immediate && thread == goal->second) {
            *goal = (struct rv_goal){0};
            return i;
        }
        if (thread != goal->second && (other < 0 || i == otherwise)) other = i;
    }
    return other < 0 || goal->reached ? otherwise : (uint32_t)other;
}

bool rv_guide_next_round(struct rv_guide *guide) {
    bool left_out = guide->pruned > guide->pruned_before;
    if (!left_out || guide->round >= guide->settings.rounds) return false;
    guide->pruned_before = guide->pruned;
    guide->round++;
    return true;
}
