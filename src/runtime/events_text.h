/* What is said about a plan and what came of it, in one line. The monitor and who is blocked are as they are now. */
#ifndef RV_RUNTIME_EVENTS_TEXT_H
#define RV_RUNTIME_EVENTS_TEXT_H

#include "plan/monitor.h"

struct rv_plan_state {
    const struct rv_plan *plan;
    const struct rv_monitor *monitor;
    const struct rv_monitor_view *view;
};

/* A line that grows; what has no room is cut. */
struct rv_line {
    char *text;
    size_t size, used;
};
struct rv_line rv_line_begin(char *text, size_t size);
void rv_line_add(struct rv_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "finishedAdd1", "put#2@producer", "start@t". */
void rv_plan_add_atom(struct rv_line *line, const struct rv_plan_atom *atom);
/* What of the ordering's condition does not hold, and the ordering: `put, which has not happened ("put -> take")`. */
void rv_plan_add_open(struct rv_line *line, const struct rv_plan_state *state,
                      const struct rv_plan_ordering *ordering);
/* "put -> take" as it was written. */
void rv_plan_add_ordering(struct rv_line *line, const struct rv_plan *plan,
                          const struct rv_plan_ordering *ordering);
/* All that has not happened, with the nearest of `names` (what did happen) for the first. False: nothing is missing. */
bool rv_plan_add_missing(struct rv_line *line, const struct rv_plan_state *state, const char *const *names,
                         size_t count);

#endif
