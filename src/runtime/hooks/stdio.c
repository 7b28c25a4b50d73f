/* The locks of FILEs, and the calls that take them.
 *
 * libc locks a FILE inside nearly every call. The lock is a recursive one that knows its owner by the thread's TLS
 * block, and fibers have TLS blocks of their own; so libc's lock itself is the state, and it is restored with the rest
 * of memory. What must not happen is that libc waits for it, on the one carrier. So every call here first waits,
 * through the scheduler, until the lock is free or its own, takes it, and only then enters libc. That makes a scheduling
 * point of every printf, which it is: what two threads print comes in some order.
 *
 * FILEs over pipes and sockets are made so that their reads and writes come back to our own functions (stream.c), which
 * may switch threads while libc holds the lock; others then wait here.
 */
#define __NO_INLINE__ 1 /* libc's header would define some of these calls by itself */
#include "runtime/hooks/stdio.h"

#include <stdarg.h>
#include <stdlib.h>
#include <wchar.h>

#include "runtime/hooks/format.h"
#include "runtime/hooks/sync.h"

/* glibc's _IO_lock_t. */
struct file_lock {
    int lock;
    int count;
    void *owner; /* the thread's pthread_t */
};

static const struct file_lock *lock_of(const FILE *file) { return file->_lock; }

static bool can_lock(const struct rv_fiber *fiber) {
    const struct file_lock *lock = lock_of(fiber->pending.data);
    return !lock || !lock->owner || lock->owner == (void *)fiber->self;
}

static uint32_t owner_of(const FILE *file) {
    const struct file_lock *lock = lock_of(file);
    const struct rv_fiber *fiber = lock && lock->owner ? rv_fiber_of((pthread_t)lock->owner) : NULL;
    return fiber ? fiber->id : RV_NO_THREAD;
}

static void announce(struct rv_pending *pending, FILE *file, enum rv_op op, uintptr_t site) {
    rv_sync_check(file, sizeof *file, op, "the stream");
    int fd = file->_fileno;
    bool about_descriptor = (rv_op_flags[op] & RV_OPF_IO) && fd >= 0;
    if ((rv_op_flags[op] & RV_OPF_IO) && fd < 0) op = RV_OP_LOCK; /* a stream in memory */
    *pending = RV_PENDING(op, about_descriptor ? rv_fd_object(fd) : file, site);
    pending->ready = can_lock;
    pending->data = file;
    pending->owner = owner_of(file);
    (void)rv_schedule(pending);
}

void rv_file_await(FILE *file, enum rv_op op, uintptr_t site) {
    struct rv_pending pending;
    announce(&pending, file, op, site);
    rv_done(&pending, 0, 0);
}

/* ---- the locks as such ---- */

RV_EXPORT void flockfile(FILE *file) {
    if (rv_passive()) {
        RV_REAL(flockfile)(file);
        return;
    }
    struct rv_pending pending;
    announce(&pending, file, RV_OP_LOCK, RV_SITE());
    RV_REAL(flockfile)(file);
    rv_held_add(file, RV_OP_LOCK, RV_SITE());
    rv_done(&pending, 0, 0);
}

RV_EXPORT int ftrylockfile(FILE *file) {
    if (rv_passive()) return RV_REAL(ftrylockfile)(file);
    rv_sync_check(file, sizeof *file, RV_OP_TRYLOCK, "the stream");
    struct rv_pending pending = RV_PENDING(RV_OP_TRYLOCK, file, RV_SITE());
    (void)rv_schedule(&pending);
    int result = RV_REAL(ftrylockfile)(file);
    if (result == 0) rv_held_add(file, RV_OP_LOCK, RV_SITE());
    rv_done(&pending, 0, result ? RV_EVENT_FAILED : 0);
    return result;
}

