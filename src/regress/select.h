/* Which tests to run on the changed version, and in which order. Pure: suites, models and databases are elsewhere.
 *
 *   technique         a test is selected if
 *   simrt             two different threads of it cover the two blocks of a target
 *   simrt-nothreads   the two blocks are covered, by whomever
 *   dejavu            it covers a block of the base that is not the same any more (or what is added after it)
 *   all               always
 *
 *   order    the next test is
 *   simrt    the one that covers most pairs that none before has covered; when that is none, all count again. Pairs that are
 *            surely covered count before those that are possibly; of equal ones one at random, by the seed.
 *   abc      (additional block coverage) the same, with blocks of the base in place of pairs
 *   random   any, by the seed
 *   given    that of the suite
 *
 * With `rest`, the tests that are not selected come after: those with most impacted accesses, then those with most others that
 * are shared, then what is left; by an order other than simrt, in that order. */
#ifndef RV_REGRESS_SELECT_H
#define RV_REGRESS_SELECT_H

#include "regress/cover.h"
#include "regress/pairs.h"

enum rv_technique { RV_BY_SIMRT, RV_BY_SIMRT_NOTHREADS, RV_BY_DEJAVU, RV_BY_ALL, RV_TECHNIQUES };
enum rv_rank { RV_RANK_SIMRT, RV_RANK_ABC, RV_RANK_RANDOM, RV_RANK_GIVEN, RV_RANKS };

/* What is known of a test of the base. `always`: it has to be run whatever it covers, for nobody knows what that is. */
struct rv_history_test {
    struct rv_observed *observed;
    size_t observed_count;
    bool always;
};

struct rv_choice {
    uint32_t test;
    bool selected;     /* else: of the rest */
    uint32_t *targets; /* that it covers, sure ones first */
    uint32_t target_count, sure_count;
    uint64_t pairs;            /* in all these targets */
    uint32_t impacted, others; /* shared accesses that it covers: impacted, and not */
};

struct rv_selection {
    struct rv_choice *choices; /* in the order in which they should be run */
    uint32_t count, selected;
};

struct rv_select_options {
    enum rv_technique technique;
    enum rv_rank order;
    uint64_t seed;
    bool rest;
};

void rv_select(struct rv_selection *selection, const struct rv_impact *impact, const struct rv_isvps *isvps,
               const struct rv_history_test *tests, uint32_t test_count,
               const struct rv_select_options *options);
void rv_selection_free(struct rv_selection *selection);

/* Average percentage of faults detected: of an order of `tests` tests, the first of which to find fault i is at position
 * first[i], from 1 on; 0: none does, which counts as one after the last. */
double rv_apfd(const uint32_t *first, size_t faults, uint32_t tests);

#endif
