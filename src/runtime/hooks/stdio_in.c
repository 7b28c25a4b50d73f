/* Input from FILEs, and their positions; see stdio.c.
 *
 * Reads of our own FILEs (stream.c) wait by themselves. For others that may have to wait (standard input from a
 * terminal) the wait comes before libc is entered, if its buffer is empty.
 */
#define __NO_INLINE__ 1 /* libc's header would define some of these calls by itself */
#include <stdarg.h>
#include <wchar.h>

#include "runtime/hooks/format.h"
#include "runtime/hooks/stdio.h"

void rv_file_await_input(FILE *file, uintptr_t site) {
    int fd = file->_fileno;
    if (fd < 0 || file->_IO_read_ptr < file->_IO_read_end || rv_file_is_ours(file) || !rv_io_may_block(fd))
        return;
    struct rv_io io;
    int error = rv_io_begin(&io, RV_OP_FD_READ, fd, POLLIN, site);
    (void)rv_io_end(&io, -error);
}
#define LOCKED_INPUT(file_)               \
    RV_FILE_LOCKED(file_, RV_OP_FD_READ); \
    rv_file_await_input(file_, RV_SITE())

RV_EXPORT int fgetc(FILE *file) {
    if (rv_passive()) return RV_REAL(fgetc)(file);
    LOCKED_INPUT(file);
    return RV_REAL(fgetc)(file);
}

#undef getc
RV_EXPORT int getc(FILE *file) {
    if (rv_passive()) return RV_REAL(fgetc)(file);
    LOCKED_INPUT(file);
    return RV_REAL(fgetc)(file);
}
int _IO_getc(FILE *file);
RV_ALSO(getc, _IO_getc);

RV_EXPORT int getchar(void) {
    if (rv_passive()) return RV_REAL(getchar)();
    LOCKED_INPUT(stdin);
    return RV_REAL(getchar)();
}

RV_EXPORT int ungetc(int c, FILE *file) {
    if (rv_passive()) return RV_REAL(ungetc)(c, file);
    RV_FILE_LOCKED(file, RV_OP_FD_READ);
    return RV_REAL(ungetc)(c, file);
}

RV_EXPORT char *fgets(char *restrict to, int size, FILE *restrict file) {
    if (rv_passive()) return RV_REAL(fgets)(to, size, file);
    char *volatile target = to; /* the header says that nobody reads it before */
    size_t reported = size > 0 ? rv_io_buffer(target, (size_t)size, true, RV_SITE()) : 0;
    LOCKED_INPUT(file);
    char *result = RV_REAL(fgets)(to, size, file);
    if (result) rv_io_arrived(to, reported, (long)strlen(to) + 1, RV_SITE());
    return result;
}

char *__fgets_chk(char *to, size_t room, int size, FILE *file);
RV_EXPORT char *__fgets_chk(char *to, size_t room, int size, FILE *file) {
    if (rv_passive()) return RV_REAL(__fgets_chk)(to, room, size, file);
    if (size > 0) rv_io_buffer(to, (size_t)size, true, RV_SITE());
    LOCKED_INPUT(file);
    return RV_REAL(__fgets_chk)(to, room, size, file);
}

RV_EXPORT size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict file) {
    if (rv_passive()) return RV_REAL(fread)(to, size, count, file);
    size_t reported = size && count ? rv_io_buffer(to, size * count, true, RV_SITE()) : 0;
    LOCKED_INPUT(file);
    size_t result = RV_REAL(fread)(to, size, count, file);
    rv_io_arrived(to, reported, (long)(result * size), RV_SITE());
    return result;
}

size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file);
RV_EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file) {
    if (rv_passive()) return RV_REAL(__fread_chk)(to, room, size, count, file);
    if (size && count) rv_io_buffer(to, size * count, true, RV_SITE());
    LOCKED_INPUT(file);
    return RV_REAL(__fread_chk)(to, room, size, count, file);
}

RV_EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict file) {
    if (rv_passive()) return RV_REAL(getdelim)(line, room, end, file);
    LOCKED_INPUT(file);
    ssize_t result = RV_REAL(getdelim)(line, room, end, file);
    if (result > 0) rv_access(*line, (size_t)result + 1, true, RV_SITE());
    return result;
}
ssize_t __getdelim(char **line, size_t *room, int end, FILE *file);
RV_ALSO(getdelim, __getdelim);

