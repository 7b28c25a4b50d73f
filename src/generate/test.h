/* A test: how its objects are made, the calls before the threads start, those of each thread, and those after they have ended.
 * Plain data: copied by assignment. Calls are in the order before, thread 0, thread 1, ..., after; their index is their number
 * everywhere (histories, cases, reports).
 */
#ifndef RV_GENERATE_TEST_H
#define RV_GENERATE_TEST_H

#include "base/cases.h"
#include "generate/api.h"
#include "generate/history.h"
#include "report/text.h"

struct rv_test {
    uint32_t objects, threads, count;
    struct rv_case_call made[RV_CASE_OBJECTS];
    struct rv_case_call calls[RV_CASE_CALLS];
};

/* Puts the call at its place. false: there is no room. */
bool rv_test_add(struct rv_test *test, const struct rv_case_call *call);
void rv_test_remove(struct rv_test *test, uint32_t call);
bool rv_test_equal(const struct rv_test *one, const struct rv_test *other);
/* Its calls, none made. */
void rv_test_history(const struct rv_test *test, struct rv_history *history);

/* What an execution told, put into the history. false: it is damaged. */
bool rv_test_told(struct rv_history *history, const unsigned char *told, uint32_t size);

/* The case: with orders (count 0: none), or with the results of a history (NULL: none). Its size; 0: it does not fit. */
uint32_t rv_test_encode(const struct rv_test *test, uint64_t harness, const uint8_t *orders,
                        uint32_t order_count, const struct rv_history *wrong, unsigned char *to);

/* "&value" */
void rv_test_tell_argument(struct rv_text *text, const struct rv_api *api, const struct rv_test *test,
                           const struct rv_parameter *parameter, int64_t value);
/* "lru_get(cache, 1, &value)" */
void rv_test_tell_call(struct rv_text *text, const struct rv_api *api, const struct rv_test *test,
                       const struct rv_case_call *call);
/* What the object with this number is called in texts. */
void rv_test_object_name(struct rv_text *text, const struct rv_api *api, const struct rv_test *test,
                         int64_t object);
/* All of it, for people: a line a call, with what it gave in this execution (NULL: none). */
char *rv_test_tell(const struct rv_api *api, const struct rv_test *test, const struct rv_history *history);

#endif
