/* Questions about files. They are answered by the kernel; but the contents of a file that was open before the threads come
 * back late (revive.c), and must be back before its size is asked for. Standard output is what it was before it was
 * silenced (output.c). Older programs ask through the names with x.
 */
#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/hooks/io.h"

/* The answer depends on what others have opened, written, made and removed. No point: nobody else notices the question. */
static void observe(void) { rv_observe_also(RV_OP_FD_OPEN, NULL, RV_ROOM_ANY); }

#define QUESTION(name, parameters, arguments, to)         \
    RV_EXPORT int name parameters {                       \
        if (rv_passive()) return RV_REAL(name) arguments; \
        if (rv_saved_later) rv_revive_later();            \
        rv_io_buffer(to, sizeof *(to), true, RV_SITE());  \
        observe();                                        \
        return RV_REAL(name) arguments;                   \
    }

QUESTION(stat, (const char *restrict path, struct stat *restrict to), (path, to), to)
QUESTION(lstat, (const char *restrict path, struct stat *restrict to), (path, to), to)
QUESTION(fstatat, (int directory, const char *restrict path, struct stat *restrict to, int flags),
         (directory, path, to, flags), to)
QUESTION(statx,
         (int directory, const char *restrict path, int flags, unsigned mask, struct statx *restrict to),
         (directory, path, flags, mask, to), to)
QUESTION(stat64, (const char *restrict path, struct stat64 *restrict to), (path, to), to)
QUESTION(lstat64, (const char *restrict path, struct stat64 *restrict to), (path, to), to)
QUESTION(fstatat64, (int directory, const char *restrict path, struct stat64 *restrict to, int flags),
         (directory, path, to, flags), to)

int __xstat(int version, const char *path, struct stat *to);
int __lxstat(int version, const char *path, struct stat *to);
int __xstat64(int version, const char *path, struct stat64 *to);
int __lxstat64(int version, const char *path, struct stat64 *to);
QUESTION(__xstat, (int version, const char *path, struct stat *to), (version, path, to), to)
QUESTION(__lxstat, (int version, const char *path, struct stat *to), (version, path, to), to)
QUESTION(__xstat64, (int version, const char *path, struct stat64 *to), (version, path, to), to)
QUESTION(__lxstat64, (int version, const char *path, struct stat64 *to), (version, path, to), to)

RV_EXPORT int access(const char *path, int mode) {
    if (rv_passive()) return RV_REAL(access)(path, mode);
    rv_io_buffer(path, strlen(path) + 1, false, RV_SITE());
    observe();
    return RV_REAL(access)(path, mode);
}

RV_EXPORT int faccessat(int directory, const char *path, int mode, int flags) {
    if (rv_passive()) return RV_REAL(faccessat)(directory, path, mode, flags);
    rv_io_buffer(path, strlen(path) + 1, false, RV_SITE());
    observe();
    return RV_REAL(faccessat)(directory, path, mode, flags);
}

/* ---- about descriptors ---- */

static int about(int fd) {
    (void)rv_descriptor(fd);
    observe();
    return rv_output_original(fd);
}

RV_EXPORT int fstat(int fd, struct stat *to) {
    if (rv_passive()) return RV_REAL(fstat)(fd, to);
    rv_access(to, sizeof *to, true, RV_SITE());
    return (int)rv_result(rv_sys_fstat(about(fd), to));
}

RV_EXPORT int fstat64(int fd, struct stat64 *to) {
    if (rv_passive()) return RV_REAL(fstat64)(fd, to);
    rv_access(to, sizeof *to, true, RV_SITE());
    return (int)rv_result(rv_sys2(SYS_fstat, about(fd), (long)to));
}

int __fxstat(int version, int fd, struct stat *to);
RV_EXPORT int __fxstat(int version, int fd, struct stat *to) {
    if (rv_passive()) return RV_REAL(__fxstat)(version, fd, to);
    return RV_REAL(__fxstat)(version, about(fd), to);
}
int __fxstat64(int version, int fd, struct stat64 *to);
RV_EXPORT int __fxstat64(int version, int fd, struct stat64 *to) {
    if (rv_passive()) return RV_REAL(__fxstat64)(version, fd, to);
    return RV_REAL(__fxstat64)(version, about(fd), to);
}

RV_EXPORT int isatty(int fd) {
    if (rv_passive()) return RV_REAL(isatty)(fd);
    return RV_REAL(isatty)(about(fd));
}

RV_EXPORT int tcgetattr(int fd, struct termios *to) {
    if (rv_passive()) return RV_REAL(tcgetattr)(fd, to);
    return RV_REAL(tcgetattr)(about(fd), to);
}
