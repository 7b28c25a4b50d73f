/* Generated tests, inside the program (base/cases.h). The program is a harness, compiled for one module by `ravel generate`;
 * the test is data that changes from batch to batch, so that no process is started for it.
 *
 *   harness                      runtime
 *   ravel__case(file)            the snapshot is taken here; each execution comes out of it, with its case
 *   ravel__case_called(c)        call c is made now
 *   ravel__case_returned(c, ..)  it has returned, with this
 *   ravel__case_over()           all is done: fails if the results are those that the case says no order gives
 *
 * None of these is a hook: threads pass no step in them, so a schedule means the same whoever supplies the case.
 */
#ifndef RV_RUNTIME_CASES_H
#define RV_RUNTIME_CASES_H

#include "runtime/core.h"

/* The execution is over: appends what it gave to the replies. Whether there is room for another one. */
bool rv_cases_keep(void);
void rv_cases_begin(void); /* an execution begins: nothing is told */

/* By thread: 1 + the method it calls; 0: none. */
enum { RV_CASE_CALLERS = 8 };
extern uint8_t rv_cases_calling[RV_CASE_CALLERS];
/* The thread uses the statement (coverage). */
static inline void rv_cases_use(const struct rv_fiber *self, uint32_t statement) {
    uint32_t method = self->id < RV_CASE_CALLERS ? rv_cases_calling[self->id] : 0;
    if (method && statement < RV_CASE_STATEMENTS) rv.area->cases.used_by[statement] |= 1ull << (method - 1);
}

#endif
