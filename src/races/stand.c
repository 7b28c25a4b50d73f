#include "races/stand.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/hb.h"
#include "races/pages.h"
#include "report/text.h"

enum {
    HB_MEMORY = 1 << 30,    /* address space */
    GRANULES_MAX = 1 << 20, /* of what is left out */
    GRANULE_SHIFT = 3
};

/* ---- what happens before them ---- */

struct past {
    uint64_t *epochs;      /* by record, up to the second access */
    struct rv_clock known; /* by slot: what either of them knows; its own memory */
    const struct rv_record *records;
    uint32_t first, second;
};

static void join(struct rv_clock *into, const struct rv_clock *from) {
    if (into->length < from->length) {
        into->at = rv_text_realloc(into->at, from->length, sizeof *into->at);
        memset(into->at + into->length, 0, (from->length - into->length) * sizeof *into->at);
        into->length = from->length;
    }
    for (uint32_t i = 0; i < from->length; i++)
        if (from->at[i] > into->at[i]) into->at[i] = from->at[i];
}

static bool find_past(struct past *past, const struct rv_trace *trace) {
    struct rv_page_list pages = {0};
    struct rv_hb hb;
    rv_pages_use(&pages);
    bool good = rv_hb_init(&hb, &rv_listed_pages, HB_MEMORY, true);
    if (good) (void)rv_hb_begin(&hb);
    for (uint32_t i = 0; good && i <= past->second; i++) {
        const struct rv_step *step = &trace->records[i].step;
        const struct rv_hb_thread *thread = rv_hb_before(&hb, step);
        good = thread && !hb.exhausted;
        if (!good) break;
        past->epochs[i] = thread->epoch;
        if (i == past->first || i == past->second) join(&past->known, &thread->clock);
        rv_hb_after(&hb, step);
    }
    rv_pages_give_back(&pages);
    return good;
}

static bool is_kept(const struct past *past, uint32_t record) {
    uint32_t thread = past->records[record].step.thread;
    if (record >= past->first && thread == past->records[past->first].step.thread) return false;
    if (record >= past->second) return false;
    uint64_t epoch = past->epochs[record];
    return rv_epoch_clock(epoch) <= rv_clock_get(&past->known, rv_epoch_slot(epoch));
}

static void find_cuts(struct rv_stand *stand, const struct past *past) {
    for (uint32_t i = 0; i <= past->second; i++)
        if (past->records[i].step.thread >= stand->thread_count)
            stand->thread_count = past->records[i].step.thread + 1;
    stand->cuts = rv_text_alloc(stand->thread_count, sizeof *stand->cuts);
    for (uint32_t i = 0; i < past->second; i++) {
        const struct rv_record *record = &past->records[i];
        if (is_kept(past, i) && record->number > stand->cuts[record->step.thread])
            stand->cuts[record->step.thread] = record->number;
    }
    const uint32_t ends[2] = {past->first, past->second};
    for (unsigned i = 0; i < 2; i++) { /* numbers count the access itself */
        const struct rv_record *record = &past->records[ends[i]];
        stand->cuts[record->step.thread] = record->number ? record->number - 1 : 0;
    }
}

/* Threads are numbered as they are created. */
static void number_threads(struct rv_stand *stand, const struct past *past) {
    uint32_t count = 1;
    stand->numbers = rv_text_alloc(stand->thread_count, sizeof *stand->numbers);
    for (uint32_t i = 0; i < past->second; i++) {
        const struct rv_step *step = &past->records[i].step;
        if (step->kind != RV_STEP_CREATE || !is_kept(past, i)) continue;
        if (step->address < stand->thread_count) stand->numbers[step->address] = count;
        count++;
    }
}

/* ---- what is left out and missed ---- */

struct write {
    uint64_t granule;
    uint32_t record; /* 1 + number; 0: free */
};

/* The last write of each granule that was left out: open addressing, at most half full. */
struct writes {
    struct write *slots;
    uint32_t count, capacity;
};

