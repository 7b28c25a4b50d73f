/* A bug as a C test of its own, to be kept: the calls, the schedule as events of ravel.h, and an assertion about the results if
 * that is what is wrong.
 *
 * Events are around the calls: which had returned when another one was made, and which ran at once. What happens inside of the
 * calls is left to `ravel test --explore`, which tries what the schedule leaves open. So a test is checked before it is
 * claimed to show the bug: it is built and run.
 */
#ifndef RV_GENERATE_WRITE_H
#define RV_GENERATE_WRITE_H

#include "generate/hunt.h"

struct rv_test_file {
    const struct rv_api *api;
    const struct rv_bug *bug;
    struct rv_runner *runner; /* to ask what orders give */
    const char *header;       /* as it is to be included */
    const char *build, *run;  /* commands, for the comment at the top */
};
/* The text; malloc'ed. NULL: the results cannot be told in C. */
char *rv_test_file_text(const struct rv_test_file *file);

#endif
