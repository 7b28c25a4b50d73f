/* Many lists of numbers in two arrays: list k is items[start[k]] up to items[start[k + 1]]. */
#ifndef RV_REGRESS_LISTS_H
#define RV_REGRESS_LISTS_H

#include <stddef.h>
#include <stdint.h>

#define RV_NONE UINT32_MAX /* no block, no statement, no function */

struct rv_lists {
    uint32_t count;  /* of lists */
    uint32_t *start; /* count + 1 */
    uint32_t *items;
};

/* Pairs as they come: (list, item). */
struct rv_links {
    uint32_t (*pairs)[2];
    size_t count, capacity;
};

void rv_links_add(struct rv_links *links, uint32_t list, uint32_t item);
/* The lists of the pairs, items of a list in the order in which they were added; the links are given back. Lists that are
 * out of range are left out. */
struct rv_lists rv_lists_make(uint32_t count, struct rv_links *links);
void rv_lists_free(struct rv_lists *lists);

static inline uint32_t rv_list_size(const struct rv_lists *lists, uint32_t list) {
    return lists->start[list + 1] - lists->start[list];
}
static inline const uint32_t *rv_list(const struct rv_lists *lists, uint32_t list) {
    return lists->items + lists->start[list];
}
/* for (RV_EACH(item, lists, list)) ... *item */
#define RV_EACH(item, lists, list)                                            \
    const uint32_t *item = (lists)->items + (lists)->start[list],             \
                   *item##_end = (lists)->items + (lists)->start[(list) + 1]; \
    item < item##_end;                                                        \
    item++

#endif
