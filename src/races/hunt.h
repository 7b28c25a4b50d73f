/* The hunt for races and lock-order deadlocks: `ravel races`.
 *
 *   collect.c    a few random executions, recorded; all detectors look at each (find.h). Many more that are only watched
 *   verify.c     for each potential race: executions steered so that both threads stand at the two accesses at once
 *   harm.c       what comes of a real race: both orders of the two accesses, with the same schedule before
 *   cycles.c     for each potential deadlock: executions steered into it
 *   hunt.c       the order of things; the result
 *
 * Only what a fresh process has shown again is called real. What one phase learns in passing (a race that happened, a failure
 * that has nothing to do with races) is confirmed and kept like everything else.
 */
#ifndef RV_RACES_HUNT_H
#define RV_RACES_HUNT_H

#include "races/find.h"
#include "report/pairs.h"
#include "report/suppress.h"
#include "report/trace_file.h"
#include "supervisor/confirm.h"
#include "supervisor/progress.h"
#include "supervisor/util.h"
#include "supervisor/vault.h"

enum rv_hunt_deadlocks { RV_DEADLOCKS_VERIFY, RV_DEADLOCKS_REPORT, RV_DEADLOCKS_OFF };

/* What a pair of places is worth to whoever asks. */
enum rv_hunt_worth {
    RV_WORTH_NOTHING, /* it is not even told */
    RV_WORTH_TELLING, /* as potential; not verified */
    RV_WORTH_VERIFYING,
    RV_WORTH_FIRST, /* verified before others */
};

struct rv_hunt_options {
    struct rv_config config; /* seed, isolation, ...; strategy and schedules are the hunt's own */
    uint64_t schedules;      /* that are recorded */
    unsigned tries;          /* executions for one pair */
    enum rv_hunt_deadlocks deadlocks;
    double time_limit;                    /* seconds for all; 0: none */
    struct rv_pairs *pairs;               /* only these; NULL: all */
    struct rv_suppressions *suppressions; /* NULL: none */
    struct rv_trace_writer *writer;       /* of what is recorded; NULL: nowhere */
    struct rv_progress *progress;
    /* NULL: every pair is verified, in the order in which they were found. */
    enum rv_hunt_worth (*worth)(const struct rv_location *first, const struct rv_location *second,
                                const void *user);
    /* Executions that are only watched have scheduling points at these plain accesses only; NULL: wherever it may matter. */
    bool (*focus)(const struct rv_location *access, const void *user);
    const void *user; /* of both */
};

struct rv_hunt_result {
    const struct rv_program *program; /* NULL: traces were looked at */
    struct rv_config config;
    struct rv_race_text *races; /* the worst first */
    size_t race_count;
    struct rv_deadlock_text *deadlocks;
    size_t deadlock_count;
    struct rv_failure *failures; /* that are neither, or the harm of a race */
    size_t failure_count;
    uint64_t schedules; /* recorded */
    uint64_t watched;   /* and only watched */
    uint64_t steered;   /* executions of verification */
    uint64_t suppressed;
    double seconds, searching; /* of the whole; before verification */
    bool interrupted, out_of_time;
    struct rv_notes notes, warnings;
    char *error; /* nothing could be done, or not all: why */
};

/* Fills *result (rv_hunt_free), whatever happens. */
void rv_hunt(struct rv_hunt_result *result, const struct rv_program *program,
             const struct rv_hunt_options *options, struct rv_vault *vault);
/* The finds of traces that were recorded earlier as a result: nothing is run. Takes them over. */
void rv_hunt_of_finds(struct rv_hunt_result *result, struct rv_finds *finds,
                      const struct rv_hunt_options *options);
void rv_hunt_free(struct rv_hunt_result *result);
/* Something real, harmful or provable, or a failure. */
bool rv_hunt_found(const struct rv_hunt_result *result);

/* hunt_report.c; a new reference. */
json_t *rv_hunt_json(const struct rv_hunt_result *result);
void rv_hunt_print(const struct rv_hunt_result *result, FILE *out, const struct rv_print_options *options);

#endif
