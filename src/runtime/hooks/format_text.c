/* Formatted output to memory and input from there, numbers in texts, and sorting: accesses to all that is read, then to
 * all that is written, then libc's own function. How long an output is, is found out by a first call without target.
 *
 * The runtime's own use of these names is redirected by raw.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/hooks/format.h"
#include "runtime/hooks/text.h"
#include "runtime/real.h"

/* The declarations of libc, under names that raw.h does not redirect. */
typedef int print_to(char *, size_t, const char *, va_list);
typedef int print_new(char **, const char *, va_list);
typedef int scan_from(const char *, const char *, va_list);

#define REAL(type, name)                                                       \
    ({                                                                         \
        static type *looked_up;                                                \
        if (RV_UNLIKELY(!looked_up)) looked_up = (type *)rv_real_lookup(name); \
        looked_up;                                                             \
    })

static int print(char *to, size_t size, size_t object, const char *format, va_list arguments,
                 uintptr_t site) {
    print_to *real = REAL(print_to, "vsnprintf");
    if (rv_passive()) return real(to, size, format, arguments);
    rv_format_output(format, arguments, site);
    va_list again;
    va_copy(again, arguments);
    int length = real(NULL, 0, format, again);
    va_end(again);
    if (length >= 0 && size > 0) {
        size_t written = (size_t)length < size ? (size_t)length + 1 : size;
        rv_text_fits(written, object);
        rv_access(to, written, true, site);
    }
    return real(to, size, format, arguments);
}

static int print_allocated(char **to, const char *format, va_list arguments, uintptr_t site) {
    if (!rv_passive()) rv_format_output(format, arguments, site);
    return REAL(print_new, "vasprintf")(to, format, arguments);
}

#define UNKNOWN_SIZE SIZE_MAX
/* vsnprintf refuses sizes above INT_MAX. */
enum { ANY_SIZE = INT32_MAX };

#define WITH_ARGUMENTS(last_, call_) \
    va_list arguments;               \
    va_start(arguments, last_);      \
    int result = call_;              \
    va_end(arguments);               \
    return result

RV_HOOK(int, vsnprintf, (char *to, size_t size, const char *format, va_list arguments)) {
    return print(to, size, UNKNOWN_SIZE, format, arguments, RV_SITE());
}

RV_HOOK(int, snprintf, (char *to, size_t size, const char *format, ...)) {
    WITH_ARGUMENTS(format, print(to, size, UNKNOWN_SIZE, format, arguments, RV_SITE()));
}

RV_HOOK(int, vsprintf, (char *to, const char *format, va_list arguments)) {
    return print(to, ANY_SIZE, UNKNOWN_SIZE, format, arguments, RV_SITE());
}

RV_HOOK(int, sprintf, (char *to, const char *format, ...)) {
    WITH_ARGUMENTS(format, print(to, ANY_SIZE, UNKNOWN_SIZE, format, arguments, RV_SITE()));
}

RV_HOOK(int, vasprintf, (char **to, const char *format, va_list arguments)) {
    return print_allocated(to, format, arguments, RV_SITE());
}

RV_HOOK(int, asprintf, (char **to, const char *format, ...)) {
    WITH_ARGUMENTS(format, print_allocated(to, format, arguments, RV_SITE()));
}

/* The names that _FORTIFY_SOURCE calls; `flag` asks for a check of %n that the plain functions do not make. */

RV_HOOK(int, __vsnprintf_chk,
        (char *to, size_t size, int flag, size_t object, const char *format, va_list arguments)) {
    (void)flag;
    rv_text_fits(size, object);
    return print(to, size, object, format, arguments, RV_SITE());
}

RV_HOOK(int, __snprintf_chk, (char *to, size_t size, int flag, size_t object, const char *format, ...)) {
    (void)flag;
    rv_text_fits(size, object);
    WITH_ARGUMENTS(format, print(to, size, object, format, arguments, RV_SITE()));
}

RV_HOOK(int, __vsprintf_chk, (char *to, int flag, size_t object, const char *format, va_list arguments)) {
    (void)flag;
    return print(to, ANY_SIZE, object, format, arguments, RV_SITE());
}

RV_HOOK(int, __sprintf_chk, (char *to, int flag, size_t object, const char *format, ...)) {
    (void)flag;
    WITH_ARGUMENTS(format, print(to, ANY_SIZE, object, format, arguments, RV_SITE()));
}

