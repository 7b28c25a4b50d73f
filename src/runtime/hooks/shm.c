/* POSIX shared memory objects have names that outlive an execution.
 *
 *   made      by this execution: removed after it
 *   removed   by this execution, but there at the snapshot: the next one must find it again, yet the name must not
 *             stay behind when ravel is done, or the program's next start would find it. So the removal is real, and
 *             the object is kept by a descriptor of ours, through which later executions open it.
 * Under fork isolation a removal cannot be told to the other executions: there the name stays. Contents of objects
 * that were mapped at the snapshot are restored with memory.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/hooks/outside.h"

enum { NAMES = 64, LENGTH = 272 };

static struct name {
    char path[LENGTH]; /* "": free */
    int fd;            /* of a removed object; -1: made by this execution */
    bool present;
} names[NAMES];

static int fail_with(int error) {
    errno = error;
    return -1;
}

static void path_of(const char *name, char *path) {
    while (*name == '/') name++;
    rv.internal++;
    (void)snprintf(path, LENGTH, "/dev/shm/%.250s", name);
    rv.internal--;
}

static struct name *find(const char *path, bool made) {
    for (unsigned i = 0; i < NAMES; i++)
        if (names[i].path[0] && (names[i].fd < 0) == made && strcmp(names[i].path, path) == 0)
            return &names[i];
    return NULL;
}

static struct name *add(const char *path, int fd) {
    for (unsigned i = 0; i < NAMES; i++) {
        if (names[i].path[0]) continue;
        memcpy(names[i].path, path, LENGTH);
        names[i].fd = fd;
        names[i].present = fd < 0;
        return &names[i];
    }
    rv_note("more than %d shared memory objects at a time: some stay when an execution ends", NAMES);
    return NULL;
}

static void undo(uintptr_t index, uintptr_t unused) {
    (void)unused;
    struct name *name = &names[index];
    if (name->fd >= 0) {
        name->present = true;
        return;
    }
    if (name->path[0]) (void)rv_sys1(SYS_unlink, (long)name->path);
    name->path[0] = 0;
}

static void will_undo(const struct name *name) {
    if (name) rv_on_restore(undo, (uintptr_t)(name - names), 0);
}

static int open_kept(const struct name *kept, int flags) {
    if ((flags & O_CREAT) && (flags & O_EXCL)) return fail_with(EEXIST);
    char path[64];
    rv.internal++;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", kept->fd);
    rv.internal--;
    return (int)rv_result(rv_sys_open(path, (flags & ~O_CREAT) | O_CLOEXEC, 0));
}

RV_EXPORT int shm_open(const char *name, int flags, mode_t mode) {
    if (rv_passive() || rv.mode != RV_CONTROLLED) return RV_REAL(shm_open)(name, flags, mode);
    char path[LENGTH];
    path_of(name, path);
    struct name *kept = find(path, false);
    int fd;
    if (kept && kept->present) {
        fd = open_kept(kept, flags);
    } else if (kept && !(flags & O_CREAT)) {
        return fail_with(ENOENT); /* removed, even if the name has to stay */
    } else {
        bool absent = rv_sys_failed(rv_sys2(SYS_access, (long)path, F_OK));
        fd = RV_REAL(shm_open)(name, flags, mode);
        if (fd >= 0 && absent && (flags & O_CREAT)) will_undo(add(path, -1));
    }
    if (fd >= 0) rv_fd_opened(fd, RV_FD_FILE, false, -1);
    return fd;
}

/* The object of this name, kept by a descriptor that the program does not see. */
static int keep(const char *name) {
    int fd = RV_REAL(shm_open)(name, O_RDWR, 0);
    if (fd < 0) fd = RV_REAL(shm_open)(name, O_RDONLY, 0);
    return fd < 0 ? -1 : rv_fd_hide(fd);
}

RV_EXPORT int shm_unlink(const char *name) {
    if (rv_passive() || rv.mode != RV_CONTROLLED) return RV_REAL(shm_unlink)(name);
    char path[LENGTH];
    path_of(name, path);
    struct name *made = find(path, true);
    if (made) {
        made->path[0] = 0;
        return RV_REAL(shm_unlink)(name);
    }
    struct name *kept = find(path, false);
    if (!kept) {
        int fd = keep(name);
        if (fd < 0) return RV_REAL(shm_unlink)(name); /* it says why */
        kept = add(path, fd);
        if (!kept || rv.area->control.isolation != RV_ISOLATION_FORK) (void)RV_REAL(shm_unlink)(name);
    } else if (!kept->present) {
        return fail_with(ENOENT);
    }
    if (kept) kept->present = false;
    will_undo(kept);
    return 0;
}
