#include "plan/lex.h"

#include <string.h>

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_one_of(char c, const char *set) {
    while (*set && *set != c) set++;
    return *set != 0;
}

static bool is_comment(const char *at) { return at[0] == '/' && (at[1] == '/' || at[1] == '*'); }

/* Behind white space and comments; *open is the begin of a comment that has no end. */
static const char *skip(const char *at, const char **open) {
    *open = NULL;
    for (;;) {
        while (is_space(*at)) at++;
        if (!is_comment(at)) return at;
        const char *begin = at;
        bool line = at[1] == '/';
        at += 2;
        while (*at && (line ? *at != '\n' : at[0] != '*' || at[1] != '/')) at++;
        if (!line && !*at) *open = begin;
        if (!*at) return at;
        at += line ? 1 : 2;
    }
}

static const char *after_name(const char *at) {
    for (;;) {
        while (is_letter(*at) || is_digit(*at)) at++;
        if (at[0] != '.' || !is_letter(at[1])) return at;
        at++;
    }
}

static enum rv_plan_token_kind number(const char **at) {
    const char *end = *at;
    while (is_digit(*end)) end++;
    bool whole = !is_letter(*end);
    while (is_digit(*end) || is_letter(*end)) end++;
    *at = end;
    return whole ? RV_TOKEN_NUMBER : RV_TOKEN_WRONG;
}

/* "->" and the like, as far as no more of such characters follow: "->>" and "&&&" are wrong as a whole. */
static enum rv_plan_token_kind operators(const char **at) {
    static const char set[] = "-=<>&|:;~^*+/%?$\"'`\\.";
    const char *begin = *at, *end = begin;
    while (*end && is_one_of(*end, set) && !is_comment(end)) end++;
    *at = end > begin ? end : begin + 1;
    if (end - begin != 2) return RV_TOKEN_WRONG;
    if (memcmp(begin, "->", 2) == 0) return RV_TOKEN_ARROW;
    if (memcmp(begin, "&&", 2) == 0) return RV_TOKEN_AND;
    return memcmp(begin, "||", 2) == 0 ? RV_TOKEN_OR : RV_TOKEN_WRONG;
}

static const char *after_character(const char *at) {
    bool more = (unsigned char)*at++ >= 0xc0;
    for (int i = 0; more && i < 3 && ((unsigned char)*at & 0xc0) == 0x80; i++) at++;
    return at;
}

static enum rv_plan_token_kind scan(const char **at) {
    static const char single[] = "!()[],#@";
    static const enum rv_plan_token_kind kinds[] = {
        RV_TOKEN_NOT,           RV_TOKEN_OPEN,  RV_TOKEN_CLOSE, RV_TOKEN_OPEN_BRACKET,
        RV_TOKEN_CLOSE_BRACKET, RV_TOKEN_COMMA, RV_TOKEN_COUNT, RV_TOKEN_THREAD};
    char c = **at;
    if (!c) return RV_TOKEN_END;
    if (is_letter(c)) {
        *at = after_name(*at);
        return RV_TOKEN_NAME;
    }
    if (is_digit(c)) return number(at);
    for (int i = 0; single[i]; i++) {
        if (single[i] != c) continue;
        ++*at;
        return kinds[i];
    }
    if ((unsigned char)c < 0x80) return operators(at);
    *at = after_character(*at);
    return RV_TOKEN_WRONG;
}

struct rv_plan_token rv_plan_token_after(const char *text, uint32_t from) {
    const char *open;
    const char *begin = skip(text + from, &open), *end = begin;
    if (open)
        return (struct rv_plan_token){RV_TOKEN_OPEN_COMMENT, (uint32_t)(open - text),
                                      (uint32_t)(begin - open)};
    enum rv_plan_token_kind kind = scan(&end);
    return (struct rv_plan_token){kind, (uint32_t)(begin - text), (uint32_t)(end - begin)};
}

bool rv_plan_token_is(const char *text, const struct rv_plan_token *token, const char *word) {
    return strlen(word) == token->length && memcmp(text + token->at, word, token->length) == 0;
}
