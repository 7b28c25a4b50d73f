/* Options that are about the program under test, whatever a command does with it: one table for all of them.
 *
 *     struct run_values { struct rv_program_options about; ... };
 *     static const struct rv_option run_options[] = { RV_PROGRAM_OPTIONS(struct run_values, about), ... RV_OPTION_END };
 *     struct run_values values = {.about = RV_PROGRAM_DEFAULTS, ...};
 */
#ifndef RV_CLI_PROGRAM_OPTIONS_H
#define RV_CLI_PROGRAM_OPTIONS_H

#include "base/protocol.h"
#include "cli/options.h"
#include "supervisor/program.h"

struct rv_program_options {
    uint64_t seed;
    uint32_t isolation;
    uint32_t timing;
    bool spurious;
    int32_t expect_exit;
    uint64_t max_steps;
    double watchdog;
    uint64_t memory_limit;
    const char *out;
    const char *test; /* NAME[:LABEL]; NULL: all */
    const char *plan; /* NULL: none */
};

#define RV_PROGRAM_DEFAULTS \
    { .seed = 1, .max_steps = 100000, .watchdog = 3, .memory_limit = 2048, .out = ".ravel/failures" }

#define RV_TIMING_HELP_FREE                                          \
    "free (default): a sleep or timed wait may end at any moment;\n" \
    "strict: only when nothing else can run"
#define RV_PROGRAM_OPTIONS(type, at) \
    RV_PLAN_OPTIONS(type, at), RV_PROGRAM_OPTIONS_TIMED(type, at, RV_TIMING_HELP_FREE)
/* Which test, and by which plan: for commands that run one. */
#define RV_PLAN_OPTIONS(type, at)                                                  \
    {"test",                                                                       \
     0,                                                                            \
     RV_OPTION_STRING,                                                             \
     RV_AT(type, at.test),                                                         \
     .argument = "NAME[:LABEL]",                                                   \
     .check = rv_check_test,                                                       \
     .help = "run only this test (RAVEL_TEST in ravel.h); ravel_schedule() says\n" \
             "LABEL there"},                                                       \
    {                                                                              \
        "plan", 0, RV_OPTION_STRING, RV_AT(type, at.plan),                         \
            .argument = "SCHEDULE", .check = rv_check_plan,                        \
            .help = "every execution keeps to this schedule of events, as in\n"    \
                    "\"put -> take\" (see ravel test)"                             \
    }
/* The rest, with what --help says of --timing: its default is not the same everywhere. */
#define RV_PROGRAM_OPTIONS_TIMED(type, at, timing_help)                                                       \
    {"seed",          0,                                                                                      \
     RV_OPTION_UINT,  RV_AT(type, at.seed),                                                                   \
     .argument = "N", .help = "two runs with the same seed and options do the same (default 1)"},             \
        {"isolation",                                                                                         \
         0,                                                                                                   \
         RV_OPTION_CHOICE,                                                                                    \
         RV_AT(type, at.isolation),                                                                           \
         .argument = "auto|memory|fork",                                                                      \
         .help = "how executions are kept apart: by restoring memory, or a process\n"                         \
                 "each. auto (default): memory, and fork where that does not hold"},                          \
        {"timing",           0, RV_OPTION_CHOICE, RV_AT(type, at.timing), .argument = "free|strict",          \
         .help = timing_help},                                                                                \
        {"spurious", 0, RV_OPTION_FLAG, RV_AT(type, at.spurious),                                             \
         .help = "condition variables may wake without reason"},                                              \
        {"expect-exit",   0,        RV_OPTION_INT, RV_AT(type, at.expect_exit),                               \
         .argument = "N", .min = 0, .max = 255,    .help = "exit status that counts as success (default 0)"}, \
        {"max-steps",                                                                                         \
         0,                                                                                                   \
         RV_OPTION_UINT,                                                                                      \
         RV_AT(type, at.max_steps),                                                                           \
         .argument = "N",                                                                                     \
         .min = 1,                                                                                            \
         .help = "scheduling points after which an execution counts as not\n"                                 \
                 "terminating (default 100000)"},                                                             \
        {"watchdog",                                                                                          \
         0,                                                                                                   \
         RV_OPTION_SECONDS,                                                                                   \
         RV_AT(type, at.watchdog),                                                                            \
         .argument = "SECONDS",                                                                               \
         .help = "CPU time without a scheduling point that counts as an endless\nloop (default 3)"},          \
        {"memory-limit",    0,                                                                                \
         RV_OPTION_UINT,    RV_AT(type, at.memory_limit),                                                     \
         .argument = "MIB", .min = 1,                                                                         \
         .max = 1 << 20,    .help = "heap of the program beyond which malloc fails (default 2048)"},          \
    {                                                                                                         \
        "out", 0, RV_OPTION_STRING, RV_AT(type, at.out),                                                      \
            .argument = "DIR", .help = "where failures are saved (default .ravel/failures)"                   \
    }

/* For the table. */
const char *rv_check_test(const char *text);
const char *rv_check_plan(const char *text);

/* What they say of how the program is run; the rest is the command's. */
struct rv_config rv_program_config(const struct rv_program_options *options,
                                   const struct rv_program *program);

#endif
