/* Where the C library calls main: another function may be called in its place (tests.h). Constructors have run by then. */
#include <errno.h>

#include "runtime/core.h"
#include "runtime/real.h"
#include "runtime/tests.h"

typedef int start_main(rv_main *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                       void (*loader_fini)(void), void *stack_end);
RV_EXPORT start_main __libc_start_main;

static rv_main *program_main;

static int begin(int argc, char **argv, char **environment) {
    return rv_tests_main(program_main)(argc, argv, environment);
}

int __libc_start_main(rv_main *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end) {
    start_main *real = (start_main *)rv_real_lookup("__libc_start_main");
    program_main = program;
    return real(rv_tests_wanted() ? begin : program, argc, argv, init, fini, loader_fini, stack_end);
}
