#include "races/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static uint32_t *slot_of(const struct rv_evidence *evidence, uint64_t signature) {
    uint32_t at = (uint32_t)(signature >> 32) & (evidence->slot_count - 1);
    while (evidence->slots[at] && evidence->races[evidence->slots[at] - 1].signature != signature)
        at = (at + 1) & (evidence->slot_count - 1);
    return &evidence->slots[at];
}

/* Room for one more race; at most half of the slots are taken. */
static void grow(struct rv_evidence *evidence) {
    if (evidence->race_count < evidence->race_capacity) return;
    evidence->race_capacity = evidence->race_capacity ? 2 * evidence->race_capacity : 64;
    evidence->races = rv_text_realloc(evidence->races, evidence->race_capacity, sizeof *evidence->races);
    free(evidence->slots);
    evidence->slot_count = 2 * evidence->race_capacity;
    evidence->slots = rv_text_alloc(evidence->slot_count, sizeof *evidence->slots);
    for (uint32_t i = 0; i < evidence->race_count; i++)
        *slot_of(evidence, evidence->races[i].signature) = i + 1;
}

void rv_evidence_race(struct rv_evidence *evidence, uint64_t signature, uint32_t first, uint32_t second,
                      unsigned flag) {
    grow(evidence);
    uint32_t *slot = slot_of(evidence, signature);
    if (!*slot && evidence->race_count == RV_EVIDENCE_RACES) {
        evidence->left_out++;
        return;
    }
    if (!*slot) {
        evidence->races[evidence->race_count] = (struct rv_race_evidence){.signature = signature};
        *slot = ++evidence->race_count;
    }
    struct rv_race_evidence *race = &evidence->races[*slot - 1];
    if (flag > race->flags) { /* better than all before */
        race->first = first;
        race->second = second;
    }
    race->flags |= flag;
}

const struct rv_race_evidence *rv_evidence_find(const struct rv_evidence *evidence, uint64_t signature) {
    uint32_t number = evidence->slot_count ? *slot_of(evidence, signature) : 0;
    return number ? &evidence->races[number - 1] : NULL;
}

void rv_evidence_deadlock(struct rv_evidence *evidence, const struct rv_lock_wait *waits, uint32_t count) {
    struct rv_lock_sites sites[RV_LONGEST_CYCLE];
    struct rv_deadlock_evidence found = {.pattern.count = count};
    for (uint32_t i = 0; i < count; i++) {
        sites[i] = (struct rv_lock_sites){waits[i].held_site, waits[i].wanted_site};
        found.pattern.waits[i] = waits[i];
    }
    found.signature = rv_deadlock_signature(sites, count);
    for (uint32_t i = 0; i < evidence->deadlock_count; i++)
        if (evidence->deadlocks[i].signature == found.signature) return;
    if (evidence->deadlock_count == RV_EVIDENCE_DEADLOCKS) {
        evidence->left_out++;
        return;
    }
    if (!evidence->deadlocks)
        evidence->deadlocks = rv_text_alloc(RV_EVIDENCE_DEADLOCKS, sizeof *evidence->deadlocks);
    evidence->deadlocks[evidence->deadlock_count++] = found;
}

void rv_evidence_free(struct rv_evidence *evidence) {
    free(evidence->races);
    free(evidence->deadlocks);
    free(evidence->slots);
    *evidence = (struct rv_evidence){0};
}
