/* See ranges.h. Additions join what they touch, so that a set stays as small as it can. */
#include "runtime/hooks/ranges.h"

void rv_ranges_remove(struct rv_ranges *ranges, uintptr_t start, uintptr_t end) {
    if (start >= end) return;
    unsigned count = ranges->count;
    for (unsigned i = 0; i < count;) {
        struct rv_range *range = &ranges->list[i];
        if (range->end <= start || range->start >= end) {
            i++;
            continue;
        }
        struct rv_range above = {end, range->end};
        bool below = range->start < start;
        if (below) range->end = start;
        if (above.start < above.end) {
            if (!below) {
                *range = above;
            } else if (ranges->count < RV_RANGES) {
                ranges->list[ranges->count++] = above; /* cut in two; the new one needs no look */
            } else {
                ranges->overflow = true;
            }
            i++;
        } else if (below) {
            i++;
        } else {
            *range = ranges->list[--ranges->count];
            count = count < ranges->count ? count : ranges->count;
        }
    }
}

void rv_ranges_add(struct rv_ranges *ranges, uintptr_t start, uintptr_t end) {
    if (start >= end) return;
    for (unsigned i = 0; i < ranges->count;) {
        const struct rv_range range = ranges->list[i];
        if (range.end < start || range.start > end) {
            i++;
            continue;
        }
        if (range.start < start) start = range.start;
        if (range.end > end) end = range.end;
        ranges->list[i] = ranges->list[--ranges->count];
        i = 0; /* it may touch more now */
    }
    if (ranges->count == RV_RANGES) {
        ranges->overflow = true;
        return;
    }
    ranges->list[ranges->count++] = (struct rv_range){start, end};
}

bool rv_ranges_part(const struct rv_ranges *ranges, uintptr_t start, uintptr_t end, uintptr_t *until) {
    *until = end;
    for (unsigned i = 0; i < ranges->count; i++) {
        const struct rv_range *range = &ranges->list[i];
        if (range->start <= start && start < range->end) {
            if (range->end < end) *until = range->end;
            return true;
        }
        if (range->start > start && range->start < *until) *until = range->start;
    }
    return false;
}

bool rv_ranges_cover(const struct rv_ranges *ranges, uintptr_t start, uintptr_t end) {
    while (start < end) {
        uintptr_t until;
        if (!rv_ranges_part(ranges, start, end, &until)) return false;
        start = until;
    }
    return true;
}
