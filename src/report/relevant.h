/* Which of up to a million recorded events explain a failure. Works on the area alone, before any name is
 * looked up, so that only what is shown costs symbolising. */
#ifndef RV_REPORT_RELEVANT_H
#define RV_REPORT_RELEVANT_H

#include "base/protocol.h"

enum { RV_RELEVANT_MAX = 300, RV_DECISIVE_MAX = 8 };

struct rv_relevant {
    uint64_t index;   /* in area->events */
    uint8_t weight;   /* as in struct rv_trace_event */
    const char *note; /* static text; NULL: not decisive */
};

struct rv_decisive {
    uint64_t index;
    const char *note;
};

/* How many events the area really holds. */
uint64_t rv_relevant_event_count(const struct rv_area *area);
/* The identity of what an event is about: the first byte for memory, the block for free, the object else;
 * 0: nothing. */
uint64_t rv_relevant_key(const struct rv_event *event);
/* Whether two events are about the same: memory that overlaps, or equal keys. */
bool rv_relevant_same(const struct rv_event *a, const struct rv_event *b);
/* Whether the event touches the failing access at `address` (whose size is not known: a word). */
bool rv_relevant_hits(const struct rv_event *event, uint64_t address);
/* Whether the operation changes its object, as far as readers are concerned. */
bool rv_relevant_writes(const struct rv_event *event);

/* relevant.c: fills at most RV_RELEVANT_MAX, in order of time; returns the number. */
unsigned rv_relevant_select(const struct rv_area *area, struct rv_relevant *chosen);
/* decisive.c: fills at most RV_DECISIVE_MAX, in no order; returns the number. */
unsigned rv_relevant_decisive(const struct rv_area *area, struct rv_decisive *steps);

#endif
