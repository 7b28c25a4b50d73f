/* Happens-before of one execution, by vector clocks: from the steps that order threads (step.h) to the question whether
 * an earlier moment of one thread is known to another.
 *
 * An *epoch* is a moment of a thread in one word: slot and clock. A thread's clock goes up when others may learn of it
 * (every release), so what it does between two releases has one epoch.
 *
 *   operation        | called                             | guarantees
 *   rv_hb_init       | once                               | false: no memory
 *   rv_hb_begin      | before each execution              | nothing is known; takes a constant time
 *   rv_hb_before     | for each step, first               | the step's thread knows all that happens before the step
 *   (the access itself, if the step is one, has the thread's epoch)
 *   rv_hb_after      | for each step, then                | what the step publishes is published
 *   rv_hb_ordered    | between the two                    | whether the epoch happens before the thread's present
 *   rv_hb_everywhere | any time                           | true: it does so for all threads there are and will be
 *
 * With `locks` false, LOCK and UNLOCK make no edges: what is left is the order that does not depend on who came first to a
 * lock (lockset.h, lockorder.h).
 *
 * `exhausted`: there was no memory for something. Order may be missing from then on, so nobody must draw conclusions;
 * users of this stop there and say so.
 */
#ifndef RV_ANALYSIS_HB_H
#define RV_ANALYSIS_HB_H

#include "analysis/clock.h"
#include "analysis/step.h"
#include "strategy/index.h"

/* An epoch: slot 14 | clock 36. */
enum { RV_CLOCK_BITS = 36, RV_SLOT_BITS = 14, RV_EPOCH_BITS = RV_CLOCK_BITS + RV_SLOT_BITS };
#define RV_CLOCK_MAX (((uint64_t)1 << RV_CLOCK_BITS) - 1)

static inline uint32_t rv_epoch_slot(uint64_t epoch) {
    return (uint32_t)(epoch >> RV_CLOCK_BITS) & ((1u << RV_SLOT_BITS) - 1);
}
static inline uint64_t rv_epoch_clock(uint64_t epoch) { return epoch & RV_CLOCK_MAX; }

/* Stays where it is until the next rv_hb_begin. */
struct rv_hb_thread {
    uint64_t epoch;                /* its present */
    struct rv_clock clock;         /* what it knows, itself included */
    struct rv_clock fenced;        /* what it knew at its last release fence */
    struct rv_clock unfenced;      /* what its atomic reads saw since ever: known after an acquire fence */
    struct rv_hb_thread *arrived;  /* at a barrier: who came before it */
    struct rv_hb_thread *previous; /* of the list of live threads */
    struct rv_hb_thread *next;
    uint32_t number, slot;
    bool alive;
};

struct rv_hb_slot;
struct rv_hb_head;
struct rv_hb {
    struct rv_arena arena; /* for the execution */
    struct rv_clock_pool pool;
    struct rv_index objects, pages;
    struct rv_hb_thread **threads; /* by number */
    struct rv_hb_thread *live;
    struct rv_hb_slot *slots;
    uint32_t thread_capacity, slot_count, slot_capacity;
    uint32_t free_slot, last_free_slot; /* queue of slots of finished threads; 1 + slot */
    struct rv_hb_head *free_heads;
    uint64_t base;    /* clocks below are of earlier executions */
    uint64_t last;    /* highest clock given out */
    uint64_t version; /* goes up when somebody may have learned something */
    bool locks, exhausted;
};

bool rv_hb_init(struct rv_hb *hb, const struct rv_pages *pages, size_t memory, bool locks);
/* True: clocks begin at 1 again, so that epochs of earlier executions must be forgotten by those who keep some. */
bool rv_hb_begin(struct rv_hb *hb);
/* NULL: exhausted. */
struct rv_hb_thread *rv_hb_thread(struct rv_hb *hb, uint32_t number);
struct rv_hb_thread *rv_hb_before(struct rv_hb *hb, const struct rv_step *step);
void rv_hb_after(struct rv_hb *hb, const struct rv_step *step);
bool rv_hb_everywhere(struct rv_hb *hb, uint64_t epoch);
/* Number of the thread that the epoch belongs to. */
uint32_t rv_hb_owner(const struct rv_hb *hb, uint64_t epoch);

/* Epochs of earlier executions happen before everything. */
static inline bool rv_hb_ordered(const struct rv_hb *hb, uint64_t epoch, const struct rv_hb_thread *thread) {
    uint64_t clock = rv_epoch_clock(epoch);
    return clock <= rv_clock_get(&thread->clock, rv_epoch_slot(epoch)) || clock < hb->base;
}

#endif
