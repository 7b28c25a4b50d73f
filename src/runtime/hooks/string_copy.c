/* The string functions that copy, and the names that _FORTIFY_SOURCE calls instead of them. See text.h. */
#include "runtime/hooks/heap.h"
#include "runtime/hooks/text.h"

#define WHOLE        RV_TEXT_WHOLE
#define UNKNOWN_SIZE SIZE_MAX

/* Each returns where the target's end is then. object: the size of the target, if it is known. */

static char *copy(char *to, const char *from, size_t object, uintptr_t site) {
    size_t length = rv_text_read(from, WHOLE, site);
    if (RV_UNLIKELY(length >= object)) __chk_fail();
    rv_text_write(to, from, length + 1, length + 1, site);
    return to + length;
}

static char *copy_padded(char *to, const char *from, size_t size, size_t object, uintptr_t site) {
    rv_text_fits(size, object);
    if (size == 0) return to;
    size_t length = rv_text_read(from, size, site);
    rv_text_write(to, from, length, size, site);
    return to + length;
}

static char *append(char *to, const char *from, size_t most, size_t object, uintptr_t site) {
    size_t before = rv_text_read(to, WHOLE, site);
    size_t length = rv_text_read(from, most, site);
    if (RV_UNLIKELY(before + length >= object)) __chk_fail();
    rv_text_write(to + before, from, length, length + 1, site);
    return to;
}

RV_HOOK(char *, strcpy, (char *restrict to, const char *restrict from)) {
    (void)copy(to, from, UNKNOWN_SIZE, RV_SITE());
    return to;
}

RV_HOOK(char *, __strcpy_chk, (char *restrict to, const char *restrict from, size_t object)) {
    (void)copy(to, from, object, RV_SITE());
    return to;
}

RV_HOOK(char *, stpcpy, (char *restrict to, const char *restrict from)) {
    return copy(to, from, UNKNOWN_SIZE, RV_SITE());
}

RV_HOOK(char *, __stpcpy_chk, (char *restrict to, const char *restrict from, size_t object)) {
    return copy(to, from, object, RV_SITE());
}

RV_HOOK(char *, strncpy, (char *restrict to, const char *restrict from, size_t size)) {
    (void)copy_padded(to, from, size, UNKNOWN_SIZE, RV_SITE());
    return to;
}

RV_HOOK(char *, __strncpy_chk, (char *restrict to, const char *restrict from, size_t size, size_t object)) {
    (void)copy_padded(to, from, size, object, RV_SITE());
    return to;
}

RV_HOOK(char *, stpncpy, (char *restrict to, const char *restrict from, size_t size)) {
    return copy_padded(to, from, size, UNKNOWN_SIZE, RV_SITE());
}

RV_HOOK(char *, __stpncpy_chk, (char *restrict to, const char *restrict from, size_t size, size_t object)) {
    return copy_padded(to, from, size, object, RV_SITE());
}

RV_HOOK(char *, strcat, (char *restrict to, const char *restrict from)) {
    return append(to, from, WHOLE, UNKNOWN_SIZE, RV_SITE());
}

RV_HOOK(char *, __strcat_chk, (char *restrict to, const char *restrict from, size_t object)) {
    return append(to, from, WHOLE, object, RV_SITE());
}

RV_HOOK(char *, strncat, (char *restrict to, const char *restrict from, size_t most)) {
    return append(to, from, most, UNKNOWN_SIZE, RV_SITE());
}

RV_HOOK(char *, __strncat_chk, (char *restrict to, const char *restrict from, size_t most, size_t object)) {
    return append(to, from, most, object, RV_SITE());
}

static char *duplicate(const char *text, size_t most, uintptr_t site) {
    size_t length = rv_text_read(text, most, site);
    char *fresh = rv_malloc(length + 1, site);
    if (!fresh) return NULL;
    rv_bytes_move(fresh, text, length);
    fresh[length] = 0;
    return fresh;
}

RV_HOOK(char *, strdup, (const char *text)) { return duplicate(text, WHOLE, RV_SITE()); }

RV_HOOK(char *, __strdup, (const char *text)) { return duplicate(text, WHOLE, RV_SITE()); }

RV_HOOK(char *, strndup, (const char *text, size_t most)) { return duplicate(text, most, RV_SITE()); }

RV_HOOK(char *, __strndup, (const char *text, size_t most)) { return duplicate(text, most, RV_SITE()); }
