/* The plain file of a suite: one line a test. */
#include <stdlib.h>
#include <string.h>

#include "regress/suite.h"
#include "report/text.h"

struct line {
    const char *at, *end, *start;
    unsigned number;
    const char *file;
};

static bool fail(const struct line *line, const char *at, char **error, const char *what) {
    *error = rv_text_format("%s:%u:%zu: %s", line->file, line->number, (size_t)(at - line->start) + 1, what);
    return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void skip_blanks(struct line *line) {
    while (line->at < line->end && is_blank(*line->at)) line->at++;
}

/* One word; false: a quote is not closed. */
static bool take_word(struct line *line, char **word, char **error) {
    struct rv_text text = {0};
    char quote = 0;
    const char *opened = line->at;
    for (; line->at < line->end && (quote || !is_blank(*line->at)); line->at++) {
        char c = *line->at;
        if (c == '\\' && quote != '\'' && line->at + 1 < line->end) {
            rv_text_add_n(&text, ++line->at, 1);
        } else if (quote ? c == quote : c == '"' || c == '\'') {
            opened = line->at;
            quote = quote ? 0 : c;
        } else {
            rv_text_add_n(&text, line->at, 1);
        }
    }
    *word = rv_text_take(&text);
    return !quote || fail(line, opened, error, "expected a closing quote");
}

/* "name:" at the begin, followed by a blank or the end. */
static char *take_name(struct line *line) {
    const char *at = line->at;
    while (at < line->end && (strchr("_-./", *at) || (*at >= '0' && *at <= '9') ||
                              (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')))
        at++;
    if (at == line->at || at == line->end || *at != ':' || (at + 1 < line->end && !is_blank(at[1])))
        return NULL;
    char *name = rv_text_copy_n(line->at, (size_t)(at - line->at));
    line->at = at + 1;
    return name;
}

static bool take_args(struct line *line, struct rv_suite_test *test, char **error) {
    size_t count = 0;
    for (skip_blanks(line); line->at < line->end; skip_blanks(line)) {
        test->args = rv_text_realloc(test->args, count + 2, sizeof *test->args);
        test->args[count] = test->args[count + 1] = NULL;
        if (!take_word(line, &test->args[count++], error)) return false;
    }
    return true;
}

static bool take_line(struct rv_test_suite *suite, struct line *line, const struct rv_suite_test *base,
                      char **error) {
    const char *why = NULL;
    skip_blanks(line);
    if (line->at == line->end || *line->at == '#') return true;
    const char *nul = memchr(line->at, 0, (size_t)(line->end - line->at));
    if (nul) return fail(line, nul, error, "a NUL byte, not text");
    struct rv_suite_test test = rv_suite_test_like(base);
    test.name = take_name(line);
    bool good = take_args(line, &test, error);
    if (good && !rv_suite_add(suite, &test, &why)) good = fail(line, line->start, error, why);
    if (!good) rv_suite_test_free(&test);
    return good;
}

bool rv_suite_add_cases(struct rv_test_suite *suite, const char *text, size_t size, const char *name,
                        const struct rv_suite_test *base, char **error) {
    struct line line = {.file = name};
    const char *end = text + size;
    for (const char *at = text; at < end; at = line.end + 1) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        line.start = line.at = at;
        line.end = newline ? newline : end;
        line.number++;
        if (!take_line(suite, &line, base, error)) return false;
    }
    if (suite->count) return true;
    *error = rv_text_format("%s:%u:1: expected a test: the arguments of the program", name, line.number + 1);
    return false;
}
