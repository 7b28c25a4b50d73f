/* The record of an execution for the analyses: its steps (analysis/step.h) in the order in which they were done, each with
 * the call stack it was done under. A worker writes it while a request asks for it; the tool reads it there, or in a
 * trace file (report/trace_file.h). All of it is untrusted to the tool.
 *
 * Two kinds of steps tell more here than analysis/step.h asks for:
 *   START   address, size: the thread's stack; site: the function it begins with. Thread 0 has one, too
 *   ALLOC   site: where the block was asked for; other new memory (stacks, mappings) has site 0
 *
 * Stacks are paths in a tree: a node is a return address, its parent the call around it; node 0 is the empty stack. A
 * step's own code location is step.site, its stack begins with the return address of the function that it is in.
 */
#ifndef RV_BASE_RECORD_H
#define RV_BASE_RECORD_H

#include "analysis/step.h"

struct rv_record {
    struct rv_step step;
    uint32_t stack;  /* node */
    uint32_t number; /* hooks that the thread had passed */
};

struct rv_stack_node {
    uint64_t code;   /* rv_code of the return address */
    uint32_t parent; /* a smaller number */
    uint32_t unused;
};

enum { RV_MAX_RECORDS = 1 << 24, RV_MAX_STACK_NODES = 1 << 20 };

#endif
