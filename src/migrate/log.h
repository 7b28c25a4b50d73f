/* Logs of runs, and what one run of one test tells: who was where when.
 *
 * A log is a list of entries in the order in which they happened (base/migrate_log.h). A *run* is the piece of it between the
 * begin and the end of a test, in the process of the test, worked up:
 *
 *   pass       one passing of a place by a thread: from its announcement until the next statement of the same function, or the end
 *              of the function. A pass that is the innermost of its thread at some moment is where the thread stands
 *   moments    indices into the run's entries; RV_NEVER: not within the run
 */
#ifndef RV_MIGRATE_LOG_H
#define RV_MIGRATE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/migrate_log.h"

#define RV_NEVER UINT32_MAX

struct rv_log {
    struct rv_migrate_entry *entries;
    size_t count;
    char *program; /* "": none has run a statement of the copy */
    bool full;     /* there was more */
};

/* False: there is none, or it is none. */
bool rv_log_read(struct rv_log *log, const char *path);
void rv_log_free(struct rv_log *log);

struct rv_pass {
    uint32_t place, thread; /* thread: index into the run's threads */
    uint32_t begin, end;
    uint32_t depth;     /* how many functions of the file are under way in its thread, itself included */
    uint32_t order;     /* the how manieth pass of the place in the run, by begin, from 1 */
    uint32_t end_order; /* the same by end; 0: it does not end */
};

struct rv_run_thread {
    uint32_t number;  /* of the log */
    uint32_t creator; /* index; RV_NEVER: unknown, or created before */
    uint32_t created; /* when its creator was about to create it */
    uint32_t begin, end;
    uint32_t join;   /* when it was joined, by joiner */
    uint32_t joiner; /* index */
};

struct rv_run {
    const struct rv_migrate_entry *entries; /* entry.thread is the index into threads */
    uint32_t count;
    struct rv_run_thread *threads;
    uint32_t thread_count;
    uint32_t main;          /* index of the thread that ran the test */
    struct rv_pass *passes; /* by begin */
    uint32_t pass_count;
    struct rv_migrate_entry *copy; /* owned */
};

/* The first run of test `test` in the log; its entries are copied. `places`: how many there are; others are ignored. False: the
 * test did not run, or did not end. */
bool rv_run_cut(struct rv_run *run, const struct rv_log *log, uint32_t test, uint32_t places);
void rv_run_free(struct rv_run *run);

/* Where the thread stands at the moment: its innermost pass; NULL: in none. */
const struct rv_pass *rv_run_stands(const struct rv_run *run, uint32_t thread, uint32_t moment);

#endif
