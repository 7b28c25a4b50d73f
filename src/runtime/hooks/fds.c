/* What descriptors exist, and what each of them is.
 *
 * The table knows every descriptor that came through a hook or was there at the snapshot. libc opens some by itself
 * (opendir, getaddrinfo, fopen), so a number that the table does not know may well be open: the kernel is asked about
 * it, each time, and the answer is not kept.
 *
 * After an execution everything is as at the snapshot (saved.c says how for each object). What the execution
 * opened is closed by ranges between the descriptors that stay, whoever opened it: a handful of system calls. An
 * execution that opened, closed and touched nothing costs nothing; every SWEEP_EVERY executions the ranges are
 * closed anyway, for what came into being behind our back.
 *
 * Descriptors of our own begin at OURS_FLOOR, where the supervisor puts the channel, or at the program's limit if
 * that is lower (RLIMIT_NOFILE is raised for the moment in which they are made). Not higher: the kernel's table grows
 * with the highest number, and fork copies it. The hooks refuse to close or replace them.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>

#include "runtime/hooks/io.h"
#include "runtime/reserve.h"
#include "runtime/snapshot.h"

enum { NUMBERS = 1 << 20, SWEEP_EVERY = 256, SWEEP_BEYOND = 64, MAX_OURS = 512, OURS_FLOOR = 1000 };

static struct rv_descriptor *table, *table_saved;
static int highest; /* the program's numbers that the table knows lie below */
static int highest_saved;
static bool opened;  /* the execution has opened something */
static bool changed; /* the table differs from table_saved */
static unsigned executions;
static int ours[MAX_OURS]; /* our descriptors, in no order */
static unsigned ours_count;
static bool restoring;
static uint32_t flags_version = 1; /* moves on when status flags change */
static pid_t sharing;              /* process that took the snapshot for others, forked from it; 0: none */

static void take_possession(void);

static struct rv_descriptor *reserve(void) {
    struct rv_descriptor *memory = rv_reserve(NUMBERS * sizeof *memory);
    RV_INVARIANT(memory);
    return memory;
}

struct rv_descriptor *rv_descriptor(int fd) {
    if (fd < 0 || fd >= NUMBERS) return NULL;
    if (RV_UNLIKELY(!table)) {
        table = reserve();
        table_saved = reserve();
    }
    if (RV_UNLIKELY(rv_saved_later) && !restoring) rv_revive_later();
    if (RV_UNLIKELY(sharing && sharing != rv_sys_getpid())) take_possession();
    return &table[fd];
}

/* The same, for a number that comes into use. */
static struct rv_descriptor *enter(int fd) {
    struct rv_descriptor *descriptor = rv_descriptor(fd);
    if (descriptor && fd >= highest) highest = fd + 1;
    return descriptor;
}

/* ---- what is it? ---- */

static enum rv_fd_kind kind_of_anonymous(int fd) {
    char path[40] = "/proc/self/fd/", text[64];
    rv_text_number(path + strlen(path), fd);
    long size = rv_sys3(SYS_readlink, (long)path, (long)text, sizeof text - 1);
    if (rv_sys_failed(size)) return RV_FD_OTHER;
    text[size] = '\0';
    if (!strcmp(text, "anon_inode:[eventfd]")) return RV_FD_EVENT;
    if (!strcmp(text, "anon_inode:[eventpoll]")) return RV_FD_EPOLL;
    return RV_FD_OTHER; /* inotify, pidfd, a real timerfd that came from outside ... */
}

static enum rv_fd_kind kind_of_device(dev_t device) {
    if (major(device) != 1) return RV_FD_OTHER;
    switch (minor(device)) {
    case 3:
    case 5:
    case 7: return RV_FD_FILE; /* null, zero, full */
    case 8:
    case 9: return RV_FD_RANDOM;
    default: return RV_FD_OTHER;
    }
}

static enum rv_fd_kind classify(int fd) {
    struct stat status;
    if (rv_sys_failed(rv_sys_fstat(fd, &status))) return RV_FD_UNKNOWN;
    switch (status.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK: return RV_FD_FILE;
    case S_IFIFO: return RV_FD_PIPE;
    case S_IFSOCK: return RV_FD_SOCKET;
    case S_IFCHR: return kind_of_device(status.st_rdev);
    default: return kind_of_anonymous(fd);
    }
}

enum rv_fd_kind rv_fd_kind_of(int fd) {
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    if (!descriptor) return RV_FD_UNKNOWN;
    return descriptor->known ? (enum rv_fd_kind)descriptor->kind : classify(fd);
}

bool rv_fd_internal(int fd) {
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    return descriptor && descriptor->known && descriptor->internal;
}

void rv_fds_reflagged(void) { flags_version++; }

