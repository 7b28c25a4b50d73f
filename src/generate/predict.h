/* What could happen if a test's threads got between each other's accesses: told from one execution in which they did not.
 *
 * The first thread runs to its end, then the second one. From the trace of that, *switches* are made: the first thread goes on
 * until a place of its own, the second until one of its own, and so on, such that the accesses of both to the same memory come
 * in the order that a pattern asks for. Where a lock that one of them holds there keeps the other from getting that far, the
 * place is moved to where it has been released, and if that is too late, there is no such switch. So what cannot happen is not
 * tried, and what can is executed as it stands, not hoped for: a test whose threads do not meet needs one execution.
 *
 * What a thread does after the other got between may differ from the trace. Then the execution is just another one: what came of it
 * is judged as any other is.
 */
#ifndef RV_GENERATE_PREDICT_H
#define RV_GENERATE_PREDICT_H

#include "analysis/patterns.h"
#include "base/protocol.h"
#include "base/rng.h"
#include "generate/test.h"

struct rv_switch {
    struct rv_run runs[5];
    uint32_t run_count;
    uint64_t places[3]; /* where threads are stopped, by statements; 0: at the end */
    uint64_t path;      /* hash of what the two threads did, by statements */
};

struct rv_meeting;

/* Looks at the trace of the execution that was run last. NULL: nothing can be told, for there were other threads, or too
 * much happened. */
struct rv_meeting *rv_meeting_open(const struct rv_area *area, const struct rv_test *test);
void rv_meeting_close(struct rv_meeting *meeting);
/* Any. false: none was met. */
bool rv_meeting_draw(const struct rv_meeting *meeting, struct rv_rng *rng, struct rv_switch *one);

#endif
