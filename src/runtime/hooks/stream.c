/* How FILEs come and go.
 *
 * libc opens, reads, writes and closes the descriptor of a FILE from inside, past our hooks. For files that never wait
 * that is good enough; their descriptors are only made known. A FILE over something that may have to wait (fdopen of
 * a pipe or socket, popen) is made with fopencookie, so that its reads and writes are ours and wait as they
 * should; its number is entered by hand, for fileno.
 */
#include "runtime/hooks/stdio.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMANDS = 64 };

/* ---- FILEs of ours ---- */

static const void *our_functions; /* the table that libc gives to FILEs made by fopencookie */

static const void *functions_of(const FILE *file) {
    const void *functions;
    memcpy(&functions, file + 1,
           sizeof functions); /* it stands right behind, in glibc's struct _IO_FILE_plus */
    return functions;
}

bool rv_file_is_ours(const FILE *file) { return our_functions && functions_of(file) == our_functions; }

static int fd_of(const void *cookie) { return (int)(intptr_t)cookie - 1; }

static ssize_t stream_read(void *cookie, char *to, size_t size) {
    if (rv_passive()) return rv_result(rv_sys_read(fd_of(cookie), to, size));
    return rv_io_read(fd_of(cookie), to, size, RV_SITE());
}

/* Everything, as libc expects; 0 is an error. */
static ssize_t stream_write(void *cookie, const char *from, size_t size) {
    size_t done = 0;
    while (done < size) {
        long result = rv_passive() ? rv_result(rv_sys_write(fd_of(cookie), from + done, size - done))
                                   : rv_io_write(fd_of(cookie), from + done, size - done, RV_SITE());
        if (result <= 0) break;
        done += (size_t)result;
    }
    return (ssize_t)done;
}

static int stream_close(void *cookie) {
    if (rv_passive()) return (int)rv_result(rv_sys_close(fd_of(cookie)));
    return rv_io_close(fd_of(cookie), RV_SITE());
}

static FILE *make(int fd, const char *mode) {
    cookie_io_functions_t functions = {.read = stream_read, .write = stream_write, .close = stream_close};
    FILE *file = fopencookie((void *)(intptr_t)(fd + 1), mode, functions);
    if (!file) return NULL;
    our_functions = functions_of(file);
    file->_fileno = fd;
    return file;
}

RV_EXPORT FILE *fdopen(int fd, const char *mode) {
    if (rv_passive()) return RV_REAL(fdopen)(fd, mode);
    bool nonblocking_kind = rv_fd_kind_of(fd) == RV_FD_FILE || rv_fd_kind_of(fd) == RV_FD_UNKNOWN;
    if (nonblocking_kind) return RV_REAL(fdopen)(fd, mode);
    long access = rv_sys_fcntl(fd, F_GETFL, 0);
    if (rv_sys_failed(access)) return (void)rv_result(access), NULL;
    access &= O_ACCMODE;
    bool both = false;
    for (const char *letter = mode; *letter; letter++) both |= *letter == '+';
    bool reads = both || mode[0] == 'r', writes = both || mode[0] != 'r';
    bool known = mode[0] == 'r' || mode[0] == 'w' || mode[0] == 'a';
    if (!known || (reads && access == O_WRONLY) || (writes && access == O_RDONLY)) {
        errno = EINVAL;
        return NULL;
    }
    return make(fd, mode);
}

/* ---- by name ---- */

static FILE *made(FILE *file) {
    if (file && file->_fileno >= 0) rv_fd_opened(file->_fileno, RV_FD_UNKNOWN, false, -1);
    return file;
}

static void announce_open(const char *path, uintptr_t site) {
    if (path) rv_io_buffer(path, strlen(path) + 1, false, site);
    struct rv_pending pending = RV_PENDING(RV_OP_FD_OPEN, NULL, site);
    (void)rv_schedule(&pending);
    rv_done(&pending, 0, 0);
}

/* FIFOs, terminals, random devices: reads and writes must be ours. */
static bool needs_our_functions(const char *path) {
    struct stat status;
    if (rv_sys_failed(rv_sys4(SYS_newfstatat, AT_FDCWD, (long)path, (long)&status, 0))) return false;
    return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode);
}

static FILE *open_ours(const char *path, const char *mode, uintptr_t site) {
    long fd = rv_file_open(AT_FDCWD, path, rv_file_flags(mode), 0666, site);
    if (rv_sys_failed(fd)) return (void)rv_result(fd), NULL;
    rv_fd_opened((int)fd, RV_FD_UNKNOWN, false, -1);
    FILE *file = make((int)fd, mode);
    if (!file) (void)rv_io_close((int)fd, site);
    return file;
}

