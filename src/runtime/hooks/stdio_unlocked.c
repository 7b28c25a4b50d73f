/* The calls on FILEs that take no lock. They are no scheduling points; but a read or write that libc makes inside
 * moves the descriptor's offset and may have to wait. getc_unlocked and putc_unlocked are macros in programs, and end in
 * __uflow and __overflow when the buffer is empty or full.
 */
#define __NO_INLINE__ 1 /* libc's header would define some of these calls by itself */
#include "runtime/hooks/stdio.h"

static void note_output(const FILE *file) {
    if (file->_fileno >= 0) rv_fd_touch(file->_fileno);
}

static void note_input(FILE *file, uintptr_t site) {
    if (file->_fileno < 0) return;
    rv_fd_moved(file->_fileno);
    rv_file_await_input(file, site);
}

#define INPUT(type, name, parameters, arguments, file)  \
    RV_EXPORT type name parameters {                    \
        if (!rv_passive()) note_input(file, RV_SITE()); \
        return RV_REAL(name) arguments;                 \
    }
#define OUTPUT(type, name, parameters, arguments, file) \
    RV_EXPORT type name parameters {                    \
        if (!rv_passive()) note_output(file);           \
        return RV_REAL(name) arguments;                 \
    }

int __uflow(FILE *file);
int __overflow(FILE *file, int c);
INPUT(int, __uflow, (FILE * file), (file), file)
OUTPUT(int, __overflow, (FILE * file, int c), (file, c), file)

#undef getc_unlocked
#undef fgetc_unlocked
#undef getchar_unlocked
#undef putc_unlocked
#undef fputc_unlocked
#undef putchar_unlocked
#undef fread_unlocked
#undef fwrite_unlocked
INPUT(int, getc_unlocked, (FILE * file), (file), file)
INPUT(int, fgetc_unlocked, (FILE * file), (file), file)
INPUT(int, getchar_unlocked, (void), (), stdin)
INPUT(size_t, fread_unlocked, (void *restrict to, size_t size, size_t count, FILE *restrict file),
      (to, size, count, file), file)
INPUT(char *, fgets_unlocked, (char *restrict to, int size, FILE *restrict file), (to, size, file), file)
OUTPUT(int, putc_unlocked, (int c, FILE *file), (c, file), file)
OUTPUT(int, fputc_unlocked, (int c, FILE *file), (c, file), file)
OUTPUT(int, putchar_unlocked, (int c), (c), stdout)
OUTPUT(size_t, fwrite_unlocked, (const void *restrict from, size_t size, size_t count, FILE *restrict file),
       (from, size, count, file), file)
OUTPUT(int, fputs_unlocked, (const char *restrict text, FILE *restrict file), (text, file), file)
OUTPUT(int, fflush_unlocked, (FILE * file), (file), file ? file : stdout)
