/* A hash table from two words to a number. A zeroed map is empty. */
#ifndef RM_MAP_H
#define RM_MAP_H

#include <stdint.h>
#include <stdlib.h>

#include "report/text.h"

#define RM_NONE UINT32_MAX

struct rm_entry {
    uint64_t first, second;
    uint32_t value; /* RM_NONE: free */
};

struct rm_map {
    struct rm_entry *entries;
    uint32_t count, capacity; /* capacity: a power of two */
};

static inline uint64_t rm_mix(uint64_t a, uint64_t b) {
    uint64_t hash = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash ^= hash >> 31;
    return hash * UINT64_C(0x94d049bb133111eb) ^ hash >> 29;
}

/* Where the value is, or is to be put: RM_NONE in there means that it is new. Until the next call. */
static inline uint32_t *rm_map_at(struct rm_map *map, uint64_t first, uint64_t second) {
    if (map->count * 4 >= map->capacity * 3) {
        struct rm_map bigger = {.capacity = map->capacity ? map->capacity * 2 : 64};
        bigger.entries = rv_text_alloc(bigger.capacity, sizeof *bigger.entries);
        for (uint32_t i = 0; i < bigger.capacity; i++) bigger.entries[i].value = RM_NONE;
        for (uint32_t i = 0; i < map->capacity; i++)
            if (map->entries[i].value != RM_NONE)
                *rm_map_at(&bigger, map->entries[i].first, map->entries[i].second) = map->entries[i].value;
        free(map->entries);
        *map = bigger;
    }
    uint32_t mask = map->capacity - 1, at = (uint32_t)rm_mix(first, second) & mask;
    for (;; at = (at + 1) & mask) {
        struct rm_entry *entry = &map->entries[at];
        if (entry->value == RM_NONE && !(entry->first | entry->second)) {
            map->count++;
            entry->first = first;
            entry->second = second;
            return &entry->value;
        }
        if (entry->first == first && entry->second == second) return &entry->value;
    }
}

static inline uint32_t rm_map_get(const struct rm_map *map, uint64_t first, uint64_t second) {
    if (!map->capacity) return RM_NONE;
    uint32_t mask = map->capacity - 1, at = (uint32_t)rm_mix(first, second) & mask;
    for (;; at = (at + 1) & mask) {
        const struct rm_entry *entry = &map->entries[at];
        if (entry->first == first && entry->second == second) return entry->value;
        if (entry->value == RM_NONE && !(entry->first | entry->second)) return RM_NONE;
    }
}

#endif
