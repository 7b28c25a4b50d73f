/* Hints are rules in a table: the first that fits what was expected, what was found and what stood before says what to do. A rule
 * that asks for a word, or a character outside ASCII, comes before the general ones. */
#include "plan/diagnose.h"

#include "base/out.h"

enum { ANY = -1, LONGEST_SHOWN = 48 };

struct rule {
    int wanted, found, before;
    const char *word; /* the text found; NULL: any */
    const char *hint;
};

#define WANT_MORE      (RV_WANT_ARROW | RV_WANT_CLOSE | RV_WANT_COMMA)
#define HINT_ARROW     "write '->'"
#define HINT_AND       "write '&&'"
#define HINT_OR        "write '||'"
#define HINT_NOT       "write '!'"
#define HINT_COMMA     "orderings are separated by ','"
#define HINT_QUOTES    "names stand without quotes"
#define HINT_BACKWARDS "the condition comes first: CONDITION -> EVENT"
#define HINT_PARTS     "the parts of a name are joined by '.'"
#define HINT_FORM      "an ordering is CONDITION -> EVENT, for example: finishedPut -> startingTake"
#define HINT_NAME      "names are letters, digits and '_', in parts joined by '.'"
#define HINT_CHAIN     "a chain is several orderings: a -> b, b -> c"
#define HINT_TARGET    "behind '->' stands one event: c -> a, c -> b"
#define HINT_BLOCK \
    "behind '->' stands the event itself; its thread being blocked is a condition: [e] -> other"
#define HINT_STATE    "blocked@t is a state and stands in conditions; the event is block@t"
#define HINT_BRACKETS "brackets hold one event: [a] && [b]"

/* Words of other languages. */
static const struct rule words[] = {
    {ANY, RV_TOKEN_WRONG, ANY, "=>", HINT_ARROW},
    {ANY, RV_TOKEN_WRONG, ANY, "==>", HINT_ARROW},
    {ANY, RV_TOKEN_WRONG, ANY, "-->", HINT_ARROW},
    {ANY, RV_TOKEN_WRONG, ANY, "--", HINT_ARROW},
    {ANY, RV_TOKEN_WRONG, ANY, "->>", HINT_ARROW},
    {ANY, RV_TOKEN_WRONG, ANY, ">", HINT_ARROW},
    {ANY, RV_TOKEN_WRONG, ANY, "-", HINT_ARROW},
    {ANY, RV_TOKEN_WRONG, ANY, "\xe2\x86\x92", HINT_ARROW},
    {ANY, RV_TOKEN_WRONG, ANY, "\xe2\x87\x92", HINT_ARROW},
    {ANY, RV_TOKEN_WRONG, ANY, "&", HINT_AND},
    {ANY, RV_TOKEN_WRONG, ANY, "&&&", HINT_AND},
    {ANY, RV_TOKEN_WRONG, ANY, "\xe2\x88\xa7", HINT_AND},
    {ANY, RV_TOKEN_WRONG, ANY, "|", HINT_OR},
    {ANY, RV_TOKEN_WRONG, ANY, "\xe2\x88\xa8", HINT_OR},
    {ANY, RV_TOKEN_WRONG, ANY, "~", HINT_NOT},
    {ANY, RV_TOKEN_WRONG, ANY, "\xc2\xac", HINT_NOT},
    {ANY, RV_TOKEN_WRONG, ANY, "<-", HINT_BACKWARDS},
    {ANY, RV_TOKEN_WRONG, ANY, "<=", HINT_BACKWARDS},
    {ANY, RV_TOKEN_WRONG, ANY, "<", HINT_BACKWARDS},
    {ANY, RV_TOKEN_WRONG, ANY, ";", HINT_COMMA},
    {ANY, RV_TOKEN_WRONG, ANY, ":", HINT_PARTS},
    {ANY, RV_TOKEN_WRONG, ANY, "::", HINT_PARTS},
    {ANY, RV_TOKEN_WRONG, ANY, ".", "'.' stands between two identifiers, without spaces"},
    {ANY, RV_TOKEN_WRONG, ANY, "..", "'.' stands between two identifiers, without spaces"},
    {ANY, RV_TOKEN_WRONG, ANY, "'", HINT_QUOTES},
    {ANY, RV_TOKEN_WRONG, ANY, "\"", HINT_QUOTES},
    {ANY, RV_TOKEN_WRONG, ANY, "`", HINT_QUOTES},
    {ANY, RV_TOKEN_WRONG, ANY, "*", "there are no wildcards: name each event"},
    {ANY, RV_TOKEN_WRONG, ANY, "?", "there are no wildcards: name each event"},
    {ANY, RV_TOKEN_WRONG, ANY, "\xc2\xa0", "this is a no-break space: write an ordinary one"},
    {WANT_MORE, RV_TOKEN_NAME, ANY, "and", HINT_AND},
    {WANT_MORE, RV_TOKEN_NAME, ANY, "AND", HINT_AND},
    {WANT_MORE, RV_TOKEN_NAME, ANY, "or", HINT_OR},
    {WANT_MORE, RV_TOKEN_NAME, ANY, "OR", HINT_OR},
    {WANT_MORE, RV_TOKEN_NAME, ANY, "then", HINT_ARROW},
    {WANT_MORE, RV_TOKEN_NAME, ANY, "before", HINT_ARROW},
    {WANT_MORE, RV_TOKEN_NAME, ANY, "after", HINT_BACKWARDS},
};

