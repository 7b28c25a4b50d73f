/* Which races and lock-order deadlocks count as the same: by their statements. The runtime and the tool give the same
 * number to the same statements, in whatever order they come; never 0
 * or RV_RACE_ANY.
 *
 *   race       unordered pair of the sites of its accesses
 *   deadlock   set of pairs: where a lock is held from, and where another is asked for
 */
#ifndef RV_BASE_SIGNATURE_H
#define RV_BASE_SIGNATURE_H

#include <stdint.h>

#define RV_RACE_ANY UINT64_MAX

static inline uint64_t rv_signature_mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Two code locations (rv_code). */
static inline uint64_t rv_race_signature(uint64_t a, uint64_t b) {
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t signature = rv_signature_mix(rv_signature_mix(low + 0x9e3779b97f4a7c15u) + high);
    return signature && signature != RV_RACE_ANY ? signature : 1;
}

struct rv_lock_sites {
    uint64_t held, wanted; /* where the one was taken, and the other is asked for (rv_code) */
};

static inline uint64_t rv_deadlock_signature(const struct rv_lock_sites *waits, uint32_t count) {
    uint64_t sum = count;
    for (uint32_t i = 0; i < count; i++)
        sum += rv_signature_mix(rv_signature_mix(waits[i].held + 0xd1342543de82ef95u) + waits[i].wanted);
    sum = rv_signature_mix(sum);
    return sum ? sum : 1;
}

#endif