static struct write *slot_of(const struct writes *writes, uint64_t granule) {
    uint64_t at = granule * 0x9e3779b97f4a7c15u >> 20;
    while (writes->slots[at & (writes->capacity - 1)].record &&
           writes->slots[at & (writes->capacity - 1)].granule != granule)
        at++;
    return &writes->slots[at & (writes->capacity - 1)];
}

static void grow(struct writes *writes) {
    struct writes old = *writes;
    if (2 * (old.count + 1) <= old.capacity) return;
    writes->capacity = old.capacity ? 2 * old.capacity : 1024;
    writes->slots = rv_text_alloc(writes->capacity, sizeof *writes->slots);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.slots[i].record) *slot_of(writes, old.slots[i].granule) = old.slots[i];
    free(old.slots);
}

static void leave_out(struct writes *writes, const struct rv_step *step, uint32_t record) {
    uint64_t last = (step->address + (step->size - 1)) >> GRANULE_SHIFT;
    for (uint64_t at = step->address >> GRANULE_SHIFT; at <= last && writes->count < GRANULES_MAX; at++) {
        grow(writes);
        struct write *slot = slot_of(writes, at);
        writes->count += slot->record == 0;
        *slot = (struct write){at, record + 1};
    }
}

static bool overlap(const struct rv_step *a, const struct rv_step *b) {
    return a->address - b->address < b->size || b->address - a->address < a->size;
}

/* 1 + record of a write that this access would have seen; 0: none. */
static uint32_t missed(const struct writes *writes, const struct past *past, const struct rv_step *step) {
    uint64_t last = (step->address + (step->size - 1)) >> GRANULE_SHIFT;
    for (uint64_t at = step->address >> GRANULE_SHIFT; writes->count && at <= last; at++) {
        const struct write *slot = slot_of(writes, at);
        if (slot->record && overlap(&past->records[slot->record - 1].step, step)) return slot->record;
    }
    return 0;
}

static void find_dependence(struct rv_stand *stand, const struct past *past) {
    struct writes writes = {0};
    for (uint32_t i = 0; i < past->second && !stand->depends; i++) {
        const struct rv_step *step = &past->records[i].step;
        if (!rv_step_is_access(step->kind) || step->kind == RV_STEP_FREE) continue;
        bool kept = is_kept(past, i);
        if (!kept && rv_step_writes(step->kind)) {
            leave_out(&writes, step, i);
        } else if (kept && step->kind != RV_STEP_WRITE && step->kind != RV_STEP_ATOMIC_WRITE) {
            uint32_t write = missed(&writes, past, step);
            stand->depends = write != 0;
            stand->write = write - 1;
            stand->read = i;
        }
    }
    free(writes.slots);
}

/* ---- the door ---- */

void rv_stand_find(struct rv_stand *stand, const struct rv_trace *trace, uint32_t first, uint32_t second) {
    struct past past = {.records = trace->records, .first = first, .second = second};
    *stand = (struct rv_stand){0};
    past.epochs = rv_text_alloc(second + 1, sizeof *past.epochs);
    if (find_past(&past, trace)) {
        find_cuts(stand, &past);
        number_threads(stand, &past);
        find_dependence(stand, &past);
    }
    free(past.epochs);
    free(past.known.at);
}

struct rv_schedule rv_stand_schedule(const struct rv_stand *stand, const struct rv_schedule *schedule) {
    struct rv_schedule beginning =
        rv_schedule_copy(schedule->runs, schedule->run_count, schedule->choices, schedule->choice_count);
    uint64_t count = 0;
    uint64_t *reached = rv_text_alloc(stand->thread_count, sizeof *reached);
    for (uint64_t i = 0; i < beginning.run_count; i++) {
        struct rv_run run = beginning.runs[i];
        uint64_t cut = run.thread < stand->thread_count ? stand->cuts[run.thread] : 0;
        if (run.until > cut) run.until = cut;
        if (!cut || run.until <= reached[run.thread]) continue;
        reached[run.thread] = run.until;
        run.thread = stand->numbers[run.thread];
        beginning.runs[count++] = run;
    }
    free(reached);
    beginning.run_count = count;
    return beginning;
}

void rv_stand_free(struct rv_stand *stand) {
    free(stand->cuts);
    free(stand->numbers);
    *stand = (struct rv_stand){0};
}
