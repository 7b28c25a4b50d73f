#include "report/printer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static const char *const style_codes[] = {"", "\033[1m", "\033[2m", "\033[1;31m", "\033[1;33m"};

static void add_styled(const struct rv_printer *printer, struct rv_text *row, enum rv_style style,
                       const char *text, size_t size) {
    bool styled = printer->colour && style != RV_PLAIN && size > 0;
    if (styled) rv_text_add(row, style_codes[style]);
    rv_text_add_n(row, text, size);
    if (styled) rv_text_add(row, "\033[0m");
}

/* Bytes of `text` for one line of so many columns: up to a space if there is one in the second half. */
static size_t next_piece(const char *text, size_t columns) {
    size_t fit = rv_text_fit(text, columns);
    if (text[fit] == '\0' || text[fit] == ' ') return fit;
    for (size_t i = fit; i > fit / 2; i--) {
        if (text[i - 1] == ' ') return i - 1;
    }
    return fit ? fit : 1;
}

static void pad(struct rv_text *row, size_t columns) {
    for (size_t i = 0; i < columns; i++) rv_text_add(row, " ");
}

static void put_row(const struct rv_printer *printer, struct rv_text *row) {
    char *text = rv_text_take(row);
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == ' ') size--;
    fprintf(printer->out, "%.*s\n", (int)size, text);
    free(text);
}

void rv_print_line(struct rv_printer *printer, unsigned indent, unsigned hang, enum rv_style style,
                   const char *format, ...) {
    va_list arguments;
    char *raw = NULL;
    va_start(arguments, format);
    if (vasprintf(&raw, format, arguments) < 0) raw = rv_text_copy("");
    va_end(arguments);
    char *text = rv_text_harmless(raw, !printer->utf8), *rest = text;
    free(raw);
    do {
        struct rv_text row = {0};
        size_t room = printer->width > indent + 8 ? printer->width - indent : 8;
        size_t piece = next_piece(rest, room);
        pad(&row, indent);
        add_styled(printer, &row, style, rest, piece);
        put_row(printer, &row);
        if (rest == text) indent += hang;
        rest += piece;
        rest += strspn(rest, " ");
    } while (*rest);
    free(text);
}

void rv_print_cell(struct rv_printer *printer, unsigned lane, const char *prefix, enum rv_style style,
                   const char *text) {
    const char *bar = printer->utf8 ? " \u2502 " : " | ";
    char *harmless = rv_text_harmless(text, !printer->utf8), *rest = harmless;
    size_t prefix_size = strlen(prefix);
    size_t room = printer->lane_width > prefix_size + 4 ? printer->lane_width - prefix_size : 4;
    do {
        struct rv_text row = {0};
        size_t piece = next_piece(rest, room);
        rv_text_add(&row, " ");
        for (unsigned i = 0; i < printer->lanes; i++) {
            if (i > 0) rv_text_add(&row, bar);
            if (i != lane) {
                pad(&row, printer->lane_width);
                continue;
            }
            if (rest == harmless)
                add_styled(printer, &row, style, prefix, prefix_size);
            else
                pad(&row, prefix_size);
            add_styled(printer, &row, style, rest, piece);
            char *shown = rv_text_copy_n(rest, piece);
            size_t used = prefix_size + rv_text_columns(shown);
            free(shown);
            if (used < printer->lane_width) pad(&row, printer->lane_width - used);
        }
        put_row(printer, &row);
        rest += piece;
        rest += strspn(rest, " ");
    } while (*rest);
    free(harmless);
}

void rv_print_rule(struct rv_printer *printer) {
    const char *dash = printer->utf8 ? "\u2500" : "-", *cross = printer->utf8 ? "\u2500\u253c\u2500" : "-+-";
    struct rv_text row = {0};
    rv_text_add(&row, " ");
    for (unsigned i = 0; i < printer->lanes; i++) {
        if (i > 0) rv_text_add(&row, cross);
        for (unsigned k = 0; k < printer->lane_width; k++) rv_text_add(&row, dash);
    }
    put_row(printer, &row);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

char *rv_describe_location(const struct rv_location *at) {
    struct rv_text text = {0};
    if (*at->function) rv_text_addf(&text, "%s()", at->function);
    if (at->line)
        rv_text_addf(&text, "%s%s:%u", text.data ? " at " : "", at->file, at->line);
    else if (*at->module)
        rv_text_addf(&text, "%s%s+0x%llx", text.data ? " in " : "", base_name(at->module),
                     (unsigned long long)at->offset);
    if (!text.data) rv_text_add(&text, "unknown code");
    return rv_text_take(&text);
}

char *rv_describe_line(const struct rv_location *at) {
    if (at->line == 0) return rv_describe_location(at);
    if (*at->source) return rv_text_format("%s:%u  %s", base_name(at->file), at->line, at->source);
    return rv_text_format("%s:%u%s%s%s", base_name(at->file), at->line, *at->function ? "  in " : "",
                          at->function, *at->function ? "()" : "");
}

const struct rv_location *rv_stack_place(const struct rv_stack_text *stack) {
    for (unsigned i = 0; i < stack->count; i++) {
        if (stack->frames[i].line) return &stack->frames[i];
    }
    return stack->count ? &stack->frames[0] : NULL;
}

const struct rv_thread_text *rv_failure_thread(const struct rv_failure *failure, uint32_t id) {
    for (unsigned i = 0; i < failure->thread_count; i++) {
        if (failure->threads[i].id == id) return &failure->threads[i];
    }
    return NULL;
}

char *rv_describe_thread(const struct rv_failure *failure, uint32_t id) {
    const struct rv_thread_text *thread = rv_failure_thread(failure, id);
    if (id == RV_NO_THREAD) return rv_text_copy("no thread");
    if (thread && *thread->name) return rv_text_format("thread %u (%s)", id, thread->name);
    return rv_text_format("thread %u", id);
}

/* Follows "held by" from each thread. Each has one edge at most, so a walk of thread_count steps that does
 * not end is in a cycle. */
unsigned rv_failure_cycle(const struct rv_failure *failure, uint32_t *threads, unsigned max) {
    for (unsigned start = 0; start < failure->thread_count; start++) {
        unsigned count = 0;
        const struct rv_thread_text *thread = &failure->threads[start];
        if (strncmp(thread->state, "blocked", 7) != 0) continue;
        while (thread && thread->owner != RV_NO_THREAD && strncmp(thread->state, "blocked", 7) == 0 &&
               count < max) {
            threads[count++] = thread->id;
            if (thread->owner == threads[0]) return count;
            thread = count <= failure->thread_count ? rv_failure_thread(failure, thread->owner) : NULL;
        }
    }
    return 0;
}

const struct rv_lock_text *rv_failure_held(const struct rv_failure *failure, uint32_t holder,
                                           const char *object) {
    const struct rv_thread_text *thread = rv_failure_thread(failure, holder);
    for (unsigned i = 0; thread && i < thread->held_count; i++) {
        if (strcmp(thread->held[i].object, object) == 0) return &thread->held[i];
    }
    return NULL;
}
