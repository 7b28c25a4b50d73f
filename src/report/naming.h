/* Names for what has none of its own: one way of saying it, in failures and in races. */
#ifndef RV_REPORT_NAMING_H
#define RV_REPORT_NAMING_H

#include <stdint.h>

enum { RV_UNNAMED_MAX = 26 };

/* Memory that is neither in a module nor on the heap is called "variable A (on the stack of thread 0)", "memory B": its
 * address would differ from run to run. Zeroed: nothing was named yet. */
struct rv_unnamed {
    uint64_t addresses[RV_UNNAMED_MAX];
    unsigned count;
};

/* `owner`: whose stack it is on ("thread 2"); NULL: nobody's. malloc'ed. */
char *rv_name_unnamed(struct rv_unnamed *unnamed, uint64_t address, const char *owner);

/* Blocks from one place look alike: "struct node.next #2 (heap block from ...)" is the second of them. The name is one of
 * rv_symbolise_block, and is replaced. */
void rv_name_ordinal(char **name, unsigned ordinal);

#endif
