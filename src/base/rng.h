/* Small fast random numbers (splitmix64), seeded, the same on every machine. One state per user. */
#ifndef RV_BASE_RNG_H
#define RV_BASE_RNG_H

#include <stdint.h>

struct rv_rng {
    uint64_t state;
};

static inline uint64_t rv_rng_next(struct rv_rng *rng) {
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Independent streams: one for each (seed, index). */
static inline struct rv_rng rv_rng_stream(uint64_t seed, uint64_t index) {
    struct rv_rng rng = {seed * 0xd1342543de82ef95u + index};
    rng.state = rv_rng_next(&rng) ^ (index << 32);
    return rng;
}

/* Uniform in [0, n), n > 0. The bias is below n / 2^64: multiply-shift. */
static inline uint64_t rv_rng_below(struct rv_rng *rng, uint64_t n) {
    return (uint64_t)(((unsigned __int128)rv_rng_next(rng) * n) >> 64);
}

/* Uniform in [0, 1). */
static inline double rv_rng_unit(struct rv_rng *rng) { return (double)(rv_rng_next(rng) >> 11) * 0x1.0p-53; }

#endif
