#include "generate/predict.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum { MOST_EVENTS = 4000, MOST_USES = 600, MOST_HELD = 6, DRAWS = 24, FIRST = 1, SECOND = 2 };

struct held {
    uint64_t lock;
    bool shared;
};

/* Something that a thread did. */
struct act {
    uint64_t step; /* of the thread, after it */
    uint64_t address;
    rv_code site;
    uint32_t block;
    uint16_t op;
    uint32_t call;     /* 1 + its number; 0: none */
    bool matters;      /* the other thread may notice when it is done */
    bool uses, writes; /* memory, or what is signalled and waited for */
    bool takes;        /* a lock */
    bool shared;       /* ... as a reader */
    uint8_t held_count;
    struct held held[MOST_HELD]; /* after it */
};

struct side {
    struct act *acts;
    uint32_t count;
    uint32_t *uses, use_count; /* acts that the other one's conflict with */
    uint64_t path;
};

struct rv_meeting {
    struct side sides[2];
};

/* ---- reading ---- */

static bool is_acquisition(enum rv_op op) {
    return op == RV_OP_LOCK || op == RV_OP_TRYLOCK || op == RV_OP_TIMEDLOCK || op == RV_OP_RDLOCK ||
           op == RV_OP_WRLOCK || op == RV_OP_TRYRDLOCK || op == RV_OP_TRYWRLOCK || op == RV_OP_SPINLOCK ||
           op == RV_OP_SPINTRYLOCK;
}

static bool is_release(enum rv_op op) {
    return op == RV_OP_UNLOCK || op == RV_OP_RWUNLOCK || op == RV_OP_SPINUNLOCK;
}

static bool tells_threads(enum rv_op op) {
    return op == RV_OP_COND_WAIT || op == RV_OP_COND_TIMEDWAIT || op == RV_OP_COND_SIGNAL ||
           op == RV_OP_COND_BROADCAST || op == RV_OP_SEM_WAIT || op == RV_OP_SEM_POST ||
           op == RV_OP_SEM_TRYWAIT;
}

static void hold(struct act *act, const struct rv_event *event) {
    enum rv_op op = (enum rv_op)event->op;
    if (is_acquisition(op) && !(event->flags & (RV_EVENT_FAILED | RV_EVENT_TIMEOUT))) {
        act->takes = true;
        act->shared = op == RV_OP_RDLOCK || op == RV_OP_TRYRDLOCK;
        if (act->held_count < MOST_HELD)
            act->held[act->held_count++] = (struct held){event->address, act->shared};
    }
    for (uint32_t i = act->held_count; is_release(op) && i-- > 0;) {
        if (act->held[i].lock != event->address) continue;
        memmove(act->held + i, act->held + i + 1, (act->held_count - i - 1u) * sizeof *act->held);
        act->held_count--;
        break;
    }
}

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static void add(struct side *side, const struct rv_event *event) {
    struct act *act = &side->acts[side->count];
    *act = (struct act){.step = event->step,
                        .address = event->address,
                        .site = event->site,
                        .block = event->block,
                        .op = event->op};
    if (side->count) {
        act->held_count = act[-1].held_count;
        memcpy(act->held, act[-1].held, sizeof act->held);
    }
    uint16_t flags = rv_op_flags[event->op];
    act->uses = (flags & RV_OPF_MEMORY) || tells_threads((enum rv_op)event->op);
    act->writes = act->uses && (flags & RV_OPF_WRITE) && !(event->flags & RV_EVENT_FAILED);
    hold(act, event);
    side->count++;
}

/* Statements, however often: loops would make each execution one of its own. */
static void note_path(struct side *side) {
    uint64_t seen[64] = {0};
    for (uint32_t i = 0; i < side->count; i++) {
        uint64_t hash = mix(side->acts[i].site, side->acts[i].op);
        uint64_t *word = &seen[hash >> 58], bit = 1ull << (hash >> 40 & 63);
        if (!(*word & bit)) side->path += mix(hash, 1);
        *word |= bit;
    }
}

static bool same_memory(const struct act *one, const struct act *other) {
    if (!one->uses || !other->uses) return false;
    if (one->address == other->address) return true;
    bool frees = one->op == RV_OP_FREE || other->op == RV_OP_FREE;
    return frees && one->block && one->block == other->block;
}

