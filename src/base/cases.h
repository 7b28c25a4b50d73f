/* Tests for a module as data: what `ravel generate` writes, the harness (a program made for the module) reads, and the runtime
 * carries between them. A case is one block of bytes:
 *
 *     struct rv_case_header
 *     struct rv_case_call [objects]      how each object is made: method is the number of a constructor
 *     struct rv_case_call [calls]        the calls, as they are numbered in a history (generate/history.h)
 *     uint8_t [orders][calls]            not empty: the calls are made by one thread, in order number (execution % orders)
 *     results (if header.results > 0)    what the calls gave in an execution that no sequential order explains:
 *         for each call: uint64_t before (set of the calls that had returned when it was made), uint32_t state (0 not made, 1 did
 *         not return, 2 returned), uint32_t size, and so many bytes, padded to a multiple of 8
 *
 * Arguments are numbers; what a number means depends on the parameter, and is known to the harness (generate/harness.c).
 *
 * What an execution tells is a stream of bytes: 'C' call, or 'R' call size(2 bytes) and so many bytes. Its order is the order
 * in which it happened.
 */
#ifndef RV_BASE_CASES_H
#define RV_BASE_CASES_H

#include <stdint.h>

#define RV_CASE_MAGIC 0x3145534143565201u

enum {
    RV_CASE_ROOM = 1 << 16, /* bytes of a case */
    RV_CASE_ARGUMENTS = 8,
    RV_CASE_CALLS = 64,
    RV_CASE_OBJECTS = 4,
    RV_CASE_THREADS = 4,
    RV_CASE_TOLD = 1 << 16,    /* bytes told by an execution */
    RV_CASE_REPLIES = 8 << 20, /* bytes of a batch */
    RV_CASE_RUNS = 4096,       /* longer schedules are not kept */
    RV_CASE_METHODS = 64,      /* of which it is noted what they use */
    RV_CASE_STATEMENTS = 1 << 17
};

struct rv_case_header {
    uint64_t magic;
    uint64_t harness; /* which one understands it */
    uint32_t size;    /* of all */
    uint32_t objects, calls, orders, threads;
    uint32_t results; /* bytes */
};

struct rv_case_call {
    uint16_t method;
    uint8_t phase;  /* enum rv_phase */
    uint8_t thread; /* from 0; 0 in phases before and after */
    uint32_t reserved;
    int64_t arguments[RV_CASE_ARGUMENTS];
};

/* What a batch of executions gave, one after the other, each a multiple of 8 bytes long. */
struct rv_case_reply {
    uint32_t size; /* with what follows: told, runs, choices */
    uint32_t kind; /* enum rv_kind */
    uint64_t number;
    uint64_t signature;
    uint64_t points;
    uint32_t told;
    uint32_t runs;
    uint32_t choices;
    uint16_t cut;    /* it did not terminate */
    uint16_t unkept; /* the schedule was too long: there are no runs */
};

/* In a worker's area. */
struct rv_cases {
    uint32_t wanted;     /* executions */
    uint32_t keep_going; /* else the batch ends early with one that fails */
    uint32_t over;       /* the strategy has nothing left */
    uint64_t first;      /* number of the first */
    uint64_t seed;
    char strategy[160];
    uint64_t number;   /* of the execution under way or last */
    uint32_t told;     /* bytes told by it */
    uint32_t returned; /* bytes in replies[] */
    uint32_t size;     /* of the case; 0: the harness reads the file that it is given */
    /* By call: the thread's step counter when it was made, and when it returned; 0: it was not, did not. */
    uint64_t called_at[RV_CASE_CALLS], returned_at[RV_CASE_CALLS];
    /* By statement, as numbered in rv_coverage: which methods' calls have used it; a bit for each of the first. */
    uint64_t used_by[RV_CASE_STATEMENTS];
    _Alignas(8) unsigned char test[RV_CASE_ROOM];
    _Alignas(8) unsigned char history[RV_CASE_TOLD];
    _Alignas(8) unsigned char replies[RV_CASE_REPLIES];
};

#endif
