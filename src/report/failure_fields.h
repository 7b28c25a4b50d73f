/* The fields of a line of a failure file, for those who write and read such lines: failure_write.c and failure_read.c,
 * race_file.c. Readers return false when scan->error is set; what they fill may be freed at any time. */
#ifndef RV_REPORT_FAILURE_FIELDS_H
#define RV_REPORT_FAILURE_FIELDS_H

#include "report/failure.h"
#include "report/failure_scan.h"
#include "report/text.h"

/* --- writing --- */

void rv_field_add_quoted(struct rv_text *out, const char *text);
void rv_field_add_thread(struct rv_text *out, uint32_t thread);
/* A whole line, or several. */
void rv_field_add_location(struct rv_text *out, const char *keyword, const struct rv_location *at);
void rv_field_add_stack(struct rv_text *out, const char *keyword, const struct rv_stack_text *stack);
/* A block with its stacks; `prefix`: before the keywords. */
void rv_field_add_block(struct rv_text *out, const char *prefix, const struct rv_block_text *block);

/* --- reading --- */

bool rv_field_u32(struct rv_scan *scan, uint32_t *value, uint32_t max, const char *expected);
bool rv_field_u16(struct rv_scan *scan, uint16_t *value, const char *expected);
/* A thread's number, or none. */
bool rv_field_thread(struct rv_scan *scan, uint32_t *thread);
/* In the place of an owned text. */
bool rv_field_text(struct rv_scan *scan, char **text, const char *expected);
/* Into a location that already has (blank) texts. */
bool rv_field_location(struct rv_scan *scan, struct rv_location *location);
/* One more frame. */
bool rv_field_frame(struct rv_scan *scan, struct rv_stack_text *stack);
/* A new block, without its stacks. */
bool rv_field_block(struct rv_scan *scan, struct rv_block_text **block);
/* The list with room for one more, zeroed, in an array that doubles; NULL with an error past `max`. */
void *rv_field_grow(struct rv_scan *scan, void *list, unsigned count, size_t size, unsigned max,
                    const char *what);

#endif