RV_HOOK(int, __vasprintf_chk, (char **to, int flag, const char *format, va_list arguments)) {
    (void)flag;
    return print_allocated(to, format, arguments, RV_SITE());
}

RV_HOOK(int, __asprintf_chk, (char **to, int flag, const char *format, ...)) {
    (void)flag;
    WITH_ARGUMENTS(format, print_allocated(to, format, arguments, RV_SITE()));
}

/* ---- input from a text ---- */

static int scan(const char *from, const char *format, va_list arguments, uintptr_t site) {
    scan_from *real = REAL(scan_from, "__isoc99_vsscanf");
    if (rv_passive()) return real(from, format, arguments);
    (void)rv_text_read(from, RV_TEXT_WHOLE, site);
    va_list again;
    va_copy(again, arguments);
    int result = real(from, format, again);
    va_end(again);
    rv_format_input(format, arguments, result, site);
    return result;
}

RV_HOOK(int, __isoc99_vsscanf, (const char *from, const char *format, va_list arguments)) {
    return scan(from, format, arguments, RV_SITE());
}

RV_HOOK(int, __isoc99_sscanf, (const char *from, const char *format, ...)) {
    WITH_ARGUMENTS(format, scan(from, format, arguments, RV_SITE()));
}

/* ---- numbers ---- */

/* A first call tells how far the number goes; the end it points to is looked at, too. */
#define NUMBER(type, name, parameters, arguments)                                \
    RV_HOOK(type, name, parameters) {                                            \
        typedef type function parameters;                                        \
        function *real = REAL(function, #name);                                  \
        if (!rv_passive()) {                                                     \
            char *stop, **given = end;                                           \
            int error = errno;                                                   \
            end = &stop;                                                         \
            (void)real arguments;                                                \
            errno = error;                                                       \
            rv_access(from, (size_t)(stop - from) + 1, false, RV_SITE());        \
            end = given;                                                         \
            if (end) rv_access((const void *)end, sizeof *end, true, RV_SITE()); \
        }                                                                        \
        return real arguments;                                                   \
    }
#define INTEGER(type, name)  NUMBER(type, name, (const char *from, char **end, int base), (from, end, base))
#define FLOATING(type, name) NUMBER(type, name, (const char *from, char **end), (from, end))

INTEGER(long, strtol)
INTEGER(unsigned long, strtoul)
INTEGER(long long, strtoll)
INTEGER(unsigned long long, strtoull)
INTEGER(intmax_t, strtoimax)
INTEGER(uintmax_t, strtoumax)
FLOATING(float, strtof)
FLOATING(double, strtod)
FLOATING(long double, strtold)

/* Without optimisation these are calls. */

typedef long read_long(const char *, char **, int);
typedef double read_double(const char *, char **);

static long long_in(const char *from, uintptr_t site) {
    read_long *real = REAL(read_long, "strtol");
    char *stop;
    long value = real(from, &stop, 10);
    if (rv_passive()) return value;
    rv_access(from, (size_t)(stop - from) + 1, false, site);
    return real(from, NULL, 10);
}

RV_HOOK(int, atoi, (const char *from)) { return (int)long_in(from, RV_SITE()); }
RV_HOOK(long, atol, (const char *from)) { return long_in(from, RV_SITE()); }
RV_HOOK(long long, atoll, (const char *from)) { return long_in(from, RV_SITE()); }

RV_HOOK(double, atof, (const char *from)) {
    read_double *real = REAL(read_double, "strtod");
    char *stop;
    double value = real(from, &stop);
    if (rv_passive()) return value;
    rv_access(from, (size_t)(stop - from) + 1, false, RV_SITE());
    return real(from, NULL);
}

/* ---- sorting ---- */

/* All is written in an order that only libc knows; what the comparison reads, it says itself if it is program code. */
RV_HOOK(void, qsort, (void *base, size_t count, size_t size, __compar_fn_t compare)) {
    typedef void function(void *, size_t, size_t, __compar_fn_t);
    if (!rv_passive() && count > 1 && size) rv_access(base, count * size, true, RV_SITE());
    REAL(function, "qsort")(base, count, size, compare);
}

RV_HOOK(void, qsort_r, (void *base, size_t count, size_t size, __compar_d_fn_t compare, void *argument)) {
    typedef void function(void *, size_t, size_t, __compar_d_fn_t, void *);
    if (!rv_passive() && count > 1 && size) rv_access(base, count * size, true, RV_SITE());
    REAL(function, "qsort_r")(base, count, size, compare, argument);
}
