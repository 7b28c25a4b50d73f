/* A process forked from ravel that runs cases one after the other. It is told their numbers through a pipe, and sends for each
 * the size of its result and the result.
 *
 * The first one may be begun before the cases are known (a scout): it starts the worker that its cases will share, has that tell
 * what tests there are, and sends this list first. Cases reach it through memory that it shares with us. */
#ifndef RV_SUITE_SLOT_H
#define RV_SUITE_SLOT_H

#include <sys/types.h>

#include "suite/cases.h"
#include "suite/result.h"

/* What is done in such a process. */
struct rv_suite_work {
    void (*run)(const void *user, const struct rv_suite_case *one,
                struct rv_test_result *result);    /* *result is empty */
    void (*end)(const void *user);                 /* before the process ends; may be NULL */
    char *(*list)(const void *user, size_t *size); /* of a scout: malloc'ed; NULL: there is none */
    const void *user;
};

enum { RV_SLOT_STOPPED = 75 /* exit code of a slot that was asked to end */ };

struct rv_suite_slot {
    pid_t pid;    /* 0: none */
    int from, to; /* `from` does not block */
};

/* False: errno says why there is no process. In it, the others' descriptors are closed. */
bool rv_suite_slot_open(struct rv_suite_slot *slot, const struct rv_suite_work *work,
                        const struct rv_suite_cases *cases, const struct rv_suite_slot *others, size_t count);
bool rv_suite_slot_order(const struct rv_suite_slot *slot, size_t index);
/* It is to end when it has done what it was told. */
void rv_suite_slot_dismiss(struct rv_suite_slot *slot);
/* ... and waits for that; the status, as of waitpid. */
int rv_suite_slot_close(struct rv_suite_slot *slot);

struct rv_suite_scout {
    struct rv_suite_slot slot; /* no pid: there is none */
    void *board;               /* memory shared with it */
};

void rv_suite_scout_open(struct rv_suite_scout *scout, const struct rv_suite_work *work);
/* The list that it sends within so many seconds, as text; NULL: none, it is to be found out in another way. malloc'ed */
char *rv_suite_scout_list(struct rv_suite_scout *scout, double limit, size_t *size);
/* Makes the chosen cases known to it. False: it is of no use for them, and has ended. */
bool rv_suite_scout_brief(struct rv_suite_scout *scout, const struct rv_suite_cases *cases);
/* Ends it, unless jobs.h has taken its slot over. */
void rv_suite_scout_close(struct rv_suite_scout *scout);

#endif
