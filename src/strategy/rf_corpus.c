/* The memory of reads-from sampling: which pairs there are, which sets of constraints were worth keeping, and new
 * sets made from those. The idea is in rf.c, the words in rf.h.
 *
 * Which constraints are there to be added? Not only pairs that were seen. Two statements that met at one object
 * make both orders possible, and each of them could be the first. What has never been seen is tried
 * first (UNSEEN_ODDS), the least tried of a few drawn: some of it is impossible, and must not eat the budget.
 *
 * What is kept? A set whose execution showed a pair for the first time (with that pair as one more constraint, for
 * it may have been luck), or a combination of pairs that is new. What is it worth? A set is taken with a chance
 * inverse to how often the signature of its execution has come up since and to how often it was taken: the
 * power schedule of the paper, without its exponent. When the corpus is full the least worth gives way.
 */
#include <assert.h>

#include "strategy/rf.h"

enum { DRAWS = 3, WORTH = 1 << 20 };
#define PLAIN_ODDS  RV_ODDS(1, 8) /* executions without constraints */
#define UNSEEN_ODDS RV_ODDS(2, 3)

static struct rf_pair *pair_at(const struct rf_state *state, uint32_t number) {
    return (struct rf_pair *)state->pairs.items + number;
}

static uint64_t pair_key(uint32_t from, uint32_t to) { return (uint64_t)from << 32 | to; }

/* ---- pairs */

static uint32_t know_pair(struct rf_state *state, uint32_t from, uint32_t to) {
    uint32_t known = state->pairs.count;
    uint32_t number = rv_index_add(&state->pairs, state->pos.arena, pair_key(from, to),
                                   sizeof(struct rf_pair), RF_MAX_PAIRS);
    if (number == known && number != RV_NO_NUMBER) {
        *pair_at(state, number) = (struct rf_pair){.from = from, .to = to};
        state->unseen++;
    }
    return number;
}

void rf_relate(struct rf_state *state, const struct rf_access *a, const struct rf_access *b) {
    if (a->site == RF_NOBODY || a->thread == b->thread || !(a->write || b->write)) return;
    (void)know_pair(state, a->site, b->site);
    (void)know_pair(state, b->site, a->site);
    (void)know_pair(state, RF_NOBODY, a->site);
    (void)know_pair(state, RF_NOBODY, b->site);
}

void rf_pair_seen(struct rf_state *state, uint32_t from, uint32_t to) {
    /* Being the first somewhere is worth nothing if nobody else ever comes. */
    uint32_t number =
        from == RF_NOBODY ? rv_index_find(&state->pairs, pair_key(from, to)) : know_pair(state, from, to);
    if (number == RV_NO_NUMBER) return;
    struct rf_pair *pair = pair_at(state, number);
    if (pair->generation == state->pos.generation) return;
    if (!pair->generation) {
        state->unseen--;
        if (rv_rng_below(&state->pos.rng, ++state->news) == 0) state->news_pair = number;
    }
    pair->generation = state->pos.generation;
    struct rv_rng hash = {pair_key(from, to)};
    state->signature += rv_rng_next(&hash);
}

void rf_mark_rivals(struct rf_state *state, const struct rf_constraint *constraint, uint8_t bit) {
    for (uint32_t i = 0; i < state->pairs.count; i++) {
        const struct rf_pair *pair = pair_at(state, i);
        if (pair->to != constraint->to || pair->from == RF_NOBODY) continue;
        if (pair->from != constraint->from && pair->from != pair->to)
            rf_site_at(state, pair->from)->rival |= bit;
    }
}

/* ---- signatures */

/* The counter of a signature: its own, a free one, or that of the rarest among its neighbours. */
static struct rf_signature *signature_of(struct rf_state *state, uint64_t hash) {
    struct rf_signature *rarest = NULL;
    for (uint64_t i = 0; i < 8; i++) {
        struct rf_signature *entry = &state->signatures[(hash + i) % RF_SIGNATURES];
        if (entry->count && entry->hash == hash) return entry;
        if (!rarest || entry->count < rarest->count) rarest = entry;
    }
    *rarest = (struct rf_signature){.hash = hash};
    return rarest;
}

static uint32_t signature_count(const struct rf_state *state, uint64_t hash) {
    for (uint64_t i = 0; i < 8; i++) {
        const struct rf_signature *entry = &state->signatures[(hash + i) % RF_SIGNATURES];
        if (entry->count && entry->hash == hash) return entry->count;
    }
    return 0;
}

/* ---- sets */

