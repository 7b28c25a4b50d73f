#include "cli/program_options.h"

/* A fixed day, so that what programs print and hash does not depend on today. */
static const int64_t clock_base = 1767225600; /* 2026-01-01 00:00:00 UTC */

struct rv_config rv_program_config(const struct rv_program_options *options,
                                   const struct rv_program *program) {
    uint32_t watchdog_ms = options->watchdog < 1e6 ? (uint32_t)(options->watchdog * 1000) : 1000000000;
    return (struct rv_config){.seed = options->seed,
                              .max_steps = options->max_steps,
                              .isolation = options->isolation,
                              .timing = options->timing,
                              .spurious = options->spurious,
                              .expect_exit = options->expect_exit,
                              .watchdog_ms = watchdog_ms ? watchdog_ms : 1,
                              .memory_limit = options->memory_limit << 20,
                              .clock_base = clock_base,
                              .instrumented = program->instrumented};
}
