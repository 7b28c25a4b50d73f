/* exec: the program replaces itself.
 *
 * In a child that it forked, that is its own business. In the process under control it is the end of what can be
 * followed:
 *   before any thread       the program is a wrapper, and ravel has nothing to run: unusable, with the name of
 *                           what it starts
 *   while threads run       the execution ends there, with success; said once
 * A call that would fail (no such file) fails, as always.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/hooks/child.h"
#include "runtime/hooks/outside.h"

static int fail_with(int error) {
    errno = error;
    return -1;
}

/* 0, or why this file cannot be executed. */
static int check_file(int directory, const char *path) {
    long result = rv_sys4(SYS_faccessat, directory, (long)path, X_OK, 0);
    return rv_sys_failed(result) ? (int)-result : 0;
}

/* The same along PATH. */
static int check_search(const char *file) {
    const char *path = getenv("PATH");
    if (!path) path = "/bin:/usr/bin";
    size_t file_length = strlen(file);
    int worst = ENOENT;
    for (const char *end; *path; path = *end ? end + 1 : end) {
        for (end = path; *end && *end != ':';) end++;
        char name[PATH_MAX];
        size_t length = (size_t)(end - path);
        if (length + 1 + file_length >= sizeof name) continue;
        memcpy(name, path, length);
        if (length) name[length++] = '/';
        memcpy(name + length, file, file_length + 1);
        int error = check_file(AT_FDCWD, name);
        if (!error) return 0;
        if (error == EACCES) worst = EACCES;
    }
    return worst;
}

static bool has_slash(const char *file) {
    while (*file && *file != '/') file++;
    return *file != 0;
}

/* In the process under control. Returns only if the call would fail. */
static int end_by_exec(int error, const char *path, uintptr_t site) {
    if (error) return fail_with(error);
    if (rv.mode == RV_SINGLE)
        rv_unusable(
            "the program replaces itself by '%.200s' (exec) before it creates a thread: run that program instead",
            path);
    struct rv_pending pending = RV_PENDING(RV_OP_EXIT, NULL, site);
    (void)rv_schedule(&pending);
    rv_done(&pending, 0, 0);
    rv_note("the program replaces itself by '%.150s' (exec) while threads run: executions end there", path);
    rv_exit(rv.config->expect_exit);
}

static int execute(const char *path, char *const argv[], char *const environment[], bool search,
                   uintptr_t site) {
    if (rv_passive())
        return search ? RV_REAL(execvpe)(path, argv, environment) : RV_REAL(execve)(path, argv, environment);
    search = search && !has_slash(path);
    if (rv.mode != RV_DETACHED)
        return end_by_exec(search ? check_search(path) : check_file(AT_FDCWD, path), path, site);
    char *room[rv_environment_size(environment)];
    char *const *clean = rv_environment(environment, room);
    rv_signals_lend_mask();
    int result = search ? RV_REAL(execvpe)(path, argv, clean) : RV_REAL(execve)(path, argv, clean);
    int error = errno;
    rv_signals_unlend_mask();
    errno = error;
    return result;
}

RV_EXPORT int execve(const char *path, char *const argv[], char *const environment[]) {
    return execute(path, argv, environment, false, RV_SITE());
}

RV_EXPORT int execv(const char *path, char *const argv[]) {
    return execute(path, argv, environ, false, RV_SITE());
}

RV_EXPORT int execvp(const char *file, char *const argv[]) {
    return execute(file, argv, environ, true, RV_SITE());
}

RV_EXPORT int execvpe(const char *file, char *const argv[], char *const environment[]) {
    return execute(file, argv, environment, true, RV_SITE());
}

/* ---- with the arguments as a list ---- */

/* Counts the arguments up to and with the NULL. */
static size_t count_list(const char *first, va_list rest) {
    size_t count = 1;
    while (first) {
        first = va_arg(rest, const char *);
        count++;
    }
    return count;
}

static void take_list(char **argv, size_t count, const char *first, va_list rest) {
    argv[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; i < count; i++) argv[i] = va_arg(rest, char *);
}

RV_EXPORT int execl(const char *path, const char *first, ...) {
    va_list rest;
    va_start(rest, first);
    size_t count = count_list(first, rest);
    va_end(rest);
    char *argv[count];
    va_start(rest, first);
    take_list(argv, count, first, rest);
    va_end(rest);
    return execute(path, argv, environ, false, RV_SITE());
}

RV_EXPORT int execlp(const char *file, const char *first, ...) {
    va_list rest;
    va_start(rest, first);
    size_t count = count_list(first, rest);
    va_end(rest);
    char *argv[count];
    va_start(rest, first);
    take_list(argv, count, first, rest);
    va_end(rest);
    return execute(file, argv, environ, true, RV_SITE());
}

RV_EXPORT int execle(const char *path, const char *first, ...) {
    va_list rest;
    va_start(rest, first);
    size_t count = count_list(first, rest);
    va_end(rest);
    char *argv[count];
    va_start(rest, first);
    take_list(argv, count, first, rest);
    char *const *environment = va_arg(rest, char *const *);
    va_end(rest);
    return execute(path, argv, environment, false, RV_SITE());
}

/* ---- by descriptor ---- */

RV_EXPORT int fexecve(int fd, char *const argv[], char *const environment[]) {
    if (rv_passive() || rv.mode == RV_DETACHED) return RV_REAL(fexecve)(fd, argv, environment);
    long flags = rv_sys_fcntl(fd, F_GETFD, 0);
    return end_by_exec(rv_sys_failed(flags) ? (int)-flags : 0, argv[0] ? argv[0] : "?", RV_SITE());
}

RV_EXPORT int execveat(int directory, const char *path, char *const argv[], char *const environment[],
                       int flags) {
    if (rv_passive() || rv.mode == RV_DETACHED)
        return RV_REAL(execveat)(directory, path, argv, environment, flags);
    bool by_descriptor = (flags & AT_EMPTY_PATH) && !path[0];
    return end_by_exec(by_descriptor ? 0 : check_file(directory, path), path, RV_SITE());
}
