/* The tests of the program (RAVEL_TEST, RAVEL_TEST_SCOPE in ravel.h), of which one may be chosen.
 *
 *   under control     rv_config.test is the chosen one; "": all are run, and the plan holds for the whole program
 *   RAVEL_TESTS=...   started by `ravel test` without control: list:FD tells what tests there are, in place of main;
 *                     passive:FD lets threads run freely (native_events.h)
 *   by hand           all are run, events mean nothing
 *
 * Under control, when the chosen test is left: everything that the plan names must have happened, and every thread that
 * was created meanwhile must be over. When the program ends with success the chosen test must have been entered, and
 * must be over: left, or ended by exit().
 */
#ifndef RV_RUNTIME_TESTS_H
#define RV_RUNTIME_TESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Layout as in ravel.h. */
struct rv_registration {
    struct rv_registration *next; /* the program's */
    struct rv_registration *also; /* ours */
    const char *test, *label, *text;
    const char *file;
    int line;
    void (*function)(void); /* of a test; NULL: a schedule */
};

void rv_test_register(struct rv_registration *registration);

/* Whether the test is to be run; then it has begun. sp: the stack pointer of the function that is the test. */
bool rv_test_enter(const char *name, uintptr_t sp, uintptr_t site);
void rv_test_leave(const char *name, uintptr_t site);
const char *rv_test_schedule(void);
/* longjmp is about to leave all frames of the current thread below this stack address. */
void rv_test_unwind(uintptr_t sp);
/* The program ends with success; in order: by exit or the end of main, which a test may end with, too. */
void rv_test_exit(bool in_order, uintptr_t site);
void rv_tests_snapshot(void);
void rv_tests_restore(void);

#define RV_TESTS_ENV "RAVEL_TESTS"

typedef int rv_main(int argc, char **argv, char **environment);
/* Whether anything is to be done about main at all. */
bool rv_tests_wanted(void);
/* What to run in place of the program's main, which may be that. */
rv_main *rv_tests_main(rv_main *program);
/* Under control: the lines of list:FD, in memory. 0: there is not enough of it, or executions begin before all tests are known. */
size_t rv_tests_list(char *to, size_t room);

#endif
