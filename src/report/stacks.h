/* From code locations to stacks as text. */
#ifndef RV_REPORT_STACKS_H
#define RV_REPORT_STACKS_H

#include "report/owned.h"
#include "report/symbolise.h"

/* A return address for people: of functions inlined into each other, the innermost that is the program's own, so
 * that an access in a header of the C++ library is shown where the program asked for it. */
void rv_locate_own(struct rv_symboliser *symbols, rv_code code, struct rv_location *location);
/* Frames, innermost first, up to one that is 0; all but perhaps the first are return addresses. Inlined functions are
 * frames of their own; libravel's, and what the C library does to start a thread, are left out. */
struct rv_stack_text rv_stack_of(struct rv_symboliser *symbols, const rv_code *frames, unsigned count,
                                 bool first_is_return);

#endif
