/* A campaign: one `ravel run`. Known failures first, then exploration, each suspect confirmed in a fresh
 * process, each failure made as simple as time allows, saved, and told.
 *
 * Everything that reaches result->found was confirmed, described and saved the moment it was; what follows (a
 * shorter schedule) only improves it. So an interrupted campaign loses nothing.
 */
#ifndef RV_SUPERVISOR_CAMPAIGN_H
#define RV_SUPERVISOR_CAMPAIGN_H

#include "coverage/shelf.h"
#include "report/suppress.h"
#include "supervisor/frontier.h"
#include "supervisor/learning.h"
#include "supervisor/progress.h"
#include "supervisor/result.h"
#include "supervisor/vault.h"

struct rv_campaign_options {
    struct rv_config config;      /* workers, keep_going, ... as asked for */
    double time_limit;            /* seconds of exploration; 0: none */
    bool check;                   /* compare executions of one schedule: selfcheck.h */
    struct rv_frontier *frontier; /* of a search that can be saved; else NULL */
    struct rv_progress *progress;
    struct rv_cover_shelf *coverage;      /* NULL: nothing is noted (config.coverage is off) */
    struct rv_learning *learning;         /* NULL: the strategy keeps nothing */
    struct rv_suppressions *suppressions; /* races not to be reported; NULL: none */
};

/* Fills *result (rv_result_free), whatever happens. */
void rv_campaign_run(struct rv_result *result, const struct rv_program *program,
                     const struct rv_campaign_options *options, struct rv_vault *vault);

#endif