static const struct rule rules[] = {
    {ANY, RV_TOKEN_OPEN_COMMENT, ANY, NULL, "a comment ends with '*/'"},
    {RV_WANT_CONDITION, RV_TOKEN_END, RV_TOKEN_BEGIN, NULL, HINT_FORM},
    {RV_WANT_CONDITION, RV_TOKEN_END, RV_TOKEN_COMMA, NULL, "leave the last ',' out"},
    {RV_WANT_CONDITION, RV_TOKEN_COMMA, RV_TOKEN_COMMA, NULL, "leave one ',' out"},
    {RV_WANT_CONDITION, RV_TOKEN_ARROW, RV_TOKEN_BEGIN | RV_TOKEN_COMMA, NULL,
     "an event that may come at any time needs no ordering"},
    {RV_WANT_CONDITION, RV_TOKEN_THREAD, ANY, NULL, "an event stands before '@': e@t, start@t"},
    {RV_WANT_CONDITION, RV_TOKEN_COUNT, ANY, NULL, "an event stands before '#': e#2"},
    {RV_WANT_CONDITION, RV_TOKEN_NUMBER | RV_TOKEN_WRONG, ANY, NULL, HINT_NAME},
    {RV_WANT_CONDITION, RV_TOKEN_CLOSE, RV_TOKEN_OPEN, NULL, "between the parentheses stands a condition"},
    {RV_WANT_CONDITION, ANY, RV_TOKEN_AND | RV_TOKEN_OR, NULL, "'&&' and '||' stand between two conditions"},
    {RV_WANT_CONDITION, ANY, RV_TOKEN_NOT, NULL, "behind '!' stands a condition"},
    {RV_WANT_ARROW, RV_TOKEN_COMMA, ANY, NULL, "',' separates orderings; conditions are joined by '&&'"},
    {WANT_MORE, RV_TOKEN_CLOSE, ANY, NULL, "no '(' belongs to it"},
    {WANT_MORE, RV_TOKEN_CLOSE_BRACKET, ANY, NULL, "no '[' belongs to it"},
    {WANT_MORE, RV_TOKEN_COUNT, ANY, NULL, "the count stands once, and before the thread: e#2@t"},
    {WANT_MORE, RV_TOKEN_THREAD, ANY, NULL, "a thread is named once, behind an event: e@t"},
    {WANT_MORE, RV_TOKEN_NUMBER, ANY, NULL, "a count is written e#2"},
    {RV_WANT_ARROW, RV_TOKEN_END, ANY, NULL, "the event that has to wait is missing: CONDITION -> EVENT"},
    {RV_WANT_ARROW, RV_TOKEN_NAME | RV_TOKEN_OPEN | RV_TOKEN_OPEN_BRACKET | RV_TOKEN_NOT, ANY, NULL,
     "write '->' before the event that has to wait, '&&' or '||' between conditions"},
    {RV_WANT_CLOSE, RV_TOKEN_ARROW, ANY, NULL,
     "parentheses stand around conditions only, and are closed before '->'"},
    {RV_WANT_TARGET, RV_TOKEN_END, ANY, NULL, "the event that has to wait stands behind '->'"},
    {RV_WANT_TARGET, RV_TOKEN_OPEN_BRACKET, ANY, NULL, HINT_BLOCK},
    {RV_WANT_TARGET, RV_TOKEN_NAME, ANY, "blocked", HINT_STATE},
    {RV_WANT_TARGET, RV_TOKEN_OPEN, ANY, NULL, "behind '->' stands one event, without parentheses"},
    {RV_WANT_TARGET, RV_TOKEN_NOT, ANY, NULL, "'!' belongs into the condition: !c -> e"},
    {RV_WANT_TARGET, RV_TOKEN_NUMBER | RV_TOKEN_WRONG, ANY, NULL, HINT_NAME},
    {RV_WANT_COMMA, RV_TOKEN_ARROW, ANY, NULL, HINT_CHAIN},
    {RV_WANT_COMMA, RV_TOKEN_AND | RV_TOKEN_OR, ANY, NULL, HINT_TARGET},
    {RV_WANT_COMMA, RV_TOKEN_NAME | RV_TOKEN_OPEN | RV_TOKEN_OPEN_BRACKET | RV_TOKEN_NOT, ANY, NULL,
     HINT_COMMA},
    {RV_WANT_INSIDE, RV_TOKEN_NAME, ANY, "blocked", "blocked@t stands without brackets"},
    {RV_WANT_INSIDE, ANY, ANY, NULL, HINT_BRACKETS},
    {RV_WANT_CLOSE_BRACKET, RV_TOKEN_AND | RV_TOKEN_OR | RV_TOKEN_COMMA, ANY, NULL, HINT_BRACKETS},
    {RV_WANT_THREAD, RV_TOKEN_NAME, ANY, NULL, "the name of a thread is one identifier, without '.'"},
    {RV_WANT_THREAD, ANY, ANY, NULL, "behind '@' stands the name that RAVEL_THREAD gives, or main"},
    {RV_WANT_COUNT, ANY, ANY, NULL, "behind '#' stands a whole number: e#2 is the second time"},
    {RV_WANT_AT_THREAD, RV_TOKEN_COUNT, ANY, NULL, "a state has no count: blocked@t"},
    {RV_WANT_AT_THREAD, ANY, ANY, NULL,
     "start, end, block, unblock and blocked are of a thread: start@t; an event of your own needs another name"},
};

