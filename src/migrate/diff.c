/* Unified diffs. The longest common subsequence of lines, by the plain table, after what is the same at both ends is left out: a
 * migration changes few lines, near each other. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "migrate/edits.h"
#include "report/text.h"

enum { CONTEXT = 3, TABLE_LIMIT = 6000 };

struct line {
    const char *text;
    size_t size; /* without the newline */
};

struct lines {
    struct line *items;
    size_t count;
};

struct step {
    char kind; /* ' ', '-', '+' */
    size_t before, after;
};

struct script {
    struct step *items;
    size_t count;
};

static struct lines split(const char *text) {
    struct lines lines = {0};
    size_t room = 0;
    for (const char *at = text; *at;) {
        size_t size = strcspn(at, "\n");
        if (lines.count == room) {
            room = room ? room * 2 : 256;
            lines.items = rv_text_realloc(lines.items, room, sizeof *lines.items);
        }
        lines.items[lines.count++] = (struct line){at, size};
        at += size + (at[size] == '\n');
    }
    return lines;
}

static bool same(struct line a, struct line b) {
    return a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
}

static void add_step(struct script *script, char kind, size_t before, size_t after) {
    script->items[script->count++] = (struct step){kind, before, after};
}

/* The middle, rows [a, a_end) of `before` and [b, b_end) of `after`. */
static void compare(struct script *script, struct lines before, struct lines after, size_t a, size_t a_end,
                    size_t b, size_t b_end) {
    size_t rows = a_end - a, columns = b_end - b;
    bool table_fits = rows < TABLE_LIMIT && columns < TABLE_LIMIT;
    uint16_t *length = table_fits ? rv_text_alloc((rows + 1) * (columns + 1), sizeof *length) : NULL;
#define AT(i, j) length[(i) * (columns + 1) + (j)]
    for (size_t i = rows; table_fits && i-- > 0;)
        for (size_t j = columns; j-- > 0;)
            AT(i, j) = same(before.items[a + i], after.items[b + j]) ? (uint16_t)(AT(i + 1, j + 1) + 1)
                       : AT(i + 1, j) > AT(i, j + 1)                 ? AT(i + 1, j)
                                                                     : AT(i, j + 1);
    size_t i = 0, j = 0;
    while (i < rows || j < columns) {
        if (i < rows && j < columns && table_fits && same(before.items[a + i], after.items[b + j])) {
            add_step(script, ' ', a + i, b + j);
            i++;
            j++;
        } else if (i < rows && (j == columns || !table_fits || AT(i + 1, j) >= AT(i, j + 1))) {
            add_step(script, '-', a + i++, b + j);
        } else {
            add_step(script, '+', a + i, b + j++);
        }
    }
#undef AT
    free(length);
}

static struct script compare_all(struct lines before, struct lines after) {
    struct script script = {.items = rv_text_alloc(before.count + after.count + 1, sizeof *script.items)};
    size_t head = 0, tail = 0;
    while (head < before.count && head < after.count && same(before.items[head], after.items[head])) {
        add_step(&script, ' ', head, head);
        head++;
    }
    while (tail < before.count - head && tail < after.count - head &&
           same(before.items[before.count - 1 - tail], after.items[after.count - 1 - tail]))
        tail++;
    compare(&script, before, after, head, before.count - tail, head, after.count - tail);
    for (; tail > 0; tail--) add_step(&script, ' ', before.count - tail, after.count - tail);
    return script;
}

static void add_hunk(struct rv_text *diff, const struct script *script, size_t first, size_t end,
                     struct lines before, struct lines after) {
    size_t removed = 0, added = 0;
    for (size_t i = first; i < end; i++) {
        removed += script->items[i].kind != '+';
        added += script->items[i].kind != '-';
    }
    rv_text_addf(diff, "@@ -%zu,%zu +%zu,%zu @@\n", script->items[first].before + (removed > 0), removed,
                 script->items[first].after + (added > 0), added);
    for (size_t i = first; i < end; i++) {
        const struct step *step = &script->items[i];
        struct line line = step->kind == '+' ? after.items[step->after] : before.items[step->before];
        rv_text_add_n(diff, &step->kind, 1);
        rv_text_add_n(diff, line.text, line.size);
        rv_text_add(diff, "\n");
    }
}

char *rv_text_diff(const char *before_text, const char *after_text, const char *name) {
    struct lines before = split(before_text), after = split(after_text);
    struct script script = compare_all(before, after);
    struct rv_text diff = {0};
    for (size_t i = 0; i < script.count;) {
        if (script.items[i].kind == ' ') {
            i++;
            continue;
        }
        size_t first = i > CONTEXT ? i - CONTEXT : 0, end = i + 1;
        for (size_t quiet = 0; end < script.count && quiet <= 2 * CONTEXT; end++)
            quiet = script.items[end].kind == ' ' ? quiet + 1 : 0;
        while (script.items[end - 1].kind == ' ') end--;
        size_t stop = end + CONTEXT < script.count ? end + CONTEXT : script.count;
        if (!diff.size) rv_text_addf(&diff, "--- a/%s\n+++ b/%s\n", name, name);
        add_hunk(&diff, &script, first, stop, before, after);
        i = stop;
    }
    free(before.items);
    free(after.items);
    free(script.items);
    return rv_text_take(&diff);
}
