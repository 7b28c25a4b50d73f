/* Events where threads run freely, in parallel, without control: `ravel test --passive`. The monitor looks on and tells, a
 * line for each thing, on a descriptor that the tool reads:
 *
 *     begin                            the chosen test has begun; end: it is over
 *     thread<TAB>N<TAB>NAME            thread N (0: main) is called so
 *     event<TAB>N<TAB>NAME             it has happened; also start@t and end@t
 *     violated<TAB>AT<TAB>LENGTH<TAB>TARGET    the first ordering that did not hold: where it stands in the plan's text
 *     missing<TAB>EVENT                at the end
 *     leaked<TAB>N<TAB>NAME            a thread that the test has created and left running
 *     assert<TAB>TEXT                  RAVEL_ASSERT failed, in the test
 *
 * A thread is blocked while the kernel says that it sleeps in a system call that waits for others (not: for time, and
 * not for the monitor's own lock). That is looked at whenever an event happens; so block@ and unblock@ are noticed late,
 * and what began and ended between two events is not noticed.
 *
 * Everything here may be called by any thread at any time, and does nothing unless rv_native_begin has succeeded.
 */
#ifndef RV_RUNTIME_NATIVE_EVENTS_H
#define RV_RUNTIME_NATIVE_EVENTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What is wanted comes from the environment: RAVEL_TEST_NAME, RAVEL_TEST_LABEL, RAVEL_TEST_PLAN. False: no test is named, or
 * the plan is none. */
bool rv_native_begin(int fd);
/* The name of the chosen test; NULL: not begun. */
const char *rv_native_chosen(void);
/* The test is called without its framework's runner. */
void rv_native_set_direct(void);
bool rv_native_direct(void);
const char *rv_native_schedule(void);
bool rv_native_enter(const char *test, uintptr_t sp);
void rv_native_leave(const char *test);
/* longjmp is about to leave all frames of the current thread below this stack address. */
void rv_native_unwind(uintptr_t sp);
void rv_native_event(const char *name);
void rv_native_start(const char *name);
void rv_native_failed(const char *text);
/* The current thread, if it is known; *name NULL: it has none. */
bool rv_native_thread(uint32_t *number, const char **name);

/* For pthread_create and pthread_join: threads that a test creates are watched until they are over. */
int rv_native_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                     void *argument);

#endif
