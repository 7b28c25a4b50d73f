#include "report/printer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum {
    SHORT_NAME = 6, /* columns below which a name is not shortened in its middle */
    WIDTH_USUAL = 100,
    WIDTH_MIN = 40,
};

static const char *const style_codes[] = {"", "\033[1m", "\033[2m", "\033[1;31m", "\033[1;33m"};

struct rv_printer rv_printer_for(FILE *out, const struct rv_print_options *options) {
    unsigned width = options->width ? options->width : WIDTH_USUAL;
    return (struct rv_printer){.out = out,
                               .colour = options->colour,
                               .utf8 = rv_text_utf8_locale(),
                               .width = width > WIDTH_MIN ? width : WIDTH_MIN};
}

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

void rv_print_row(struct rv_printer *printer, unsigned indent, enum rv_style style, const char *format, ...) {
    va_list arguments;
    char *raw = NULL;
    va_start(arguments, format);
    if (vasprintf(&raw, format, arguments) < 0) raw = rv_text_copy("");
    va_end(arguments);
    struct rv_row row = {.printer = printer};
    rv_row_pad(&row, indent);
    rv_row_add(&row, style, raw, printer->width > indent ? printer->width - indent : 1);
    rv_row_end(&row);
    free(raw);
}

void rv_row_pad(struct rv_row *row, unsigned column) {
    if (row->column >= column) return;
    pad(&row->text, column - row->column);
    row->column = column;
}

void rv_row_add(struct rv_row *row, enum rv_style style, const char *text, unsigned room) {
    char *shown = rv_shorten(row->printer, text, strlen(text), strlen(text), room);
    add_styled(row->printer, &row->text, style, shown, strlen(shown));
    row->column += (unsigned)rv_text_columns(shown);
    free(shown);
}

void rv_row_end(struct rv_row *row) {
    put_row(row->printer, &row->text);
    row->column = 0;
}

/* The longest tail of the text that fits into `columns`. */
static const char *fitting_tail(const char *text, size_t columns) {
    size_t all = rv_text_columns(text);
    if (all <= columns) return text;
    const char *tail = text + rv_text_fit(text, all - columns);
    if (rv_text_columns(tail) > columns) { /* a wide character stood across the cut */
        do tail++;
        while ((*tail & 0xc0) == 0x80);
    }
    return tail;
}

/* Shortens `text`, which is harmless, at its end. */
static void cut_end(char **text, const char *ellipsis, unsigned room) {
    size_t dots = rv_text_columns(ellipsis);
    if (rv_text_columns(*text) <= room) return;
    size_t keep = rv_text_fit(*text, room > dots ? room - dots : 0);
    while (keep > 0 && (*text)[keep - 1] == ' ') keep--;
    rv_text_set(text, rv_text_format("%.*s%.*s", (int)keep, *text, room >= dots ? (int)strlen(ellipsis) : 0,
                                     ellipsis));
}

char *rv_shorten(const struct rv_printer *printer, const char *text, size_t from, size_t to, unsigned room) {
    const char *ellipsis = printer->utf8 ? "\u2026" : "..";
    size_t dots = rv_text_columns(ellipsis);
    char *head_raw = rv_text_copy_n(text, from), *middle_raw = rv_text_copy_n(text + from, to - from);
    char *head = rv_text_harmless(head_raw, !printer->utf8),
         *middle = rv_text_harmless(middle_raw, !printer->utf8),
         *tail = rv_text_harmless(text + to, !printer->utf8);
    size_t around = rv_text_columns(head) + rv_text_columns(tail), size = rv_text_columns(middle);
    if (around + size > room && size > SHORT_NAME) { /* not everything fits */
        size_t left = room > around + SHORT_NAME ? room - around : SHORT_NAME;
        size_t end = (left - dots) / 2, start = left - dots - end;
        rv_text_set(&middle, rv_text_format("%.*s%s%s", (int)rv_text_fit(middle, start), middle, ellipsis,
                                            fitting_tail(middle, end)));
    }
    char *whole = rv_text_format("%s%s%s", head, middle, tail);
    cut_end(&whole, ellipsis, room);
    free(head_raw);
    free(middle_raw);
    free(head);
    free(middle);
    free(tail);
    return whole;
}

const char *rv_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static char *describe(const struct rv_location *at, bool brief) {
    struct rv_text text = {0};
    if (*at->function) rv_text_addf(&text, "%s()", at->function);
    if (at->line)
        rv_text_addf(&text, "%s%s:%u", text.data ? " at " : "", brief ? rv_base_name(at->file) : at->file,
                     at->line);
    else if (*at->module)
        rv_text_addf(&text, "%s%s+0x%llx", text.data ? " in " : "", rv_base_name(at->module),
                     (unsigned long long)at->offset);
    if (!text.data) rv_text_add(&text, "unknown code");
    return rv_text_take(&text);
}

char *rv_describe_location(const struct rv_location *at) { return describe(at, false); }

char *rv_describe_briefly(const struct rv_location *at) { return describe(at, true); }

bool rv_is_own_code(const struct rv_location *at) {
    return at->line && strncmp(at->file, "/usr/include/", 13) != 0 && strncmp(at->file, "/usr/lib/", 9) != 0;
}

const struct rv_location *rv_stack_place(const struct rv_stack_text *stack) {
    for (unsigned i = 0; i < stack->count; i++) {
        if (rv_is_own_code(&stack->frames[i])) return &stack->frames[i];
    }
    for (unsigned i = 0; i < stack->count; i++) {
        if (stack->frames[i].line) return &stack->frames[i];
    }
    return stack->count ? &stack->frames[0] : NULL;
}

bool rv_failure_is_race(const struct rv_failure *failure) {
    return failure->kind == RV_KIND_RACE && failure->race;
}

const struct rv_thread_text *rv_failure_thread(const struct rv_failure *failure, uint32_t id) {
    for (unsigned i = 0; i < failure->thread_count; i++) {
        if (failure->threads[i].id == id) return &failure->threads[i];
    }
    return NULL;
}

/* Of a thread that is over and forgotten only its events tell: it ends in its own function. */
static const char *joined_name(const struct rv_failure *failure, uint32_t id) {
    for (unsigned i = failure->event_count; i-- > 0;) {
        const struct rv_trace_event *event = &failure->events[i];
        if (event->thread == id && event->op == RV_OP_EXIT) return event->at.function;
    }
    return "";
}

char *rv_describe_thread(const struct rv_failure *failure, uint32_t id) {
    const struct rv_thread_text *thread = rv_failure_thread(failure, id);
    if (id == RV_NO_THREAD) return rv_text_copy("no thread");
    const char *name = thread ? thread->name : joined_name(failure, id);
    if (*name) return rv_text_format("thread %u (%s)", id, name);
    return rv_text_format("thread %u", id);
}

bool rv_thread_blocked(const struct rv_thread_text *thread) {
    return strncmp(thread->state, "blocked", 7) == 0 ||
           strncmp(thread->state, "held by the schedule", 20) == 0;
}

/* Follows "held by" from each thread. Each has one edge at most, so a walk of thread_count steps that does
 * not end is in a cycle. */
unsigned rv_failure_cycle(const struct rv_failure *failure, uint32_t *threads, unsigned max) {
    for (unsigned start = 0; start < failure->thread_count; start++) {
        unsigned count = 0;
        const struct rv_thread_text *thread = &failure->threads[start];
        if (!rv_thread_blocked(thread)) continue;
        while (thread && thread->owner != RV_NO_THREAD && rv_thread_blocked(thread) && count < max) {
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
