#include "cli/strategy_option.h"

#include <stdio.h>
#include <string.h>

#include "base/protocol.h"
#include "strategy/strategy.h"

const char *rv_check_strategy(const char *text) {
    static char wrong[256];
    const char *params;
    const struct rv_strategy *strategy = rv_strategy_find(text, &params);
    if (!strategy || strategy->internal) {
        snprintf(wrong, sizeof wrong, "no strategy '%.60s' (see ravel strategies)", text);
        return wrong;
    }
    if (strlen(text) >= sizeof((struct rv_config *)0)->strategy) return "its parameter is too long";
    const char *problem = strategy->check ? strategy->check(params) : NULL;
    if (!problem) return NULL;
    snprintf(wrong, sizeof wrong, "%s: %s", strategy->name, problem);
    return wrong;
}
