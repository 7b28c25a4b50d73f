/* A plan held against an execution as it happens. Used inside the program, controlled (enforced) and natively (checked), and
 * in tests against a brute-force evaluator.
 *
 * A monitor is flat data without pointers into itself: it is saved and put back by copying rv_monitor_size() bytes. After
 * rv_monitor_begin nothing is allocated. Not thread-safe: callers that run threads in parallel hold a lock.
 *
 *   operation           | says
 *   rv_monitor_known    | whether a plan speaks of such an event at all: hooks pass over others quickly
 *   rv_monitor_allows   | whether an event could happen now without violating an ordering; does not change anything, cheap
 *   rv_monitor_happen   | an event has happened; the first ordering that this violates, or NULL
 *   rv_monitor_missing  | at the end: what the plan names and never happened
 *
 * Threads are numbers; names are given to them by rv_monitor_name (a thread may be named anew; a name may be given to several
 * threads: then each of them is meant). Thread 0 is "main" from the begin. The name of a thread that has ended is gone.
 *
 * What an event costs does not depend on how many there have been: a look into a hash table, and the conditions of the
 * orderings whose target it is.
 */
#ifndef RV_PLAN_MONITOR_H
#define RV_PLAN_MONITOR_H

#include "plan/plan.h"

enum { RV_MONITOR_THREADS = 256 /* that have a name of the plan at a time */ };

struct rv_monitor;

/* Whether a thread is blocked at this moment: false for one that has ended. NULL in place of a view: nobody is. */
struct rv_monitor_view {
    bool (*blocked)(const void *user, uint32_t thread);
    const void *user;
};

struct rv_moment {
    enum rv_plan_what what;
    const char *name; /* EVENT; else NULL */
    uint32_t thread;
};

size_t rv_monitor_size(const struct rv_plan *plan);
/* In memory of rv_monitor_size() bytes, aligned for anything. The plan must stay. */
struct rv_monitor *rv_monitor_begin(void *memory, const struct rv_plan *plan);
/* Before start@name is asked for or happens. False: too many threads have a name that the plan speaks of; this one has none. */
bool rv_monitor_name(struct rv_monitor *monitor, uint32_t thread, const char *name);
/* EVENT: in whatever thread it happens; the others: for the name that the thread has. What is not known need not be told to
 * rv_monitor_happen: it changes nothing and violates nothing. */
bool rv_monitor_known(const struct rv_monitor *monitor, const struct rv_moment *moment);
/* *why (may be NULL): the first ordering that stands against it. Never false for BLOCK and UNBLOCK as enforced events: these
 * cannot be held back, only be found to violate. */
bool rv_monitor_allows(const struct rv_monitor *monitor, const struct rv_moment *moment,
                       const struct rv_monitor_view *view, const struct rv_plan_ordering **why);
const struct rv_plan_ordering *rv_monitor_happen(struct rv_monitor *monitor, const struct rv_moment *moment,
                                                 const struct rv_monitor_view *view);
/* How often the atom's event has happened so far, be its count what it may. */
uint32_t rv_monitor_count(const struct rv_monitor *monitor, uint32_t atom);
/* Whether a condition holds now: for telling which parts of a condition are still open. */
bool rv_monitor_holds(const struct rv_monitor *monitor, uint32_t node, const struct rv_monitor_view *view);
/* The next atom from *cursor on (0 at first) that is `positive` and has never happened (with its count), or NULL. One for
 * which another stands in ("a || b" where b has happened, "a || blocked@t") is not missing. */
const struct rv_plan_atom *rv_monitor_missing(const struct rv_monitor *monitor, uint32_t *cursor);

#endif
