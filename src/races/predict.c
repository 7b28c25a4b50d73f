/* The steps that prediction gets are not quite the records: its memory grows with every 8 bytes that are allocated or given
 * back, and a thread's stack of 8 MB, or a big block, is hardly touched. Of big ranges only the pages are told that are
 * accessed at some time, as steps of their own. */
#include "races/predict.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum { PAGE_SHIFT = 12, BIG = 4 << PAGE_SHIFT, PAGE_LIMIT = 1 << 26, FEW = 1 << 20 };

struct flat {
    struct rv_step *steps;
    uint32_t *origin; /* by step: its record; never falls */
    uint32_t count, capacity;
    uint64_t *pages; /* that are accessed, sorted */
    uint32_t page_count;
};

static int compare_pages(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* False: no memory. */
static bool find_pages(struct flat *flat, const struct rv_trace *trace, struct rv_arena *arena) {
    size_t mark = rv_arena_mark(arena);
    struct rv_index pages = {0};
    uint64_t latest = UINT64_MAX;
    bool done = true;
    for (uint32_t i = 0; i < trace->record_count && done; i++) {
        const struct rv_step *step = &trace->records[i].step;
        if (!rv_step_is_access(step->kind) || step->kind == RV_STEP_FREE) continue;
        uint64_t last = (step->address + (step->size - 1)) >> PAGE_SHIFT;
        for (uint64_t page = step->address >> PAGE_SHIFT; page <= last && done; page++) {
            if (page == latest) continue;
            latest = page;
            uint32_t number = rv_index_add(&pages, arena, page, sizeof(uint64_t), PAGE_LIMIT);
            done = number != RV_NO_NUMBER;
            if (done) ((uint64_t *)pages.items)[number] = page;
        }
    }
    flat->page_count = done ? pages.count : 0;
    flat->pages = rv_text_alloc(flat->page_count, sizeof *flat->pages);
    if (flat->page_count) {
        memcpy(flat->pages, pages.items, flat->page_count * sizeof *flat->pages);
        qsort(flat->pages, flat->page_count, sizeof *flat->pages, compare_pages);
    }
    rv_arena_reset(arena, mark);
    return done;
}

static void add(struct flat *flat, const struct rv_step *step, uint32_t record) {
    if (flat->count == flat->capacity) {
        flat->capacity = flat->capacity * 2 + 1024;
        flat->steps = rv_text_realloc(flat->steps, flat->capacity, sizeof *flat->steps);
        flat->origin = rv_text_realloc(flat->origin, flat->capacity, sizeof *flat->origin);
    }
    flat->steps[flat->count] = *step;
    flat->origin[flat->count++] = record;
}

/* The runs of accessed pages in the step's range. */
static void add_touched(struct flat *flat, const struct rv_step *step, uint32_t record) {
    uint64_t last = step->address + (step->size - 1), page = step->address >> PAGE_SHIFT;
    uint32_t low = 0, high = flat->page_count; /* low: the first page from there on */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (flat->pages[middle] < page)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < flat->page_count && flat->pages[low] <= last >> PAGE_SHIFT) {
        uint64_t begin = flat->pages[low] << PAGE_SHIFT, end = flat->pages[low] + 1;
        for (low++; low < flat->page_count && flat->pages[low] == end; end++) low++;
        uint64_t run_last = (end << PAGE_SHIFT) - 1;
        if (begin < step->address) begin = step->address;
        if (run_last > last) run_last = last;
        struct rv_step part = *step;
        part.address = begin;
        part.size = run_last - begin + 1;
        add(flat, &part, record);
    }
}

