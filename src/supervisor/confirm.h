/* Confirmation: nothing is reported that did not happen in a fresh process.
 *
 * The worker that saw a failure has run thousands of executions, and may have been damaged by the bug it
 * hunts. So the schedule is run in a process that has done nothing else, on memory that nobody has used.
 * What counts is what happens there: if it is the failure that the worker saw, two executions agree. If
 * it is another failure, a second fresh process must agree with the first. If it passes, or if the two
 * differ, nothing is confirmed. Of a race, an execution is wanted in which both threads stand at their accesses (standing.h).
 */
#ifndef RV_SUPERVISOR_CONFIRM_H
#define RV_SUPERVISOR_CONFIRM_H

#include "report/failure.h"
#include "supervisor/serve.h"

enum rv_verdict {
    RV_CONFIRMED,   /* `failure` is complete but for count, first_schedule and file */
    RV_PASSED,      /* the execution was fine */
    RV_UNSTABLE,    /* two fresh processes failed, each in its own way */
    RV_HIDDEN,      /* a race that something orders which ravel does not see: standing.h */
    RV_UNAVAILABLE, /* nothing was learned: `why` says what is in the way; NULL if interrupted */
};

/* What somebody saw and wants to see again. Kind RV_KIND_NONE: any failure. */
struct rv_expectation {
    enum rv_kind kind;
    uint64_t signature;
    bool met; /* of a race: both threads are to stand at their accesses */
};

struct rv_confirmation {
    enum rv_verdict verdict;
    struct rv_failure failure; /* also with HIDDEN */
    struct rv_outcome outcome; /* of the process that showed it; of the first if it is not confirmed */
    char *why;
};

/* What is to be run: the program with the options of the campaign. */
struct rv_case {
    const struct rv_program *program;
    struct rv_config config;
};

/* Whether this outcome is the failure that was expected. */
bool rv_expected(const struct rv_expectation *expected, const struct rv_outcome *outcome);
/* The options for runs that are looked at: one worker, all output, what else the campaign has. A race is looked for only if
 * that is what is expected; expected: NULL, or what a schedule should show. */
struct rv_config rv_case_config(const struct rv_case *about, const struct rv_expectation *expected);
/* What to ask of a server for rv_confirm_describe. */
unsigned rv_confirm_flags(const struct rv_expectation *expected);

/* One execution in a process and a memory of its own, with what rv_confirm_describe needs. The server is to be closed in any
 * case. False: no execution took place. */
bool rv_confirm_run(struct rv_server *server, const struct rv_case *about, const struct rv_schedule *schedule,
                    const struct rv_expectation *expected, struct rv_reply *reply);
void rv_confirm(struct rv_confirmation *confirmation, const struct rv_case *about,
                const struct rv_schedule *schedule, const struct rv_expectation *expected);
void rv_confirmation_free(struct rv_confirmation *confirmation);

/* The failure that the server's last request showed; its flags were those of rv_confirm_flags. */
void rv_confirm_describe(struct rv_failure *failure, const struct rv_case *about, struct rv_server *server);
/* Why a worker could not be used: what it said last, or the system's reason; malloc'ed, NULL: unknown. */
char *rv_confirm_reason(const struct rv_server *server);

#endif
