#include "regress/pairs.h"

#include <stdlib.h>

#include "report/text.h"

/* Targets by their blocks: an open hash table of numbers + 1. */
struct table {
    uint32_t *slots;
    uint32_t size, capacity; /* size: a power of two; capacity: of targets */
};

static uint32_t *slot_of(const struct table *table, const struct rv_isvps *isvps, uint32_t a, uint32_t b) {
    uint64_t hash = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    for (uint32_t at = (uint32_t)(hash >> 33);; at++) {
        uint32_t *slot = &table->slots[at & (table->size - 1)];
        const struct rv_target *target = *slot ? &isvps->targets[*slot - 1] : NULL;
        if (!target || (target->first == a && target->second == b)) return slot;
    }
}

static void grow(struct table *table, struct rv_isvps *isvps) {
    if (isvps->target_count == table->capacity) {
        table->capacity = table->capacity ? table->capacity * 2 : 64;
        isvps->targets = rv_text_realloc(isvps->targets, table->capacity, sizeof *isvps->targets);
    }
    if (table->size > isvps->target_count * 2) return;
    free(table->slots);
    table->size = table->size ? table->size * 2 : 256;
    table->slots = rv_text_alloc(table->size, sizeof *table->slots);
    for (uint32_t i = 0; i < isvps->target_count; i++)
        *slot_of(table, isvps, isvps->targets[i].first, isvps->targets[i].second) = i + 1;
}

static uint32_t target_of(struct table *table, struct rv_isvps *isvps, uint32_t a, uint32_t b) {
    grow(table, isvps);
    uint32_t *slot = slot_of(table, isvps, a < b ? a : b, a < b ? b : a);
    if (!*slot) {
        isvps->targets[isvps->target_count] = (struct rv_target){a < b ? a : b, a < b ? b : a, 0, 0};
        *slot = ++isvps->target_count;
    }
    return *slot - 1;
}

static bool in_common(const struct rv_model *model, struct rv_model_list a, struct rv_model_list b) {
    for (uint32_t i = 0; i < a.count; i++)
        for (uint32_t k = 0; k < b.count; k++)
            if (rv_model_item(model, a, i) == rv_model_item(model, b, k)) return true;
    return false;
}

/* Whether two threads can be in the two functions. A model that knows of no threads does not tell. */
static bool by_two_threads(const struct rv_model *model, uint32_t a, uint32_t b) {
    struct rv_model_list first = model->functions[a].threads, second = model->functions[b].threads;
    if (model->thread_count == 0) return true;
    for (uint32_t i = 0; i < first.count; i++) {
        for (uint32_t k = 0; k < second.count; k++) {
            uint32_t x = rv_model_item(model, first, i), y = rv_model_item(model, second, k);
            if (x != y || model->threads[x].many) return true;
        }
    }
    return false;
}

static bool may_race(const struct rv_model *model, const struct rv_model_site *a,
                     const struct rv_model_site *b) {
    return ((a->kind | b->kind) & RV_MODEL_WRITE) && !(a->kind & b->kind & RV_MODEL_ATOMIC) &&
           !in_common(model, a->locks, b->locks) && by_two_threads(model, a->function, b->function);
}

static uint32_t block_of(const struct rv_version *version, uint32_t site) {
    uint32_t statement = version->site_statement[site];
    return statement == RV_NONE ? RV_NONE : rv_statement_block(version, statement);
}

static void add(struct rv_isvps *isvps, struct table *table, const struct rv_impact *impact, uint32_t a,
                uint32_t b) {
    const struct rv_version *version = impact->match->new;
    uint32_t first = block_of(version, a), second = block_of(version, b);
    if (first == RV_NONE || second == RV_NONE) return;
    uint32_t target = target_of(table, isvps, first, second);
    isvps->targets[target].pairs++;
    isvps->targets[target].groups |= impact->sites[a].groups | impact->sites[b].groups;
    if (isvps->count == RV_PAIRS_MAX) {
        isvps->more++;
        return;
    }
    if ((isvps->count & (isvps->count + 1)) == 0)
        isvps->pairs = rv_text_realloc(isvps->pairs, isvps->count * 2 + 2, sizeof *isvps->pairs);
    isvps->pairs[isvps->count++] = (struct rv_isvp){a, b, target};
}

bool rv_isvps_make(struct rv_isvps *isvps, const struct rv_impact *impact) {
    const struct rv_version *version = impact->match->new;
    const struct rv_model *model = version->model;
    struct table table = {0};
    *isvps = (struct rv_isvps){0};
    for (uint32_t i = 0; i < model->site_count && isvps->target_count <= RV_TARGETS_MAX; i++) {
        const struct rv_model_site *site = &model->sites[i];
        if (!impact->sites[i].reason || !model->variables[site->variable].shared) continue;
        for (RV_EACH(use, &version->uses, site->variable)) {
            bool twice = impact->sites[*use].reason && *use < i; /* has been met from the other side */
            if (!twice && may_race(model, site, &model->sites[*use])) add(isvps, &table, impact, i, *use);
        }
    }
    free(table.slots);
    if (isvps->target_count <= RV_TARGETS_MAX) return true;
    rv_isvps_free(isvps);
    return false;
}

void rv_isvps_free(struct rv_isvps *isvps) {
    free(isvps->pairs);
    free(isvps->targets);
    *isvps = (struct rv_isvps){0};
}
