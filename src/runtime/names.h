/* Names of objects for searches that compare executions.
 *
 * The address of a heap block or of a thread's stack, and the number of a thread, depend on who came first. A search that
 * has put two threads into another order must know the objects again all the same. So for strategies that ask for it
 * (names_objects) an object is named after the thread that made it, by its lineage, and the how manieth of that thread it is.
 * Names are no addresses of user space; neighbouring bytes of one object have neighbouring names.
 *
 * Global variables, the main stack and blocks from before the first execution keep their addresses; so does memory that the
 * program maps itself.
 */
#ifndef RV_RUNTIME_NAMES_H
#define RV_RUNTIME_NAMES_H

#include "runtime/core.h"

/* The clock: see rv_observe_clock. */
#define RV_CLOCK_NAME (UINT64_C(0xc) << 60)
enum { RV_CLOCK_BYTES = 64 };

void rv_names_init(void);
/* The current thread has just allocated this block. */
void rv_name_block(const void *block);
/* What the strategy is told for this object of an operation. */
uint64_t rv_object_name(enum rv_op op, const void *object);
/* The current thread announces an operation: its call stack, as deep as the strategy asks for. */
void rv_name_context(struct rv_fiber *self);
/* The life of what lies on a thread's stack: whoever leaves a function ends some of it. */
uint64_t rv_stack_name(const struct rv_fiber *fiber);
/* The wake-up of a thread. */
uint64_t rv_wake_name(const struct rv_fiber *fiber);

#endif