static bool conflict(const struct act *one, const struct act *other) {
    return (one->writes || other->writes) && same_memory(one, other);
}

/* Reads of both count if one of them writes at another time: what the second thread finds done, it might do itself if it came
 * first. */
static bool is_shared(const struct act *act, const struct side *own, const struct side *other) {
    bool met = false, written = act->writes;
    for (uint32_t k = 0; k < other->count && !(met && written); k++)
        if (same_memory(act, &other->acts[k])) {
            met = true;
            written |= other->acts[k].writes;
        }
    for (uint32_t k = 0; met && !written && k < own->count; k++)
        written = own->acts[k].writes && same_memory(act, &own->acts[k]);
    return met && written;
}

static bool takes_too(const struct side *side, uint64_t lock) {
    for (uint32_t i = 0; i < side->count; i++)
        if (side->acts[i].takes && side->acts[i].address == lock) return true;
    return false;
}

static void find_uses(struct side *side, const struct side *other) {
    side->uses = rv_text_alloc(MOST_USES, sizeof *side->uses);
    for (uint32_t i = 0; i < side->count; i++) {
        struct act *act = &side->acts[i];
        bool shared = act->uses && is_shared(act, side, other);
        act->matters = shared || (act->takes && takes_too(other, act->address));
        if (shared && side->use_count < MOST_USES) side->uses[side->use_count++] = i;
    }
}

static void find_call(struct act *act, uint32_t thread, const struct rv_area *area, const struct rv_test *test) {
    for (uint32_t i = 0; i < test->count && i < RV_CASE_CALLS; i++)
        if (test->calls[i].phase == RV_PHASE_DURING && test->calls[i].thread == thread &&
            act->step > area->cases.called_at[i] &&
            (!area->cases.returned_at[i] || act->step <= area->cases.returned_at[i]))
            act->call = i + 1;
}

struct rv_meeting *rv_meeting_open(const struct rv_area *area, const struct rv_test *test) {
    uint64_t count = area->outcome.event_count;
    if (count > RV_MAX_EVENTS || area->outcome.threads != 3) return NULL;
    struct rv_meeting *meeting = rv_text_alloc(1, sizeof *meeting);
    for (unsigned s = 0; s < 2; s++)
        meeting->sides[s].acts = rv_text_alloc(MOST_EVENTS, sizeof *meeting->sides[s].acts);
    bool good = true;
    for (uint64_t i = 0; i < count && good; i++) {
        const struct rv_event event = area->events[i];
        if (event.thread != FIRST && event.thread != SECOND) continue;
        struct side *side = &meeting->sides[event.thread - FIRST];
        good = side->count < MOST_EVENTS && event.op < RV_OP_COUNT;
        if (good) {
            add(side, &event);
            find_call(&side->acts[side->count - 1], event.thread - FIRST, area, test);
        }
    }
    if (!good) {
        rv_meeting_close(meeting);
        return NULL;
    }
    for (unsigned s = 0; s < 2; s++) {
        find_uses(&meeting->sides[s], &meeting->sides[!s]);
        note_path(&meeting->sides[s]);
    }
    return meeting;
}

void rv_meeting_close(struct rv_meeting *meeting) {
    if (!meeting) return;
    for (unsigned s = 0; s < 2; s++) {
        free(meeting->sides[s].acts);
        free(meeting->sides[s].uses);
    }
    free(meeting);
}

/* ---- places ---- */

/* Whether somebody who stands after `holder` keeps another one from doing acts from..to. */
static bool keeps_out(const struct act *holder, const struct side *other, uint32_t from, uint32_t to) {
    for (uint32_t i = from; holder->held_count && i <= to; i++)
        for (uint32_t h = 0; other->acts[i].takes && h < holder->held_count; h++)
            if (holder->held[h].lock == other->acts[i].address &&
                !(holder->held[h].shared && other->acts[i].shared))
                return true;
    return false;
}

/* The first place from `at` on and before `end` after which the other one can do from..to; `end`: none. */
static uint32_t place(const struct side *side, uint32_t at, uint32_t end, const struct side *other,
                      uint32_t from, uint32_t to) {
    while (at < end && keeps_out(&side->acts[at], other, from, to)) at++;
    return at;
}

