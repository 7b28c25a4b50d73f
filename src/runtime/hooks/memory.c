/* memcpy and its family. See text.h. */
#include "runtime/hooks/text.h"

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

size_t rv_text_read(const char *text, size_t most, uintptr_t site) {
    size_t announced = 0;
    for (;;) { /* again only if it has grown meanwhile */
        size_t length = most == RV_TEXT_WHOLE ? rv_text_length(text) : rv_bytes_find(text, 0, most);
        size_t extent = length < most ? length + 1 : most;
        if (rv_passive() || extent <= announced) return length;
        announced = extent;
        rv_access(text, extent, false, site);
    }
}

void rv_text_write(char *to, const char *from, size_t length, size_t size, uintptr_t site) {
    char kept[RV_TEXT_KEPT];
    if (!rv_passive()) {
        if (length <= RV_TEXT_KEPT) {
            rv_bytes_move(kept, from, length);
            from = kept;
        }
        rv_access(to, size, true, site);
    }
    rv_bytes_move(to, from, length);
    rv_bytes_set(to + length, 0, size - length);
}

static void *transfer(void *to, const void *from, size_t size, uintptr_t site) {
    if (RV_LIKELY(rv_passive())) {
        rv_bytes_move(to, from, size);
        return to;
    }
    rv_access(from, size, false, site);
    rv_text_write(to, from, size, size, site);
    return to;
}

RV_HOOK(void *, memcpy, (void *restrict to, const void *restrict from, size_t size)) {
    return transfer(to, from, size, RV_SITE());
}

RV_HOOK(void *, memmove, (void *to, const void *from, size_t size)) {
    return transfer(to, from, size, RV_SITE());
}

RV_HOOK(void *, mempcpy, (void *restrict to, const void *restrict from, size_t size)) {
    return (char *)transfer(to, from, size, RV_SITE()) + size;
}

RV_HOOK(void, bcopy, (const void *from, void *to, size_t size)) { (void)transfer(to, from, size, RV_SITE()); }

RV_HOOK(void *, __memcpy_chk, (void *restrict to, const void *restrict from, size_t size, size_t object)) {
    rv_text_fits(size, object);
    return transfer(to, from, size, RV_SITE());
}

RV_HOOK(void *, __memmove_chk, (void *to, const void *from, size_t size, size_t object)) {
    rv_text_fits(size, object);
    return transfer(to, from, size, RV_SITE());
}

RV_HOOK(void *, __mempcpy_chk, (void *restrict to, const void *restrict from, size_t size, size_t object)) {
    rv_text_fits(size, object);
    return (char *)transfer(to, from, size, RV_SITE()) + size;
}

static void *set(void *to, int byte, size_t size, uintptr_t site) {
    rv_access(to, size, true, site);
    rv_bytes_set(to, byte, size);
    return to;
}

RV_HOOK(void *, memset, (void *to, int byte, size_t size)) { return set(to, byte, size, RV_SITE()); }

RV_HOOK(void, bzero, (void *to, size_t size)) { (void)set(to, 0, size, RV_SITE()); }

RV_HOOK(void, explicit_bzero, (void *to, size_t size)) { (void)set(to, 0, size, RV_SITE()); }

RV_HOOK(void *, __memset_chk, (void *to, int byte, size_t size, size_t object)) {
    rv_text_fits(size, object);
    return set(to, byte, size, RV_SITE());
}

RV_HOOK(void, __explicit_bzero_chk, (void *to, size_t size, size_t object)) {
    rv_text_fits(size, object);
    (void)set(to, 0, size, RV_SITE());
}

/* All of both is announced, as the C library may read all of it. */
static int compare(const unsigned char *a, const unsigned char *b, size_t size, uintptr_t site) {
    rv_access(a, size, false, site);
    rv_access(b, size, false, site);
    size_t common = rv_bytes_common(a, b, size);
    return common == size ? 0 : a[common] - b[common];
}

RV_HOOK(int, memcmp, (const void *a, const void *b, size_t size)) { return compare(a, b, size, RV_SITE()); }

RV_HOOK(int, bcmp, (const void *a, const void *b, size_t size)) { return compare(a, b, size, RV_SITE()); }

/* memchr may be told a size beyond the object if the byte is in it, so only what is looked at is announced. */
static size_t find(const void *from, int byte, size_t size, uintptr_t site) {
    if (!rv_passive()) rv_access(from, smaller(rv_bytes_find(from, byte, size) + 1, size), false, site);
    return rv_bytes_find(from, byte, size);
}

RV_HOOK(void *, memchr, (const void *from, int byte, size_t size)) {
    size_t at = find(from, byte, size, RV_SITE());
    return at == size ? NULL : (char *)from + at;
}

RV_HOOK(void *, rawmemchr, (const void *from, int byte)) {
    return (char *)from + find(from, byte, SIZE_MAX - (uintptr_t)from, RV_SITE());
}

RV_HOOK(void *, memrchr, (const void *from, int byte, size_t size)) {
    rv_access(from, size, false, RV_SITE());
    size_t at = rv_bytes_find_last(from, byte, size);
    return at == size ? NULL : (char *)from + at;
}
