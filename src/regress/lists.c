#include "regress/lists.h"

#include <stdlib.h>

#include "report/text.h"

void rv_links_add(struct rv_links *links, uint32_t list, uint32_t item) {
    if (links->count == links->capacity) {
        links->capacity = links->capacity ? links->capacity * 2 : 64;
        links->pairs = rv_text_realloc(links->pairs, links->capacity, sizeof *links->pairs);
    }
    links->pairs[links->count][0] = list;
    links->pairs[links->count++][1] = item;
}

struct rv_lists rv_lists_make(uint32_t count, struct rv_links *links) {
    struct rv_lists lists = {.count = count,
                             .start = rv_text_alloc((size_t)count + 2, sizeof(uint32_t)),
                             .items = rv_text_alloc(links->count, sizeof(uint32_t))};
    /* Counted two places further on, so that filling in leaves the starts where they belong. */
    for (size_t i = 0; i < links->count; i++)
        if (links->pairs[i][0] < count) lists.start[links->pairs[i][0] + 2]++;
    for (uint32_t i = 2; i <= count + 1; i++) lists.start[i] += lists.start[i - 1];
    for (size_t i = 0; i < links->count; i++)
        if (links->pairs[i][0] < count)
            lists.items[lists.start[links->pairs[i][0] + 1]++] = links->pairs[i][1];
    free(links->pairs);
    *links = (struct rv_links){0};
    return lists;
}

void rv_lists_free(struct rv_lists *lists) {
    free(lists->start);
    free(lists->items);
    *lists = (struct rv_lists){0};
}
