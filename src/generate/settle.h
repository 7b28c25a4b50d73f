/* From a bug that a worker has seen to one that is reported. */
#ifndef RV_GENERATE_SETTLE_H
#define RV_GENERATE_SETTLE_H

#include "generate/harness.h"
#include "generate/session.h"

struct rv_settling {
    const struct rv_api *api;
    const char *harness; /* the program */
    uint64_t hash;
    const struct rv_config *config;
    struct rv_vault *vault;
    struct rv_runner *runner;
    const struct rv_build *build; /* how the module is compiled */
    const char *header;           /* absolute */
};

/* Takes the bug over. false: a fresh process did not show it; nothing is left to free. */
bool rv_settle(struct rv_settled *settled, struct rv_bug *bug, const struct rv_settling *settling,
               char **warning);
void rv_settled_free(struct rv_settled *settled);

#endif
