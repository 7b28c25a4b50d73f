/* Races and lock-order deadlocks as the user sees them: text for people, JSON, a part of a failure file. SARIF is in
 * sarif.h, what is not to be reported in suppress.h.
 *
 *   rv_race_print, rv_deadlock_print     for people, in about a screenful
 *   rv_race_json, rv_deadlock_json       the contract's objects; new references
 *
 * All strings are owned (rv_race_free), never NULL (rv_race_complete, after filling), "" when unknown, and untrusted
 * text: whoever prints them makes them harmless (printer.h).
 */
#ifndef RV_REPORT_RACE_H
#define RV_REPORT_RACE_H

#include "analysis/step.h"
#include "report/failure.h"

enum rv_race_status {
    RV_RACE_POTENTIAL, /* could happen as far as one execution tells; `predicted`: it provably can */
    RV_RACE_REAL,      /* happened, and is replayed by `file` */
    RV_RACE_HARMFUL,   /* and something went wrong for it: `harm` */
    RV_RACE_STATUS_COUNT
};
extern const char *const rv_race_status_names[RV_RACE_STATUS_COUNT]; /* "potential", "real", "harmful" */
enum { RV_RACE_KINDS = RV_STEP_FREE + 1, RV_RACE_ORDERS = RV_ORDER_SEQ_CST + 1 };
/* Of accesses: "read", "write", "atomic-read", "atomic-write", "atomic-rmw", "free" */
extern const char *const rv_race_kind_names[RV_RACE_KINDS];
/* "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst" */
extern const char *const rv_race_order_names[RV_RACE_ORDERS];

/* A thread, as far as it is needed to tell it from others. */
struct rv_race_thread {
    uint32_t id;
    char *name;                   /* that of its function, or its own; "main" for 0 */
    uint32_t creator;             /* RV_NO_THREAD for main */
    struct rv_stack_text created; /* where it was created; empty for main */
};

/* One side of a race. */
struct rv_race_side {
    struct rv_race_thread thread;
    uint8_t kind;               /* enum rv_step_kind: an access */
    uint8_t order;              /* enum rv_step_order, of an atomic */
    uint64_t size;              /* bytes; 0: unknown */
    struct rv_stack_text stack; /* innermost first; frames[0] is the access */
    struct rv_lock_text *held;  /* locks, and where each was acquired */
    unsigned held_count;
};

struct rv_race_text {
    enum rv_race_status status;
    bool predicted;     /* of a potential one: provably possible, only not seen */
    bool standing;      /* of a real one: at the end of `file` both threads stand at their accesses */
    uint64_t signature; /* of the pair of statements; the same in every process */
    char *variable;     /* "queue.head", "struct node.next (heap block from push() queue.c:41)" */
    struct rv_block_text *block;       /* the heap block that it is in; NULL: none */
    struct rv_race_side first, second; /* in the order in which they happened, or stood in the trace */
    char *why;                         /* why it is a race: a sentence without a full stop at its end */
    uint64_t count;                    /* how often it was seen */
    unsigned tries;                    /* that verification took; 0: not verified */
    char *file;      /* replays it up to where both stand at their accesses; "" if potential */
    char *harm;      /* "assert: balance is 90, not 100", "other output"; "" if none */
    char *harm_file; /* replays that; "" if there is none */
};

/* A thread that holds one lock and waits for another; the last one waits for what the first holds. */
struct rv_deadlock_wait {
    struct rv_race_thread thread;
    char *held, *wanted;                     /* names of locks */
    struct rv_stack_text held_at, wanted_at; /* where it took the one, and asks for the other */
    bool held_shared, wanted_shared;
};

struct rv_deadlock_text {
    enum rv_race_status status; /* POTENTIAL or REAL */
    bool predicted;
    uint64_t signature;
    struct rv_deadlock_wait *waits;
    unsigned wait_count;
    uint64_t count;
    unsigned tries;
    char *file; /* replays the deadlock; "" if potential */
};

void rv_race_free(struct rv_race_text *race);
void rv_deadlock_free(struct rv_deadlock_text *deadlock);

/* To be called once filled: puts "" where there is NULL still, and what is in range where a status, kind or order is
 * not. */
void rv_race_complete(struct rv_race_text *race);
void rv_deadlock_complete(struct rv_deadlock_text *deadlock);

/* What is known of a race beside what one execution tells, from an earlier description of it: status, count, tries,
 * harm. */
void rv_race_carry_over(struct rv_race_text *to, const struct rv_race_text *from);
/* What makes two races one to the user: the pair of lines, in whatever order; or of places in the code. malloc'ed. */
char *rv_race_lines(const struct rv_location *first, const struct rv_location *second);
/* Where the access is; without a stack, an empty place. */
const struct rv_location *rv_race_statement(const struct rv_race_side *side);
/* The side's kind; the order of an atomic one, "" of others. */
const char *rv_race_kind_name(const struct rv_race_side *side);
const char *rv_race_order_name(const struct rv_race_side *side);
/* "write of 4 bytes", "atomic read of 8 bytes (relaxed)", "free"; malloc'ed. */
char *rv_race_access_words(const struct rv_race_side *side);
void rv_race_print(const struct rv_race_text *race, FILE *out, const struct rv_print_options *options);
void rv_deadlock_print(const struct rv_deadlock_text *deadlock, FILE *out,
                       const struct rv_print_options *options);
/* { "status", "predicted", "standing", "signature", "variable", "why", "count", "tries", "first": SIDE, "second": SIDE, "block"?, "file"?, "harm"?,
 *   "harm_file"? }, SIDE = { "access", "kind", "order"?, "size", "function", "file", "line", "thread": { "id", "name",
 *   "created_by"?, "created"? }, "stack": [...], "locks": [ { "name", "acquired": [...] } ] }; "access" in
 *   words, "kind" one of the names above, the place that of the innermost frame in the program's own sources */
json_t *rv_race_json(const struct rv_race_text *race);
/* { "status", "predicted", "signature", "count", "tries", "threads": [ { "thread": {...}, "holds", "wants", "holds_shared",
 *   "wants_shared", "held_at": [...], "wanted_at": [...] } ], "file"? } */
json_t *rv_deadlock_json(const struct rv_deadlock_text *deadlock);

#endif
