/* What a real race does: both orders of its two accesses, tried. */
#ifndef RV_RACES_HARM_H
#define RV_RACES_HARM_H

#include "report/race.h"
#include "supervisor/confirm.h"

/* Zeroed: none. */
struct rv_harm {
    char *what;                /* in a line; NULL: none was seen */
    struct rv_failure failure; /* confirmed; without a program: it is the output that differs */
};

/* `real`: the confirmed race; at the end of its schedule both threads stand at their accesses, else nothing is tried. */
void rv_harm_of_orders(struct rv_harm *harm, const struct rv_case *about, const struct rv_failure *real);
/* A failure of an execution in which the two had met: whether a fresh process confirms it. */
void rv_harm_of_failure(struct rv_harm *harm, const struct rv_case *about,
                        const struct rv_schedule *schedule);
/* The race is harmful, if there is harm; `file` shows it, "" if there is none. */
void rv_harm_tell(const struct rv_harm *harm, const char *file, struct rv_race_text *race);
void rv_harm_free(struct rv_harm *harm);

#endif
