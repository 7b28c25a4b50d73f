/* Between hb.c (edges) and hb_thread.c (threads and slots). */
#ifndef RV_ANALYSIS_HB_INTERNAL_H
#define RV_ANALYSIS_HB_INTERNAL_H

#include "analysis/hb.h"

/* An earlier use of a slot. */
struct rv_hb_life {
    struct rv_hb_life *earlier;
    uint64_t first; /* clock */
    uint32_t thread;
};

struct rv_hb_slot {
    struct rv_hb_life life; /* the newest */
    uint64_t final;         /* clock at the end of the newest life */
    uint64_t
        floor; /* all live threads know it up to here, when `version` was the state of things or earlier */
    uint64_t floor_version;
    uint32_t next_free; /* 1 + slot */
};

/* A thread with this number begins; the creator's knowledge is its own. NULL: exhausted. */
struct rv_hb_thread *rv_hb_new_thread(struct rv_hb *hb, const struct rv_hb_thread *creator, uint32_t number);
void rv_hb_end_thread(struct rv_hb *hb, struct rv_hb_thread *thread);
/* What the thread does from now on has a later epoch than what it published. */
void rv_hb_advance(struct rv_hb *hb, struct rv_hb_thread *thread);

#endif
