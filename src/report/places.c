#include "report/places.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum {
    CALLS_MAX = 5, /* frames of a chain of calls */
    NAME_MIN = 12, /* columns that are left of the name of a function, before a row is wrapped */
};

void rv_print_place(struct rv_printer *printer, unsigned indent, const char *words,
                    const struct rv_location *at, bool whole) {
    char *place = whole ? rv_describe_location(at) : rv_describe_briefly(at);
    if (indent + rv_text_columns(words) + rv_text_columns(place) > printer->width)
        rv_text_set(&place, rv_describe_briefly(at));
    char *row = rv_text_format("%s%s", words, place);
    /* the words and the file count more than a long name of a function */
    size_t from = strlen(words), to = from + strlen(at->function), name = rv_text_columns(at->function);
    unsigned room = printer->width > indent ? printer->width - indent : 1;
    if (rv_text_columns(row) > room + (name > NAME_MIN ? name - NAME_MIN : 0)) {
        rv_print_line(printer, indent, 4, RV_PLAIN, "%s", row);
    } else {
        char *shown = rv_shorten(printer, row, from, to, room);
        rv_print_row(printer, indent, RV_PLAIN, "%s", shown);
        free(shown);
    }
    free(row);
    free(place);
}

void rv_print_stack(struct rv_printer *printer, unsigned indent, const struct rv_stack_text *stack,
                    unsigned max) {
    for (unsigned i = 0; i < stack->count && i < max; i++) {
        char *number = rv_text_format("#%u ", i);
        rv_print_place(printer, indent, number, &stack->frames[i], true);
        free(number);
    }
    if (stack->count > max) rv_print_row(printer, indent, RV_DIM, "... %u more", stack->count - max);
    if (stack->count == 0) rv_print_row(printer, indent, RV_DIM, "(no stack)");
}

/* "open() bank.c:8", ":8" alone if the file is that of the frame before. */
static char *describe_caller(const struct rv_location *at, const struct rv_location *inner) {
    bool same = inner && at->line && inner->line && strcmp(at->file, inner->file) == 0;
    if (!at->line) return rv_describe_briefly(at);
    return rv_text_format("%s() %s:%u", at->function, same ? "" : rv_base_name(at->file), at->line);
}

void rv_print_calls(struct rv_printer *printer, unsigned indent, const char *words,
                    const struct rv_stack_text *stack) {
    struct rv_text text = {0};
    rv_text_add(&text, words);
    for (unsigned i = 0; i < stack->count && i < CALLS_MAX; i++) {
        const struct rv_location *at = &stack->frames[i];
        char *place = describe_caller(at, i > 0 ? at - 1 : NULL);
        bool fits = indent + rv_text_columns(text.data) + 3 + rv_text_columns(place) <= printer->width;
        if (fits) rv_text_addf(&text, "%s%s", i == 0 ? ": " : " < ", place);
        free(place);
        if (fits) continue;
        if (i == 0) rv_text_add(&text, ": ");
        break;
    }
    bool nothing_fits = stack->count && text.size == strlen(words) + 2;
    if (nothing_fits)
        rv_print_place(printer, indent, text.data, &stack->frames[0], false);
    else
        rv_print_row(printer, indent, RV_PLAIN, "%s", text.data);
    free(text.data);
}

void rv_print_block(struct rv_printer *printer, const struct rv_block_text *block, const char *allocator,
                    const char *freer) {
    rv_print_line(printer, 0, 2, RV_BOLD, "the memory: %s, byte %u of %llu", block->description,
                  block->offset, (unsigned long long)block->size);
    char *words = rv_text_format("allocated by %s", allocator);
    rv_print_calls(printer, 2, words, &block->allocated);
    rv_text_set(&words, rv_text_format("freed by %s", freer));
    if (block->freed) rv_print_calls(printer, 2, words, &block->released);
    free(words);
}