RV_EXPORT void funlockfile(FILE *file) {
    if (rv_passive()) {
        RV_REAL(funlockfile)(file);
        return;
    }
    rv_sync_check(file, sizeof *file, RV_OP_UNLOCK, "the stream");
    struct rv_pending pending = RV_PENDING(RV_OP_UNLOCK, file, RV_SITE());
    (void)rv_schedule(&pending);
    const struct file_lock *lock = lock_of(file);
    if (lock && lock->owner != (void *)rv_self()->self)
        RV_MISUSE(file, "unlock of a stream that this thread has not locked");
    (void)rv_held_remove(file);
    RV_REAL(funlockfile)(file);
    rv_done(&pending, 0, 0);
}

/* ---- calls with the lock held ---- */

void rv_file_unlock(FILE *const *file) {
    if (*file) RV_REAL(funlockfile)(*file);
}

FILE *rv_file_lock(FILE *file, enum rv_op op, uintptr_t site) {
    rv_file_await(file, op, site);
    RV_REAL(flockfile)(file);
    int fd = file->_fileno;
    if (fd < 0) return file;
    if (op == RV_OP_FD_WRITE)
        rv_fd_touch(fd);
    else
        rv_fd_moved(fd);
    return file;
}

RV_EXPORT int fflush(FILE *file) {
    if (rv_passive() || !file) return RV_REAL(fflush)(file);
    RV_FILE_LOCKED(file, RV_OP_FD_WRITE);
    return RV_REAL(fflush)(file);
}

RV_EXPORT int fputs(const char *restrict text, FILE *restrict file) {
    if (rv_passive()) return RV_REAL(fputs)(text, file);
    rv_io_buffer(text, strlen(text) + 1, false, RV_SITE());
    RV_FILE_LOCKED(file, RV_OP_FD_WRITE);
    return RV_REAL(fputs)(text, file);
}

RV_EXPORT int puts(const char *text) {
    if (rv_passive()) return RV_REAL(puts)(text);
    rv_io_buffer(text, strlen(text) + 1, false, RV_SITE());
    RV_FILE_LOCKED(stdout, RV_OP_FD_WRITE);
    return RV_REAL(puts)(text);
}

RV_EXPORT int fputc(int c, FILE *file) {
    if (rv_passive()) return RV_REAL(fputc)(c, file);
    RV_FILE_LOCKED(file, RV_OP_FD_WRITE);
    return RV_REAL(fputc)(c, file);
}

#undef putc
RV_EXPORT int putc(int c, FILE *file) {
    if (rv_passive()) return RV_REAL(fputc)(c, file);
    RV_FILE_LOCKED(file, RV_OP_FD_WRITE);
    return RV_REAL(fputc)(c, file);
}
int _IO_putc(int c, FILE *file);
RV_ALSO(putc, _IO_putc);

RV_EXPORT int putchar(int c) {
    if (rv_passive()) return RV_REAL(putchar)(c);
    RV_FILE_LOCKED(stdout, RV_OP_FD_WRITE);
    return RV_REAL(putchar)(c);
}

RV_EXPORT size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict file) {
    if (rv_passive()) return RV_REAL(fwrite)(from, size, count, file);
    if (size && count) rv_io_buffer(from, size * count, false, RV_SITE());
    RV_FILE_LOCKED(file, RV_OP_FD_WRITE);
    return RV_REAL(fwrite)(from, size, count, file);
}

RV_EXPORT void perror(const char *text) {
    if (rv_passive()) {
        RV_REAL(perror)(text);
        return;
    }
    RV_FILE_LOCKED(stderr, RV_OP_FD_WRITE);
    RV_REAL(perror)(text);
}

/* ---- formatted output ---- */

RV_EXPORT int vfprintf(FILE *restrict file, const char *restrict format, va_list arguments) {
    if (rv_passive()) return RV_REAL(vfprintf)(file, format, arguments);
    rv_format_output(format, arguments, RV_SITE());
    RV_FILE_LOCKED(file, RV_OP_FD_WRITE);
    return RV_REAL(vfprintf)(file, format, arguments);
}

