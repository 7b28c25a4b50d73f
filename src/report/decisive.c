/* The two or three steps that matter.
 *
 * A minimised schedule has few preemptions, and each of them is needed. So the story of most failures is
 * told by three accesses to one object around one preemption:
 *
 *     p   the preempted thread's access before it
 *     w   a conflicting access of another thread, before the preempted thread goes on
 *     a   the preempted thread's next access to the same object
 *
 * and it is a bug in the cases that no serial order gives: read-WRITE-read, write-WRITE-read, read-WRITE-write
 * (a lost update), write-READ-write. Every preemption is tried with every object the preempted thread
 * touched shortly before; the best of them wins. Memory errors have their own three: the last use, the
 * free, the bad access. Deadlocks: where each lock of the cycle was taken. Without preemptions, the failing
 * thread's last read of something that another thread wrote before.
 */
#include <string.h>

#include "report/relevant.h"

enum {
    LOOK_BACK = 64,        /* events of the preempted thread before the preemption */
    LOOK_AROUND = 1 << 14, /* events of all threads, to either side */
    PREEMPTIONS = 4,       /* how many are tried, the last ones */
};

struct triple {
    uint64_t before, between, after; /* indices; after may be UINT64_MAX: none */
    int score;
};

struct marks {
    struct rv_decisive *steps;
    unsigned count;
};

static void mark(struct marks *marks, uint64_t index, const char *note) {
    for (unsigned i = 0; i < marks->count; i++) {
        if (marks->steps[i].index == index) return;
    }
    if (marks->count < RV_DECISIVE_MAX) marks->steps[marks->count++] = (struct rv_decisive){index, note};
}

static bool is_memory(const struct rv_event *event) {
    return event->op < RV_OP_COUNT && (rv_op_flags[event->op] & RV_OPF_MEMORY);
}

/* The thread whose failure it is; of a failure of all, the one that did the last step. */
static uint32_t failing_thread(const struct rv_area *area, uint64_t count) {
    if (area->outcome.thread != RV_NO_THREAD || count == 0) return area->outcome.thread;
    return area->events[count - 1].thread;
}

/* --- preemptions --- */

static int pattern_score(bool before, bool between, bool after) {
    bool unserialisable = between ? !(before && after) : before && after;
    return unserialisable ? 4 : 0;
}

static void try_object(const struct rv_area *area, uint64_t count, uint64_t before, uint64_t preemption,
                       uint64_t resumed, struct triple *best) {
    const struct rv_event *p = &area->events[before];
    uint64_t between = UINT64_MAX, after = UINT64_MAX;
    bool p_writes = rv_relevant_writes(p);
    for (uint64_t i = preemption; i < resumed; i++) {
        const struct rv_event *event = &area->events[i];
        if (event->thread == p->thread || !rv_relevant_same(event, p)) continue;
        if (rv_relevant_writes(event) || (p_writes && between == UINT64_MAX)) between = i;
    }
    if (between == UINT64_MAX) return;
    for (uint64_t i = resumed; i < count && i - resumed < LOOK_AROUND && after == UINT64_MAX; i++) {
        if (area->events[i].thread == p->thread && rv_relevant_same(&area->events[i], p)) after = i;
    }
    int score = is_memory(p) ? 3 : 1;
    if (after != UINT64_MAX) {
        score += 1 + pattern_score(p_writes, rv_relevant_writes(&area->events[between]),
                                   rv_relevant_writes(&area->events[after]));
    }
    if (rv_relevant_hits(p, area->outcome.address)) score += 4;
    if (score > best->score) *best = (struct triple){before, between, after, score};
}

static void try_preemption(const struct rv_area *area, uint64_t count, uint64_t preemption,
                           struct triple *best) {
    uint32_t thread = area->events[preemption - 1].thread;
    uint64_t resumed = preemption;
    while (resumed < count && area->events[resumed].thread != thread) resumed++;
    if (resumed - preemption > LOOK_AROUND) return;
    unsigned looked = 0;
    for (uint64_t i = preemption; i-- > 0 && looked < LOOK_BACK && preemption - i < LOOK_AROUND;) {
        if (area->events[i].thread != thread) continue;
        looked++;
        if (rv_relevant_key(&area->events[i])) try_object(area, count, i, preemption, resumed, best);
    }
}

static void mark_triple(const struct rv_area *area, const struct triple *triple, struct marks *marks) {
    bool p = rv_relevant_writes(&area->events[triple->before]);
    bool w = rv_relevant_writes(&area->events[triple->between]);
    bool sync = !is_memory(&area->events[triple->before]);
    mark(marks, triple->before,
         sync ? "then it is preempted"
         : p  ? "writes it, then is preempted"
              : "reads it, then is preempted");
    mark(marks, triple->between,
         sync ? "another thread gets in between"
         : w  ? "changes it in between"
              : "sees the half-done state");
    if (triple->after == UINT64_MAX) return;
    bool a = rv_relevant_writes(&area->events[triple->after]);
    const char *note = sync      ? "goes on after that"
                       : !w      ? "changes it again, too late"
                       : a && !p ? "overwrites that change with a result from before"
                       : a       ? "overwrites that change"
                       : p       ? "does not read back what it wrote"
                                 : "finds it changed since its last look";
    mark(marks, triple->after, note);
}

