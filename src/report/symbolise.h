/* From code locations and addresses to names, with libdw, outside the program. Works from the module table
 * of a worker's area; opens each module's file once; never trusts what the area says.
 */
#ifndef RV_REPORT_SYMBOLISE_H
#define RV_REPORT_SYMBOLISE_H

#include "report/failure.h"

struct rv_symboliser;
struct rv_symboliser *rv_symboliser_open(const struct rv_area *area, const char *program_directory);
/* The same from a table of modules of somebody else's; copied. */
struct rv_symboliser *rv_symboliser_open_modules(const struct rv_module *modules, unsigned count,
                                                 const char *program_directory);
void rv_symboliser_close(struct rv_symboliser *symbols);

/* Return addresses point behind the call: `is_return` looks one byte before. Inlined functions: one
 * location per level, innermost first, at most max; the number (at least 1). */
unsigned rv_symbolise_code(struct rv_symboliser *symbols, rv_code code, bool is_return,
                           struct rv_location *locations, unsigned max);
void rv_location_free(struct rv_location *location);
void rv_location_copy(struct rv_location *to, const struct rv_location *from);
/* Whether this is code of libravel itself: left out of stacks. */
bool rv_symbolise_is_runtime(const struct rv_symboliser *symbols, rv_code code);
/* Whether this is code of the C library: left out where a stack begins. */
bool rv_symbolise_is_system(const struct rv_symboliser *symbols, rv_code code);
/* "queue.items[3].next" for an address in a module's data; "counter (static in next_id())" for a function's
 * own; "name+8" without debug information; size 0: unknown. malloc'ed; NULL if it is in no module. */
char *rv_symbolise_data(struct rv_symboliser *symbols, uint64_t address, unsigned size);
/* "struct node.next (heap block from push() queue.c:41)" where the type of a heap block can be told from its allocation site; malloc'ed;
 * otherwise "heap block of N bytes from f() file.c:12, +8". */
char *rv_symbolise_block(struct rv_symboliser *symbols, const struct rv_block_report *block, unsigned offset);

#endif
