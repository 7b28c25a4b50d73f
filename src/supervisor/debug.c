#include "supervisor/debug.h"

#include <errno.h>
#include <stdlib.h>

#include "report/text.h"
#include "supervisor/recorded.h"
#include "supervisor/watch.h"

/* The runtime must be in the program and nowhere else: not in gdb, and not in the shell that gdb would start
 * programs with; both would take the channel for theirs. So it is gdb that sets LD_PRELOAD, without a shell. */
void rv_debug(const struct rv_case *about, const struct rv_failure *recorded) {
    struct rv_server server;
    struct rv_expectation expected = {recorded->kind, recorded->signature, .met = false};
    struct rv_config config = rv_case_config(about, &expected);
    struct rv_schedule schedule = rv_recorded_schedule(recorded);
    struct rv_program program = *about->program;
    if (!rv_server_open(&server, &program, &config, false)) {
        errno = ENOMEM;
        return;
    }
    rv_server_post(&server, &schedule, RV_REQUEST_TRAP | RV_REQUEST_STACKS);
    char *preload = program.instrumented ? rv_text_copy("set confirm off")
                                         : rv_text_format("set environment LD_PRELOAD %s", program.library);
    char *quiet = rv_text_format("handle SIG%d nostop noprint pass", RV_WATCH_SIGNAL);
    char *prefix[] = {"gdb", "-q",    "-ex",    "set startup-with-shell off",
                      "-ex", preload, "-ex",    quiet,
                      "-ex", "run",   "--args", NULL};
    program.instrumented = true; /* for the environment of gdb itself */
    rv_worker_become(&program, &server.channel, prefix);
    int reason = errno;
    free(preload);
    free(quiet);
    rv_server_close(&server);
    errno = reason;
}
