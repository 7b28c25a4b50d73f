/* The vocabulary of the analyses: one execution as a stream of steps, in the order in which they were done.
 *
 * Whoever makes the stream (hooks online, a recorded trace offline) translates into these kinds; what reads it
 * knows nothing of hooks, processes or files. An operation that did nothing (a trylock that failed, a wait that
 * timed out) is no step. `object` stands for any address that names the thing.
 *
 *   kind            | address, size     | order | edges: happens-before, from this step or to it
 *   ----------------+-------------------+-------+---------------------------------------------------------------
 *   READ, WRITE     | memory            |       | none
 *   ATOMIC_READ     | memory            | yes   | acquire: from the head of each release sequence that it reads from
 *   ATOMIC_WRITE    | memory            | yes   | release: heads a release sequence, ends those of other threads
 *   ATOMIC_RMW      | memory            | yes   | both; continues every release sequence. A failed compare-exchange
 *                   |                   |       | is an ATOMIC_READ with its failure order
 *   FENCE           |                   | yes   | release: later atomic writes of the thread, whatever their order,
 *                   |                   |       | are heads for what came before the fence; acquire: what earlier
 *                   |                   |       | atomic reads of the thread, whatever their order, read from
 *                   |                   |       | happens before what follows the fence
 *   LOCK            | object            | yes²  | from earlier UNLOCK and UNLOCK_SHARED of it
 *   UNLOCK          | object            |       | to later LOCK and LOCK_SHARED of it
 *   LOCK_SHARED     | object            | yes²  | from earlier UNLOCK of it
 *   UNLOCK_SHARED   | object            |       | to later LOCK of it
 *   SEND            | object            |       | to later RECEIVE of it: semaphore post, condition signal and
 *                   |                   |       | broadcast, write to a pipe, end of a once routine
 *   RECEIVE         | object            |       | from all earlier SEND of it: semaphore wait, woken from a condition,
 *                   |                   |       | read of a pipe, return from once
 *   BARRIER         | object, number of | no¹   | from each arrival of a round to what follows the barrier in each of
 *                   | threads in a round|       | its threads; made on arrival, nothing on leaving
 *   CREATE          | number of child   |       | to all of the child
 *   START, EXIT     |                   |       | EXIT is the last step of a thread
 *   JOIN            | number of child   |       | from all of the child
 *   ALLOC           | memory            |       | none. Bytes and objects in it begin a new life: no race with the
 *                   |                   |       | one before, and no edge from it
 *   FREE            | memory            |       | none. Counts as a WRITE of the granules (8 bytes) of the memory in
 *                   |                   |       | which something was accessed in this life
 *   RENEW           | object            |       | none. Initialised or destroyed: its former life orders nothing
 *   BEFORE, AFTER   | any word          |       | as SEND and RECEIVE: RAVEL_HAPPENS_BEFORE(x), _AFTER(x)
 *   BENIGN          | memory            |       | none. RAVEL_BENIGN_RACE(x): reports on these bytes, in this life, are
 *                   |                   |       | dropped by whoever receives them; the detectors pass over it
 *
 *   ¹ a thread takes no other step between arrival and the end of the round.
 *   ² RV_LOCK_TRIED if it would not have waited (trylock), else 0; only lockorder.h asks.
 *
 * Locks are mutexes, rwlocks and spinlocks. A recursive lock may give a step for each level. A wait for a condition is
 * UNLOCK, then RECEIVE unless it timed out, then LOCK. Channels are generous: a RECEIVE is ordered after all earlier
 * SENDs, though a semaphore's unit came from one of them; a race may be missed for that, none is invented.
 *
 * Which accesses conflict (different threads, a byte in common, not ordered, at least one of them writes):
 *
 *   earlier \ later | READ   | WRITE, FREE | ATOMIC_READ | ATOMIC_WRITE, _RMW
 *   READ            |        | race        |             | race
 *   WRITE, FREE     | race   | race        | race        | race
 *   ATOMIC_READ     |        | race        |             |
 *   ATOMIC_WRITE    | race   | race        |             |
 *
 * C11's memory model is taken as written, with these readings: consume is acquire, as in every compiler; seq_cst is
 * acq_rel (the total order S adds no happens-before); a release sequence is that of C11 and C17, with later writes by the
 * thread of its head in it (C++20 took these out). Atomic accesses that read from each other begin at the same address;
 * that a plain write in between took away what was released is not seen by happens-before: a race may be missed for it.
 */
#ifndef RV_ANALYSIS_STEP_H
#define RV_ANALYSIS_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rv_step_kind {
    RV_STEP_READ, /* the first six fit in three bits: kinds of access */
    RV_STEP_WRITE,
    RV_STEP_ATOMIC_READ,
    RV_STEP_ATOMIC_WRITE,
    RV_STEP_ATOMIC_RMW,
    RV_STEP_FREE,
    RV_STEP_FENCE,
    RV_STEP_LOCK,
    RV_STEP_UNLOCK,
    RV_STEP_LOCK_SHARED,
    RV_STEP_UNLOCK_SHARED,
    RV_STEP_SEND,
    RV_STEP_RECEIVE,
    RV_STEP_BARRIER,
    RV_STEP_CREATE,
    RV_STEP_START,
    RV_STEP_EXIT,
    RV_STEP_JOIN,
    RV_STEP_ALLOC,
    RV_STEP_RENEW,
    RV_STEP_BEFORE,
    RV_STEP_AFTER,
    RV_STEP_BENIGN,
    RV_STEP_KINDS
};

/* As the compilers' __ATOMIC_*. */
enum rv_step_order {
    RV_ORDER_RELAXED,
    RV_ORDER_CONSUME,
    RV_ORDER_ACQUIRE,
    RV_ORDER_RELEASE,
    RV_ORDER_ACQ_REL,
    RV_ORDER_SEQ_CST
};

enum { RV_LOCK_TRIED = 1 }; /* in the place of an order */

struct rv_step {
    uint64_t address; /* as the table says */
    uint64_t
        size; /* bytes, at least 1 for an access; BARRIER: threads. Work grows with it: a reader of damaged traces
                       * bounds it */
    uint64_t site;   /* code location: module and offset (base/protocol.h: rv_code) */
    uint32_t thread; /* number; the first thread and those that CREATE named */
    uint8_t kind;    /* enum rv_step_kind */
    uint8_t order;   /* enum rv_step_order */
};

static inline bool rv_step_is_access(unsigned kind) { return kind <= RV_STEP_FREE; }
static inline bool rv_step_is_atomic(unsigned kind) {
    return kind >= RV_STEP_ATOMIC_READ && kind <= RV_STEP_ATOMIC_RMW;
}
static inline bool rv_step_writes(unsigned kind) {
    return rv_step_is_access(kind) && kind != RV_STEP_READ && kind != RV_STEP_ATOMIC_READ;
}
static inline bool rv_order_acquires(unsigned order) {
    return order != RV_ORDER_RELAXED && order != RV_ORDER_RELEASE;
}
static inline bool rv_order_releases(unsigned order) { return order >= RV_ORDER_RELEASE; }

/* The table of conflicts above, for two kinds of access. */
static inline bool rv_steps_conflict(unsigned a, unsigned b) {
    return (rv_step_writes(a) || rv_step_writes(b)) && !(rv_step_is_atomic(a) && rv_step_is_atomic(b));
}

/* Memory for an analysis. `reserve` gives zeroed pages that cost nothing until touched, or NULL; they are never given
 * back. `discard` makes such pages zero again. */
struct rv_pages {
    void *(*reserve)(size_t size);
    void (*discard)(void *memory, size_t size);
};

#endif
