/* What the detectors say of one trace, by signature: the pair of records with the best evidence of each race, and one cycle of
 * each deadlock. */
#ifndef RV_RACES_EVIDENCE_H
#define RV_RACES_EVIDENCE_H

#include "analysis/syncp_deadlock.h"
#include "races/find.h"

struct rv_race_evidence {
    uint64_t signature;
    uint32_t first, second; /* records */
    unsigned flags;         /* RV_FIND_* of all that was said; `first` and `second` are from the best */
};

struct rv_deadlock_evidence {
    uint64_t signature;
    struct rv_deadlock_pattern pattern; /* its steps are numbers of records */
};

enum { RV_EVIDENCE_RACES = 1 << 20, RV_EVIDENCE_DEADLOCKS = 1 << 10 };

/* Zeroed: empty. */
struct rv_evidence {
    struct rv_race_evidence *races;
    struct rv_deadlock_evidence *deadlocks;
    uint32_t race_count, race_capacity, deadlock_count;
    uint32_t *slots; /* open hash table by signature of the races: 1 + number */
    uint32_t slot_count;
    uint64_t left_out; /* for which there was no room */
};

void rv_evidence_race(struct rv_evidence *evidence, uint64_t signature, uint32_t first, uint32_t second,
                      unsigned flag);
void rv_evidence_deadlock(struct rv_evidence *evidence, const struct rv_lock_wait *waits, uint32_t count);
/* NULL: nothing was said of it. */
const struct rv_race_evidence *rv_evidence_find(const struct rv_evidence *evidence, uint64_t signature);
void rv_evidence_free(struct rv_evidence *evidence);

#endif
