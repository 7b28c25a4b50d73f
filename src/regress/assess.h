/* A changed version against a recorded base: models compared, histories read, tests chosen. What `ravel select` tells and `ravel
 * regress` runs.
 *
 * Each program of the suite is compared with its own base. Where that cannot be done (no model, the program is new, the history is
 * damaged), all its tests are selected, and it is said why. So are tests whose coverage is not known: new ones, and those that failed
 * or timed out on the base. */
#ifndef RV_REGRESS_ASSESS_H
#define RV_REGRESS_ASSESS_H

#include "regress/bases.h"
#include "regress/select.h"
#include "regress/suite.h"
#include "supervisor/progress.h"
#include "supervisor/util.h"

struct rv_assessed_program {
    const char *path;
    char *why; /* it cannot be compared; NULL: it has been */
    struct rv_model *old_model, *new_model;
    struct rv_version old, new;
    struct rv_match match;
    struct rv_impact impact;
    struct rv_isvps isvps;
    struct rv_selection selection;
    uint32_t *tests; /* of the suite, by number in the selection */
    uint32_t test_count;
    struct rv_history_test *histories;
    bool compared; /* all of the above is there */
};

struct rv_assessed_test {
    const struct rv_suite_test *test;
    uint32_t program;
    const struct rv_choice *choice; /* NULL: its program has not been compared */
    const char *why;                /* it is selected whatever it covers; NULL */
    bool selected;
};

/* Races of the base, as places of the base. */
struct rv_base_race {
    char *file[2];
    uint32_t line[2];
    uint32_t program;
};

struct rv_assess_options {
    struct rv_select_options select;
    const char *base; /* NAME, NAME@COMMIT; NULL: the latest */
    const char *store;
    struct rv_progress *progress;
};

struct rv_assessment {
    struct rv_base base;
    struct rv_assessed_program *programs;
    uint32_t program_count;
    struct rv_assessed_test *tests; /* in the order in which they should be run */
    uint32_t count, selected, total;
    struct rv_base_race *races;
    size_t race_count;
    double base_seconds, selected_seconds; /* that all tests, and those selected, took on the base */
    double seconds;                        /* of the analysis */
    struct rv_notes notes;
    bool wrong; /* with an error: the request was */
    char *error;
};

/* Fills *assessment in any case. False: assessment->error. The suite must stay. */
bool rv_assess(struct rv_assessment *assessment, const struct rv_test_suite *suite,
               const struct rv_assess_options *options);
void rv_assessment_free(struct rv_assessment *assessment);

/* The pairs of a program's model that are at these places of the new version, in either order; the number of one of
 * them, or SIZE_MAX. */
size_t rv_assessed_pair(const struct rv_assessed_program *program, const char *first_file,
                        uint32_t first_line, const char *second_file, uint32_t second_line);
/* Whether a race at these places of the new version was there on the base: both statements are the same, and raced. */
bool rv_was_on_base(const struct rv_assessment *assessment, uint32_t program, const char *first_file,
                    uint32_t first_line, const char *second_file, uint32_t second_line);

#endif
