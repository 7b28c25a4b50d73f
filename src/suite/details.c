#include "suite/details.h"

#include <stdlib.h>
#include <string.h>

enum {
    THREADS = 8,     /* columns */
    MOST_SHOWN = 60, /* events: the last ones */
    OUTPUT_LINES = 5,
    GAP = 2,
};

/* The text as it was written, line by line, with carets below what is meant. Control characters would move them. */
void rv_details_schedule(struct rv_printer *printer, const struct rv_suite_case *one, size_t at,
                         size_t length) {
    if (!one->scheduled) return;
    char *name = rv_text_format("schedule \"%s\" (%s:%u):", one->label, rv_base_name(one->file), one->line);
    rv_print_row(printer, 0, RV_BOLD, "%s", name);
    free(name);
    for (size_t from = 0, size; one->text[from]; from += size + (one->text[from + size] == '\n')) {
        size = strcspn(one->text + from, "\n");
        char *line = rv_text_copy_n(one->text + from, size);
        for (char *c = line; *c; c++)
            if (*c == '\t') *c = ' ';
        rv_print_row(printer, 2, RV_PLAIN, "%s", line);
        free(line);
        if (length == 0 || at >= from + size || at + length <= from) continue;
        size_t first = at > from ? at - from : 0,
               last = at + length < from + size ? at + length - from : size;
        char *carets = rv_text_alloc(last + 1, 1);
        memset(carets, ' ', first);
        memset(carets + first, '^', last - first);
        rv_print_row(printer, 2, RV_ALARM, "%s", carets);
        free(carets);
    }
}

/* The column of a thread; THREADS: there is none left for it. */
static unsigned column_of(const char **names, unsigned *count, const char *name) {
    unsigned i = 0;
    while (i < *count && strcmp(names[i], name) != 0) i++;
    if (i == *count && i < THREADS) names[(*count)++] = name;
    return i;
}

void rv_details_events(struct rv_printer *printer, const struct rv_test_result *result) {
    const char *names[THREADS] = {NULL};
    unsigned count = 0;
    if (result->event_count == 0) return;
    size_t first = result->event_count > MOST_SHOWN ? result->event_count - MOST_SHOWN : 0;
    for (size_t i = first; i < result->event_count; i++) column_of(names, &count, result->events[i].thread);
    unsigned width = (printer->width - 2) / count;
    if (first)
        rv_print_row(printer, 0, RV_BOLD, "the last %d of %zu events, in order:", MOST_SHOWN,
                     result->event_count);
    else
        rv_print_row(printer, 0, RV_BOLD, "the events, in order:");
    struct rv_row row = {.printer = printer};
    for (unsigned i = 0; i < count; i++) {
        rv_row_pad(&row, 2 + i * width);
        rv_row_add(&row, RV_DIM, names[i], width - GAP);
    }
    rv_row_end(&row);
    for (size_t i = first; i < result->event_count; i++) {
        const struct rv_test_event *event = &result->events[i];
        unsigned column = column_of(names, &count, event->thread);
        char *text = column < THREADS ? rv_text_copy(event->name)
                                      : rv_text_format("%s: %s", event->thread, event->name);
        rv_row_pad(&row, column < THREADS ? 2 + column * width : 2);
        rv_row_add(&row, RV_PLAIN, text, column < THREADS ? width - GAP : printer->width - 2);
        rv_row_end(&row);
        free(text);
    }
}

void rv_details_output(struct rv_printer *printer, const char *output) {
    const char *end = output + strlen(output), *start = end;
    if (start == output) return;
    if (start[-1] == '\n') start--;
    for (int lines = 0; start > output; start--)
        if (start[-1] == '\n' && ++lines == OUTPUT_LINES) break;
    rv_print_row(printer, 0, RV_BOLD, "the program printed:");
    while (start < end) {
        size_t size = strcspn(start, "\n");
        char *line = rv_text_copy_n(start, size);
        rv_print_row(printer, 2, RV_PLAIN, "%s", line);
        free(line);
        start += size + (start[size] == '\n');
    }
}
