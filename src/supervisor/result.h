/* What a campaign came to, and how it is told: JSON for machines (the command-line contract) and a summary
 * for people. Filled by campaign.c; knows nothing of processes.
 *
 * Owned by the caller of the campaign: rv_result_free. Strings are malloc'ed, NULL when there is none.
 */
#ifndef RV_SUPERVISOR_RESULT_H
#define RV_SUPERVISOR_RESULT_H

#include <jansson.h>
#include <stdio.h>

#include "coverage/data.h"
#include "report/failure.h"
#include "supervisor/program.h"
#include "supervisor/util.h"

enum rv_stop {
    RV_STOP_FAILURE,
    RV_STOP_SCHEDULES,
    RV_STOP_TIME,
    RV_STOP_COMPLETE,
    RV_STOP_INTERRUPT,
    RV_STOP_ERROR, /* ravel or the program gave up: `error` says why */
    RV_STOP_COUNT
};
extern const char *const rv_stop_names[RV_STOP_COUNT];

/* A confirmed failure. */
struct rv_found {
    struct rv_failure failure;
    /* What the exploring workers called it; failure.signature is the fresh process's. Of a race: that of each pair of
     * instructions on the two lines. */
    uint64_t *seen_signatures;
    size_t seen_count;
    bool known; /* from an earlier campaign: it was saved and still fails */
    bool final; /* its schedule is as short as it will get */
};

/* The same schedule did different things in two processes: the program depends on something that ravel
 * does not control. */
struct rv_nondeterminism {
    bool found;
    char *what;           /* one line: which executions were compared and how they differ */
    char *first, *second; /* the first event that differed, in both; NULL: only their ends do */
    uint64_t event;       /* its number in the trace, from 1; 0 without one */
};

/* How far a search was when it ended, for strategies that can tell. */
struct rv_search_result {
    bool known;
    uint64_t estimated_total; /* executions in its tree; 0: nothing is known */
    uint32_t depth;           /* of its stack */
    uint64_t pruned;          /* alternatives left out by a bound or by guidance */
    uint64_t earlier;         /* executions of the runs that this one carries on */
};

struct rv_result {
    const struct rv_program *program;
    struct rv_config config; /* as the campaign ran; isolation: as asked for */
    uint32_t isolation;      /* in use */
    uint64_t schedules;
    bool complete;
    double seconds; /* of exploring: what schedules_per_second is about */
    enum rv_stop stopped_by;
    uint64_t not_terminating;
    uint64_t dead_ends; /* executions in which the plan let nobody go on, though others keep to it */
    uint64_t coverage;  /* ordering pairs of sites */
    struct rv_search_result search;
    const struct rv_cover_data *covered; /* with coverage: of all campaigns; the caller's */
    struct rv_found *found;
    size_t found_count;
    uint64_t suppressed;  /* races that the user does not want to hear of */
    uint64_t unconfirmed; /* failures of workers that did not happen again in a fresh process */
    struct rv_nondeterminism nondeterminism;
    struct rv_notes notes;
    struct rv_notes hidden;   /* pairs of lines that something orders which ravel does not see */
    struct rv_notes fixed;    /* files of known failures that pass now */
    struct rv_notes warnings; /* what went wrong beside the point: a failure that could not be saved */
    char *error;
};

/* Appends; the failure is taken over. The pointer holds until the next call. */
struct rv_found *rv_result_add(struct rv_result *result, struct rv_failure *failure);
/* What is the same failure: one with this signature, a race between the same lines; or NULL. */
struct rv_found *rv_result_find(const struct rv_result *result, const struct rv_failure *failure);
/* Workers call it so, too. */
void rv_found_seen(struct rv_found *found, uint64_t signature);
/* Races last: whatever else fails is worse, or comes from one. */
void rv_result_sort(struct rv_result *result);
/* How many failures there are that are no races: those end a campaign. */
size_t rv_result_failed(const struct rv_result *result);
void rv_result_free(struct rv_result *result);

/* The object of the contract; a new reference. */
json_t *rv_result_json(const struct rv_result *result);
/* Failures as lanes, then one line of summary, notes, warnings. */
void rv_result_print(const struct rv_result *result, FILE *out, const struct rv_print_options *options);
/* "memory" or "fork". */
const char *rv_isolation_name(uint32_t isolation);

#endif