/* A rule without a word for characters outside ASCII: they are none of the language's in any place. */
static bool outside_ascii(const struct rv_plan_place *place) {
    return place->found.kind == RV_TOKEN_WRONG && (unsigned char)place->text[place->found.at] >= 0x80;
}

static const char *look_up(const struct rule *table, size_t count, enum rv_plan_wanted wanted,
                           const struct rv_plan_place *place) {
    for (const struct rule *rule = table; rule < table + count; rule++) {
        if ((rule->wanted & (int)wanted) && (rule->found & (int)place->found.kind) &&
            (rule->before & (int)place->before.kind) &&
            (!rule->word || rv_plan_token_is(place->text, &place->found, rule->word)))
            return rule->hint;
    }
    return NULL;
}

static void add_hint(struct rv_out *out, enum rv_plan_wanted wanted, const struct rv_plan_place *place) {
    const char *hint = look_up(words, sizeof words / sizeof *words, wanted, place);
    if (!hint && outside_ascii(place)) hint = HINT_NAME;
    if (!hint && (wanted & WANT_MORE) && rv_plan_token_is(place->text, &place->before, "not"))
        hint = HINT_NOT;
    if (!hint) hint = look_up(rules, sizeof rules / sizeof *rules, wanted, place);
    if (hint) {
        rv_out_text(out, hint);
    } else if (wanted & (RV_WANT_CLOSE | RV_WANT_CLOSE_BRACKET)) {
        uint32_t end = place->before.at + place->before.length, shown = end - place->begin;
        rv_out_char(out, '\'');
        rv_out_shown(out, place->text + place->begin, shown < LONGEST_SHOWN ? shown : LONGEST_SHOWN);
        rv_out_text(out, shown < LONGEST_SHOWN ? "' is not closed" : "...' is not closed");
    }
}

