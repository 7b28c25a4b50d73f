/* Events of a trace as lines of text, and where two traces part. For replay --trace and for telling
 * nondeterminism; the explanation of failures has its own, choosier way (report/).
 *
 *     thread 2, step 41: lock of queue.lock, in push() at queue.c:57
 */
#ifndef RV_SUPERVISOR_TRACE_TEXT_H
#define RV_SUPERVISOR_TRACE_TEXT_H

#include <stdio.h>

#include "report/symbolise.h"

/* malloc'ed. Untrusted names are left as they are: whoever prints makes them harmless. */
char *rv_event_text(struct rv_symboliser *symbols, const struct rv_area *area, const struct rv_event *event);

/* How many events of this area's trace are there (and not more than fit). */
uint64_t rv_trace_count(const struct rv_area *area);
/* The whole trace, one event a line. */
void rv_trace_print(FILE *out, struct rv_symboliser *symbols, const struct rv_area *area);

/* Whether both are the same step of the program. Addresses and values are not compared: they may differ
 * between processes where addresses are randomised. */
bool rv_event_same(const struct rv_event *a, const struct rv_event *b);
/* The index of the first event that differs, or that only one of them has; UINT64_MAX: none. */
uint64_t rv_trace_parting(const struct rv_event *a, uint64_t a_count, const struct rv_event *b,
                          uint64_t b_count);

#endif
