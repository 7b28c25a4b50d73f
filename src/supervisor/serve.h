/* A serve worker: a process that runs the program by schedules we send, one at a time.
 *
 * Confirmation, minimisation, replay and self-checks are all requests to one of these. A process that dies
 * or does not answer is part of the answer; the next request starts another one.
 */
#ifndef RV_SUPERVISOR_SERVE_H
#define RV_SUPERVISOR_SERVE_H

#include "supervisor/launch.h"
#include "supervisor/schedule.h"

enum rv_reply_state {
    RV_REPLY_SERVED,      /* the outcome is the runtime's own */
    RV_REPLY_DIED,        /* the process ended during the execution; the outcome was made up from how */
    RV_REPLY_HUNG,        /* no progress, and no answer to the watchdog: killed; outcome made up (hang) */
    RV_REPLY_UNAVAILABLE, /* no execution took place: it could not be started, left, or was interrupted */
};

struct rv_reply {
    enum rv_reply_state state;
    struct rv_death death;     /* with DIED */
    struct rv_outcome outcome; /* a copy, counts clamped, message ended; also written back to the area */
};

struct rv_server {
    const struct rv_program *program;
    struct rv_channel channel;
    struct rv_worker worker;
    struct rv_streams streams;
    struct rv_capture capture;
    bool capturing;
    double deadline; /* rv_seconds() after which a request is given up as UNAVAILABLE; 0: none */
    char *error;     /* why the last request was UNAVAILABLE; owned; may be NULL */
};

/* Starts nothing yet. With `capture`, what the program prints is kept (rv_capture_text of server->capture).
 * False: server->error. */
bool rv_server_open(struct rv_server *server, const struct rv_program *program,
                    const struct rv_config *config, bool capture);
/* Runs one execution by the schedule (NULL: the default one). Its log, trace, threads are then in
 * rv_server_area(), until the next request. flags: RV_REQUEST_TRACE, RV_REQUEST_STACKS. */
void rv_server_run(struct rv_server *server, const struct rv_schedule *schedule, unsigned flags,
                   struct rv_reply *reply);
/* With config.early, between requests: the test, the plan and its label of this configuration are the next request's. */
void rv_server_change(struct rv_server *server, const struct rv_config *config);
struct rv_area *rv_server_area(const struct rv_server *server);
void rv_server_close(struct rv_server *server);

/* Writes a request into an area without waiting for it. */
void rv_server_post(struct rv_server *server, const struct rv_schedule *schedule, unsigned flags);

/* The failure that a death means, by signal or exit status; NONE: a death that looks like success. The message is
 * set too, and a signature that tells deaths of different kinds apart. */
void rv_outcome_of_death(struct rv_outcome *outcome, const struct rv_death *death,
                         const struct rv_config *config);
/* The same for a worker that gave no sign of life for so long. */
void rv_outcome_of_silence(struct rv_outcome *outcome, unsigned limit_ms);

/* Set by the signal handlers of `ravel run`: everything that waits ends soon. */
extern volatile int rv_interrupted;

#endif