RV_EXPORT int vprintf(const char *restrict format, va_list arguments) {
    if (rv_passive()) return RV_REAL(vprintf)(format, arguments);
    rv_format_output(format, arguments, RV_SITE());
    RV_FILE_LOCKED(stdout, RV_OP_FD_WRITE);
    return RV_REAL(vprintf)(format, arguments);
}

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list arguments);
RV_EXPORT int __vfprintf_chk(FILE *file, int flag, const char *format, va_list arguments) {
    if (rv_passive()) return RV_REAL(__vfprintf_chk)(file, flag, format, arguments);
    rv_format_output(format, arguments, RV_SITE());
    RV_FILE_LOCKED(file, RV_OP_FD_WRITE);
    return RV_REAL(__vfprintf_chk)(file, flag, format, arguments);
}

int __vprintf_chk(int flag, const char *format, va_list arguments);
RV_EXPORT int __vprintf_chk(int flag, const char *format, va_list arguments) {
    if (rv_passive()) return RV_REAL(__vprintf_chk)(flag, format, arguments);
    rv_format_output(format, arguments, RV_SITE());
    RV_FILE_LOCKED(stdout, RV_OP_FD_WRITE);
    return RV_REAL(__vprintf_chk)(flag, format, arguments);
}

/* The body of a variadic call over its va_list form. */
#define VARIADIC(last_, file_, call_)                   \
    va_list arguments;                                  \
    va_start(arguments, last_);                         \
    int result;                                         \
    if (rv_passive()) {                                 \
        result = call_;                                 \
    } else {                                            \
        rv_format_output(format, arguments, RV_SITE()); \
        RV_FILE_LOCKED(file_, RV_OP_FD_WRITE);          \
        result = call_;                                 \
    }                                                   \
    va_end(arguments);                                  \
    return result

RV_EXPORT int fprintf(FILE *restrict file, const char *restrict format, ...) {
    VARIADIC(format, file, RV_REAL(vfprintf)(file, format, arguments));
}

RV_EXPORT int printf(const char *restrict format, ...) {
    VARIADIC(format, stdout, RV_REAL(vprintf)(format, arguments));
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...);
RV_EXPORT int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
    VARIADIC(format, file, RV_REAL(__vfprintf_chk)(file, flag, format, arguments));
}

int __printf_chk(int flag, const char *format, ...);
RV_EXPORT int __printf_chk(int flag, const char *format, ...) {
    VARIADIC(format, stdout, RV_REAL(__vprintf_chk)(flag, format, arguments));
}

/* To a descriptor: made into a text first, then one write. */
static int print_to(int fd, const char *format, va_list arguments, uintptr_t site) {
    rv_format_output(format, arguments, site);
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (size < 0) return size;
    char small[512], *text = (size_t)size < sizeof small ? small : malloc((size_t)size + 1);
    if (!text) return -1;
    (void)vsnprintf(text, (size_t)size + 1, format, arguments);
    long done = 0, result = 0;
    while (done < size && (result = rv_io_write(fd, text + done, (size_t)(size - done), site)) > 0)
        done += result;
    if (text != small) free(text);
    return result < 0 && done == 0 ? -1 : (int)done;
}

RV_EXPORT int vdprintf(int fd, const char *restrict format, va_list arguments) {
    if (rv_passive()) return RV_REAL(vdprintf)(fd, format, arguments);
    return print_to(fd, format, arguments, RV_SITE());
}

int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);
RV_EXPORT int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments) {
    if (rv_passive()) return RV_REAL(__vdprintf_chk)(fd, flag, format, arguments);
    return print_to(fd, format, arguments, RV_SITE());
}

RV_EXPORT int dprintf(int fd, const char *restrict format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result =
        rv_passive() ? RV_REAL(vdprintf)(fd, format, arguments) : print_to(fd, format, arguments, RV_SITE());
    va_end(arguments);
    return result;
}

int __dprintf_chk(int fd, int flag, const char *format, ...);
RV_EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = rv_passive() ? RV_REAL(__vdprintf_chk)(fd, flag, format, arguments)
                              : print_to(fd, format, arguments, RV_SITE());
    va_end(arguments);
    return result;
}
