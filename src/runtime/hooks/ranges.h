/* A set of address ranges, in a fixed array: no allocation, and small enough to walk.
 *
 * Ranges in the set never overlap. [start, end); empty ranges are nothing. When the array is full, an addition
 * is lost and `overflow` says so for ever: the owner decides what that means.
 */
#ifndef RV_RUNTIME_HOOKS_RANGES_H
#define RV_RUNTIME_HOOKS_RANGES_H

#include <stdbool.h>
#include <stdint.h>

enum { RV_RANGES = 1024 };

struct rv_range {
    uintptr_t start, end;
};

struct rv_ranges {
    struct rv_range list[RV_RANGES];
    unsigned count;
    bool overflow;
};

void rv_ranges_add(struct rv_ranges *ranges, uintptr_t start, uintptr_t end);
void rv_ranges_remove(struct rv_ranges *ranges, uintptr_t start, uintptr_t end);
/* Every address of [start, end) is in the set. */
bool rv_ranges_cover(const struct rv_ranges *ranges, uintptr_t start, uintptr_t end);
/* The part of [start, end) up to the first change: true if it is in the set; *until is where the part ends. */
bool rv_ranges_part(const struct rv_ranges *ranges, uintptr_t start, uintptr_t end, uintptr_t *until);

#endif
