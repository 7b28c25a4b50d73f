/* Options that `ravel select` and `ravel regress` have in common. */
#ifndef RV_CLI_REGRESS_OPTIONS_H
#define RV_CLI_REGRESS_OPTIONS_H

#include "base/protocol.h"
#include "cli/options.h"
#include "regress/assess.h"

struct rv_regress_values {
    const char *suite, *base, *base_dir, *store;
    uint32_t technique, order;
    bool all;
};

#define RV_REGRESS_DEFAULTS \
    { .suite = RV_SUITE_FILE, .store = RV_STORE_DEFAULT }
#define RV_REGRESS_TECHNIQUES "simrt|simrt-nothreads|dejavu|all"

#define RV_REGRESS_OPTIONS(type, at)                                                                      \
    {"suite",                                                                                             \
     0,                                                                                                   \
     RV_OPTION_STRING,                                                                                    \
     RV_AT(type, at.suite),                                                                               \
     .argument = "FILE",                                                                                  \
     .help = "which tests there are (default ravel.toml)"},                                               \
        {"base",                                                                                          \
         0,                                                                                               \
         RV_OPTION_STRING,                                                                                \
         RV_AT(type, at.base),                                                                            \
         .argument = "NAME[@COMMIT]",                                                                     \
         .help = "recorded base to compare with (default: the latest)"},                                  \
        {"base-dir",                                                                                      \
         0,                                                                                               \
         RV_OPTION_STRING,                                                                                \
         RV_AT(type, at.base_dir),                                                                        \
         .argument = "DIR",                                                                               \
         .help = "compare with the programs of this second build tree, which are\n"                       \
                 "recorded now if they have not been"},                                                   \
        {"store",                                                                                         \
         0,                                                                                               \
         RV_OPTION_STRING,                                                                                \
         RV_AT(type, at.store),                                                                           \
         .argument = "FILE",                                                                              \
         .help = "where bases are kept (default " RV_STORE_DEFAULT ")"},                                  \
        {"technique",                                                                                     \
         0,                                                                                               \
         RV_OPTION_CHOICE,                                                                                \
         RV_AT(type, at.technique),                                                                       \
         .argument = RV_REGRESS_TECHNIQUES,                                                               \
         .help = "which tests: simrt (default): two threads cover a pair of accesses\n"                   \
                 "that the change can affect; simrt-nothreads: covered by any thread;\n"                  \
                 "dejavu: changed code is covered; all"},                                                 \
        {"order",                                                                                         \
         0,                                                                                               \
         RV_OPTION_CHOICE,                                                                                \
         RV_AT(type, at.order),                                                                           \
         .argument = "simrt|abc|random|given",                                                            \
         .help = "most new pairs first (default), most new blocks first, by the seed,\nas in the suite"}, \
    {                                                                                                     \
        "all", 'a', RV_OPTION_FLAG, RV_AT(type, at.all),                                                  \
            .help = "the tests that are not selected, too, after the others"                              \
    }

/* The suite, and the changed version against its base. RV_EXIT_FINE, or the exit code, after the error line; free both in any
 * case. `config` is for tests of --base-dir that have to be recorded first. */
int rv_regress_assess(const struct rv_command *command, const struct rv_regress_values *values, uint64_t seed,
                      const struct rv_config *config, struct rv_progress *progress,
                      struct rv_test_suite *suite, struct rv_assessment *assessment);
const char *rv_technique_name(uint32_t technique);

#endif
