/* Threads of an execution and their slots in vector clocks.
 *
 * A slot is used again, so that clocks stay as short as the threads that live at once. Thread u may take the slot of a
 * finished thread t if u's creator knows t's end: then all of t happens before all of u, and the two may count as one
 * thread, u going on at the next clock. Nobody is deceived: whoever knows the slot up to a clock of u has it from u, and
 * u knew all of t. With any other reuse an access of t could seem ordered because u was heard of.
 *
 * Finished slots wait in a queue; a creator looks at a few, and those that it does not know go to the end.
 */
#include "analysis/hb_internal.h"

#include "strategy/sample.h"

enum { SLOTS_TRIED = 8, SLOT_LIMIT = 1 << RV_SLOT_BITS };

static void queue_slot(struct rv_hb *hb, uint32_t slot) {
    uint32_t *last = &hb->last_free_slot;
    *(*last ? &hb->slots[*last - 1].next_free : &hb->free_slot) = slot + 1;
    hb->slots[slot].next_free = 0;
    *last = slot + 1;
}

static uint32_t pop_slot(struct rv_hb *hb) {
    uint32_t slot = hb->free_slot - 1;
    hb->free_slot = hb->slots[slot].next_free;
    if (!hb->free_slot) hb->last_free_slot = 0;
    return slot;
}

static bool used_slot(struct rv_hb *hb, const struct rv_hb_thread *creator, uint32_t *slot) {
    for (unsigned tries = 0; creator && hb->free_slot && tries < SLOTS_TRIED; tries++) {
        *slot = pop_slot(hb);
        if (rv_clock_get(&creator->clock, *slot) >= hb->slots[*slot].final) return true;
        queue_slot(hb, *slot);
    }
    return false;
}

static bool fresh_slot(struct rv_hb *hb, uint32_t *slot) {
    if (hb->slot_count == SLOT_LIMIT) return false;
    void *slots = rv_grow(&hb->arena, hb->slots, &hb->slot_capacity, hb->slot_count, sizeof *hb->slots);
    if (!slots) return false;
    hb->slots = slots;
    *slot = hb->slot_count++;
    hb->slots[*slot] = (struct rv_hb_slot){.final = hb->base - 1};
    return true;
}

/* The slot's newest life becomes this thread's. */
static bool begin_life(struct rv_hb *hb, struct rv_hb_thread *thread) {
    struct rv_hb_slot *slot = &hb->slots[thread->slot];
    if (slot->life.first) {
        struct rv_hb_life *earlier = rv_arena_alloc(&hb->arena, sizeof *earlier);
        if (!earlier) return false;
        *earlier = slot->life;
        slot->life.earlier = earlier;
    }
    slot->life.first = slot->final + 1;
    slot->life.thread = thread->number;
    thread->epoch = (uint64_t)thread->slot << RV_CLOCK_BITS | slot->final;
    rv_hb_advance(hb, thread);
    return !hb->exhausted;
}

struct rv_hb_thread *rv_hb_new_thread(struct rv_hb *hb, const struct rv_hb_thread *creator, uint32_t number) {
    struct rv_hb_thread *thread = rv_arena_alloc(&hb->arena, sizeof *thread);
    struct rv_hb_thread **threads =
        rv_grow(&hb->arena, hb->threads, &hb->thread_capacity, number, sizeof(void *));
    if (threads) hb->threads = threads;
    if (!thread || !threads || (creator && !rv_clock_copy(&hb->pool, &thread->clock, &creator->clock)) ||
        !(used_slot(hb, creator, &thread->slot) || fresh_slot(hb, &thread->slot))) {
        hb->exhausted = true;
        return NULL;
    }
    thread->number = number;
    if (!begin_life(hb, thread)) {
        hb->exhausted = true;
        return NULL;
    }
    thread->alive = true;
    thread->next = hb->live;
    if (hb->live) hb->live->previous = thread;
    hb->live = thread;
    hb->threads[number] = thread;
    return thread;
}

struct rv_hb_thread *rv_hb_thread(struct rv_hb *hb, uint32_t number) {
    struct rv_hb_thread *thread = number < hb->thread_capacity ? hb->threads[number] : NULL;
    return thread ? thread : rv_hb_new_thread(hb, NULL, number);
}

void rv_hb_end_thread(struct rv_hb *hb, struct rv_hb_thread *thread) {
    if (thread->next) thread->next->previous = thread->previous;
    *(thread->previous ? &thread->previous->next : &hb->live) = thread->next;
    thread->alive = false;
    hb->slots[thread->slot].final = rv_epoch_clock(thread->epoch);
    queue_slot(hb, thread->slot);
    rv_clock_drop(&hb->pool, &thread->fenced);
    rv_clock_drop(&hb->pool, &thread->unfenced);
}

void rv_hb_advance(struct rv_hb *hb, struct rv_hb_thread *thread) {
    uint64_t clock = rv_epoch_clock(thread->epoch) + 1;
    if (clock > RV_CLOCK_MAX || !rv_clock_set(&hb->pool, &thread->clock, thread->slot, clock)) {
        hb->exhausted = true;
        return;
    }
    thread->epoch++;
    if (clock > hb->last) hb->last = clock;
}

/* What all live threads know only grows: new ones begin with what their creators know. So an earlier answer stays a lower
 * bound, and is computed again only when somebody may have learned something since. */
bool rv_hb_everywhere(struct rv_hb *hb, uint64_t epoch) {
    uint64_t clock = rv_epoch_clock(epoch);
    if (clock < hb->base) return true;
    struct rv_hb_slot *slot = &hb->slots[rv_epoch_slot(epoch)];
    if (slot->floor < clock && slot->floor_version != hb->version) {
        uint64_t floor = RV_CLOCK_MAX;
        for (const struct rv_hb_thread *thread = hb->live; thread; thread = thread->next) {
            uint64_t known = rv_clock_get(&thread->clock, rv_epoch_slot(epoch));
            if (known < floor) floor = known;
        }
        slot->floor = floor;
        slot->floor_version = hb->version;
    }
    return slot->floor >= clock;
}

uint32_t rv_hb_owner(const struct rv_hb *hb, uint64_t epoch) {
    const struct rv_hb_life *life = &hb->slots[rv_epoch_slot(epoch)].life;
    while (life->earlier && life->first > rv_epoch_clock(epoch)) life = life->earlier;
    return life->thread;
}