/* As many records as can be told in some multiple of steps. False: no memory. */
static bool flatten(struct flat *flat, const struct rv_trace *trace, struct rv_arena *arena) {
    if (!find_pages(flat, trace, arena)) return false;
    uint64_t most = 2 * (uint64_t)trace->record_count + FEW;
    for (uint32_t i = 0; i < trace->record_count && flat->count < most; i++) {
        const struct rv_step *step = &trace->records[i].step;
        bool about_range = step->kind == RV_STEP_ALLOC || step->kind == RV_STEP_FREE;
        if (about_range && !step->size) continue;
        if (about_range && step->size >= BIG)
            add_touched(flat, step, i);
        else
            add(flat, step, i);
    }
    return true;
}

static uint32_t step_of(const struct flat *flat, uint32_t record) {
    uint32_t low = 0, high = flat->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (flat->origin[middle] < record)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct relay {
    const struct flat *flat;
    rv_syncp_callback *callback;
    void *user;
};

static void pass_on(void *user, uint32_t first, uint32_t second) {
    const struct relay *relay = user;
    relay->callback(relay->user, relay->flat->origin[first], relay->flat->origin[second]);
}

/* The patterns with steps for records, and those that are predicted back again. */
static bool predict_deadlocks(struct rv_predictor *predictor, const struct flat *flat, uint32_t count,
                              uint64_t *work, struct rv_deadlock_pattern *patterns, uint32_t pattern_count) {
    struct rv_deadlock_pattern *mapped = rv_text_alloc(pattern_count, sizeof *mapped);
    for (uint32_t i = 0; i < pattern_count; i++) {
        mapped[i] = patterns[i];
        for (uint32_t k = 0; k < patterns[i].count; k++)
            mapped[i].waits[k].wanted_step = step_of(flat, patterns[i].waits[k].wanted_step);
    }
    bool done = rv_syncp_find_deadlocks(flat->steps, count, &predictor->arena, work, mapped, pattern_count);
    for (uint32_t i = 0; i < pattern_count; i++) {
        if (!mapped[i].predicted) continue;
        patterns[i] = mapped[i];
        for (uint32_t k = 0; k < patterns[i].count; k++) {
            patterns[i].waits[k].wanted_step = flat->origin[mapped[i].waits[k].wanted_step];
            patterns[i].waits[k].held_step = flat->origin[mapped[i].waits[k].held_step];
        }
    }
    free(mapped);
    return done;
}

/* Steps that memory can suffice for at all: two vectors of all threads for each. */
static uint32_t first_guess(const struct flat *flat, const struct rv_trace *trace, size_t memory) {
    uint32_t threads = 1;
    for (uint32_t i = 0; i < trace->record_count; i++)
        threads += trace->records[i].step.kind == RV_STEP_CREATE;
    uint64_t most = memory / (8 * (uint64_t)threads + 8);
    return flat->count < most ? flat->count : (uint32_t)most;
}

struct rv_predicted rv_predict(struct rv_predictor *predictor, const struct rv_trace *trace,
                               struct rv_deadlock_pattern *patterns, uint32_t pattern_count,
                               rv_syncp_callback *callback, void *user) {
    struct flat flat = {0};
    struct relay relay = {&flat, callback, user};
    uint64_t work = predictor->work ? predictor->work : 1;
    bool possible = predictor->arena.size && flatten(&flat, trace, &predictor->arena), done = false;
    uint32_t count = possible ? first_guess(&flat, trace, predictor->arena.size) : 0;
    while (count &&
           !(done = rv_syncp_find_within(flat.steps, count, &predictor->arena, &work, pass_on, &relay)) &&
           work)
        count /= 2;
    done = done && pattern_count;
    while (done && count && work &&
           !predict_deadlocks(predictor, &flat, count, &work, patterns, pattern_count))
        count /= 2;
    struct rv_predicted result = {.tired = !work};
    if (count == flat.count)
        result.records = possible ? flat.count ? flat.origin[flat.count - 1] + 1 : 0 : 0;
    else
        result.records = count ? flat.origin[count] : 0;
    free(flat.steps);
    free(flat.origin);
    free(flat.pages);
    return result;
}