/* Asked before every read and write; nobody but this process can change it for what is internal. */
bool rv_fd_nonblocking(int fd) {
    struct rv_descriptor *descriptor = rv_descriptor(fd);
    bool keeps = descriptor && descriptor->known && descriptor->internal;
    if (keeps && descriptor->asked == flags_version) return descriptor->nonblocking;
    long flags = rv_sys_fcntl(fd, F_GETFL, 0);
    bool nonblocking = !rv_sys_failed(flags) && (flags & O_NONBLOCK);
    if (keeps) {
        descriptor->nonblocking = nonblocking;
        descriptor->asked = flags_version;
    }
    return nonblocking;
}

const void *rv_fd_object(int fd) {
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    return (const void *)(intptr_t)(descriptor && descriptor->known ? descriptor->channel : fd);
}

/* ---- coming and going ---- */

void rv_fds_opened_somewhere(void) { opened = true; }

void rv_fd_opened(int fd, enum rv_fd_kind kind, bool internal, int pair) {
    rv_observe_also(RV_OP_FD_OPEN, NULL,
                    RV_ROOM_ANY); /* its number depends on what others have opened and closed */
    struct rv_descriptor *descriptor = enter(fd);
    if (!descriptor) return;
    opened = changed = true;
    if (kind == RV_FD_UNKNOWN) kind = classify(fd);
    *descriptor = (struct rv_descriptor){
        .kind = (uint8_t)kind, .known = true, .internal = internal, .whole = internal, .channel = fd};
    if (pair >= 0 && pair < fd) descriptor->channel = pair;
    struct stat status;
    if (kind == RV_FD_SOCKET && !rv_sys_failed(rv_sys_fstat(fd, &status))) descriptor->inode = status.st_ino;
    if (kind != RV_FD_SOCKET || pair < 0) return;
    if (!rv_sys_failed(rv_sys_fstat(pair, &status))) descriptor->peer = status.st_ino;
}

void rv_fd_internalise(int fd) {
    struct rv_descriptor *descriptor = rv_descriptor(fd);
    if (!descriptor || !descriptor->known) return;
    changed = true;
    descriptor->internal = true;
}

void rv_fd_duplicated(int from, int to) {
    struct rv_descriptor *source = rv_descriptor(from), *copy = enter(to);
    if (!source || !copy) return;
    opened = changed = true;
    rv_observe_also(RV_OP_FD_OPEN, NULL, RV_ROOM_ANY);
    enum rv_fd_kind kind = rv_fd_kind_of(from);
    *copy = *source;
    copy->ours = false;
    if (source->known) return;
    *copy = (struct rv_descriptor){.kind = (uint8_t)kind, .known = true, .channel = to};
}

void rv_fd_moved(int fd) {
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    if (descriptor && descriptor->object) rv_saved_touch(descriptor->object);
}

void rv_fd_touch(int fd) {
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    if (descriptor && descriptor->object) rv_saved_writing(descriptor->object, fd);
}

bool rv_fd_closing(int fd) {
    struct rv_descriptor *descriptor = rv_descriptor(fd);
    if (!descriptor) return true;
    if (descriptor->ours) return false;
    bool kept = rv_wait_pin(fd);
    if (descriptor->object && rv_saved_closing(fd, descriptor->object)) kept = true;
    if (kept) rv_epoll_unregister(fd);
    rv_epoll_forget(fd);
    if (descriptor->kind == RV_FD_TIMER) rv_timerfd_forget(fd);
    if (descriptor->kind == RV_FD_SIGNAL) rv_signalfd_forget(fd);
    changed = true;
    *descriptor = (struct rv_descriptor){0};
    rv_io_changed();
    return true;
}

void rv_fds_shared(void) {
    for (int fd = 0; fd < highest; fd++) table[fd].internal = false;
    changed = true;
    rv_io_changed();
}

/* ---- ours ---- */

static int copy_high(int fd) {
    long copy = rv_sys_fcntl(fd, F_DUPFD_CLOEXEC, OURS_FLOOR);
    if (!rv_sys_failed(copy)) return (int)copy;
    struct rlimit limit = {0, 0};
    (void)rv_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
    struct rlimit raised = {.rlim_cur = limit.rlim_cur + MAX_OURS, .rlim_max = limit.rlim_max};
    bool room = raised.rlim_cur <= limit.rlim_max &&
                !rv_sys_failed(rv_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)&raised, 0));
    long floor = (long)(room ? limit.rlim_cur : limit.rlim_cur - limit.rlim_cur / 4);
    copy = rv_sys_fcntl(fd, F_DUPFD_CLOEXEC, floor < OURS_FLOOR ? floor : OURS_FLOOR);
    if (room) (void)rv_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)&limit, 0);
    return rv_sys_failed(copy) ? -1 : (int)copy;
}

