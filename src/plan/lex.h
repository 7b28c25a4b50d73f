/* The words of a plan's text, one after the other. Whatever is no word of the language comes as one token, too, so that the parser
 * can say what was expected in its place: runs of operator characters ("=>"), a character outside ASCII, a number with
 * letters ("2x"), a comment without an end. */
#ifndef RV_PLAN_LEX_H
#define RV_PLAN_LEX_H

#include "plan/plan.h"

/* In bits: rules for hints name sets of them. */
enum rv_plan_token_kind {
    RV_TOKEN_BEGIN = 1 << 0, /* of the text: what stands before the first */
    RV_TOKEN_END = 1 << 1,
    RV_TOKEN_NAME = 1 << 2, /* also "start", "blocked", ... */
    RV_TOKEN_NUMBER = 1 << 3,
    RV_TOKEN_ARROW = 1 << 4,
    RV_TOKEN_AND = 1 << 5,
    RV_TOKEN_OR = 1 << 6,
    RV_TOKEN_NOT = 1 << 7,
    RV_TOKEN_OPEN = 1 << 8,
    RV_TOKEN_CLOSE = 1 << 9,
    RV_TOKEN_OPEN_BRACKET = 1 << 10,
    RV_TOKEN_CLOSE_BRACKET = 1 << 11,
    RV_TOKEN_COMMA = 1 << 12,
    RV_TOKEN_COUNT = 1 << 13,  /* # */
    RV_TOKEN_THREAD = 1 << 14, /* @ */
    RV_TOKEN_OPEN_COMMENT = 1 << 15,
    RV_TOKEN_WRONG = 1 << 16
};

struct rv_plan_token {
    enum rv_plan_token_kind kind;
    uint32_t at, length;
};

/* The word at `from` or after it; text[length] is NUL. */
struct rv_plan_token rv_plan_token_after(const char *text, uint32_t from);
bool rv_plan_token_is(const char *text, const struct rv_plan_token *token, const char *word);

#endif
