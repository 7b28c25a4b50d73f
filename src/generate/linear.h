/* Linearizability: do the results of concurrent calls equal those of some sequential order of the same calls, an order that
 * keeps the threads' own order and lets no call come before one that had returned when it was made?
 *
 * The search is Wing and Gong's with Lowe's memory: take any call that may be the next one, see whether it would have given the
 * result that was seen, go on from there; what led nowhere is not tried again from the same state with the same calls done.
 *
 * What a call gives in a state is asked of an *oracle*: the module itself, called by one thread. A C module cannot be copied, so an
 * oracle is a function that makes calls in a given order from the start, and tells what each gave. Why that is affordable:
 * tests are small, and one test has many executions. Answers are kept, as a tree of the orders asked for so far, so that
 * of all executions of a test together no order is run twice: for two threads with four calls each that is at
 * most 70 runs, whatever the number of executions, after which an execution costs a walk in the tree. A run answers for all calls of
 * its order; what is asked for is therefore continued with the calls that are left, in the order in which they returned.
 * An oracle that can tell states apart may say so (`state`): orders that lead to the same one are then continued once.
 *
 * Calls that wait for ever. An execution in which nobody can go on is right if there is an order of the calls that
 * returned after which each of the pending ones, made alone, would wait, too. So a test that blocks in every order is no deadlock, and
 * a waiter whom nobody has woken is one even if others are rightly blocked. Who waits has had no effect.
 *
 * What this cannot judge: methods whose calls need each other (a barrier, an exchange) have no sequential order at all. A history is
 * then UNSPECIFIED, or, if it blocks, taken for right.
 */
#ifndef RV_GENERATE_LINEAR_H
#define RV_GENERATE_LINEAR_H

#include "generate/history.h"

enum rv_outcome_end {
    RV_OUTCOME_RETURNED,
    RV_OUTCOME_BLOCKED, /* alone, it would wait for ever */
    RV_OUTCOME_FAILED   /* crash, failed assertion ... */
};

struct rv_answer {
    enum rv_outcome_end end;
    struct rv_bytes result; /* as in rv_call.result; the oracle's own memory, read before its next run */
    /* Not 0: after two orders of the same calls that end in the same state, the same calls give the same. 0: not known. */
    uint64_t state;
};

struct rv_oracle {
    void *user;
    /* Makes the calls order[0], order[1] ... order[count - 1] (numbers in the test) by one thread on a fresh module. Writes an
     * outcome for each until one did not return, which is the last. How many were written; 0: cannot be run at all. */
    uint32_t (*run)(void *user, const uint32_t *order, uint32_t count, struct rv_answer *outcomes);
};

enum rv_linear_kind {
    RV_LINEAR_YES,         /* some order explains it */
    RV_LINEAR_NO,          /* none does: results that no sequential order gives */
    RV_LINEAR_DEADLOCK,    /* stuck; the results are explained, not that call `waiter` waits */
    RV_LINEAR_UNSPECIFIED, /* no order gets through all calls that returned: nothing to compare with */
    RV_LINEAR_MISUSE, /* nothing explains it, but some order that could fails: the test may be at fault */
    RV_LINEAR_UNKNOWN /* the oracle cannot tell: too many runs, or it contradicts itself */
};

struct rv_linear_verdict {
    enum rv_linear_kind kind;
    uint32_t order[RV_MAX_CALLS]; /* YES, DEADLOCK: the calls that had their effect, in order */
    uint32_t count;               /* of order[] */
    uint32_t waiter;              /* DEADLOCK: a pending call that returns after that order */
};

/* What all sequential orders of a test do. */
struct rv_linear_summary {
    bool known;       /* all were run */
    uint64_t through; /* orders, up to equal states, in which all calls return */
    bool blocks;      /* some order blocks */
    bool fails; /* some order fails: what fails concurrently as well is misuse by the test (ConTeGe's rule) */
};

/* Zeroed: empty. */
struct rv_linear {
    struct rv_oracle oracle;
    uint64_t runs;      /* that the oracle has done */
    uint64_t max_runs;  /* after which verdicts are UNKNOWN */
    bool contradictory; /* two runs of the same calls in the same order gave different results */
    struct rv_linear_graph *graph;
};

/* The calls are those of the history, which need not have been executed. */
void rv_linear_init(struct rv_linear *linear, const struct rv_history *test, struct rv_oracle oracle,
                    uint64_t max_runs);
void rv_linear_free(struct rv_linear *linear);

/* `history` is an execution of that test, with nothing wrong (rv_history_wrong). */
void rv_linear_check(struct rv_linear *linear, const struct rv_history *history,
                     struct rv_linear_verdict *verdict);

/* Runs what has not been run of all orders; no check asks the oracle afterwards. */
struct rv_linear_summary rv_linear_sequential(struct rv_linear *linear, const struct rv_history *test);

#endif
