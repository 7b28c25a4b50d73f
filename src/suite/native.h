/* The test binary run by itself, with libravel in it telling about tests on a descriptor: for the list, and for checking
 * (--passive). It may print, hang, crash and write anything: all of it is bounded. */
#ifndef RV_SUITE_NATIVE_H
#define RV_SUITE_NATIVE_H

#include "report/text.h"
#include "supervisor/launch.h"

struct rv_native_request {
    const char *mode;       /* "list", "passive"; NULL: it is not asked */
    const char *const *env; /* rv_native.env */
    double limit;           /* seconds */
    size_t most;            /* bytes of lines that are kept */
};

struct rv_native_end {
    enum { RV_NATIVE_ENDED, RV_NATIVE_TIMEOUT, RV_NATIVE_INTERRUPTED, RV_NATIVE_FLOODED } how;
    struct rv_death death; /* with ENDED */
    struct rv_text lines;
    char *output; /* what it printed, cut in the middle; never NULL */
    double seconds;
};

/* False: it could not be started; *error, nothing to free. */
bool rv_native_run(const struct rv_program *program, const struct rv_native_request *request,
                   struct rv_native_end *end, char **error);
void rv_native_free(struct rv_native_end *end);

#endif