static bool mark_preemptions(const struct rv_area *area, uint64_t count, struct marks *marks) {
    struct triple best = {.score = 0};
    unsigned tried = 0;
    for (uint64_t i = count; i-- > 1 && tried < PREEMPTIONS;) {
        const struct rv_event *event = &area->events[i];
        if (!(event->flags & RV_EVENT_PREEMPT) || area->events[i - 1].thread == event->thread) continue;
        tried++;
        try_preemption(area, count, i, &best);
    }
    if (best.score > 0) mark_triple(area, &best, marks);
    return best.score > 0;
}

/* --- without preemptions: who wrote what the failing thread read last --- */

static void mark_order(const struct rv_area *area, uint64_t count, struct marks *marks) {
    uint32_t thread = failing_thread(area, count);
    unsigned looked = 0;
    for (uint64_t i = count; i-- > 0 && looked < LOOK_BACK;) {
        const struct rv_event *read = &area->events[i];
        if (read->thread != thread) continue;
        looked++;
        if (!is_memory(read)) continue;
        for (uint64_t k = i; k-- > 0 && i - k < LOOK_AROUND;) {
            const struct rv_event *write = &area->events[k];
            if (!rv_relevant_same(write, read) || !rv_relevant_writes(write)) continue;
            if (write->thread == thread) break;
            mark(marks, k, "the last write of it before");
            mark(marks, i, "the failing thread sees it");
            return;
        }
    }
}

/* --- memory errors --- */

static void mark_block(const struct rv_area *area, uint64_t count, struct marks *marks) {
    uint32_t block = area->outcome.block, thread = failing_thread(area, count);
    uint64_t released = count;
    for (uint64_t i = count; i-- > 0 && released == count;) {
        if (area->events[i].block == block && area->events[i].op == RV_OP_FREE) released = i;
    }
    if (released == count) return;
    mark(marks, released, "frees the block");
    for (uint64_t i = released; i-- > 0;) {
        if (area->events[i].block != block || area->events[i].thread != thread) continue;
        mark(marks, i, "uses the block while it is alive");
        break;
    }
    for (uint64_t i = released + 1; i < count; i++) {
        if (area->events[i].block != block || area->events[i].thread != thread) continue;
        mark(marks, i, "uses the block after the free");
        break;
    }
}

/* --- deadlocks --- */

static bool acquires(const struct rv_event *event) {
    switch (event->op) {
    case RV_OP_LOCK:
    case RV_OP_TRYLOCK:
    case RV_OP_TIMEDLOCK:
    case RV_OP_RDLOCK:
    case RV_OP_WRLOCK:
    case RV_OP_TRYRDLOCK:
    case RV_OP_TRYWRLOCK:
    case RV_OP_SPINLOCK:
    case RV_OP_SPINTRYLOCK: return !(event->flags & RV_EVENT_FAILED);
    default: return false;
    }
}

static bool mark_deadlock(const struct rv_area *area, uint64_t count, struct marks *marks) {
    unsigned threads = area->outcome.thread_count;
    bool owned = false;
    for (unsigned i = 0; i < threads && i < RV_MAX_THREAD_REPORTS; i++) {
        const struct rv_thread_report *thread = &area->thread_reports[i];
        if (thread->state != RV_THREAD_BLOCKED || !thread->object) continue;
        bool condition = thread->op == RV_OP_COND_WAIT || thread->op == RV_OP_COND_TIMEDWAIT;
        for (uint64_t k = count; k-- > 0;) {
            const struct rv_event *event = &area->events[k];
            if (event->address != thread->object) continue;
            if (condition && (event->op == RV_OP_COND_SIGNAL || event->op == RV_OP_COND_BROADCAST)) {
                mark(marks, k, "the last wake-up of this condition");
                break;
            }
            if (thread->owner != RV_NO_THREAD && event->thread == thread->owner && acquires(event)) {
                mark(marks, k, "takes what another thread will wait for");
                owned = true;
                break;
            }
        }
    }
    return owned;
}

unsigned rv_relevant_decisive(const struct rv_area *area, struct rv_decisive *steps) {
    uint64_t count = rv_relevant_event_count(area);
    struct marks marks = {steps, 0};
    if (count == 0 || area->outcome.kind == RV_KIND_SCHEDULE) return 0; /* the events say it themselves */
    if (area->outcome.kind == RV_KIND_DEADLOCK && mark_deadlock(area, count, &marks)) return marks.count;
    if (area->outcome.block) mark_block(area, count, &marks);
    if (marks.count < 2 && !mark_preemptions(area, count, &marks) && marks.count == 0)
        mark_order(area, count, &marks);
    return marks.count;
}
