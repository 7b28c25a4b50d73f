/* A failure as the user sees it: read from a worker's area after confirmation, symbolised, saved as a
 * small text file (*.ravel), read back by replay and show.
 *
 *   rv_failure_from_area   area (untrusted) + symboliser -> failure
 *   rv_failure_write/read  failure <-> text file; reading is for untrusted input, errors carry the line
 *   rv_failure_print       failure -> lanes and stacks for people
 *   rv_failure_json        failure -> the contract's JSON object
 *
 * All strings are owned by the failure (rv_failure_free), never NULL, "" when unknown, and are untrusted
 * text: whoever prints them escapes control characters.
 */
#ifndef RV_REPORT_FAILURE_H
#define RV_REPORT_FAILURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/protocol.h"

struct rv_location {
    char *function;
    char *file;      /* as in the debug information, made relative to the program's directory if below */
    unsigned line;   /* 0: unknown */
    char *source;    /* text of that line, trimmed; "" if the file cannot be read */
    char *module;    /* path of the object file */
    uint64_t offset; /* in it */
};

enum { RV_WEIGHT_MAX = 4 };

struct rv_trace_event {
    uint32_t thread;
    enum rv_op op;
    char *object; /* `queue.head`, `cache->lock`, `heap block of 24 bytes from push() queue.c:41, +8` */
    uint64_t value;
    uint64_t step;
    uint16_t size;
    uint16_t flags; /* RV_EVENT_* */
    bool decisive;  /* one of the two or three steps that matter: marked in the lanes */
    uint8_t weight; /* 0..RV_WEIGHT_MAX: how much it explains; lanes drop the lightest first */
    char *note;     /* why it is decisive, in a few words; "" if not */
    struct rv_location at;
    struct rv_location caller;
};

struct rv_stack_text {
    struct rv_location *frames; /* innermost first */
    unsigned count;
};

struct rv_lock_text {
    char *object;
    struct rv_stack_text acquired;
};

struct rv_thread_text {
    uint32_t id;
    char *name;  /* its name, or that of its start function */
    char *state; /* "running", "blocked in lock of cache.lock held by thread 2", ... */
    enum rv_op op;
    uint32_t owner; /* of what it waits for, or RV_NO_THREAD */
    char *object;   /* what it waits for */
    struct rv_stack_text stack;
    struct rv_location created_at;
    struct rv_lock_text *held;
    unsigned held_count;
};

struct rv_block_text {
    char *description; /* "heap block of 24 bytes" */
    uint64_t size;
    uint32_t offset; /* of the access */
    uint32_t alloc_thread, free_thread;
    bool freed;
    struct rv_stack_text allocated, released;
};

struct rv_race_text; /* race.h */

struct rv_failure {
    /* what was run */
    char *program; /* as given on the command line */
    char **args;   /* NULL-terminated */
    char *cwd;
    char **env;              /* NULL-terminated "NAME=value" of the variables that matter */
    char *build_id;          /* hex of the program's file; "" if it has none */
    struct rv_config config; /* the options */
    char *isolation;         /* "memory" or "fork": how it was found */
    /* what happened */
    uint64_t signature;
    enum rv_kind kind;
    char *message;
    uint32_t thread;
    uint64_t first_schedule, count;
    uint32_t preemptions, switches, timeouts;
    uint64_t timeout_ns;
    uint64_t event_hash;
    int exit_status;
    char *output; /* tail of what the program printed in the confirming run */
    /* the schedule */
    struct rv_run *runs;
    uint64_t run_count;
    uint8_t *choices;
    uint64_t choice_count;
    /* the explanation */
    struct rv_thread_text *threads;
    unsigned thread_count;
    struct rv_trace_event *events; /* the relevant ones only, in order; at most some hundred */
    unsigned event_count;
    uint64_t events_total;
    struct rv_block_text *block; /* NULL: no heap memory involved */
    struct rv_race_text *race;   /* race.h; NULL: not a race. Its `file` is this failure's */
    char *file;                  /* where it was saved; "" if not */
};

struct rv_symboliser; /* symbolise.h */

/* Fills everything that the area knows (outcome, log, events, threads, blocks); program, args, cwd, env,
 * config are the caller's to set before, and count, first_schedule, output after. Never fails: what is damaged
 * is left out. */
void rv_failure_from_area(struct rv_failure *failure, const struct rv_area *area,
                          struct rv_symboliser *symbols);
void rv_failure_free(struct rv_failure *failure);
/* Puts "" and empty lists where there is NULL still. */
void rv_failure_complete(struct rv_failure *failure);
/* "1.5 s", "200 ms"; malloc'ed. */
char *rv_failure_duration(uint64_t ns);

/* Atomically (temporary file, rename). False: *error is a message (malloc'ed). */
bool rv_failure_write(const struct rv_failure *failure, const char *path, char **error);
/* False: *error says file, line and what was expected; the failure is empty (nothing to free). */
bool rv_failure_read(struct rv_failure *failure, const char *path, char **error);

/* The same from and to memory: `name` stands for the file in errors. Text is malloc'ed. */
char *rv_failure_to_text(const struct rv_failure *failure);
bool rv_failure_from_text(struct rv_failure *failure, const char *text, size_t size, const char *name,
                          char **error);

struct rv_print_options {
    bool colour;
    unsigned width; /* columns; 0: 100 */
};
void rv_failure_print(const struct rv_failure *failure, FILE *out, const struct rv_print_options *options);
json_t *rv_failure_json(const struct rv_failure *failure, unsigned id);
/* {"function", "file", "line"}, with "module" and "offset" if the line is unknown. */
json_t *rv_location_json(const struct rv_location *at);

#endif
