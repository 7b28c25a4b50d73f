/* Is it a bug? Executions of one test, held against what its calls do when one thread makes them.
 *
 *   the execution              | is a bug if
 *   passed                     | no sequential order of the calls gives its results (linear.h), although threads that run one
 *                              | after the other give what one thread gives
 *   stuck, or hangs            | in no order that explains what returned, those that wait would wait, too
 *   failed in any other way    | no sequential order fails; else the test misuses the module (ConTeGe's rule)
 *
 * What cannot be judged (too many orders, contradictory answers, methods without a sequential meaning) is no bug, and counted.
 */
#ifndef RV_GENERATE_JUDGE_H
#define RV_GENERATE_JUDGE_H

#include "generate/linear.h"
#include "generate/runner.h"

enum rv_judgement {
    RV_JUDGED_FINE,
    RV_JUDGED_BUG,
    RV_JUDGED_MISUSE,
    RV_JUDGED_USELESS, /* the calls before the threads fail or wait already; or nothing was made */
    RV_JUDGED_UNKNOWN,
};

struct rv_sequence; /* an order that was run, and what it gave */

struct rv_judge {
    struct rv_runner *runner;
    const struct rv_test *test;
    struct rv_history history; /* of the execution judged last */
    struct rv_linear linear;
    struct rv_sequence *sequences;
    uint32_t sequence_count;
    uint32_t asked; /* orders, of the module */
    struct rv_linear_summary summary;
    bool summarised;
    uint64_t *seen; /* hashes of histories that are fine */
    uint32_t seen_count, seen_room;
    int serial;        /* whether threads that do not overlap give what one thread gives */
    uint64_t compared; /* the calls of which that is known, as a set */
    bool lost;         /* the runner cannot go on */
};

/* The test stays where it is. */
void rv_judge_open(struct rv_judge *judge, struct rv_runner *runner, const struct rv_test *test);
void rv_judge_close(struct rv_judge *judge);
/* *kind: of the bug. */
enum rv_judgement rv_judge_execution(struct rv_judge *judge, enum rv_kind told_kind,
                                     const unsigned char *told, uint32_t size, bool cut, enum rv_kind *kind);
/* The number of the call that the execution failed in, or waits in, before there were threads; -1: none. */
int rv_judge_useless_call(const struct rv_judge *judge);

/* For whoever tells of it: all orders of the threads' calls, run. false: they are too many. Then each: its results by call, and the
 * order; NULL beyond the last one and for those in which not all calls return. */
bool rv_judge_run_all(struct rv_judge *judge);
uint32_t rv_judge_sequences(const struct rv_judge *judge);
const uint32_t *rv_judge_sequence(const struct rv_judge *judge, uint32_t number,
                                  struct rv_bytes results[RV_MAX_CALLS]);

#endif
