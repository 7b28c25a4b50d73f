#include "runtime/bytes.h"

#include <emmintrin.h>
#include <stdint.h>

enum { WIDE = 16, PAGE = 4096, REP_FROM = 512 };

typedef uint64_t __attribute__((may_alias, aligned(1))) eight;
typedef uint32_t __attribute__((may_alias, aligned(1))) four;
typedef uint16_t __attribute__((may_alias, aligned(1))) two;

static __m128i load(const void *from) { return _mm_loadu_si128(from); }
static void store(void *to, __m128i value) { _mm_storeu_si128(to, value); }

/* ---- moving ---- */

/* Up to 16 bytes: everything is loaded before anything is stored, so overlap does not matter. */
static void move_little(char *to, const char *from, size_t size) {
    if (size >= 8) {
        uint64_t first = *(const eight *)from, last = *(const eight *)(from + size - 8);
        *(eight *)to = first;
        *(eight *)(to + size - 8) = last;
    } else if (size >= 4) {
        uint32_t first = *(const four *)from, last = *(const four *)(from + size - 4);
        *(four *)to = first;
        *(four *)(to + size - 4) = last;
    } else if (size >= 2) {
        uint16_t first = *(const two *)from, last = *(const two *)(from + size - 2);
        *(two *)to = first;
        *(two *)(to + size - 2) = last;
    } else if (size) {
        *to = *from;
    }
}

/* The last vector is loaded first: stores before it may overwrite its source. */
static void move_up(char *to, const char *from, size_t size) {
    __m128i last = load(from + size - WIDE);
    for (size_t i = 0; i < size - WIDE; i += WIDE) store(to + i, load(from + i));
    store(to + size - WIDE, last);
}

static void move_down(char *to, const char *from, size_t size) {
    __m128i first = load(from);
    for (size_t i = size; i > WIDE; i -= WIDE) store(to + i - WIDE, load(from + i - WIDE));
    store(to, first);
}

void rv_bytes_move(void *to, const void *from, size_t size) {
    if (size <= WIDE) {
        move_little(to, from, size);
        return;
    }
    uintptr_t distance = (uintptr_t)to - (uintptr_t)from;
    if (distance < size) {
        if (distance) move_down(to, from, size);
    } else if (size < REP_FROM ||
               -distance < 64) { /* rep movsb is slow when the target is right before the source */
        move_up(to, from, size);
    } else {
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    }
}

void rv_bytes_set(void *to, int byte, size_t size) {
    char *target = to;
    if (size < WIDE) {
        uint64_t word = 0x0101010101010101u * (unsigned char)byte;
        if (size >= 8)
            *(eight *)target = *(eight *)(target + size - 8) = word;
        else if (size >= 4)
            *(four *)target = *(four *)(target + size - 4) = (uint32_t)word;
        else if (size >= 2)
            *(two *)target = *(two *)(target + size - 2) = (uint16_t)word;
        else if (size)
            *target = (char)byte;
    } else if (size < REP_FROM) {
        __m128i wide = _mm_set1_epi8((char)byte);
        for (size_t i = 0; i < size - WIDE; i += WIDE) store(target + i, wide);
        store(target + size - WIDE, wide);
    } else {
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
    }
}

/* ---- looking ---- */

/* A bit for each of 16 bytes that is equal. */
static unsigned equal_mask(__m128i a, __m128i b) { return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)); }

size_t rv_bytes_common(const void *a, const void *b, size_t size) {
    const char *left = a, *right = b;
    size_t i = 0;
    for (; i + WIDE <= size; i += WIDE) {
        unsigned differ = equal_mask(load(left + i), load(right + i)) ^ 0xffff;
        if (differ) return i + (size_t)__builtin_ctz(differ);
    }
    while (i < size && left[i] == right[i]) i++;
    return i;
}

size_t rv_bytes_find(const void *from, int byte, size_t size) {
    const char *start = from;
    __m128i wanted = _mm_set1_epi8((char)byte);
    size_t i = 0;
    for (; i + WIDE <= size; i += WIDE) {
        unsigned found = equal_mask(load(start + i), wanted);
        if (found) return i + (size_t)__builtin_ctz(found);
    }
    while (i < size && start[i] != (char)byte) i++;
    return i;
}

size_t rv_bytes_find_last(const void *from, int byte, size_t size) {
    const char *start = from;
    for (size_t i = size; i-- > 0;)
        if (start[i] == (char)byte) return i;
    return size;
}

size_t rv_text_find(const char *text, int byte) {
    const __m128i wanted = _mm_set1_epi8((char)byte), zero = _mm_setzero_si128();
    uintptr_t before = (uintptr_t)text % WIDE;
    const char *at = (const char *)((uintptr_t)text - before);
    unsigned found = (equal_mask(load(at), wanted) | equal_mask(load(at), zero)) >> before << before;
    while (!found) {
        at += WIDE;
        found = equal_mask(load(at), wanted) | equal_mask(load(at), zero);
    }
    return (size_t)(at - text) + (size_t)__builtin_ctz(found);
}

size_t rv_text_length(const char *text) { return rv_text_find(text, 0); }

size_t rv_text_common(const char *a, const char *b, size_t most) {
    const __m128i zero = _mm_setzero_si128();
    size_t i = 0;
    while (i < most) {
        size_t room_a = PAGE - ((uintptr_t)(a + i) & (PAGE - 1)),
               room_b = PAGE - ((uintptr_t)(b + i) & (PAGE - 1));
        if (room_a >= WIDE && room_b >= WIDE && most - i >= WIDE) {
            __m128i left = load(a + i);
            unsigned stop = (equal_mask(left, load(b + i)) ^ 0xffff) | equal_mask(left, zero);
            if (stop) return i + (size_t)__builtin_ctz(stop);
            i += WIDE;
        } else {
            if (a[i] != b[i] || !a[i]) return i;
            i++;
        }
    }
    return most;
}