RV_EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict file) {
    if (rv_passive()) return RV_REAL(getline)(line, room, file);
    LOCKED_INPUT(file);
    ssize_t result = RV_REAL(getline)(line, room, file);
    if (result > 0) rv_access(*line, (size_t)result + 1, true, RV_SITE());
    return result;
}

/* ---- formatted input: programs call the C99 names ---- */

int __isoc99_vfscanf(FILE *file, const char *format, va_list arguments);

static int scan(FILE *file, const char *format, va_list arguments, uintptr_t site) {
    if (rv_passive()) return RV_REAL(__isoc99_vfscanf)(file, format, arguments);
    va_list again;
    va_copy(again, arguments);
    int result;
    {
        LOCKED_INPUT(file);
        result = RV_REAL(__isoc99_vfscanf)(file, format, again);
    }
    va_end(again);
    rv_format_input(format, arguments, result, site);
    return result;
}

RV_EXPORT int __isoc99_vfscanf(FILE *file, const char *format, va_list arguments) {
    return scan(file, format, arguments, RV_SITE());
}

int __isoc99_fscanf(FILE *file, const char *format, ...);
RV_EXPORT int __isoc99_fscanf(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = scan(file, format, arguments, RV_SITE());
    va_end(arguments);
    return result;
}

int __isoc99_scanf(const char *format, ...);
RV_EXPORT int __isoc99_scanf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = scan(stdin, format, arguments, RV_SITE());
    va_end(arguments);
    return result;
}

/* ---- position and state ---- */

#define WITH_LOCK(type, name, parameters, arguments, file) \
    RV_EXPORT type name parameters {                       \
        if (rv_passive()) return RV_REAL(name) arguments;  \
        RV_FILE_LOCKED(file, RV_OP_FD_READ);               \
        return RV_REAL(name) arguments;                    \
    }
WITH_LOCK(int, fseek, (FILE * file, long offset, int whence), (file, offset, whence), file)
WITH_LOCK(int, fseeko, (FILE * file, off_t offset, int whence), (file, offset, whence), file)
WITH_LOCK(long, ftell, (FILE * file), (file), file)
WITH_LOCK(off_t, ftello, (FILE * file), (file), file)
WITH_LOCK(int, fgetpos, (FILE *restrict file, fpos_t *restrict to), (file, to), file)
WITH_LOCK(int, fsetpos, (FILE * file, const fpos_t *to), (file, to), file)
WITH_LOCK(int, setvbuf, (FILE *restrict file, char *restrict buffer, int mode, size_t size),
          (file, buffer, mode, size), file)
RV_ALSO(fseeko, fseeko64);
RV_ALSO(ftello, ftello64);

RV_EXPORT void rewind(FILE *file) {
    if (rv_passive()) {
        RV_REAL(rewind)(file);
        return;
    }
    RV_FILE_LOCKED(file, RV_OP_FD_READ);
    RV_REAL(rewind)(file);
}

/* ---- wide characters ---- */

WITH_LOCK(wint_t, fputwc, (wchar_t c, FILE *file), (c, file), file)
WITH_LOCK(wint_t, putwc, (wchar_t c, FILE *file), (c, file), file)
WITH_LOCK(int, fputws, (const wchar_t *restrict text, FILE *restrict file), (text, file), file)
WITH_LOCK(int, vfwprintf, (FILE *restrict file, const wchar_t *restrict format, va_list arguments),
          (file, format, arguments), file)
WITH_LOCK(wint_t, fgetwc, (FILE * file), (file), file)
WITH_LOCK(wint_t, getwc, (FILE * file), (file), file)
WITH_LOCK(wchar_t *, fgetws, (wchar_t *restrict to, int size, FILE *restrict file), (to, size, file), file)

RV_EXPORT int fwprintf(FILE *restrict file, const wchar_t *restrict format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = vfwprintf(file, format, arguments);
    va_end(arguments);
    return result;
}

RV_EXPORT int wprintf(const wchar_t *restrict format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = vfwprintf(stdout, format, arguments);
    va_end(arguments);
    return result;
}
