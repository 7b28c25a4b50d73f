/* Sets of small numbers, sparse: sorted words of 64 with their index. Union with another set, the operation that points-to
 * analysis consists of, is one pass over both. A zeroed set is empty; memory belongs to the set. */
#ifndef RM_BITS_H
#define RM_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rm_word {
    uint32_t index; /* of the word: bit / 64 */
    uint64_t bits;
};

struct rm_bits {
    struct rm_word *words;
    uint32_t count, capacity;
};

bool rm_bits_add(struct rm_bits *set, uint32_t bit); /* true: it was not in there */
bool rm_bits_has(const struct rm_bits *set, uint32_t bit);
bool rm_bits_or(struct rm_bits *set, const struct rm_bits *more); /* true: something was not in there */
void rm_bits_and(struct rm_bits *set, const struct rm_bits *other);
/* *result, emptied before, becomes what is in `set` and not in `without`. */
void rm_bits_minus(struct rm_bits *result, const struct rm_bits *set, const struct rm_bits *without);
bool rm_bits_meet(const struct rm_bits *a, const struct rm_bits *b);
bool rm_bits_equal(const struct rm_bits *a, const struct rm_bits *b);
uint32_t rm_bits_size(const struct rm_bits *set);
void rm_bits_free(struct rm_bits *set);

/* uint32_t bit; RM_EACH(bit, &set) ...; the set must not change meanwhile. */
struct rm_iterator {
    const struct rm_bits *set;
    uint32_t word;
    uint64_t rest;
};
static inline bool rm_bits_next(struct rm_iterator *at, uint32_t *bit) {
    while (!at->rest) {
        if (at->word == at->set->count) return false;
        at->rest = at->set->words[at->word++].bits;
    }
    *bit = at->set->words[at->word - 1].index * 64 + (uint32_t)__builtin_ctzll(at->rest);
    at->rest &= at->rest - 1;
    return true;
}
#define RM_EACH(bit, from) \
    for (struct rm_iterator at_##bit = {(from), 0, 0}; rm_bits_next(&at_##bit, &(bit));)

#endif
