/* What the files of the describer share. Only they include this.
 *
 *   describe.c   races and deadlocks, threads, stacks
 *   names.c      memory and locks by name
 *   why.c        why it is a race
 */
#ifndef RV_RACES_DESCRIBE_PRIVATE_H
#define RV_RACES_DESCRIBE_PRIVATE_H

#include "races/describe.h"
#include "races/locks.h"
#include "report/naming.h"

/* Records; RV_NO_RECORD: none. */
struct rv_thread_records {
    uint32_t created, started;
};

enum { RV_MENTIONED_MAX = 32 };

struct rv_describer {
    const struct rv_trace *trace;
    const struct rv_memory *memory;
    struct rv_symboliser *symbols;
    struct rv_lock_history locks;
    struct rv_thread_records threads[RV_TRACE_THREADS];
    /* of the description under way */
    struct rv_unnamed unnamed;
    uint32_t mentioned[RV_MENTIONED_MAX]; /* ALLOC records of the blocks that are named in it */
    uint32_t mentioned_count;
};

/* Locks that one side of a race holds. */
struct rv_side_locks {
    struct rv_lock_hold holds[RV_HELD_MAX];
    uint32_t count;
};

/* names.c. A new description begins: nothing is mentioned. */
void rv_names_begin(struct rv_describer *describer);
/* This memory will be named, as it was at a record: blocks that look alike get numbers. Before anything is named. */
void rv_names_mention(struct rv_describer *describer, uint64_t address, uint32_t record);
/* The heap block that the byte is in; its ALLOC record, or RV_NO_RECORD. */
uint32_t rv_names_block(const struct rv_describer *describer, uint64_t address, uint32_t record);
struct rv_block_report rv_names_report(const struct rv_describer *describer, uint32_t block);
/* size 0: of an object. malloc'ed. */
char *rv_names_memory(struct rv_describer *describer, uint64_t address, unsigned size, uint32_t record);

/* describe.c. "thread 2 (worker)"; malloc'ed. */
char *rv_describer_thread(struct rv_describer *describer, uint32_t thread);
struct rv_stack_text rv_describer_stack(struct rv_describer *describer, uint32_t record);

/* why.c; malloc'ed. */
char *rv_why(struct rv_describer *describer, uint32_t first, uint32_t second, bool happened,
             const struct rv_side_locks locks[2]);

#endif
