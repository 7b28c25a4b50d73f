/* What belongs to the process and is neither memory nor a descriptor: directory, file mode mask, limits, identity.
 *
 * The first three are put back after the execution that changed them. Identity cannot be: who changes it
 * while threads run gets a process for each execution.
 */
#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/hooks/outside.h"

static bool controlled(void) { return !rv_passive() && rv.mode == RV_CONTROLLED; }

/* ---- directory ---- */

static void back_to_directory(uintptr_t fd, uintptr_t unused) {
    (void)unused;
    (void)rv_sys1(SYS_fchdir, (long)fd);
    (void)rv_sys_close((int)fd);
}

/* Each change is undone by itself, in reverse order. */
static void remember_directory(void) {
    long fd = rv_sys_open(".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (rv_sys_failed(fd)) {
        rv_need_fork("it leaves a directory to which there is no way back");
        return;
    }
    rv_on_restore(back_to_directory, (uintptr_t)rv_fd_hide((int)fd), 0);
}

RV_EXPORT int chdir(const char *path) {
    if (controlled()) remember_directory();
    return RV_REAL(chdir)(path);
}

RV_EXPORT int fchdir(int fd) {
    if (controlled()) remember_directory();
    return RV_REAL(fchdir)(fd);
}

/* ---- file mode mask ---- */

static void back_to_mask(uintptr_t mask, uintptr_t unused) {
    (void)unused;
    (void)rv_sys1(SYS_umask, (long)mask);
}

RV_EXPORT mode_t umask(mode_t mask) {
    mode_t before = RV_REAL(umask)(mask);
    if (controlled() && before != (mask & 0777)) rv_on_restore(back_to_mask, before, 0);
    return before;
}

/* ---- limits ---- */

static struct rlimit limits[RLIM_NLIMITS];

static void back_to_limit(uintptr_t which, uintptr_t unused) {
    (void)unused;
    (void)rv_sys2(SYS_setrlimit, (long)which, (long)&limits[which]);
}

RV_EXPORT int setrlimit(__rlimit_resource_t which, const struct rlimit *limit) {
    struct rlimit before;
    bool known = controlled() && (unsigned)which < RLIM_NLIMITS && getrlimit(which, &before) == 0;
    int result = RV_REAL(setrlimit)(which, limit);
    if (!known || result) return result;
    limits[which] = before;
    if (limit->rlim_max < before.rlim_max)
        rv_need_fork("it lowers a hard limit (setrlimit)");
    else
        rv_on_restore(back_to_limit, (uintptr_t)which, 0);
    return result;
}

/* ---- identity ---- */

/* glibc has every kernel thread change its identity by a signal and waits for all of them; ours, apart from the
 * carrier, are parked with signals blocked and never run program code. So: the carrier's alone. */
static int become(long number, long first, long second, long third) {
    if (rv.mode == RV_CONTROLLED) rv_need_fork("it changes its user or group");
    return (int)rv_result(rv_sys3(number, first, second, third));
}

RV_EXPORT int setuid(uid_t user) {
    if (rv_passive()) return RV_REAL(setuid)(user);
    return become(SYS_setuid, user, 0, 0);
}

RV_EXPORT int seteuid(uid_t user) {
    if (rv_passive()) return RV_REAL(seteuid)(user);
    return become(SYS_setresuid, -1, user, -1);
}

RV_EXPORT int setreuid(uid_t real, uid_t effective) {
    if (rv_passive()) return RV_REAL(setreuid)(real, effective);
    return become(SYS_setreuid, real, effective, 0);
}

RV_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved) {
    if (rv_passive()) return RV_REAL(setresuid)(real, effective, saved);
    return become(SYS_setresuid, real, effective, saved);
}

RV_EXPORT int setgid(gid_t group) {
    if (rv_passive()) return RV_REAL(setgid)(group);
    return become(SYS_setgid, group, 0, 0);
}

RV_EXPORT int setegid(gid_t group) {
    if (rv_passive()) return RV_REAL(setegid)(group);
    return become(SYS_setresgid, -1, group, -1);
}

RV_EXPORT int setregid(gid_t real, gid_t effective) {
    if (rv_passive()) return RV_REAL(setregid)(real, effective);
    return become(SYS_setregid, real, effective, 0);
}

RV_EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved) {
    if (rv_passive()) return RV_REAL(setresgid)(real, effective, saved);
    return become(SYS_setresgid, real, effective, saved);
}

RV_EXPORT int setgroups(size_t count, const gid_t *groups) {
    if (rv_passive()) return RV_REAL(setgroups)(count, groups);
    return become(SYS_setgroups, (long)count, (long)groups, 0);
}

RV_EXPORT int chroot(const char *path) {
    if (controlled()) rv_need_fork("it changes its root directory");
    return RV_REAL(chroot)(path);
}
