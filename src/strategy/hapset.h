/* HaPSets as data (Wang, Said, Gupta: Coverage Guided Systematic Concurrency Testing, ICSE 2011): which statements
 * were seen to come immediately before which, on the same object and in another thread.
 *
 * A statement is a code location with a hash of the call stack above it. HaPSet[statement] is the set of
 * its predecessors. Statements and members are never removed, so numbers stay valid.
 *
 *   memory     | all of it in the arena given to rv_hapsets_init; no pointers to anything else
 *   limits     | RV_HAPSET_STATEMENTS, RV_HAPSET_MEMBERS: what comes later is not taken up
 *   saved form | flat, without pointers, with a check sum: docs in hapset.c; at most RV_HAPSET_SAVED_MAX bytes
 *
 * Code locations are numbers (rv_code) that mean something together with a table of modules only: whoever keeps the saved
 * form keeps that table with it (supervisor/lessons.h).
 */
#ifndef RV_STRATEGY_HAPSET_H
#define RV_STRATEGY_HAPSET_H

#include <stdbool.h>

#include "strategy/index.h"

enum {
    RV_HAPSET_FRAMES = 8,
    RV_HAPSET_STATEMENTS = 1 << 14,
    RV_HAPSET_MEMBERS = 1 << 17,
    RV_HAPSET_SAVED_MAX = 8 * (5 + RV_HAPSET_STATEMENTS * (3 + RV_HAPSET_FRAMES) + RV_HAPSET_MEMBERS * 2),
};

struct rv_hapset_statement {
    uint64_t site;        /* code location */
    uint64_t context;     /* hash of the truncated call stack */
    uint32_t frame_count; /* of frames[]; may be 0 if nobody recorded them */
    uint64_t frames
        [RV_HAPSET_FRAMES]; /* that call stack as return addresses, innermost first; 0 beyond frame_count */
};

struct rv_hapset_member {
    uint32_t statement;   /* in whose set */
    uint32_t predecessor; /* this statement is */
    uint64_t execution;   /* index of the execution that showed it first */
};

struct rv_hapsets {
    struct rv_arena *arena;
    struct rv_index statements; /* items: struct rv_hapset_statement */
    struct rv_index members;    /* items: struct rv_hapset_member */
};

void rv_hapsets_init(struct rv_hapsets *sets, struct rv_arena *arena);

/* The number of the statement (site, context), which is added if it is new; of the frames at most RV_HAPSET_FRAMES are kept,
 * those of the first call. RV_NO_NUMBER: full. */
uint32_t rv_hapset_statement(struct rv_hapsets *sets, uint64_t site, uint64_t context, const uint64_t *frames,
                             uint32_t frame_count);
/* Adds the predecessor to HaPSet[statement]; true: it was not in it. Also false: a number is none, or full. */
bool rv_hapset_add(struct rv_hapsets *sets, uint32_t statement, uint32_t predecessor, uint64_t execution);
bool rv_hapset_has(const struct rv_hapsets *sets, uint32_t statement, uint32_t predecessor);

/* By number, 0 to count - 1: sets->statements.count, sets->members.count. */
const struct rv_hapset_statement *rv_hapset_statement_at(const struct rv_hapsets *sets, uint32_t number);
const struct rv_hapset_member *rv_hapset_member_at(const struct rv_hapsets *sets, uint32_t number);

/* Writes the saved form if there is room for it; in any case how many bytes it needs. Cheap without room. */
size_t rv_hapset_save(const struct rv_hapsets *sets, void *buffer, size_t room);
/* Adds what a saved form holds: the union, with the execution of whoever was there first. The data is not trusted.
 * False: it is no saved form, nothing has changed. What goes beyond the limits is left out. */
bool rv_hapset_load(struct rv_hapsets *sets, const void *data, size_t size);

#endif
