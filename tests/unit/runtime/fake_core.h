/* A core for tests of hooks: the API of runtime/core.h over ucontext fibers, one execution at a time, the
 * next fiber picked at random from a seed. It knows no snapshots, no traces and no processes.
 *
 *     struct fake_outcome outcome = fake_run(seed, body, argument);
 *
 * runs body as thread 0 until it returns, a hook fails the execution, or nobody can go on (deadlock). Inside,
 * pthread_create, pthread_join, pthread_cancel and pthread_exit make and end fibers; outside of fake_run
 * rv.mode is RV_PASSIVE and all of them, like the hooks, are the real functions. So the same scenario can be
 * run both ways and its results compared.
 */
#ifndef RV_TESTS_FAKE_CORE_H
#define RV_TESTS_FAKE_CORE_H

#include <time.h>

#include "runtime/core.h"

struct fake_outcome {
    enum rv_kind kind; /* RV_KIND_NONE: body returned */
    char message[256];
    uint32_t thread;   /* that failed */
    uint32_t owner[8]; /* at a deadlock: rv_sync_owner of what each thread waits for */
    unsigned held;     /* locks that thread 0 held when body returned */
    unsigned undone;   /* rv_on_restore entries that ran */
    uint64_t points;   /* scheduling points */
    unsigned failed;   /* operations reported with RV_EVENT_FAILED */
};

struct fake_options {
    bool strict_time; /* time-outs only when nothing else can run */
    bool spurious;
    bool first_choice; /* rv_choose always says 0 */
};
extern struct fake_options fake_options;

struct fake_outcome fake_run(uint64_t seed, void (*body)(void *), void *argument);

/* A moment of this clock, `ns` of virtual time from now; a fixed moment in the future when passive. */
struct timespec fake_after(clockid_t clock, int64_t ns);
/* A signal with a handler that does nothing reaches this thread. */
void fake_interrupt(pthread_t thread);
/* A page of "heap", or the same with the state "freed": what the hooks' memory checks look at. */
void *fake_heap_page(void);
void fake_heap_free_page(void);

#endif
