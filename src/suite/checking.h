/* What libravel tells while a test runs natively (RAVEL_TESTS=passive:FD), line by line, and what follows from it.
 *
 *   thread N NAME            the thread with this number has this name     begin     the test was entered
 *   event N NAME             an event happened in it                       end       and left
 *   violated AT LENGTH TARGET  the first ordering that was violated: where it stands in the plan
 *   missing EVENT            the test is over, and this never happened
 *   leaked N NAME            a thread is still alive at its end
 *   assert TEXT              an assertion of ravel.h failed
 */
#ifndef RV_SUITE_CHECKING_H
#define RV_SUITE_CHECKING_H

#include "base/kind.h"
#include "suite/result.h"

struct rv_checking {
    struct rv_test_result *result; /* gets the events */
    char **names;                  /* of threads, by number */
    size_t name_count;
    bool begun, ended;
    size_t damaged; /* lines that are none of these */
    /* The first line that tells of a failure: */
    enum rv_kind kind; /* RV_KIND_NONE: there was none */
    char *message;
    size_t at, length; /* of a violated ordering, in the plan; length 0: of none */
};

enum { RV_CHECKING_THREADS = 4096 };

/* Reads all lines; the last one may be cut off. */
void rv_checking_read(struct rv_checking *checking, const char *text, size_t size);
void rv_checking_free(struct rv_checking *checking);

#endif
