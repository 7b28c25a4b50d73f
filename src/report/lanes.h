/* What the files of the lanes share.
 *
 *   lane_choice.c   which events and threads are shown
 *   lane_words.c    the words for one event
 *   lanes.c         the columns
 */
#ifndef RV_REPORT_LANES_H
#define RV_REPORT_LANES_H

#include "report/printer.h"
#include "report/race.h"

/* Marks in shown[] (one per event) what goes into the lanes: the decisive events, then those that explain most,
 * about a screenful. */
void rv_lane_choose(const struct rv_failure *failure, bool *shown);
/* The thread's side of the race that the failure is about; NULL: none. */
const struct rv_race_side *rv_lane_race_side(const struct rv_failure *failure, uint32_t thread);
/* Whether the thread's last state belongs into the lanes: the one that failed, those that block each other,
 * those that turn in circles, the two of a race. */
bool rv_lane_has_last_word(const struct rv_failure *failure, const struct rv_thread_text *thread);

/* Values that are addresses differ from run to run: they are called pointer A, pointer B, as they appear. */
enum { RV_POINTERS = 26 };
struct rv_lane_pointers {
    uint64_t values[RV_POINTERS];
    unsigned count;
};

/* The words of a cell: head, object, tail; what stands between `from` and `to` may be shortened. */
struct rv_lane_words {
    char *text; /* malloc'ed */
    size_t from, to;
};
/* "read page.references = 1"; `terse`: with shorter names of operations. */
struct rv_lane_words rv_lane_event(const struct rv_trace_event *event, struct rv_lane_pointers *pointers,
                                   bool terse);
/* "FAILS", "waits for b.lock", "spins on flag", "about to write counter"; `terse`: "waits: b.lock" */
struct rv_lane_words rv_lane_last_word(const struct rv_failure *failure, const struct rv_thread_text *thread,
                                       bool terse);

#endif
