/* How an error is shown, and the names that may have been meant. */
#include <string.h>

#include "base/out.h"
#include "base/suggest.h"
#include "plan/plan.h"

enum {
    WIDTH = 72 /* columns of the text at most */,
    BEFORE = 36 /* of them before the error, if it is cut */
};

static size_t columns(const char *text, size_t begin, size_t end) {
    size_t sum = 0;
    while (begin < end) sum += rv_out_columns(text[begin++]);
    return sum;
}

static void repeat(struct rv_out *out, char c, size_t count) {
    while (count-- > 0) rv_out_char(out, c);
}

/* The line of the text that holds `at`: "line 2: a => b" if there are others, with "..." where it is cut; carets below. */
static void show_line(struct rv_out *out, const char *text, size_t size, size_t at, size_t length) {
    size_t begin = 0, line = 1, prefix = out->length;
    for (size_t i = 0; i < at; i++) {
        if (text[i] != '\n') continue;
        begin = i + 1;
        line++;
    }
    size_t end = at;
    while (end < size && text[end] != '\n') end++;
    size_t first = begin, last = end;
    if (columns(text, begin, end) > WIDTH)
        while (columns(text, first, at) > BEFORE) first++;
    size_t room = WIDTH - (first > begin ? 3 : 0);
    if (columns(text, first, last) > room)
        while (columns(text, first, last) + 3 > room) last--;
    rv_out_text(out, "  ");
    if (line > 1 || end < size) {
        rv_out_text(out, "line ");
        rv_out_number(out, line);
        rv_out_text(out, ": ");
    }
    if (first > begin) rv_out_text(out, "...");
    prefix = out->length - prefix;
    rv_out_shown(out, text + first, last - first);
    if (last < end) rv_out_text(out, "...");
    rv_out_char(out, '\n');
    repeat(out, ' ', prefix + columns(text, first, at));
    size_t stop = at + length < last ? at + length : last;
    repeat(out, '^', stop > at ? columns(text, at, stop) : 1);
    rv_out_char(out, '\n');
}

size_t rv_plan_error_show(char *buffer, size_t size, const char *text, const struct rv_plan_error *error) {
    struct rv_out out = {buffer, size, 0};
    size_t length = 0;
    while (length < 2 * (size_t)RV_PLAN_TEXT && text[length]) length++;
    show_line(&out, text, length, error->at < length ? error->at : length, error->length);
    rv_out_text(&out, "  ");
    rv_out_text(&out, error->message);
    rv_out_char(&out, '\n');
    if (error->hint[0]) {
        rv_out_text(&out, "  hint: ");
        rv_out_text(&out, error->hint);
        rv_out_char(&out, '\n');
    }
    return out.length;
}

const char *rv_plan_near(const char *name, const char *const *names, size_t count) {
    struct rv_suggestion suggestion = {.typed = name};
    for (size_t i = 0; i < count; i++) rv_suggest_offer(&suggestion, names[i]);
    return suggestion.best;
}
