/* Which of the up to 300 events of a failure are shown. A screenful is about 40 lines; the lanes may have half
 * of it. The decisive events come first; then by weight (relevant.c), and of equal weight those that are
 * nearest to a decisive event or to the end. The lightest, synchronisation that plays no part, only fill up
 * when there is little else to show. Threads that come and go are seen by their columns: their starts and
 * ends are shown only where they are what went wrong, or nothing else is there.
 */
#include <stdlib.h>
#include <string.h>

#include "report/lanes.h"

enum {
    EVENTS_MAX = 18,      /* shown */
    DEADLOCK_EVENTS = 10, /* the cycle above them tells most of it */
    FEW = 8,              /* up to so many the lightest may fill up */
    VERY_FEW = 3,         /* up to so many starts and ends of threads may */
    WAITING_MAX = 6,      /* last words of threads that wait, where there is no cycle */
};

static bool is_life(const struct rv_trace_event *event) {
    switch (event->op) {
    case RV_OP_START:
    case RV_OP_EXIT:
    case RV_OP_CREATE:
    case RV_OP_JOIN:
    case RV_OP_DETACH: return true;
    default: return false;
    }
}

/* Events from here to the nearest decisive one, or to the end. */
static unsigned *distances(const struct rv_failure *failure) {
    unsigned count = failure->event_count;
    unsigned *distance = rv_text_alloc(count, sizeof *distance);
    for (unsigned i = 0, last = count; i < count; i++) {
        if (failure->events[i].decisive) last = i;
        distance[i] = last < count ? i - last : count;
    }
    for (unsigned i = count, next = count; i-- > 0;) {
        if (failure->events[i].decisive) next = i;
        if (next - i < distance[i]) distance[i] = next - i;
    }
    return distance;
}

/* A thread that does the same again sees nothing new. */
static bool repeats(const struct rv_failure *failure, unsigned index) {
    const struct rv_trace_event *event = &failure->events[index];
    for (unsigned i = index; i-- > 0;) {
        const struct rv_trace_event *before = &failure->events[i];
        if (before->thread != event->thread) {
            if (strcmp(before->object, event->object) == 0 && (rv_op_flags[before->op] & RV_OPF_WRITE))
                return false;
            continue;
        }
        if (before->op != event->op || strcmp(before->object, event->object) != 0) continue;
        return before->value == event->value && before->at.offset == event->at.offset &&
               before->flags == event->flags;
    }
    return false;
}

/* Shows more events of this weight, nearest first, up to `limit` in all. */
static void show(const struct rv_failure *failure, const unsigned *distance, bool *shown, unsigned *count,
                 unsigned limit, unsigned weight, bool life) {
    for (unsigned reach = 0; reach <= failure->event_count && *count < limit; reach++) {
        for (unsigned i = failure->event_count; i-- > 0 && *count < limit;) {
            const struct rv_trace_event *event = &failure->events[i];
            if (shown[i] || distance[i] != reach || event->weight != weight) continue;
            if (!event->decisive && ((is_life(event) && !life) || repeats(failure, i))) continue;
            shown[i] = true;
            (*count)++;
        }
    }
}

void rv_lane_choose(const struct rv_failure *failure, bool *shown) {
    unsigned count = 0, limit = failure->kind == RV_KIND_DEADLOCK ? DEADLOCK_EVENTS : EVENTS_MAX;
    unsigned *distance = distances(failure);
    const struct rv_thread_text *failed = rv_failure_thread(failure, failure->thread);
    bool about_life = failed && (failed->op == RV_OP_JOIN || failed->op == RV_OP_DETACH);
    for (unsigned weight = RV_WEIGHT_MAX; weight > 1; weight--)
        show(failure, distance, shown, &count, limit, weight, about_life);
    show(failure, distance, shown, &count, FEW, 1, about_life);
    show(failure, distance, shown, &count, VERY_FEW, 1, true);
    free(distance);
}

static bool in_cycle(const uint32_t *cycle, unsigned count, uint32_t thread) {
    for (unsigned i = 0; i < count; i++) {
        if (cycle[i] == thread) return true;
    }
    return false;
}

const struct rv_race_side *rv_lane_race_side(const struct rv_failure *failure, uint32_t thread) {
    if (!rv_failure_is_race(failure)) return NULL;
    if (failure->race->first.thread.id == thread) return &failure->race->first;
    if (failure->race->second.thread.id == thread) return &failure->race->second;
    return NULL;
}

bool rv_lane_has_last_word(const struct rv_failure *failure, const struct rv_thread_text *thread) {
    uint32_t cycle[WAITING_MAX];
    if (rv_failure_is_race(failure)) return rv_lane_race_side(failure, thread->id) != NULL;
    if (thread->id == failure->thread) return true;
    if (failure->kind == RV_KIND_HANG) return strncmp(thread->state, "spinning", 8) == 0;
    bool waiting = failure->kind == RV_KIND_DEADLOCK || failure->kind == RV_KIND_SCHEDULE;
    if (!waiting || !rv_thread_blocked(thread)) return false;
    unsigned count = rv_failure_cycle(failure, cycle, WAITING_MAX);
    if (count) return in_cycle(cycle, count, thread->id);
    unsigned before = 0;
    for (const struct rv_thread_text *other = failure->threads; other < thread; other++)
        before += rv_thread_blocked(other) && other->op != RV_OP_JOIN;
    return thread->op != RV_OP_JOIN && before < WAITING_MAX;
}
