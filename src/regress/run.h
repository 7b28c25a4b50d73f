/* The selected tests under race detection: `ravel regress`.
 *
 * Each test is hunted in (races/hunt.h), in the order of the assessment, until the time is over. A potential race is verified if the
 * change can have affected its pair and the base did not have it; those of impacted pairs first. A race that is confirmed is not
 * verified again under another test. A real race is a *regression* if the base is not known to have it and the change can have
 * affected it; others are older, and counted apart. With the technique `all` there is no telling by the change: every potential race
 * that the base did not have is verified. */
#ifndef RV_REGRESS_RUN_H
#define RV_REGRESS_RUN_H

#include "races/hunt.h"
#include "regress/assess.h"
#include "regress/git.h"

struct rv_regress_options {
    const struct rv_config *config;
    uint64_t schedules; /* recorded for each test */
    unsigned tries;     /* executions to verify one pair */
    double budget;      /* seconds; 0: none */
    bool thorough;      /* verifies what the change cannot have affected, too */
    bool unfocused;     /* scheduling points at all accesses */
    struct rv_vault *vault;
    struct rv_progress *progress;
};

struct rv_regress_race {
    struct rv_race_text text;
    const char *test; /* the first that showed it */
    uint32_t program;
    bool regression;
    bool impacted; /* by the change, as far as the models tell */
    bool on_base;
    char *change;               /* "src/map.c:12": where the change is that it comes from; "": not known */
    bool change_is_old;         /* ... in the base */
    const struct rv_hunk *hunk; /* NULL: not known */
};

struct rv_regress_test {
    bool run;
    double seconds;
    uint32_t regressions; /* that it was the first to show */
    char *error;          /* it could not be run; NULL */
};

struct rv_regress_result {
    struct rv_regress_race *races; /* real ones, and potential ones of impacted pairs */
    size_t count;
    struct rv_regress_test *tests; /* as the assessment has them */
    uint32_t run;                  /* so many tests */
    uint32_t regressions;          /* real ones */
    uint32_t potential;            /* new and impacted, not confirmed */
    uint32_t older;                /* real or potential, not of the change */
    uint32_t failures;             /* of tests, other than races */
    uint64_t executions,
        first; /* first: until the first regression was confirmed, to the end of its test; 0: there is none */
    double seconds, estimate; /* of the tests that were run; that all would have taken */
    double searching;         /* of `seconds`: before verification */
    bool out_of_time, interrupted;
    struct rv_hunk *hunks;
    uint32_t hunk_count;
    struct rv_notes notes;
};

void rv_regress_run(struct rv_regress_result *result, const struct rv_assessment *assessment,
                    const struct rv_test_suite *suite, const struct rv_regress_options *options);
void rv_regress_free(struct rv_regress_result *result, const struct rv_assessment *assessment);

/* run_report.c: for people; what is added to the JSON of the assessment; for code review; for CI systems (malloc'ed). */
void rv_regress_print(const struct rv_regress_result *result, const struct rv_assessment *assessment,
                      FILE *out, const struct rv_print_options *options);
void rv_regress_add_json(const struct rv_regress_result *result, const struct rv_assessment *assessment,
                         json_t *object);
json_t *rv_regress_sarif(const struct rv_regress_result *result, const char *directory);
char *rv_regress_junit(const struct rv_regress_result *result, const struct rv_assessment *assessment,
                       const char *suite);

#endif
