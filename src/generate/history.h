/* Histories of concurrent calls: which calls of a module's functions a test makes, and, of one execution of that test, when
 * each was called and returned, and with what.
 *
 *     rv_history_add       for every call of the test, once; a call is known by its number from then on
 *     rv_history_restart   before each execution
 *     rv_history_call, rv_history_return    as it happens; or the fields are filled in by whoever has recorded it
 *     rv_history_wrong     if what was filled in comes from outside
 *
 * Arguments and results are bytes, as whoever makes the calls encodes them: they are carried and compared, never understood. A
 * result has everything that the call gave back (its value, what it wrote through pointers), and nothing that
 * may differ between equal executions (addresses, padding).
 *
 * Calls of a thread are made one after the other, in the order of their numbers. Those that are made before the threads start,
 * and after they have ended, are calls like others, of another *phase*; all calls of a phase come before those of the next.
 */
#ifndef RV_GENERATE_HISTORY_H
#define RV_GENERATE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum { RV_MAX_CALLS = 64 }; /* of a test: sets of calls are words */

struct rv_bytes {
    unsigned char *data; /* owned by whoever has the struct; NULL if empty */
    uint32_t size;
};

void rv_bytes_set(struct rv_bytes *bytes, const void *data, uint32_t size);
void rv_bytes_free(struct rv_bytes *bytes);
bool rv_bytes_equal(const struct rv_bytes *one, const struct rv_bytes *other);

enum rv_phase { RV_PHASE_BEFORE, RV_PHASE_DURING, RV_PHASE_AFTER };

enum rv_call_state {
    RV_CALL_ABSENT,  /* not made in this execution */
    RV_CALL_PENDING, /* made, and did not return */
    RV_CALL_RETURNED
};

struct rv_call {
    enum rv_phase phase;
    uint32_t thread;
    uint32_t method; /* number of the function */
    struct rv_bytes arguments;
    enum rv_call_state state;
    uint64_t called;        /* moments: any numbers that grow */
    uint64_t returned;      /* if RETURNED */
    struct rv_bytes result; /* if RETURNED */
};

struct rv_history {
    struct rv_call calls[RV_MAX_CALLS];
    uint32_t count;
    uint64_t now; /* moments given so far */
    /* How the execution ended, where calls are pending. true: every one of them waits and nobody can go on. false: it was cut
     * off, and they may have had their effect or not. */
    bool stuck;
};

/* Zeroed: empty. The arguments are copied. The call's number, or RV_MAX_CALLS if there is no room. */
uint32_t rv_history_add(struct rv_history *history, enum rv_phase phase, uint32_t thread, uint32_t method,
                        const void *arguments, uint32_t size);
void rv_history_free(struct rv_history *history); /* leaves it empty */

/* All calls are absent again. */
void rv_history_restart(struct rv_history *history);
void rv_history_call(struct rv_history *history, uint32_t call);
void rv_history_return(struct rv_history *history, uint32_t call, const void *result, uint32_t size);

/* What is impossible about the states and moments, or NULL: calls that overlap or are out of order although the test has them one
 * after the other, a call that returns before it was made. */
const char *rv_history_wrong(const struct rv_history *history);

/* Whether the test itself has `first` before `second`. */
static inline bool rv_history_ordered(const struct rv_history *history, uint32_t first, uint32_t second) {
    const struct rv_call *a = &history->calls[first], *b = &history->calls[second];
    return a->phase < b->phase || (a->phase == b->phase && a->thread == b->thread && first < second);
}

/* Whether `first` had returned when `second` was made: then every sequential order has them so. */
static inline bool rv_history_precedes(const struct rv_history *history, uint32_t first, uint32_t second) {
    const struct rv_call *a = &history->calls[first], *b = &history->calls[second];
    if (rv_history_ordered(history, first, second)) return true;
    return a->state == RV_CALL_RETURNED && b->state != RV_CALL_ABSENT && a->returned < b->called;
}

#endif
