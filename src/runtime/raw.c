/* Memory and string functions for the runtime itself: raw.h redirects the names here. They must not be
 * compiled into calls of themselves, and they must not be the program's (hooked) ones. `rep movsb` and `rep
 * stosb` are as fast as vector code from a few hundred bytes on wherever the CPU has ERMS; below that the
 * runtime's copies have constant sizes and are inlined by the compiler.
 */
#include "runtime/raw.h"

#include <stdint.h>

#ifdef __clang__
#define RAW __attribute__((no_builtin, used))
#else
#define RAW __attribute__((optimize("no-tree-loop-distribute-patterns"), used))
#endif

RAW void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    void *target = to;
    __asm__ volatile("rep movsb" : "+D"(target), "+S"(from), "+c"(size) : : "memory");
    return to;
}

RAW void *memmove(void *to, const void *from, size_t size) {
    if ((uintptr_t)to - (uintptr_t)from >= size) return memcpy(to, from, size);
    char *target = (char *)to + size;
    const char *source = (const char *)from + size;
    while (size >= 8) { /* backwards, for the source lies before the target and overlaps it */
        target -= 8;
        source -= 8;
        size -= 8;
        uint64_t word;
        __builtin_memcpy(&word, source, 8);
        __builtin_memcpy(target, &word, 8);
    }
    while (size--) *--target = *--source;
    return to;
}

RAW void *memset(void *to, int byte, size_t size) {
    void *target = to;
    __asm__ volatile("rep stosb" : "+D"(target), "+c"(size) : "a"(byte) : "memory");
    return to;
}

RAW int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *left = a, *right = b;
    for (; size >= 8; size -= 8, left += 8, right += 8) {
        uint64_t x, y;
        __builtin_memcpy(&x, left, 8);
        __builtin_memcpy(&y, right, 8);
        if (x != y) break;
    }
    for (; size; size--, left++, right++)
        if (*left != *right) return *left - *right;
    return 0;
}

RAW size_t strlen(const char *text) {
    const char *end = text;
    while (*end) end++;
    return (size_t)(end - text);
}

RAW int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}
