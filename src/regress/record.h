/* `ravel record`: the suite run once on the base. What is done is in the store after each test, so that an interrupted record goes
 * on where it was. */
#ifndef RV_REGRESS_RECORD_H
#define RV_REGRESS_RECORD_H

#include "regress/bases.h"
#include "regress/suite.h"
#include "supervisor/progress.h"
#include "supervisor/util.h"
#include "supervisor/vault.h"

struct rv_record_options {
    const char *name, *store;
    const struct rv_config *config;
    bool again;     /* also what is recorded already */
    uint64_t races; /* executions of each test that are searched for races of the base; 0: only the one */
    struct rv_vault *vault; /* with `races` */
    struct rv_progress *progress;
};

struct rv_record_result {
    char *id;
    uint32_t tests, kept; /* recorded; of them, by an earlier call */
    uint32_t outcomes[RV_TRIAL_OUTCOMES];
    bool already, interrupted;
    double seconds;
    struct rv_notes notes;
    char *error;
};

/* Fills *result in any case. False: result->error, or interrupted. */
bool rv_record_suite(struct rv_record_result *result, const struct rv_test_suite *suite,
                     const struct rv_record_options *options);
void rv_record_free(struct rv_record_result *result);

#endif
