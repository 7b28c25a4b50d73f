/* The JSON of what failures and races are made of; each returns a new reference. */
#ifndef RV_REPORT_JSON_PARTS_H
#define RV_REPORT_JSON_PARTS_H

#include "report/failure.h"

/* Valid UTF-8, whatever the text is. */
json_t *rv_json_text(const char *text);
/* Numbers beyond what JSON integers hold everywhere are cut, not wrapped. */
json_t *rv_json_number(uint64_t value);
/* null for RV_NO_THREAD */
json_t *rv_json_thread_number(uint32_t thread);
/* An array of locations. */
json_t *rv_json_stack(const struct rv_stack_text *stack);
/* {"description", "size", "offset", "allocated_by", "allocated", "freed_by"?, "freed"?} */
json_t *rv_json_block(const struct rv_block_text *block);

#endif
