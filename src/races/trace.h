/* One recorded execution as the tool sees it (base/record.h). It comes from a worker's shared memory, which the program may
 * have overwritten, or from a file: nothing in it is believed before rv_trace_check.
 *
 *   operation       | guarantees
 *   rv_trace_copy   | a checked copy: whoever else writes that memory later changes nothing
 *   rv_trace_check  | for arrays of the caller's own (malloc'ed: the trace owns them from now on)
 *   rv_trace_free   | modules, records, nodes, problem are given back
 *
 * After a check:
 *   records      kind, order and thread are in range; a thread's first record comes after a CREATE of it, and that is the
 *                only one (thread 0 is there from the beginning); JOIN names a thread that was created
 *   memory       no range goes past the end of all addresses; accesses have at least one byte (FREE may have none)
 *                and at most RV_TRACE_ACCESS, all together at most RV_TRACE_TOUCHED
 *   stacks       each record's node is there, each node's parent is smaller
 *   problem      what is wrong with it, a sentence: records from the first bad one on are dropped; NULL: nothing
 */
#ifndef RV_RACES_TRACE_H
#define RV_RACES_TRACE_H

#include "base/protocol.h"
#include "base/record.h"

enum { RV_TRACE_THREADS = 1 << 14, RV_NO_RECORD = 0xffffffffu };
#define RV_TRACE_ACCESS  ((uint64_t)1 << 26) /* bytes of one access */
#define RV_TRACE_TOUCHED ((uint64_t)1 << 32) /* bytes of all accesses: the analyses' work grows with them */
#define RV_TRACE_RANGE   ((uint64_t)1 << 40) /* bytes of new memory, freed memory, a stack */

struct rv_trace {
    struct rv_module *modules;
    unsigned module_count;
    struct rv_record *records;
    uint32_t record_count;
    struct rv_stack_node *nodes; /* at least one, the empty stack */
    uint32_t node_count;
    bool cut; /* the recorder had no room for the rest */
    char *problem;
};

/* Counts are clamped to RV_MAX_MODULES, RV_MAX_RECORDS, RV_MAX_STACK_NODES. */
struct rv_trace rv_trace_copy(const struct rv_module *modules, uint64_t module_count,
                              const struct rv_record *records, uint64_t record_count,
                              const struct rv_stack_node *nodes, uint64_t node_count, bool cut);
void rv_trace_check(struct rv_trace *trace);
void rv_trace_free(struct rv_trace *trace);

/* Return addresses of a record's stack behind its site, innermost first; their number, at most max. */
unsigned rv_trace_stack(const struct rv_trace *trace, uint32_t record, rv_code *frames, unsigned max);
/* The outermost return address of it; 0: its stack is empty. */
rv_code rv_trace_outermost(const struct rv_trace *trace, uint32_t record);

#endif
