/* Exploring workers: as many processes as --jobs says, each on its area of one channel, started, watched and
 * replaced, until they have nothing left to do or are told to stop.
 *
 * A worker ends in one of these ways; what follows is decided here, in one place:
 *
 *   left by itself (DONE)          | budget used up, complete, stopped: its seat is finished
 *                                  | finding: the seat pauses until the campaign resumes it
 *                                  | unusable: the explorer is broken, with the worker's own words
 *   died, or was silent too long,  | a suspect (the log in the area is its schedule); then the seat pauses,
 *   in an execution                | or with keep_going goes on with a new process on the same area
 *   died before its first          | a new process; after START_ATTEMPTS in a row the explorer is broken
 *   died between executions        | a new process
 *
 * The strategy's state lies in the area, so a new process carries on where the old one died.
 */
#ifndef RV_SUPERVISOR_EXPLORE_H
#define RV_SUPERVISOR_EXPLORE_H

#include "coverage/data.h"
#include "supervisor/launch.h"
#include "supervisor/lessons.h"
#include "supervisor/pool.h"
#include "supervisor/schedule.h"
#include "supervisor/util.h"
#include "supervisor/watch.h"

/* Something that looks like a failure and wants to be confirmed. Free with rv_schedule_free(&schedule). */
struct rv_suspect {
    struct rv_outcome outcome;
    uint64_t first_schedule; /* 1 is the first */
    struct rv_schedule schedule;
    bool replayable;   /* false: the schedule was too long to be kept */
    bool died;         /* the process did; the outcome was made up from how */
    bool from_outside; /* by SIGKILL: the system's or a user's doing, not the program's */
};

struct rv_seat {
    struct rv_worker worker;
    struct rv_watch watch;
    uint32_t findings_taken;
    uint32_t attached; /* control.started when the process was started */
    uint64_t lost; /* control.executions then, if the process before died in an execution; else UINT64_MAX */
    unsigned failed_starts;    /* in a row */
    bool died;                 /* in an execution, which nobody has counted yet */
    bool idle;                 /* of a divided search: it has no part */
    bool placed;               /* its modules have been compared with others' */
    bool useless;              /* they are elsewhere: it was sent away */
    struct rv_pool_data saved; /* what it had left when it ended, for another campaign */
    enum { RV_SEAT_RUNNING, RV_SEAT_PAUSED, RV_SEAT_FINISHED } state;
    enum rv_done done; /* with FINISHED */
};

/* Where a program is loaded: searches that compare objects by address need it to be the same everywhere. */
struct rv_places {
    uint32_t count;
    uint64_t bases[RV_MAX_MODULES];
    uint64_t main_stack;
};

struct rv_frontier;

/* What is known before it begins: these places are scheduling points from the first execution on. Code locations mean the
 * same as in the area that the modules are from. */
struct rv_head_start {
    const struct rv_module *modules;
    unsigned module_count;
    const rv_code *sites;
    unsigned site_count;
};

struct rv_explorer {
    const struct rv_program *program;
    struct rv_channel channel;
    struct rv_streams streams;
    unsigned count;
    struct rv_seat *seats;
    struct rv_suspect *suspects; /* deaths, not yet taken */
    size_t suspect_count;
    uint64_t deaths;         /* of processes in an execution */
    uint64_t replaced;       /* processes started again after a death */
    uint32_t bell;           /* the doorbell when the last round began */
    bool stopping;           /* nobody is started any more */
    struct rv_pool pool;     /* of a divided search */
    enum rv_done verdict;    /* ... when it is over; RV_DONE_NOT before */
    struct rv_places places; /* ... of those who work at it; count 0: nobody has asked yet */
    bool elsewhere;          /* ... a worker could not take part: useless */
    char *error;             /* broken: why */
};

/* How far their search is (strategy.h on what the estimate is worth). */
struct rv_search_totals {
    bool known;
    bool grows;         /* the tree is larger than it looks */
    double done;        /* of the tree, 0..1 */
    uint64_t estimated; /* executions in all */
    uint32_t depth;     /* of the deepest stack */
    uint64_t pruned;
};

/* What the workers have done so far, together. */
struct rv_totals {
    uint64_t executions;
    uint64_t not_terminating;
    uint64_t dead_ends;
    uint64_t coverage;
    uint32_t isolation; /* in use; RV_ISOLATION_AUTO until known */
    struct rv_search_totals search;
    bool complete; /* every worker finished by completing its part, and could see all of it */
};

/* config->workers says how many. Starts them all, with these lessons and carrying
 * on from this frontier (NULL: none). False: explorer->error. Close it in
 * any case. */
bool rv_explorer_open(struct rv_explorer *explorer, const struct rv_program *program,
                      const struct rv_config *config, const struct rv_lessons *lessons,
                      struct rv_frontier *frontier);
/* The same with one worker and this head start; NULL: none. */
bool rv_explorer_begin(struct rv_explorer *explorer, const struct rv_program *program,
                       const struct rv_config *config, const struct rv_head_start *head_start);
/* Of the one worker. */
struct rv_area *rv_explorer_area(const struct rv_explorer *explorer);
/* The worker has recorded an execution (config.record) and waits until rv_explorer_read_on. NULL: not now. */
struct rv_recording *rv_explorer_recording(const struct rv_explorer *explorer);
void rv_explorer_read_on(const struct rv_explorer *explorer);
/* One round: looks at every worker. False: nobody runs any more (all paused or finished, or error). */
bool rv_explorer_look(struct rv_explorer *explorer);
/* Waits until a worker has something to tell, at most so long. */
void rv_explorer_wait(struct rv_explorer *explorer, unsigned milliseconds);
/* The next suspect; false: none for now. */
bool rv_explorer_take(struct rv_explorer *explorer, struct rv_suspect *suspect);
/* Paused seats go on; from now on workers do not pause at findings any more, if `keep_going`. */
void rv_explorer_resume(struct rv_explorer *explorer, bool keep_going);
bool rv_explorer_paused(const struct rv_explorer *explorer); /* somebody waits for that */
/* Asks all to end, gives them a moment, kills the rest. */
void rv_explorer_stop(struct rv_explorer *explorer);
void rv_explorer_totals(const struct rv_explorer *explorer, struct rv_totals *totals);
/* How often workers saw the failure with this signature. */
uint64_t rv_explorer_count(const struct rv_explorer *explorer, uint64_t signature);
/* Adds what the workers' strategies keep for later campaigns; after rv_explorer_stop. */
void rv_explorer_lessons(const struct rv_explorer *explorer, struct rv_lessons *lessons);
/* Adds what the workers' executions have covered (config.coverage), named; directory: of the program. After rv_explorer_stop. */
void rv_explorer_coverage(const struct rv_explorer *explorer, const char *directory,
                          struct rv_cover_data *data);
/* Adds what workers want the user to know. */
void rv_explorer_notes(const struct rv_explorer *explorer, struct rv_notes *notes);
void rv_explorer_close(struct rv_explorer *explorer);

#endif
