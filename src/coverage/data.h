/* What has been covered of a program, as it is known outside of it and kept in the store: by names, lines and functions.
 *
 *   rv_coverage_collect   a worker's area (untrusted) + symboliser -> added to the data
 *   rv_cover_add          data of another campaign -> added
 *   rv_cover_write/read   data <-> text, as it is in the store; reading is for untrusted input
 *
 * A statement is a line of a function that reads or writes; a variable is a name, with all elements of an array and all
 * blocks from one place taken as one ("table[].next"). So an instance may stand for several that workers told apart.
 *
 * Numbers are indices into the tables. What was in `locks`, `epoch` and `through` is as in analysis/coverage.h, over all executions.
 */
#ifndef RV_COVERAGE_DATA_H
#define RV_COVERAGE_DATA_H

#include "analysis/coverage.h"
#include "coverage/table.h"

struct rv_cover_statement {
    char *function, *file;
    char *outer; /* the function that its code is in: another one if it was inlined */
    uint32_t line;
    bool write;
    char *module;    /* of one place in its code: file name; "" unknown */
    uint64_t offset; /* in it */
};

struct rv_cover_function {
    char *name, *file;
};

/* Statements and variables are numbers here. */
struct rv_cover_use_text {
    uint32_t variable, statement;
    uint64_t locks, exclusive; /* bits: of locks[] */
    uint32_t epoch_min, epoch_max;
    uint32_t only; /* by the model (not kept): 1 + the one thread that does it; 0: several, or unknown */
};
struct rv_cover_step_text {
    uint32_t variable, first, second;
    uint64_t locks, exclusive;
};

/* One campaign. */
struct rv_cover_run {
    int64_t time; /* seconds since 1970 when it ended */
    double seconds;
    uint64_t executions;
    uint32_t before, after;           /* instances */
    uint32_t pairs;                   /* of functions, after */
    uint32_t growth[RV_COVER_GROWTH]; /* new ones after 2^i executions, by its own count; from 1, 0: none */
    char *strategy;
};

struct rv_cover_data {
    char *program;                   /* its file, as it was last run; NULL: unknown */
    struct rv_table variable_names;  /* the name */
    struct rv_table statement_names; /* made of all but module and offset */
    struct rv_table function_names;
    struct rv_table instance_keys; /* struct rv_instance */
    struct rv_table use_keys;      /* variable, statement */
    struct rv_table step_keys;     /* variable, first, second */
    struct rv_table pair_keys;     /* two numbers of functions, the smaller first */
    struct rv_cover_statement *statements;
    struct rv_cover_function *functions;
    struct rv_cover_use_text *uses;
    struct rv_cover_step_text *steps;
    uint32_t locks[RV_COVER_LOCKS]; /* variables */
    uint32_t lock_count;
    struct rv_cover_run *runs;
    uint32_t run_count;
    uint64_t executions;
    uint64_t cut;     /* executions of which not everything was looked at */
    uint32_t missed;  /* RV_MISSED_* */
    uint64_t dropped; /* for want of room */
};

enum { RV_COVER_LINE_MAX = 1 << 24, RV_COVER_TEXT_MAX = 4096, RV_COVER_RUNS_MAX = 4096 };

/* Zeroed data is empty. */
void rv_cover_data_free(struct rv_cover_data *data);

/* Each adds what is not there, and gives its number. Texts are copied. */
uint32_t rv_cover_add_variable(struct rv_cover_data *data, const char *name);
uint32_t rv_cover_add_statement(struct rv_cover_data *data, const struct rv_cover_statement *statement);
uint32_t rv_cover_add_function(struct rv_cover_data *data, const char *name, const char *file);
/* False: of two variables that are the same, it says nothing. */
bool rv_cover_add_instance(struct rv_cover_data *data, const struct rv_instance *instance);
void rv_cover_add_use(struct rv_cover_data *data, const struct rv_cover_use_text *use);
void rv_cover_add_step(struct rv_cover_data *data, const struct rv_cover_step_text *step);
void rv_cover_add_pair(struct rv_cover_data *data, uint32_t one, uint32_t other);
/* The bit of the lock; 0: too many. */
uint64_t rv_cover_add_lock(struct rv_cover_data *data, uint32_t variable);
/* strategy is copied. */
void rv_cover_add_run(struct rv_cover_data *data, const struct rv_cover_run *run);

/* The number-th instance. */
static inline const struct rv_instance *rv_cover_instance_at(const struct rv_cover_data *data,
                                                             uint32_t number) {
    return (const struct rv_instance *)(const void *)data->instance_keys.entries[number].bytes;
}
static inline const char *rv_cover_variable_name(const struct rv_cover_data *data, uint32_t number) {
    return data->variable_names.entries[number].bytes;
}
bool rv_cover_has_pair(const struct rv_cover_data *data, uint32_t one, uint32_t other);

/* Adds everything of `more`. */
void rv_cover_add(struct rv_cover_data *data, const struct rv_cover_data *more);

/* Malloc'ed, NUL-terminated. */
char *rv_cover_write(const struct rv_cover_data *data, size_t *size);
/* False: *error says the line and what was expected; the data is empty. The text need not be ended. */
bool rv_cover_read(struct rv_cover_data *data, const char *text, size_t size, const char *name, char **error);

#endif
