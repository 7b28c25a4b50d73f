#include "filter.h"

enum { WORD_BITS = 32 };

static unsigned bit_of(const char *key, unsigned which) {
    unsigned hash = 2166136261u + which * 97;
    while (*key) hash = (hash ^ (unsigned char)*key++) * 16777619u;
    return (hash >> 7) % (FILTER_WORDS * WORD_BITS);
}

void filter_add(filter *keys, const char *key) {
    for (unsigned i = 0; i < FILTER_HASHES; i++) {
        unsigned bit = bit_of(key, i);
        keys->words[bit / WORD_BITS] |= 1u << bit % WORD_BITS;
    }
}

bool filter_may_have(filter *keys, const char *key) {
    for (unsigned i = 0; i < FILTER_HASHES; i++) {
        unsigned bit = bit_of(key, i);
        if (!(keys->words[bit / WORD_BITS] & 1u << bit % WORD_BITS)) return false;
    }
    return true;
}

void filter_clear(filter *keys) {
    for (unsigned i = 0; i < FILTER_WORDS; i++) keys->words[i] = 0;
}

unsigned filter_load(filter *keys) {
    unsigned bits = 0;
    for (unsigned i = 0; i < FILTER_WORDS; i++)
        for (unsigned word = keys->words[i]; word; word &= word - 1) bits++;
    return bits * 100 / (FILTER_WORDS * WORD_BITS);
}
