/* A plan: the schedule of events that a test asks for, from text to something that can be held against an execution.
 * ("Schedule" alone means the decisions of one execution, as everywhere in ravel; users call both a schedule.)
 *
 *     plan      ::= ordering { "," ordering }
 *     ordering  ::= condition "->" target
 *     condition ::= basic | "[" basic "]" | "blocked@" thread | "!" condition | condition "&&" condition
 *                 | condition "||" condition | "(" condition ")"
 *     target    ::= basic
 *     basic     ::= name [ "#" count ] [ "@" thread ] | ("start" | "end" | "block" | "unblock") [ "#" count ] "@" thread
 *     name      ::= identifier { "." identifier }
 *
 * `&&` binds stronger than `||`. White space and C comments may stand between words.
 *
 *   form           | holds at a moment if
 *   e              | e has happened, then or before; e#n: at least n times (e is e#1); @t: in the thread named t only
 *   [e]            | e has happened, and the thread in which it happened (for the last time; [e#n]: for the n-th) is blocked
 *   blocked@t      | the thread named t is blocked; if several are named so: all of them that have not ended, and one is
 *   block@t        | t has become blocked at some moment; unblock@t: and could go on again (events, as any other)
 *   !, &&, ||      | as in C
 *   c -> e         | at each moment at which e happens c holds, looked at without e itself having happened;
 *                  | c -> e#n: at the n-th time only
 *
 * An event belongs to the name that its thread has at that moment: what it did before it had the name is not @name.
 *
 * A thread is blocked while it waits for other threads or the world (mutex, condition, semaphore, join, barrier, read of an
 * empty pipe, ... with or without a time-out): not while it sleeps, spins, or is held back because of the plan itself.
 *
 * The text is untrusted. The tree lies in an arena and points into a copy of the text there.
 */
#ifndef RV_PLAN_PLAN_H
#define RV_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum {
    RV_PLAN_TEXT = 4096, /* bytes with the NUL */
    RV_PLAN_ATOMS = 256,
    RV_PLAN_NODES = 1024,
    RV_PLAN_ORDERINGS = 128,
    RV_PLAN_NAME = 64,           /* bytes with the NUL */
    RV_PLAN_DEPTH = 64,          /* of "(" and "!" */
    RV_PLAN_COUNT = 1000000000,  /* the largest "#n" */
    RV_PLAN_MEMORY = 128 * 1024, /* an arena with so much room is never too small for a text */
};

enum rv_plan_what { RV_PLAN_EVENT, RV_PLAN_START, RV_PLAN_END, RV_PLAN_BLOCK, RV_PLAN_UNBLOCK };

/* A basic event, each (what, name, thread, count) once. */
struct rv_plan_atom {
    enum rv_plan_what what;
    const char *name;    /* of the event; "start", ... for the others */
    const char *thread;  /* NULL: any */
    uint32_t count;      /* at least 1 as part of a condition; as a target 0: every time */
    uint32_t at, length; /* where it stands first in the text, in bytes */
    bool positive;       /* it stands somewhere as a target or under an even number of negations */
};

enum rv_plan_kind {
    RV_PLAN_ATOM,
    RV_PLAN_HELD /* [e] */,
    RV_PLAN_BLOCKED /* blocked@t */,
    RV_PLAN_NOT,
    RV_PLAN_AND,
    RV_PLAN_OR
};

struct rv_plan_node {
    enum rv_plan_kind kind;
    bool last;            /* HELD without a count: by the thread in which the event happened last */
    uint32_t atom;        /* ATOM, HELD */
    const char *thread;   /* BLOCKED */
    uint32_t left, right; /* nodes: NOT has left only */
    uint32_t first;       /* node: what is below this one is first, ..., this one */
    uint32_t at, length;  /* in the text, without parentheses around it */
};

struct rv_plan_ordering {
    uint32_t condition;  /* node */
    uint32_t target;     /* atom */
    uint32_t at, length; /* in the text */
};

struct rv_plan {
    const char *text;
    struct rv_plan_atom *atoms;
    struct rv_plan_node *nodes; /* the children of a node stand before it */
    struct rv_plan_ordering *orderings;
    const struct rv_plan_index *index; /* which atoms an event concerns: index.h, for the monitor */
    uint32_t atom_count, node_count, ordering_count;
    /* Something depends on who is blocked, or on what has not happened: the order of steps that are independent otherwise
     * matters. */
    bool momentary;
};

struct rv_plan_error {
    uint32_t at, length; /* in the text, bytes */
    char message[160];   /* "expected an event, found '->'" */
    char hint[160];      /* what to do; "" if there is nothing to say */
};

/* NULL: *error is filled, and the arena is as before. Orderings in a circle are errors, too: if no execution in which their
 * targets happen can satisfy them because of events that are joined by "&&" alone (what stands under "||" and "!", who is
 * blocked, and the order in which a thread comes to its events are not asked). */
const struct rv_plan *rv_plan_parse(struct rv_arena *arena, const char *text, struct rv_plan_error *error);
/* Some lines for people, each with two spaces before it: the line of the text (a part of it if it is long), carets below,
 * message, hint. ASCII only, whatever the text is. Returns the length as snprintf does. */
size_t rv_plan_error_show(char *buffer, size_t size, const char *text, const struct rv_plan_error *error);
/* The name among `names` that is nearest to a mistyped one, or NULL if none is near: see base/suggest.h. */
const char *rv_plan_near(const char *name, const char *const *names, size_t count);

#endif
