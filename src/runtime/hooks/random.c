/* Randomness from the kernel, replaced by a stream that the campaign's seed determines: every execution reads
 * the same numbers, and so does a replay. rand, random and drand48 need nothing: they start from a fixed seed, and
 * a program that seeds them does so from time or from here.
 */
#include <stdlib.h>
#include <sys/random.h>

#include "base/rng.h"
#include "runtime/hooks/outside.h"

static struct rv_rng stream, saved;
static bool seeded;

/* For whoever is about to draw from the stream: what comes next depends on what others have drawn. */
static void seed(void) {
    rv_observe_also(RV_OP_WRITE, &stream, RV_ROOM_ANY);
    if (seeded) return;
    stream = rv_rng_stream(rv.config ? rv.config->seed : 1, 0x72616e64 /* a stream of its own */);
    seeded = true;
}

void rv_random_snapshot(void) {
    seed();
    saved = stream;
}

void rv_random_restore(void) { stream = saved; }

void rv_random_fill(void *to, size_t size) {
    seed();
    for (char *at = to; size;) {
        uint64_t word = rv_rng_next(&stream);
        size_t part = size < sizeof word ? size : sizeof word;
        memcpy(at, &word, part);
        at += part;
        size -= part;
    }
}

/* The bytes are a write of the calling thread to its buffer. */
__attribute__((noinline)) static void fill(void *to, size_t size, uintptr_t site) {
    if (!size) return;
    rv_access(to, size, true, site);
    rv_random_fill(to, size);
}

RV_EXPORT ssize_t getrandom(void *to, size_t size, unsigned flags) {
    if (rv_passive()) return RV_REAL(getrandom)(to, size, flags);
    if (flags & ~(unsigned)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE)) {
        errno = EINVAL;
        return -1;
    }
    fill(to, size, RV_SITE());
    return (ssize_t)size;
}

RV_EXPORT int getentropy(void *to, size_t size) {
    if (rv_passive()) return RV_REAL(getentropy)(to, size);
    if (size > 256) {
        errno = EIO;
        return -1;
    }
    fill(to, size, RV_SITE());
    return 0;
}

RV_EXPORT uint32_t arc4random(void) {
    if (rv_passive()) return RV_REAL(arc4random)();
    seed();
    return (uint32_t)(rv_rng_next(&stream) >> 32);
}

RV_EXPORT void arc4random_buf(void *to, size_t size) {
    if (rv_passive()) {
        RV_REAL(arc4random_buf)(to, size);
        return;
    }
    fill(to, size, RV_SITE());
}

RV_EXPORT uint32_t arc4random_uniform(uint32_t below) {
    if (rv_passive()) return RV_REAL(arc4random_uniform)(below);
    seed();
    return below ? (uint32_t)rv_rng_below(&stream, below) : 0;
}

/* std::random_device, which may read the processor's own generator where no call can be seen. Its name in
 * libstdc++; nobody calls it when that is not loaded. */
uint32_t rv_random_device(void *self) __asm__("_ZNSt13random_device9_M_getvalEv");
RV_EXPORT uint32_t rv_random_device(void *self) {
    if (rv_passive()) {
        static uint32_t (*real)(void *);
        if (!real) real = (uint32_t(*)(void *))rv_real_lookup("_ZNSt13random_device9_M_getvalEv");
        return real(self);
    }
    seed();
    return (uint32_t)(rv_rng_next(&stream) >> 32);
}
