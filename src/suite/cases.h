/* The cases of a suite: each test with each of its schedules, or alone if it has none. What can be known to be wrong before
 * anything runs is found here: schedules that do not parse, name events that are not there, or belong to no test. */
#ifndef RV_SUITE_CASES_H
#define RV_SUITE_CASES_H

#include "plan/plan.h"
#include "suite/listing.h"

struct rv_suite_case {
    char *name;                      /* "test", "test/label" */
    const char *test, *label, *text; /* label and text "" without a schedule; the listing's */
    const char *file;                /* of the schedule, else of the test; "" unknown */
    unsigned line;
    bool scheduled; /* with one of its schedules */
    bool momentary; /* of the plan: plan.h */
    bool chosen;
    char *problem; /* it cannot run: why, in one line; NULL: it can */
    char *details; /* ... for people: the text with carets; "" if there is nothing to show */
};

struct rv_suite_cases {
    struct rv_suite_case *cases;
    size_t count;
};

/* All of them, chosen. The listing must stay. */
void rv_suite_cases_make(struct rv_suite_cases *cases, const struct rv_listing *listing);
/* Chooses those that one of the patterns fits: shell patterns over "test" and "test/label". NULL, or the first pattern that
 * fits nothing. Without patterns all stay chosen. */
const char *rv_suite_cases_choose(struct rv_suite_cases *cases, char *const *patterns, size_t count);
/* The name that is nearest to a pattern, or NULL. */
const char *rv_suite_cases_near(const struct rv_suite_cases *cases, const char *pattern);
void rv_suite_cases_free(struct rv_suite_cases *cases);

#endif
