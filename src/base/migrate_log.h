/* The log that `ravel migrate` asks of a test that runs natively: one file, mapped shared by every process with libravel in
 * it (runtime/native.c writes, migrate/log.c reads). An entry is there as soon as it is written, so nothing needs to be done at
 * exit, and a test that crashes, is killed or calls _exit leaves its log as well.
 *
 * The file has a header and `capacity` entries, zeroed. A writer takes the next index, fills the entry, and writes `type` last: an
 * entry of type 0 was never finished. What does not fit is counted (`count` goes on) and dropped.
 * The reader trusts nothing in it.
 */
#ifndef RV_BASE_MIGRATE_LOG_H
#define RV_BASE_MIGRATE_LOG_H

#include <stddef.h>
#include <stdint.h>

#define RV_MIGRATE_LOG_ENV   "RAVEL_MIGRATE_LOG"   /* path of the log */
#define RV_MIGRATE_SCALE_ENV "RAVEL_MIGRATE_SCALE" /* time runs so many thousandths slower for the program */
#define RV_MIGRATE_TEST_ENV  "RAVEL_MIGRATE_TEST"  /* number of the only test whose body shall run */
#define RV_MIGRATE_SKIP_ENV  "RAVEL_MIGRATE_SKIP" /* path of a program that shall end at once, successfully */
#define RV_MIGRATE_ENV       "RAVEL_MIGRATE"      /* ORIGINAL=COPY, for ravel cc */
#define RV_MIGRATE_NOTE_ENV  "RAVEL_MIGRATE_NOTE" /* file to which ravel cc appends how it compiled ORIGINAL */

#define RV_MIGRATE_LOG_MAGIC UINT64_C(0x31676f6c67696d72) /* "rmiglog1" */

/*  type         | info
 *  TEST_BEGIN   | number of the test, of the instrumented copy
 *  TEST_END     | the same
 *  ENTER, LEAVE | number of the function of the instrumented copy
 *  STEP         | number of the statement that begins
 *  SLEEP_CALL   | nanoseconds asked for
 *  SLEEP_RETURN | -
 *  BLOCK_CALL   | enum rv_migrate_wait
 *  BLOCK_RETURN | -
 *  JOINED       | number of the thread whose end was waited for
 *  THREAD_START | number of the new thread; by its creator, before
 *  THREAD_BEGIN | number of the creator; by the new thread
 *  THREAD_END   | -
 */
enum rv_migrate_type {
    RV_MIGRATE_NONE,
    RV_MIGRATE_TEST_BEGIN,
    RV_MIGRATE_TEST_END,
    RV_MIGRATE_ENTER,
    RV_MIGRATE_LEAVE,
    RV_MIGRATE_STEP,
    RV_MIGRATE_SLEEP_CALL,
    RV_MIGRATE_SLEEP_RETURN,
    RV_MIGRATE_BLOCK_CALL,
    RV_MIGRATE_BLOCK_RETURN,
    RV_MIGRATE_JOINED,
    RV_MIGRATE_THREAD_START,
    RV_MIGRATE_THREAD_BEGIN,
    RV_MIGRATE_THREAD_END,
    RV_MIGRATE_TYPES
};

enum rv_migrate_wait { RV_MIGRATE_WAIT_OTHER, RV_MIGRATE_WAIT_JOIN, RV_MIGRATE_WAITS };

struct rv_migrate_entry {
    int64_t time; /* CLOCK_MONOTONIC, ns */
    int64_t info;
    uint32_t process;
    uint32_t thread; /* by order of creation in all processes of the run; 1: the first */
    uint32_t type;   /* written last */
    uint32_t unused;
};

struct rv_migrate_log {
    uint64_t magic;
    uint64_t capacity; /* entries */
    uint64_t count;    /* entries taken, may be beyond capacity */
    uint32_t threads;  /* numbers given */
    uint32_t unused;
    char program[1024]; /* path of the process that first ran a statement of the copy */
    struct rv_migrate_entry entries[];
};

static inline size_t rv_migrate_log_size(uint64_t capacity) {
    return sizeof(struct rv_migrate_log) + (size_t)capacity * sizeof(struct rv_migrate_entry);
}

#endif