static void own(int fd) {
    struct rv_descriptor *descriptor = rv_descriptor(fd);
    RV_INVARIANT(descriptor && ours_count < MAX_OURS);
    *descriptor = table_saved[fd] = (struct rv_descriptor){.ours = true};
    ours[ours_count++] = fd;
}

int rv_fd_copy_hidden(int fd) {
    int copy = ours_count < MAX_OURS ? copy_high(fd) : -1;
    if (copy >= 0) own(copy);
    return copy;
}

void rv_fd_close_hidden(int fd) {
    for (unsigned i = 0; i < ours_count; i++) {
        if (ours[i] != fd) continue;
        ours[i] = ours[--ours_count];
        table[fd] = table_saved[fd] = (struct rv_descriptor){0};
        (void)rv_sys_close(fd);
        return;
    }
}

int rv_fd_hide(int fd) {
    int copy = ours_count < MAX_OURS ? copy_high(fd) : -1;
    if (copy >= 0)
        (void)rv_sys_close(fd);
    else
        copy = fd;
    if (ours_count < MAX_OURS) own(copy);
    return copy;
}

int rv_fd_null(void) {
    static int null = -1;
    if (null >= 0) return null;
    long fd = rv_sys_open("/dev/null", O_RDWR | O_CLOEXEC, 0);
    if (!rv_sys_failed(fd)) null = rv_fd_hide((int)fd);
    return null;
}

bool rv_fd_hidden(int fd) {
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    return descriptor && descriptor->ours;
}

/* ---- snapshot ---- */

void rv_fds_snapshot(void) {
    (void)rv_descriptor(0);
    rv_snapshot_hide_with(rv_fd_hide); /* the memory's snapshot opens files of its own, after this one */
    rv_output_look();
    rv_saved_snapshot();
    rv_output_snapshot();
    int previous = highest_saved;
    highest_saved = highest;
    for (int fd = 0; fd < highest || fd < previous; fd++) table_saved[fd] = table[fd];
    opened = changed = false;
    bool forking = rv.area && rv.area->control.isolation == RV_ISOLATION_FORK;
    sharing = forking ? rv_sys_getpid() : 0;
    if (forking) rv_saved_share();
}

/* In a process forked for one execution, when it first looks at a descriptor: the open files, which it shares with
 * the process it came from and with its siblings, become its own. */
static void take_possession(void) {
    sharing = 0;
    rv_files_restore();
    rv_saved_forked();
    rv_epoll_forked();
    rv_output_decide();
}

int rv_fds_bound(void) { return highest; }

static long close_all(unsigned first, unsigned last, int flags) {
    if (first > last) return 0;
    long result = rv_sys3(SYS_close_range, first, last, flags);
    if (result != -ENOSYS && result != -EPERM) return result;
    for (unsigned fd = first; fd <= last && fd < (unsigned)highest + SWEEP_BEYOND; fd++)
        (void)rv_sys_close((int)fd);
    return 0;
}

long rv_fds_close_between(unsigned first, unsigned last, int flags) {
    for (;;) { /* up to the lowest of ours in the range, and on behind it */
        int64_t lowest = (int64_t)last + 1;
        for (unsigned i = 0; i < ours_count; i++) {
            if (ours[i] >= (int64_t)first && ours[i] < lowest) lowest = ours[i];
        }
        long result = close_all(first, (unsigned)(lowest - 1), flags);
        if (lowest > last) return result;
        first = (unsigned)lowest + 1;
    }
}

/* Closes what lies between two that stay. */
static void keep(int fd, void *data) {
    int *next = data;
    if (*next < fd) (void)rv_fds_close_between((unsigned)*next, (unsigned)fd - 1, 0);
    *next = fd + 1;
}

static void sweep(int end) {
    int next = 0;
    rv_saved_each(keep, &next);
    if (next < end) keep(end, &next); /* nothing of the program's lies behind */
}

static void restore(void) {
    rv_wait_restore();
    if (++executions % SWEEP_EVERY == 0)
        sweep(INT32_MAX);
    else if (opened)
        sweep(highest + SWEEP_BEYOND);
    if (rv_saved_dirty()) {
        rv_saved_restore();
        rv_fds_reflagged();
    }
    rv_output_decide();
    if (!changed && !opened) return;
    for (int fd = 0; fd < highest; fd++) table[fd] = table_saved[fd];
    highest = highest_saved;
    opened = changed = false;
    rv_fds_reflagged();
    rv_io_changed();
}

void rv_fds_restore(void) {
    if (!table) return;
    restoring = true;
    restore();
    restoring = false;
}
