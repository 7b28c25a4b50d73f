/* What a call gave back, from bytes (harness.c) to C. */
#ifndef RV_GENERATE_RESULTS_H
#define RV_GENERATE_RESULTS_H

#include "generate/test.h"

/* One value that a call gives back. */
struct rv_value {
    int parameter; /* that it was written through; -1: the result */
    const unsigned char *bytes;
    uint32_t size;
};

enum { RV_MOST_VALUES = RV_CASE_ARGUMENTS + 1 };
/* Their number; bytes that are too few end the list. */
uint32_t rv_values_of(const struct rv_method *method, const struct rv_case_call *call,
                      const struct rv_bytes *result, struct rv_value values[RV_MOST_VALUES]);
/* "true", "-1", "\"abc\"", "NULL" */
void rv_value_tell(struct rv_text *text, const struct rv_method *method, const struct rv_value *value);
/* An expression that says whether variable `name` (or what it points to) is that. */
void rv_value_compare(struct rv_text *text, const struct rv_method *method, const struct rv_value *value,
                      const char *name);
/* "lru_get(the_lru, 1, &value) = true, value = 10"; nothing after the call if it did not return. */
void rv_result_tell(struct rv_text *text, const struct rv_api *api, const struct rv_test *test, uint32_t call,
                    const struct rv_call *made);

#endif
