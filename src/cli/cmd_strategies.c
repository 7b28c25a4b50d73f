#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "strategy/strategy.h"

static int list_strategies(int argc, char **argv);

static const struct rv_option strategies_options[] = {RV_OPTION_END};

const struct rv_command rv_command_strategies = {
    .name = "strategies",
    .summary = "list the search strategies, with what they guarantee",
    .usage = "[OPTIONS]",
    .options = strategies_options,
    .interleaved = true,
    .run = list_strategies,
};

static int list_strategies(int argc, char **argv) {
    char none;
    int first;
    int status = rv_options_parse(&rv_command_strategies, &none, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (first < argc) return rv_usage_error(&rv_command_strategies, "unexpected argument '%s'", argv[first]);
    for (const struct rv_strategy *const *at = rv_strategies; *at; at++) {
        const struct rv_strategy *strategy = *at;
        if (strategy->internal) continue;
        int width = printf("%s%s", strategy->name, strategy->parameter);
        printf("%*s%s\n", width < 18 ? 18 - width : 1, "", strategy->guarantee);
    }
    return RV_EXIT_FINE;
}
