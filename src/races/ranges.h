/* Ranges of memory that records are about, and which of them have a byte: the latest before some record, or the first
 * after one. An interval tree over the distinct ranges, in an array; records with the same range are a sorted list. Asked in
 * time logarithmic in all, times the number of distinct ranges that have the byte.
 */
#ifndef RV_RACES_RANGES_H
#define RV_RACES_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct rv_range {
    uint64_t address, last; /* last: of its bytes */
    uint32_t record;
};
struct rv_range_group {
    uint64_t address, last;
    uint64_t reach;      /* the highest `last` in its part of the tree */
    uint32_t begin, end; /* in list[] */
};

/* Zeroed: empty. */
struct rv_ranges {
    struct rv_range *list;
    struct rv_range_group *groups;
    uint32_t count, capacity, group_count;
};

/* Ranges of no bytes are left out. Then rv_ranges_sort, before anything is asked. */
void rv_ranges_add(struct rv_ranges *ranges, uint64_t address, uint64_t size, uint32_t record);
void rv_ranges_sort(struct rv_ranges *ranges);
void rv_ranges_free(struct rv_ranges *ranges);

/* RV_NO_RECORD (trace.h): none. */
uint32_t rv_ranges_latest(const struct rv_ranges *ranges, uint64_t byte, uint32_t before);
uint32_t rv_ranges_first(const struct rv_ranges *ranges, uint64_t byte, uint32_t from);

#endif
