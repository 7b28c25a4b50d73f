/* The progress line: on a terminal only, rewritten in place, gone when the result is printed. */
#ifndef RV_SUPERVISOR_PROGRESS_H
#define RV_SUPERVISOR_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rv_progress {
    FILE *out;      /* NULL: no line at all */
    unsigned width; /* columns */
    double shown;   /* when the line was last written */
    bool visible;
};

/* How far a campaign is. */
struct rv_progress_state {
    uint64_t schedules, budget;
    double seconds, time_limit; /* 0: no limit */
    uint64_t coverage;
    uint64_t failures;
    bool search;    /* a search that can tell how far it is: */
    bool grows;     /* ... but finds branches as it goes */
    double done;    /* of its tree, estimated, 0..1 */
    uint32_t depth; /* of its stack */
    uint64_t pruned;
};

/* Writes the line, if it is time to. */
void rv_progress_show(struct rv_progress *progress, const struct rv_progress_state *state);
/* Writes a word about a phase that has no numbers ("minimising failure 1 of 2"). */
void rv_progress_say(struct rv_progress *progress, const char *what);
void rv_progress_clear(struct rv_progress *progress);
/* The line itself, without control characters: what rv_progress_show writes. */
void rv_progress_line(char *line, size_t size, const struct rv_progress_state *state);

#endif
