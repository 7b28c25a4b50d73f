/* The string functions that only read. See text.h. Those that depend on the locale or search for a string in
 * another are libc's own, with what they read announced before. */
#include <string.h>
#include <strings.h>

#include "runtime/hooks/text.h"
#include "runtime/real.h"

#define WHOLE RV_TEXT_WHOLE

RV_HOOK(size_t, strlen, (const char *text)) { return rv_text_read(text, WHOLE, RV_SITE()); }

RV_HOOK(size_t, strnlen, (const char *text, size_t most)) { return rv_text_read(text, most, RV_SITE()); }

/* What a comparison looks at: up to the first difference or the end. */
static int compare(const char *a, const char *b, size_t most, uintptr_t site) {
    if (most == 0) return 0;
    if (!rv_passive()) {
        size_t at = rv_text_common(a, b, most), extent = at < most ? at + 1 : most;
        rv_access(a, extent, false, site);
        rv_access(b, extent, false, site);
    }
    size_t at = rv_text_common(a, b, most);
    return at == most ? 0 : (unsigned char)a[at] - (unsigned char)b[at];
}

RV_HOOK(int, strcmp, (const char *a, const char *b)) { return compare(a, b, WHOLE, RV_SITE()); }

RV_HOOK(int, strncmp, (const char *a, const char *b, size_t most)) { return compare(a, b, most, RV_SITE()); }

static void read_both(const char *a, const char *b, size_t most, uintptr_t site) {
    if (rv_passive()) return;
    (void)rv_text_read(a, most, site);
    (void)rv_text_read(b, most, site);
}

RV_HOOK(int, strcasecmp, (const char *a, const char *b)) {
    read_both(a, b, WHOLE, RV_SITE());
    return RV_REAL(strcasecmp)(a, b);
}

RV_HOOK(int, strncasecmp, (const char *a, const char *b, size_t most)) {
    read_both(a, b, most, RV_SITE());
    return RV_REAL(strncasecmp)(a, b, most);
}

RV_HOOK(char *, strstr, (const char *text, const char *part)) {
    read_both(text, part, WHOLE, RV_SITE());
    return ((char *(*)(const char *, const char *))RV_REAL(strstr))(text, part);
}

RV_HOOK(size_t, strspn, (const char *text, const char *accepted)) {
    read_both(text, accepted, WHOLE, RV_SITE());
    return RV_REAL(strspn)(text, accepted);
}

RV_HOOK(size_t, strcspn, (const char *text, const char *rejected)) {
    read_both(text, rejected, WHOLE, RV_SITE());
    return RV_REAL(strcspn)(text, rejected);
}

static const char *find(const char *text, int byte, uintptr_t site) {
    if (!rv_passive()) rv_access(text, rv_text_find(text, byte) + 1, false, site);
    return text + rv_text_find(text, byte);
}

static char *found(const char *at, int byte) { return *at == (char)byte ? (char *)(uintptr_t)at : NULL; }

RV_HOOK(char *, strchr, (const char *text, int byte)) { return found(find(text, byte, RV_SITE()), byte); }

RV_HOOK(char *, index, (const char *text, int byte)) { return found(find(text, byte, RV_SITE()), byte); }

RV_HOOK(char *, strchrnul, (const char *text, int byte)) {
    return (char *)(uintptr_t)find(text, byte, RV_SITE());
}

static char *find_last(const char *text, int byte, uintptr_t site) {
    size_t size = rv_text_read(text, WHOLE, site) + 1, at = rv_bytes_find_last(text, byte, size);
    return at == size ? NULL : (char *)(uintptr_t)text + at;
}

RV_HOOK(char *, strrchr, (const char *text, int byte)) { return find_last(text, byte, RV_SITE()); }

RV_HOOK(char *, rindex, (const char *text, int byte)) { return find_last(text, byte, RV_SITE()); }