static void add_wanted(struct rv_out *out, enum rv_plan_wanted wanted, const struct rv_plan_place *place) {
    switch (wanted) {
    case RV_WANT_CONDITION: rv_out_text(out, "a condition"); break;
    case RV_WANT_ARROW: rv_out_text(out, "'->'"); break;
    case RV_WANT_CLOSE: rv_out_text(out, "')'"); break;
    case RV_WANT_INSIDE: rv_out_text(out, "an event between the brackets"); break;
    case RV_WANT_CLOSE_BRACKET: rv_out_text(out, "']'"); break;
    case RV_WANT_TARGET: rv_out_text(out, "an event"); break;
    case RV_WANT_COMMA: rv_out_text(out, "',' or the end"); break;
    case RV_WANT_THREAD: rv_out_text(out, "the name of a thread"); break;
    case RV_WANT_COUNT: rv_out_text(out, "a count"); break;
    case RV_WANT_AT_THREAD:
        rv_out_text(out, "'@' and a thread behind '");
        rv_out_shown(out, place->text + place->begin, place->before.at + place->before.length - place->begin);
        rv_out_char(out, '\'');
        break;
    }
}

/* The code point of a character outside ASCII, 0 if its bytes are none. */
static uint32_t code_point(const unsigned char *bytes, uint32_t length) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t wanted = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : bytes[0] >= 0xc0 ? 2 : 1;
    if (bytes[0] >= 0xf8 || wanted == 1 || length != wanted) return 0;
    uint32_t code = bytes[0] & (0x7fu >> wanted);
    for (uint32_t i = 1; i < length; i++) code = code << 6 | (bytes[i] & 0x3fu);
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < smallest[wanted] || code > 0x10ffff || surrogate ? 0 : code;
}

static void add_found(struct rv_out *out, const struct rv_plan_place *place) {
    const struct rv_plan_token *found = &place->found;
    uint32_t code =
        outside_ascii(place) ? code_point((const unsigned char *)place->text + found->at, found->length) : 0;
    if (found->kind == RV_TOKEN_END) {
        rv_out_text(out, "the end");
    } else if (found->kind == RV_TOKEN_OPEN_COMMENT) {
        rv_out_text(out, "a comment without an end");
    } else if (code) {
        rv_out_text(out, "U+");
        for (int shift = code > 0xfffff ? 20 : code > 0xffff ? 16 : 12; shift >= 0; shift -= 4)
            rv_out_char(out, "0123456789ABCDEF"[code >> shift & 15]);
    } else {
        rv_out_char(out, '\'');
        rv_out_shown(out, place->text + found->at,
                     found->length < LONGEST_SHOWN ? found->length : LONGEST_SHOWN);
        rv_out_text(out, found->length < LONGEST_SHOWN ? "'" : "...'");
    }
}

void rv_plan_unexpected(struct rv_plan_error *error, enum rv_plan_wanted wanted,
                        const struct rv_plan_place *place) {
    struct rv_out message = {error->message, sizeof error->message, 0};
    struct rv_out hint = {error->hint, sizeof error->hint, 0};
    bool at_end = place->found.kind == RV_TOKEN_END; /* white space before it is not what is wrong */
    error->at = at_end ? place->before.at + place->before.length : place->found.at;
    error->length = place->found.length;
    rv_out_text(&message, "expected ");
    add_wanted(&message, wanted, place);
    rv_out_text(&message, ", found ");
    add_found(&message, place);
    rv_out_text(&hint, "");
    add_hint(&hint, wanted, place);
}

void rv_plan_wrong(struct rv_plan_error *error, uint32_t at, uint32_t length, const char *message,
                   const char *hint) {
    struct rv_out message_out = {error->message, sizeof error->message, 0};
    struct rv_out hint_out = {error->hint, sizeof error->hint, 0};
    error->at = at;
    error->length = length;
    rv_out_text(&message_out, message);
    rv_out_text(&hint_out, hint);
}
