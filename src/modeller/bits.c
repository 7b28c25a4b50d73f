#include "modeller/bits.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static uint32_t find(const struct rm_bits *set, uint32_t index) {
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (set->words[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void reserve(struct rm_bits *set, uint32_t count) {
    if (count <= set->capacity) return;
    uint32_t capacity = set->capacity + set->capacity / 2;
    set->capacity = count > capacity ? count : capacity;
    set->words = rv_text_realloc(set->words, set->capacity, sizeof *set->words);
}

bool rm_bits_add(struct rm_bits *set, uint32_t bit) {
    uint32_t index = bit / 64, at = find(set, index);
    uint64_t mask = UINT64_C(1) << (bit % 64);
    if (at == set->count || set->words[at].index != index) {
        reserve(set, set->count + 1);
        memmove(set->words + at + 1, set->words + at, (set->count - at) * sizeof *set->words);
        set->words[at] = (struct rm_word){index, 0};
        set->count++;
    }
    if (set->words[at].bits & mask) return false;
    set->words[at].bits |= mask;
    return true;
}

bool rm_bits_has(const struct rm_bits *set, uint32_t bit) {
    uint32_t at = find(set, bit / 64);
    return at < set->count && set->words[at].index == bit / 64 && set->words[at].bits >> (bit % 64) & 1;
}

bool rm_bits_or(struct rm_bits *set, const struct rm_bits *more) {
    uint32_t fresh = 0, i = 0, k = 0;
    bool changed = false;
    while (k < more->count) {
        while (i < set->count && set->words[i].index < more->words[k].index) i++;
        if (i == set->count) {
            fresh += more->count - k;
            break;
        }
        if (set->words[i].index == more->words[k].index) {
            changed |= (more->words[k].bits & ~set->words[i].bits) != 0;
            set->words[i].bits |= more->words[k].bits;
        } else
            fresh++;
        k++;
    }
    if (!fresh) return changed;
    reserve(set, set->count + fresh);
    uint32_t to = set->count + fresh;
    i = set->count;
    k = more->count;
    while (k > 0) { /* from the end, in place */
        if (i > 0 && set->words[i - 1].index > more->words[k - 1].index) {
            set->words[--to] = set->words[--i];
        } else if (i > 0 && set->words[i - 1].index == more->words[k - 1].index) {
            set->words[--to] = set->words[--i];
            k--;
        } else
            set->words[--to] = more->words[--k];
    }
    set->count += fresh;
    return true;
}

void rm_bits_and(struct rm_bits *set, const struct rm_bits *other) {
    uint32_t kept = 0;
    for (uint32_t i = 0, k = 0; i < set->count; i++) {
        while (k < other->count && other->words[k].index < set->words[i].index) k++;
        if (k == other->count) break;
        uint64_t both =
            other->words[k].index == set->words[i].index ? set->words[i].bits & other->words[k].bits : 0;
        if (both) set->words[kept++] = (struct rm_word){set->words[i].index, both};
    }
    set->count = kept;
}

void rm_bits_minus(struct rm_bits *result, const struct rm_bits *set, const struct rm_bits *without) {
    result->count = 0;
    for (uint32_t i = 0, k = 0; i < set->count; i++) {
        while (k < without->count && without->words[k].index < set->words[i].index) k++;
        uint64_t left = set->words[i].bits;
        if (k < without->count && without->words[k].index == set->words[i].index)
            left &= ~without->words[k].bits;
        if (!left) continue;
        reserve(result, result->count + 1);
        result->words[result->count++] = (struct rm_word){set->words[i].index, left};
    }
}

bool rm_bits_meet(const struct rm_bits *a, const struct rm_bits *b) {
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (a->words[i].index < b->words[k].index)
            i++;
        else if (a->words[i].index > b->words[k].index)
            k++;
        else if (a->words[i++].bits & b->words[k++].bits)
            return true;
    }
    return false;
}

bool rm_bits_equal(const struct rm_bits *a, const struct rm_bits *b) {
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->words[i].index != b->words[i].index || a->words[i].bits != b->words[i].bits) return false;
    return true;
}

uint32_t rm_bits_size(const struct rm_bits *set) {
    uint32_t size = 0;
    for (uint32_t i = 0; i < set->count; i++) size += (uint32_t)__builtin_popcountll(set->words[i].bits);
    return size;
}

void rm_bits_free(struct rm_bits *set) {
    free(set->words);
    *set = (struct rm_bits){0};
}
