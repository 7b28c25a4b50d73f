/* Pairs of statements, in either order, as one number: a signature that is the same in every process. */
#ifndef RV_ANALYSIS_PAIR_H
#define RV_ANALYSIS_PAIR_H

#include <stdint.h>

#define RV_RACE_ANY UINT64_MAX

static inline uint64_t rv_pair_mix(uint64_t word) {
    word = (word ^ word >> 32) * 0x9e3779b97f4a7c15u;
    word = (word ^ word >> 29) * 0xbf58476d1ce4e5b9u;
    return word ^ word >> 32;
}

/* Of two code locations (rv_code). Neither 0 nor RV_RACE_ANY. */
static inline uint64_t rv_race_signature(uint64_t a, uint64_t b) {
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t signature = rv_pair_mix(rv_pair_mix(low) + high);
    return signature && signature != RV_RACE_ANY ? signature : 1;
}

#endif
