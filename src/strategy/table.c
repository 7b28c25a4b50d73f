/* The strategies, as `ravel strategies` lists them. To add one: its file, its declaration, its line. */
#include <string.h>

#include "strategy/dfs.h"
#include "strategy/replay.h"
#include "strategy/strategy.h"

extern const struct rv_strategy rv_strategy_auto, rv_strategy_random, rv_strategy_pct, rv_strategy_pos,
    rv_strategy_surw, rv_strategy_rf, rv_strategy_dpor, rv_strategy_delay, rv_strategy_classic,
    rv_strategy_hapset, rv_strategy_map, rv_strategy_audit, rv_strategy_steer;

/* A line each. */
/* clang-format off */
const struct rv_strategy *const rv_strategies[] = {
    &rv_strategy_auto,
    &rv_strategy_random,
    &rv_strategy_pct,
    &rv_strategy_pos,
    &rv_strategy_surw,
    &rv_strategy_rf,
    &rv_strategy_dpor,
    &rv_strategy_classic,
    &rv_strategy_hapset,
    &rv_strategy_map,
    &rv_strategy_dfs,
    &rv_strategy_pcb,
    &rv_strategy_delay,
    &rv_strategy_bounded,
    &rv_strategy_replay,
    &rv_strategy_audit,
    &rv_strategy_steer,
    NULL,
};
/* clang-format on */

const struct rv_strategy *rv_strategy_find(const char *spec, const char **params) {
    size_t length = 0;
    while (spec[length] && spec[length] != ':') length++;
    *params = spec[length] ? spec + length + 1 : NULL;
    for (const struct rv_strategy *const *entry = rv_strategies; *entry; entry++)
        if (strlen((*entry)->name) == length && memcmp((*entry)->name, spec, length) == 0) return *entry;
    return NULL;
}