/* Whether something that matters is before and after this place in the same call: else it is as if one call came after
 * another. */
static bool is_inside(const struct side *side, uint32_t at) {
    uint32_t call = side->acts[at].call;
    bool before = false, after = false;
    for (uint32_t i = at + 1; i-- > 0 && side->acts[i].call == call && !before;) before = side->acts[i].matters;
    for (uint32_t i = at + 1; i < side->count && side->acts[i].call == call && !after; i++)
        after = side->acts[i].matters;
    return call && before && after;
}

/* Where a thread stops, as far as it matters. */
static uint64_t name_place(const struct side *side, uint32_t at) {
    uint32_t before = at, after = at + 1;
    while (before > 0 && !side->acts[before].matters) before--;
    while (after < side->count && !side->acts[after].matters) after++;
    if (after >= side->count) return 1;
    return mix(mix(side->acts[before].site, side->acts[after].site), 2);
}

static void add_run(struct rv_switch *one, uint32_t thread, uint64_t until) {
    one->runs[one->run_count++] = (struct rv_run){.thread = thread, .until = until};
}

static void begin_runs(struct rv_switch *one) {
    one->run_count = 0;
    add_run(one, 0, UINT64_MAX); /* until it waits for them */
}

/* ---- patterns ---- */

struct steps {
    uint32_t index[RV_PATTERN_STEPS];
    bool second[RV_PATTERN_STEPS];
    unsigned count;
};

static void set_step(struct steps *steps, unsigned n, bool second,
                     uint32_t index) {
    steps->index[n] = index;
    steps->second[n] = second;
    if (steps->count <= n) steps->count = n + 1;
}

static uint32_t any(struct rv_rng *rng, uint32_t n) { return (uint32_t)rv_rng_below(rng, n); }

/* a .. b .. a: all of the accesses of b come between two neighbours of a's. */
static bool between(const struct rv_meeting *meeting, struct rv_rng *rng, const struct steps *steps,
                    struct rv_switch *one) {
    const struct side *a = &meeting->sides[0], *b = &meeting->sides[1];
    unsigned last_b = steps->count == 4 ? 2 : 1;
    uint32_t again = steps->count > 2 ? steps->index[steps->count - 1] : a->count - 1, end = steps->index[last_b];
    uint32_t p = place(a, steps->index[0], again, b, 0, end);
    if (p >= again || !is_inside(a, p)) return false;
    uint32_t q = place(b, end, b->count, a, p + 1, again);
    begin_runs(one);
    add_run(one, FIRST, a->acts[p].step);
    bool whole = q >= b->count || !is_inside(b, q) || any(rng, 2);
    add_run(one, SECOND, whole ? UINT64_MAX : b->acts[q].step);
    add_run(one, FIRST, UINT64_MAX);
    one->places[0] = name_place(a, p);
    one->places[1] = whole ? 0 : name_place(b, q);
    one->places[2] = 0;
    return true;
}

/* a .. b .. a .. b */
static bool by_turns(const struct rv_meeting *meeting, struct rv_rng *rng, const struct steps *steps,
                     struct rv_switch *one) {
    const struct side *a = &meeting->sides[0], *b = &meeting->sides[1];
    uint32_t a1 = steps->index[0], b1 = steps->index[1], a2 = steps->index[2], b2 = steps->index[3];
    uint32_t p = place(a, a1, a2, b, 0, b1);
    if (p >= a2 || !is_inside(a, p)) return false;
    uint32_t q = place(b, b1, b2, a, p + 1, a2);
    if (q >= b2 || !is_inside(b, q)) return false;
    uint32_t r = place(a, a2, a->count, b, q + 1, b2);
    begin_runs(one);
    add_run(one, FIRST, a->acts[p].step);
    add_run(one, SECOND, b->acts[q].step);
    bool whole = r >= a->count || !is_inside(a, r) || any(rng, 2);
    add_run(one, FIRST, whole ? UINT64_MAX : a->acts[r].step);
    add_run(one, SECOND, UINT64_MAX);
    one->places[0] = name_place(a, p);
    one->places[1] = name_place(b, q);
    one->places[2] = whole ? 0 : name_place(a, r);
    return true;
}

