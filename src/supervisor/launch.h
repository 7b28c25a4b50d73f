/* Processes and the memory they share with the supervisor: the memory file of base/protocol.h, workers
 * started on its areas, and what a worker prints.
 *
 *   rv_channel   one memory file with `workers` areas; explore campaigns and serve workers each have one
 *   rv_worker    one process on one area; after its death another may be started on the same area
 *   rv_capture   what one process printed, bounded: the beginning and the end of it
 */
#ifndef RV_SUPERVISOR_LAUNCH_H
#define RV_SUPERVISOR_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/protocol.h"
#include "supervisor/program.h"

struct rv_channel {
    int fd;
    size_t size;
    struct rv_shared *shared; /* mapped anywhere: the supervisor follows no pointer in it */
};

/* A fresh memory file, all zero but for the header, with `config`'s copy; config->workers areas. False: *error. */
bool rv_channel_open(struct rv_channel *channel, const struct rv_config *config, char **error);
void rv_channel_close(struct rv_channel *channel);

struct rv_capture {
    int fd;          /* memory file that standard output and error are appended to; -1: none */
    char head[2048]; /* the beginning, once something had to be cut */
    size_t head_size;
    char tail[8192]; /* the end of what was cut away */
    size_t tail_size;
    uint64_t dropped; /* bytes cut away */
};
bool rv_capture_open(struct rv_capture *capture);
void rv_capture_trim(struct rv_capture *capture);  /* call now and then: keeps the file small */
char *rv_capture_text(struct rv_capture *capture); /* malloc'ed, never NULL */
void rv_capture_close(struct rv_capture *capture);

/* Where a worker's standard output and error go. */
struct rv_streams {
    enum { RV_STREAM_DISCARD, RV_STREAM_CAPTURE, RV_STREAM_PASS } way;
    struct rv_capture *capture; /* with CAPTURE */
    bool errors_only;           /* with PASS: both go to standard error, standard output is not ours to use */
};

struct rv_worker {
    pid_t pid; /* 0: none */
    unsigned index;
};

/* How a process ended: `signal` 0 and its exit status, or the signal. */
struct rv_death {
    int signal;
    int status;
};

/* Starts a process on area `worker->index`; false: *error (it could not be executed). */
bool rv_worker_start(struct rv_worker *worker, const struct rv_program *program,
                     const struct rv_channel *channel, const struct rv_streams *streams, char **error);
/* A program that runs by itself: its threads are its own. libravel in it, if it is there, is asked by RAVEL_TESTS for lines
 * about tests (suite/fields.h). */
#define RV_TESTS_ENV "RAVEL_TESTS" /* "MODE:FD" */
struct rv_native {
    const char *mode;       /* of RAVEL_TESTS; NULL: not set */
    int fd;                 /* where its lines go */
    const char *const *env; /* more variables: NAME, VALUE, ..., NULL; or NULL */
};
/* As rv_worker_start. */
bool rv_native_start(struct rv_worker *worker, const struct rv_program *program,
                     const struct rv_native *native, const struct rv_streams *streams, char **error);
/* True: the process is over, pid is 0 again. */
bool rv_worker_dead(struct rv_worker *worker, struct rv_death *death);
void rv_worker_kill(struct rv_worker *worker); /* SIGKILL to it and its group, and wait */

/* Replaces this process by the program on area 0 of the channel, under a debugger if `prefix` (a NULL-terminated
 * argument list to put before the program's) is not empty. Returns only on failure, with errno. */
void rv_worker_become(const struct rv_program *program, const struct rv_channel *channel,
                      char *const *prefix);

#endif
