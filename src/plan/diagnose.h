/* What to say about a text that is no plan: what was expected, what is there, and what the author may have meant. */
#ifndef RV_PLAN_DIAGNOSE_H
#define RV_PLAN_DIAGNOSE_H

#include "plan/lex.h"

/* In bits, as above. */
enum rv_plan_wanted {
    RV_WANT_CONDITION = 1 << 0,
    RV_WANT_ARROW = 1 << 1,         /* or && or || */
    RV_WANT_CLOSE = 1 << 2,         /* a parenthesis */
    RV_WANT_INSIDE = 1 << 3,        /* an event between brackets */
    RV_WANT_CLOSE_BRACKET = 1 << 4, /* behind it */
    RV_WANT_TARGET = 1 << 5,
    RV_WANT_COMMA = 1 << 6,    /* or the end */
    RV_WANT_THREAD = 1 << 7,   /* after @ */
    RV_WANT_COUNT = 1 << 8,    /* after # */
    RV_WANT_AT_THREAD = 1 << 9 /* after "start" */
};

struct rv_plan_place {
    const char *text;
    struct rv_plan_token found, before;
    uint32_t begin; /* of what is not complete: a parenthesis or brackets (CLOSE...), an event (AT_THREAD) */
};

/* "expected ..., found ...", with the hint that fits. */
void rv_plan_unexpected(struct rv_plan_error *error, enum rv_plan_wanted wanted,
                        const struct rv_plan_place *place);
/* Any other error. */
void rv_plan_wrong(struct rv_plan_error *error, uint32_t at, uint32_t length, const char *message,
                   const char *hint);

#endif
