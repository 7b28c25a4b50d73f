/* /proc says whether a thread sleeps, and in which system call. The two are read one after the other, so a thread that moves
 * meanwhile may be judged wrongly; whoever asks about a thread that runs freely has to live with that. */
#include "runtime/native_blocked.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "runtime/sys.h"

static const unsigned short waiting_calls[] = {
    SYS_futex,           SYS_read,        SYS_readv,
    SYS_pread64,         SYS_preadv,      SYS_preadv2,
    SYS_write,           SYS_writev,      SYS_poll,
    SYS_ppoll,           SYS_select,      SYS_pselect6,
    SYS_epoll_wait,      SYS_epoll_pwait, SYS_epoll_pwait2,
    SYS_accept,          SYS_accept4,     SYS_connect,
    SYS_recvfrom,        SYS_recvmsg,     SYS_recvmmsg,
    SYS_sendto,          SYS_sendmsg,     SYS_wait4,
    SYS_waitid,          SYS_pause,       SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait, SYS_semop,       SYS_semtimedop,
    SYS_msgrcv,          SYS_msgsnd,      SYS_mq_timedreceive,
    SYS_mq_timedsend,    SYS_flock,       SYS_fcntl,
    SYS_splice,          SYS_tee,         SYS_open,
    SYS_openat,          SYS_futex_waitv,
};

/* The beginning of /proc/self/task/TID/NAME; false: it cannot be read. */
static bool read_about(pid_t tid, const char *name, char *text, size_t size) {
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)tid, name);
    long fd = rv_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (rv_sys_failed(fd)) return false;
    long got = rv_sys3(SYS_read, fd, (long)text, (long)size - 1);
    (void)rv_sys_close((int)fd);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

static bool sleeps(pid_t tid) {
    char text[128];
    if (!read_about(tid, "stat", text, sizeof text)) return false;
    const char *name_end = strrchr(text, ')'); /* the name may contain anything */
    return name_end && name_end[1] == ' ' && (name_end[2] == 'S' || name_end[2] == 'D');
}

bool rv_native_blocked(pid_t tid) {
    char text[256];
    if (!sleeps(tid)) return false;
    if (!read_about(tid, "syscall", text, sizeof text))
        return true;                                  /* kernels without it: it sleeps, whatever in */
    if (text[0] < '0' || text[0] > '9') return false; /* "running" */
    unsigned call = 0;
    for (const char *at = text; *at >= '0' && *at <= '9' && call < 100000; at++)
        call = call * 10 + (unsigned)(*at - '0');
    for (size_t i = 0; i < sizeof waiting_calls / sizeof waiting_calls[0]; i++)
        if (waiting_calls[i] == call) return true;
    return false;
}
