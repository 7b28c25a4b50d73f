#include "runtime/hooks/format.h"

#include <stdint.h>
#include <wchar.h>

#include "runtime/hooks/text.h"

enum length { PLAIN, CHAR, SHORT, LONG, LONG_DOUBLE };

struct conversion {
    char letter; /* 0: the end, or something not known here */
    enum length length;
    bool suppressed;  /* scanf: nothing is assigned; */
    bool allocates;   /* ... what is assigned is the address of new memory */
    bool bounded;     /* printf: a precision was given */
    bool other_width; /* printf: width and precision are arguments (*) */
    bool other_bound;
    size_t bound; /* precision; scanf: width */
};

static size_t number(const char **at) {
    size_t value = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        if (value < SIZE_MAX / 16) value = value * 10 + (size_t)(**at - '0');
    return value;
}

static enum length length_of(const char **at) {
    enum length length = PLAIN;
    for (;; ++*at) {
        switch (**at) {
        case 'h': length = length == SHORT ? CHAR : SHORT; break;
        case 'l':
        case 'j':
        case 'z':
        case 't':
        case 'q': length = LONG; break;
        case 'L': length = LONG_DOUBLE; break;
        default: return length;
        }
    }
}

static bool is_one_of(char c, const char *set) {
    for (; *set; set++)
        if (*set == c) return true;
    return false;
}

/* Behind the next conversion of an output format, past %%. */
static struct conversion next_output(const char **at) {
    struct conversion next = {0};
    do {
        while (**at && **at != '%') ++*at;
        if (!**at) return next;
        ++*at;
    } while (**at == '%' && *(*at)++);
    while (is_one_of(**at, "-+ #0'I")) ++*at;
    if (**at == '*') {
        next.other_width = true;
        ++*at;
    }
    (void)number(at);
    if (**at == '.') {
        ++*at;
        next.bounded = true;
        next.other_bound = **at == '*';
        if (next.other_bound) ++*at;
        next.bound = number(at);
    }
    next.length = length_of(at);
    if (is_one_of(**at, "diouxXcsCSpnmeEfFgGaA")) next.letter = *(*at)++;
    return next;
}

static void read_string(const void *text, const struct conversion *about, size_t bound, uintptr_t site) {
    if (!text) return; /* "(null)" */
    if (about->letter == 'S' || about->length == LONG) {
        const wchar_t *wide = text;
        size_t length = 0;
        while (length < bound && wide[length]) length++;
        rv_access(text, (length + (length < bound)) * sizeof *wide, false, site);
    } else {
        (void)rv_text_read(text, bound, site);
    }
}

static size_t integer_size(enum length length) {
    switch (length) {
    case CHAR: return sizeof(char);
    case SHORT: return sizeof(short);
    case PLAIN: return sizeof(int);
    default: return sizeof(long);
    }
}

void rv_format_output(const char *format, va_list arguments, uintptr_t site) {
    va_list rest;
    struct conversion next;
    va_copy(rest, arguments);
    while ((next = next_output(&format)).letter) {
        if (next.other_width) (void)va_arg(rest, int);
        size_t bound = next.bound;
        if (next.other_bound) {
            int given = va_arg(rest, int);
            next.bounded = given >= 0;
            bound = next.bounded ? (size_t)given : 0;
        }
        if (!next.bounded) bound = RV_TEXT_WHOLE;
        if (is_one_of(next.letter, "sS")) {
            const void *text = va_arg(rest, const void *);
            if (bound) read_string(text, &next, bound, site);
        } else if (next.letter == 'n') {
            rv_access(va_arg(rest, void *), integer_size(next.length), true, site);
        } else if (is_one_of(next.letter, "eEfFgGaA")) {
            if (next.length == LONG_DOUBLE)
                (void)va_arg(rest, long double);
            else
                (void)va_arg(rest, double);
        } else if (next.letter != 'm') {
            (void)va_arg(rest, long);
        }
    }
    va_end(rest);
}

/* Behind the next conversion of an input format that has a target or none (suppressed), past %%. */
static struct conversion next_input(const char **at) {
    struct conversion next = {0};
    do {
        while (**at && **at != '%') ++*at;
        if (!**at) return next;
        ++*at;
    } while (**at == '%' && *(*at)++);
    for (; is_one_of(**at, "*'mI"); ++*at) {
        next.suppressed |= **at == '*';
        next.allocates |= **at == 'm';
    }
    next.bound = number(at);
    if (**at == 'm') { /* it may stand on either side of the width */
        next.allocates = true;
        ++*at;
    }
    next.length = length_of(at);
    if (!is_one_of(**at, "diouxXcsCSpneEfFgGaA[")) return next;
    next.letter = *(*at)++;
    if (next.letter != '[') return next;
    if (**at == '^') ++*at;
    if (**at == ']') ++*at;
    while (**at && **at != ']') ++*at;
    if (**at) ++*at;
    return next;
}

static size_t target_size(const struct conversion *about, const void *target) {
    bool wide = about->length == LONG || is_one_of(about->letter, "CS");
    if (about->allocates || about->letter == 'p') return sizeof(void *);
    switch (about->letter) {
    case 's':
    case 'S':
    case '[': return wide ? (wcslen(target) + 1) * sizeof(wchar_t) : rv_text_find(target, 0) + 1;
    case 'c':
    case 'C': return (about->bound ? about->bound : 1) * (wide ? sizeof(wchar_t) : 1);
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'n': return integer_size(about->length);
    default:
        return about->length == LONG_DOUBLE ? sizeof(long double)
               : about->length == LONG      ? sizeof(double)
                                            : sizeof(float);
    }
}

void rv_format_input(const char *format, va_list arguments, int count, uintptr_t site) {
    va_list rest;
    struct conversion next;
    va_copy(rest, arguments);
    while (count > 0 && (next = next_input(&format)).letter) {
        if (next.suppressed) continue;
        void *target = va_arg(rest, void *);
        rv_access(target, target_size(&next, target), true, site);
        count -= next.letter != 'n';
    }
    va_end(rest);
}