static bool set_equal(const struct rf_set *a, const struct rf_set *b) {
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct rf_constraint *x = &a->constraints[i];
        const struct rf_constraint *y = &b->constraints[i];
        if (x->from != y->from || x->to != y->to || x->positive != y->positive) return false;
    }
    return true;
}

static void set_put(struct rf_set *set, uint32_t at, struct rf_constraint constraint) {
    for (uint32_t i = 0; i < set->count; i++) {
        struct rf_constraint *other = &set->constraints[i];
        if (other->from != constraint.from || other->to != constraint.to) continue;
        *other = constraint;
        return;
    }
    if (at >= RF_CONSTRAINTS) return;
    if (at == set->count) set->count++;
    set->constraints[at] = constraint;
}

static void set_remove(struct rf_set *set, uint32_t at) {
    assert(at < set->count);
    set->constraints[at] = set->constraints[--set->count];
}

/* A pair to ask for: the least tried of a few, for the most part of those never seen. */
static struct rf_pair *draw_pair(struct rf_state *state) {
    bool unseen = state->unseen && rv_chance(&state->pos.rng, UNSEEN_ODDS);
    struct rf_pair *best = NULL;
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        uint32_t at = (uint32_t)rv_rng_below(&state->pos.rng, state->pairs.count);
        for (uint32_t i = 0; unseen && i < state->pairs.count && pair_at(state, at)->generation; i++)
            at = (at + 1) % state->pairs.count;
        struct rf_pair *pair = pair_at(state, at);
        if (!best || pair->tries < best->tries) best = pair;
    }
    return best;
}

static void add_drawn(struct rf_state *state, uint32_t at) {
    struct rf_pair *pair = draw_pair(state);
    if (pair->tries < UINT32_MAX) pair->tries++;
    set_put(&state->set, at, (struct rf_constraint){pair->from, pair->to, true});
}

static void mutate(struct rf_state *state) {
    struct rf_set *set = &state->set;
    uint64_t kind = rv_rng_below(&state->pos.rng, 6);
    if (!set->count || (kind < 3 && set->count < RF_CONSTRAINTS)) {
        add_drawn(state, set->count);
        return;
    }
    uint32_t at = (uint32_t)rv_rng_below(&state->pos.rng, set->count);
    if (kind == 3)
        set->constraints[at].positive = !set->constraints[at].positive;
    else if (kind == 4)
        set_remove(set, at);
    else
        add_drawn(state, at);
}

/* ---- the corpus */

static uint64_t worth(const struct rf_state *state, const struct rf_kept *kept) {
    uint64_t seen = signature_count(state, kept->signature);
    return 1 + WORTH / ((1 + seen) * (1 + kept->uses));
}

/* One of the kept sets, by what they are worth. */
static struct rf_kept *draw_kept(struct rf_state *state) {
    uint64_t sum = 0;
    struct rf_kept *drawn = NULL;
    for (uint32_t i = 0; i < state->kept_count; i++) {
        uint64_t own = worth(state, &state->kept[i]);
        sum += own;
        if (rv_rng_below(&state->pos.rng, sum) < own) drawn = &state->kept[i];
    }
    return drawn;
}

void rf_make_set(struct rf_state *state) {
    state->set.count = 0;
    state->signature = 0;
    state->news = 0;
    if (!state->pairs.count || rv_chance(&state->pos.rng, PLAIN_ODDS)) return;
    struct rf_kept *kept = draw_kept(state);
    if (kept) {
        state->set = kept->set;
        kept->uses++;
    }
    mutate(state);
}

static void keep(struct rf_state *state, const struct rf_set *set) {
    struct rf_kept *place = &state->kept[0];
    for (uint32_t i = 0; i < state->kept_count; i++) {
        if (set_equal(&state->kept[i].set, set)) return;
        if (worth(state, &state->kept[i]) < worth(state, place)) place = &state->kept[i];
    }
    if (state->kept_count < RF_CORPUS) place = &state->kept[state->kept_count++];
    *place = (struct rf_kept){.set = *set, .signature = state->signature};
}

void rf_judge(struct rf_state *state) {
    struct rf_signature *signature = signature_of(state, state->signature);
    if (signature->count < UINT32_MAX) signature->count++;
    if (state->news) {
        const struct rf_pair *pair = pair_at(state, state->news_pair);
        struct rf_set set = state->set;
        set_put(&set, set.count, (struct rf_constraint){pair->from, pair->to, true});
        keep(state, &set);
    }
    if (state->set.count && (state->news || signature->count == 1)) keep(state, &state->set);
}
