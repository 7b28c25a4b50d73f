#include "strategy/sample.h"

#include <string.h>

bool rv_parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number) {
    uint64_t value = 0;
    if (!*text) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        unsigned digit = (unsigned)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    if (value < min || value > max) return false;
    *number = value;
    return true;
}

bool rv_parse_odds(const char *text, uint64_t *odds) {
    double value = 0;
    double scale = 1;
    bool point = false;
    bool digits = false;
    for (; *text; text++) {
        if (*text == '.' && !point) {
            point = true;
        } else if (*text >= '0' && *text <= '9') {
            digits = true;
            value = value * 10 + (*text - '0');
            if (point) scale *= 10;
            if (scale > 1e15 || value > 1e16) return false;
        } else {
            return false;
        }
    }
    value /= scale;
    if (!digits || value <= 0 || value > 1) return false;
    *odds = value >= 1 ? UINT64_MAX : (uint64_t)(value * 0x1.0p64);
    return true;
}

const char *rv_check_no_params(const char *params) { return params ? "no parameter" : NULL; }

int64_t rv_sample_unusual(struct rv_rng *rng, const struct rv_point *point) {
    uint32_t timeouts = 0;
    for (uint32_t i = 0; i < point->count; i++) timeouts += point->candidates[i].timeout;
    uint32_t held_back = point->yielded && point->current_index >= 0;
    if (!timeouts && !held_back) return -1;
    if (timeouts + held_back == point->count) return (int64_t)rv_rng_below(rng, point->count);
    if (held_back && rv_chance(rng, RV_YIELD_ODDS)) return point->current_index;
    if (!timeouts || !rv_chance(rng, RV_TIMEOUT_ODDS)) return -1;
    uint64_t n = rv_rng_below(rng, timeouts);
    uint32_t i = 0;
    while (!point->candidates[i].timeout || n--) i++;
    return i;
}

uint32_t rv_sample_uniform(struct rv_rng *rng, const struct rv_point *point) {
    int64_t unusual = rv_sample_unusual(rng, point);
    if (unusual >= 0) return (uint32_t)unusual;
    uint32_t ordinary = 0;
    for (uint32_t i = 0; i < point->count; i++) ordinary += rv_ordinary(point, i);
    uint64_t n = rv_rng_below(rng, ordinary);
    if (ordinary == point->count) return (uint32_t)n;
    uint32_t i = 0;
    while (!rv_ordinary(point, i) || n--) i++;
    return i;
}

uint32_t rv_sample_choose(struct rv_rng *rng, uint32_t n) {
    if (n <= 1 || rv_chance(rng, RV_ORDINARY_ODDS)) return 0;
    return 1 + (uint32_t)rv_rng_below(rng, n - 1);
}

void *rv_grow(struct rv_arena *arena, void *items, uint32_t *capacity, uint32_t index, size_t item_size) {
    if (index < *capacity) return items;
    uint64_t wanted = *capacity ? *capacity : 16;
    while (wanted <= index) wanted *= 2;
    if (wanted > UINT32_MAX) return NULL;
    void *larger = rv_arena_alloc(arena, wanted * item_size);
    if (!larger) return NULL;
    if (*capacity) memcpy(larger, items, *capacity * item_size);
    *capacity = (uint32_t)wanted;
    return larger;
}
