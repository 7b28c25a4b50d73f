/* The test file with events and schedules in place of sleeps. */
#ifndef RV_MIGRATE_REWRITE_H
#define RV_MIGRATE_REWRITE_H

#include "migrate/session.h"

/* Whether the test gets a schedule. */
bool rv_test_migrates(const struct rv_test_found *test);
/* Whether main, being the test, can be made a function that main calls: it takes nothing and returns 0 only. */
bool rv_main_splits(const struct rv_source *source, uint32_t function);
/* Sleeps that go, by place (an array of source.place_count, malloc'ed): those that order threads in a test that migrates, and that
 * no test passes which does not. */
bool *rv_sleeps_removed(const struct rv_migration *migration);
/* The new text, malloc'ed; the old one if no test migrates. */
char *rv_migration_rewrite(const struct rv_migration *migration);
/* Whether the bodies of two tests are the same but for their sleeps: they can be one test with two schedules. */
bool rv_tests_alike(const struct rv_migration *migration, const struct rv_test_found *a,
                    const struct rv_test_found *b);

#endif
