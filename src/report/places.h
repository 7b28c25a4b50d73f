/* Where something is, in rows: places, stacks, chains of calls, blocks of memory. What the explanations of failures
 * and of races have in common. A row of a place loses directories, then the middle of the function's name, where it
 * would not fit. */
#ifndef RV_REPORT_PLACES_H
#define RV_REPORT_PLACES_H

#include "report/printer.h"

/* One row of words and a place behind them. `whole`: with the path of the file, if it fits. */
void rv_print_place(struct rv_printer *printer, unsigned indent, const char *words,
                    const struct rv_location *at, bool whole);
/* A row a frame, "#0 pop() at src/queue.c:57"; at most `max`. */
void rv_print_stack(struct rv_printer *printer, unsigned indent, const struct rv_stack_text *stack,
                    unsigned max);
/* One row: "WORDS: open() bank.c:8 < main() :90", as many frames as fit; WORDS alone if there is no stack. */
void rv_print_calls(struct rv_printer *printer, unsigned indent, const char *words,
                    const struct rv_stack_text *stack);
/* The block, who allocated and who freed it; `allocator` and `freer`: what to call the threads. */
void rv_print_block(struct rv_printer *printer, const struct rv_block_text *block, const char *allocator,
                    const char *freer);

#endif
