/* The plan of events (plan/plan.h) that an execution keeps to, under control.
 *
 * Each event, start@t and end@t is an operation RV_OP_EVENT. Of an event that the plan speaks of, it is pending until the
 * monitor allows it: nobody polls, for the scheduler asks who can go on at each point anyway. All such operations have one
 * object, the plan, which they change: their order matters to searches. block@t and unblock@t are noticed by the
 * scheduler; they cannot be held back, so a plan that forbids them is violated.
 *
 * A thread is blocked here as the plan's language has it: it is alive, and what it is about to do must wait. Not: sleeping,
 * yielding, spinning, or waiting for the plan.
 *
 * The plan holds from rv_plan_begin to rv_plan_end: while the chosen test runs (tests.h), or the whole program.
 * rv_plan_fail_* end the execution with a failure of kind `schedule`.
 */
#ifndef RV_RUNTIME_EVENTS_H
#define RV_RUNTIME_EVENTS_H

#include "plan/monitor.h"
#include "runtime/core.h"

/* What all operations about the plan change; no address of anything. */
#define RV_PLAN_OBJECT ((const void *)(uintptr_t)0x59fffffff000)

/* At the start of the process: reads the plan of the configuration. Ends the worker if it is none. */
void rv_plan_init(void);
void rv_plan_snapshot(void);
void rv_plan_restore(void);

/* From here on the plan holds, as if nothing had happened yet; the current thread is called main. */
void rv_plan_begin(void);
/* Nothing is held back any more. False: something that the plan names has not happened, described in `text`. */
bool rv_plan_end(char *text, size_t size, uintptr_t site);
void rv_plan_drop(void);

/* The current thread comes to an event; goes on when that is allowed. */
void rv_event(const char *name, uintptr_t site);
/* The current thread is called so from now on: start@name. */
void rv_event_start(const char *name, uintptr_t site);
/* The current thread is about to end. */
void rv_event_end(uintptr_t site);

/* The scheduler is about to ask who can go on: notices who is blocked now. */
void rv_plan_look_slow(void);
extern bool rv_plan_looks; /* the plan speaks of block@ or unblock@, and holds */
static inline void rv_plan_look(void) {
    if (RV_UNLIKELY(rv_plan_looks)) rv_plan_look_slow();
}

/* Nobody can go on. True: threads wait for the plan; `text` says which, and for what. */
bool rv_plan_waits(char *text, size_t size);

/* What a thread with this pending operation RV_OP_EVENT stands at, as a number of a text. */
uint32_t rv_event_pending(const struct rv_pending *pending);
/* The number of a text in rv_area.event_names, a new one if need be; 0: there is no room. */
uint32_t rv_event_number(const char *text);

#endif
