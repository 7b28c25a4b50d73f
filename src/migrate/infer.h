/* From runs of a sleeping test to events and a schedule: pure functions over runs (log.h) and places (source.h).
 *
 * The idea is IMUnit's: who sleeps waits for what the others do meanwhile. For each sleep of a thread t, until it wakes at r:
 *
 *   what t waits with   the first thing that t does after r. If t makes threads first, these wait instead of t, with the first thing
 *                       that they do ("a sleep before create means: the new thread waits"). If a join comes first, with nothing
 *   what t waits for    where each other thread u stands at r, if it came there since t slept last (or made u, or was made by it):
 *     asleep, in the test file      finished, before that sleep         if u has done something in between
 *     blocked in a join             finished, before the join           likewise
 *     blocked, in the test file     blocked, before the statement in which it is
 *     blocked, outside of it        finished, after the last thing it did in the test file, if it did
 *     over                          finished, after the last thing it did, unless t has joined it
 *     running, or in a loop of      nothing
 *     sleeps
 *   "has done something": a statement that acts (source.h) is over; making threads and joining them is nothing, and neither is what
 *   lies before a barrier, which orders by itself.
 *
 * Where this differs from the paper:
 *   - "exactly one relevant entry in the region" (SLEEP_CALL, BLOCK_CALL, TH_END without return) is the same as: the last one, for a
 *     thread can stand in one only.
 *   - The region begins at t's last sleep, not at this one: what t does in between takes microseconds, and a thread that is made
 *     may be faster.
 *   - Events and orderings come from the same look at the same logs. The paper logs a second time because its log of events is
 *     made by the events that were put in; here their places are statements that are in the log already. Orderings then are those
 *     between t and what t waited for, not with the last event of every other thread: the paper names the latter as its main cause
 *     of false orderings.
 *   - A thread that begins with a sleep is late on purpose. If what it does then is waited for by one that is even later, the
 *     sleep has done its duty, too (RV_SLEEP_LATE), although nothing happens meanwhile.
 *   - Sleeps in loops, and those that one thread passes more than once, order nothing: they simulate work or poll.
 *   - Passes are counted, and orderings are between counted passes (`e#2`).
 *
 * What was seen in fewer than the wanted share of runs is dropped; then what lies on cycles of orderings, program order, creation
 * and join; then what the rest implies. [e] -> f is implied by [e] -> g and g -> f only.
 */
#ifndef RV_MIGRATE_INFER_H
#define RV_MIGRATE_INFER_H

#include "migrate/log.h"
#include "migrate/source.h"

struct rv_mark {
    uint32_t place;
    bool after;
    bool starting;   /* else finished */
    uint32_t about;  /* the place that it is named after */
    uint32_t passes; /* the most in a run */
    uint32_t hits;   /* runs in which it was inferred */
    char *name;      /* name.h */
    char *thread;    /* whose; the first that was seen */
    bool used;       /* by an ordering of the schedule */
};

enum rv_fate { RV_KEPT_ORDERING, RV_DROPPED_SELDOM, RV_DROPPED_CYCLE, RV_DROPPED_IMPLIED };

struct rv_ordering_found {
    uint32_t from, to;             /* events */
    uint32_t from_order, to_order; /* the how manieth pass */
    bool block;
    uint32_t hits;
    enum rv_fate fate;
    uint32_t sleep; /* place */
    int64_t ns;     /* how long it was */
    char *from_thread, *to_thread, *sleeper;
};

enum rv_sleep_reason {
    RV_SLEEP_NOTHING, /* nobody did anything meanwhile that could be waited for */
    RV_SLEEP_LAST,    /* nothing follows that could wait; or a join does, which waits itself */
    RV_SLEEP_LOOP,
    RV_SLEEP_AGAIN, /* passed again and again */
    RV_SLEEP_POLLING,
    RV_SLEEP_INSIDE, /* a sleep in what the statement calls */
    RV_SLEEP_LATE, /* orders nothing itself: its thread begins with it, and others, who sleep longer, wait for what follows */
    RV_SLEEP_SELDOM, /* an ordering, but in too few runs */
    RV_SLEEP_ORDERS,
};

struct rv_sleep_found {
    uint32_t place;
    int64_t ns;
    enum rv_sleep_reason reason;
};

struct rv_inference {
    struct rv_mark *marks;
    uint32_t mark_count;
    struct rv_ordering_found *orderings;
    uint32_t ordering_count;
    struct rv_sleep_found *sleeps;
    uint32_t sleep_count;
    uint32_t runs;
};

/* All of it. Names are not given yet. */
void rv_infer(struct rv_inference *inference, const struct rv_source *source, const struct rv_run *runs,
              uint32_t count, double confidence);
void rv_inference_free(struct rv_inference *inference);

/* name.c: what is used gets a name, e.g. finishedPut1: how, what it is about without a prefix that several share, and the how manieth
 * of the statements about it that events are named after. In all tests of the file a place has one name, and a name means one
 * place: a marker in a function that several tests use is there for all of them. */
void rv_marks_name(struct rv_inference *const *all, uint32_t count, const struct rv_source *source);
/* "[startingTake2] -> startingPut2", with counts where they are needed; malloc'ed. */
char *rv_ordering_text(const struct rv_inference *inference, const struct rv_ordering_found *ordering);
/* One side; malloc'ed. */
char *rv_mark_text(const struct rv_mark *event, uint32_t order);
/* All that are kept, separated by ", "; malloc'ed. */
char *rv_schedule_text(const struct rv_inference *inference);

/* graph.c: drops what lies on cycles, then what is implied. */
void rv_orderings_reduce(struct rv_inference *inference, const struct rv_run *runs, uint32_t count);

#endif