RV_EXPORT FILE *fopen(const char *restrict path, const char *restrict mode) {
    if (rv_passive()) return RV_REAL(fopen)(path, mode);
    announce_open(path, RV_SITE());
    if (needs_our_functions(path)) return open_ours(path, mode, RV_SITE());
    rv_file_fopen(path, mode);
    return made(RV_REAL(fopen)(path, mode));
}
RV_ALSO(fopen, fopen64);

RV_EXPORT FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict file) {
    if (rv_passive()) return RV_REAL(freopen)(path, mode, file);
    rv_file_await(file, RV_OP_FD_CLOSE, RV_SITE());
    if (path) rv_file_fopen(path, mode);
    int fd = file->_fileno;
    if (fd >= 0 && !rv_file_is_ours(file)) (void)rv_fd_closing(fd);
    return made(RV_REAL(freopen)(path, mode, file));
}
RV_ALSO(freopen, freopen64);

RV_EXPORT FILE *tmpfile(void) {
    if (rv_passive()) return RV_REAL(tmpfile)();
    announce_open(NULL, RV_SITE());
    return made(RV_REAL(tmpfile)());
}
RV_ALSO(tmpfile, tmpfile64);

static int close_file(FILE *file, uintptr_t site) {
    rv_file_await(file, RV_OP_FD_CLOSE, site);
    int fd = file->_fileno;
    if (fd < 0 || rv_file_is_ours(file)) return RV_REAL(fclose)(file);
    rv_fd_touch(fd); /* libc writes what it has buffered */
    (void)rv_fd_closing(fd);
    int result = RV_REAL(fclose)(file);
    rv_io_changed();
    return result;
}

RV_EXPORT int fclose(FILE *file) {
    if (rv_passive()) return RV_REAL(fclose)(file);
    return close_file(file, RV_SITE());
}

/* ---- directories: libc opens and closes their descriptors ---- */

RV_EXPORT DIR *opendir(const char *path) {
    if (rv_passive()) return RV_REAL(opendir)(path);
    announce_open(path, RV_SITE());
    DIR *directory = RV_REAL(opendir)(path);
    if (directory) rv_fd_opened(dirfd(directory), RV_FD_FILE, false, -1);
    return directory;
}

RV_EXPORT int closedir(DIR *directory) {
    if (rv_passive()) return RV_REAL(closedir)(directory);
    (void)rv_fd_closing(dirfd(directory));
    return RV_REAL(closedir)(directory);
}

/* ---- commands ---- */

static struct {
    struct {
        FILE *file;
        pid_t pid;
    } list[COMMANDS];
    unsigned count;
} commands, commands_saved;

void rv_streams_snapshot(void) { commands_saved = commands; }
void rv_streams_restore(void) { commands = commands_saved; }

static int start_command(const char *command, int theirs, int wanted, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, wanted);
    char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"--"}, (char *)(uintptr_t)command, NULL};
    int error = posix_spawn(pid, "/bin/sh", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

RV_EXPORT FILE *popen(const char *command, const char *mode) {
    if (rv_passive()) return RV_REAL(popen)(command, mode);
    bool reads = mode[0] == 'r', keep_on_exec = true;
    for (const char *letter = mode; *letter; letter++) keep_on_exec &= *letter != 'e';
    int ends[2];
    if ((mode[0] != 'r' && mode[0] != 'w') || commands.count == COMMANDS) {
        errno = commands.count == COMMANDS ? EMFILE : EINVAL;
        return NULL;
    }
    if (pipe2(ends, O_CLOEXEC)) return NULL;
    int mine = ends[reads ? 0 : 1], theirs = ends[reads ? 1 : 0];
    pid_t pid;
    int error = start_command(command, theirs, reads ? STDOUT_FILENO : STDIN_FILENO, &pid);
    close(theirs);
    FILE *file = error ? NULL : make(mine, reads ? "r" : "w");
    if (!file) {
        close(mine);
        errno = error ? error : ENOMEM;
        return NULL;
    }
    if (keep_on_exec) (void)rv_sys_fcntl(mine, F_SETFD, 0);
    commands.list[commands.count].file = file;
    commands.list[commands.count++].pid = pid;
    return file;
}

RV_EXPORT int pclose(FILE *file) {
    if (rv_passive()) return RV_REAL(pclose)(file);
    for (unsigned i = 0; i < commands.count; i++) {
        if (commands.list[i].file != file) continue;
        pid_t pid = commands.list[i].pid, got;
        commands.list[i] = commands.list[--commands.count];
        (void)close_file(file, RV_SITE());
        int status;
        do got = waitpid(pid, &status, 0);
        while (got < 0 && errno == EINTR);
        return got < 0 ? -1 : status;
    }
    errno = EINVAL;
    return -1;
}