/* An act of the side that conflicts with this one, from `from` on. */
static bool partner(const struct side *side, const struct act *act, bool reads, uint32_t from,
                    struct rv_rng *rng, uint32_t *found) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < side->use_count; i++)
        if (side->uses[i] >= from &&
            (reads ? same_memory(&side->acts[side->uses[i]], act) : conflict(&side->acts[side->uses[i]], act)) &&
            any(rng, ++seen) == 0)
            *found = side->uses[i];
    return seen > 0;
}

/* A later use by the same side of the same. */
static bool later(const struct side *side, uint32_t index, struct rv_rng *rng, uint32_t *found) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < side->use_count; i++)
        if (side->uses[i] > index && side->acts[side->uses[i]].address == side->acts[index].address &&
            any(rng, ++seen) == 0)
            *found = side->uses[i];
    return seen > 0;
}

static bool draw(const struct rv_meeting *meeting, struct rv_rng *rng, struct rv_switch *one) {
    const struct side *a = &meeting->sides[0], *b = &meeting->sides[1];
    struct steps steps = {0};
    uint32_t shape = any(rng, 8), first = a->uses[any(rng, a->use_count)], other, again, far;
    if (!partner(b, &a->acts[first], shape < 3, 0, rng, &other)) return false;
    set_step(&steps, 0, false, first);
    set_step(&steps, 1, true, other);
    if (shape < 3) { /* one variable */
        if (!later(a, first, rng, &again)) return false;
        if (!a->acts[first].writes && !b->acts[other].writes && !a->acts[again].writes) return false;
        set_step(&steps, 2, false, again);
    } else if (shape < 7) { /* two */
        far = b->uses[any(rng, b->use_count)];
        if (!partner(a, &b->acts[far], false, first + 1, rng, &again)) return false;
        bool turns = far > other && any(rng, 3) == 0;
        set_step(&steps, 1, true, turns || far > other ? other : far);
        set_step(&steps, turns ? 3 : 2, true, far > other ? far : other);
        set_step(&steps, turns ? 2 : 3, false, again);
    }
    bool turns = steps.count == 4 && steps.second[3];
    return turns ? by_turns(meeting, rng, &steps, one) : between(meeting, rng, &steps, one);
}

/* ---- locks in the other order ---- */

static bool holds(const struct act *act, uint64_t lock) {
    for (uint32_t i = 0; i < act->held_count; i++)
        if (act->held[i].lock == lock) return true;
    return false;
}

static bool draw_deadlock(const struct rv_meeting *meeting, struct rv_rng *rng, struct rv_switch *one) {
    const struct side *a = &meeting->sides[0], *b = &meeting->sides[1];
    uint32_t seen = 0;
    for (uint32_t i = 1; i < a->count; i++) {
        if (!a->acts[i].takes || !a->acts[i - 1].held_count) continue;
        for (uint32_t k = 1; k < b->count; k++) {
            if (!b->acts[k].takes || !holds(&a->acts[i - 1], b->acts[k].address) ||
                !holds(&b->acts[k - 1], a->acts[i].address) || a->acts[i].address == b->acts[k].address)
                continue;
            if (keeps_out(&a->acts[i - 1], b, 0, k - 1) || any(rng, ++seen) != 0) continue;
            begin_runs(one);
            add_run(one, FIRST, a->acts[i].step - 1);
            add_run(one, SECOND, UINT64_MAX);
            one->places[0] = a->acts[i].site;
            one->places[1] = b->acts[k].site;
            one->places[2] = 3;
        }
    }
    return seen > 0;
}

bool rv_meeting_draw(const struct rv_meeting *meeting, struct rv_rng *rng, struct rv_switch *one) {
    one->path = mix(meeting->sides[0].path, meeting->sides[1].path);
    if (any(rng, 4) == 0 && draw_deadlock(meeting, rng, one)) return true;
    for (unsigned i = 0; i < DRAWS && meeting->sides[0].use_count && meeting->sides[1].use_count; i++)
        if (draw(meeting, rng, one)) return true;
    return draw_deadlock(meeting, rng, one);
}
