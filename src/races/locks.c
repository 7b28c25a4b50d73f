#include "races/locks.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum { ARENA = 8 << 20 }; /* sets of locks between two moments without any */

static bool is_about_locks(const struct rv_step *step) {
    return step->kind >= RV_STEP_LOCK && step->kind <= RV_STEP_UNLOCK_SHARED;
}

static void find_periods(struct rv_lock_history *history, uint32_t thread) {
    struct rv_held held = {.arena = &history->arena};
    uint32_t period = history->begin[thread];
    rv_arena_reset(&history->arena, 0);
    for (uint32_t i = period; i < history->begin[thread + 1]; i++) {
        uint32_t record = history->records[i];
        bool known = rv_held_step(&held, &history->trace->records[record].step, record);
        const struct rv_held_thread *now = rv_held_thread(&held, thread);
        history->period[i] = period;
        if (known && now && now->count) continue;
        rv_arena_reset(&history->arena, 0);
        held = (struct rv_held){.arena = &history->arena};
        period = i + 1;
    }
}

void rv_lock_history_init(struct rv_lock_history *history, const struct rv_trace *trace) {
    *history = (struct rv_lock_history){.trace = trace};
    uint32_t *begin = history->begin = rv_text_alloc(RV_TRACE_THREADS + 2, sizeof *begin), count = 0;
    for (uint32_t i = 0; i < trace->record_count; i++) {
        if (!is_about_locks(&trace->records[i].step)) continue;
        begin[trace->records[i].step.thread + 2]++;
        count++;
    }
    for (uint32_t thread = 2; thread < RV_TRACE_THREADS + 2; thread++) begin[thread] += begin[thread - 1];
    history->records = rv_text_alloc(count, sizeof *history->records);
    history->period = rv_text_alloc(count, sizeof *history->period);
    for (uint32_t i = 0; i < trace->record_count; i++) /* begin[t + 1] walks to where t + 1 begins */
        if (is_about_locks(&trace->records[i].step))
            history->records[begin[trace->records[i].step.thread + 1]++] = i;
    rv_arena_init(&history->arena, rv_text_alloc(ARENA, 1), ARENA);
    for (uint32_t thread = 0; thread < RV_TRACE_THREADS; thread++)
        if (begin[thread] < begin[thread + 1]) find_periods(history, thread);
}

void rv_lock_history_free(struct rv_lock_history *history) {
    free(history->records);
    free(history->period);
    free(history->begin);
    free(history->arena.base);
    *history = (struct rv_lock_history){0};
}

uint32_t rv_lock_history_at(struct rv_lock_history *history, uint32_t record, struct rv_lock_hold *holds) {
    uint32_t thread = history->trace->records[record].step.thread;
    uint32_t low = history->begin[thread], high = history->begin[thread + 1]; /* low: the first from it on */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (history->records[middle] < record)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == history->begin[thread]) return 0;
    struct rv_held held = {.arena = &history->arena};
    rv_arena_reset(&history->arena, 0);
    for (uint32_t i = history->period[low - 1]; i < low; i++) {
        uint32_t each = history->records[i];
        if (!rv_held_step(&held, &history->trace->records[each].step, each)) break;
    }
    const struct rv_held_thread *now = rv_held_thread(&held, thread);
    if (now) memcpy(holds, now->locks, now->count * sizeof *holds);
    return now ? now->count : 0;
}
