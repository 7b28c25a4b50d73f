/* What an execution does to files by their names, undone after it.
 *
 * A program that creates a file must not find it there in the next execution, one that removes its input must find
 * it again, one that appends to a log must append to the same log. So before each such change the state is noted:
 *
 *   file created, link, node      removed                     directory made        removed
 *   existing file opened to write contents put back           directory removed     made
 *   file removed, or replaced     made again with contents    file renamed          renamed back
 *
 * and undone in reverse order. Contents up to RV_SAVED_SMALL bytes; more is named, once, and stays changed. The notes lie
 * in memory that forked executions share with their parent: the next of them undoes what the last one did.
 *
 * Opening a FIFO waits for the other side; that is done here through the scheduler as well.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/hooks/saved.h"
#include "runtime/reserve.h"

enum { ROOM = 256 << 20, MOST = 4096, PATH = 4096, FIFOS = 16, LOOKED_AT = 64 };

enum change { CREATED, WRITTEN, REMOVED, RENAMED, MADE_DIRECTORY, REMOVED_DIRECTORY };

struct note {
    enum change change;
    unsigned mode;
    const char *path;
    const char *other; /* RENAMED: what it was before */
    const char *contents;
    size_t size;
};

static struct book {
    struct note notes[MOST];
    unsigned count;
    size_t used; /* of the memory behind */
} * book;
static uint32_t names, names_saved; /* temporary names made up so far */

/* FIFOs opened by this execution: how often for reading, how often for writing. */
static struct {
    dev_t device;
    ino_t inode;
    uint32_t readers, writers;
} fifos[FIFOS];

static bool noting(void) { return book && rv.mode == RV_CONTROLLED; }

static char *keep(size_t size) {
    size_t start = (sizeof *book + book->used + 15) & ~(size_t)15;
    if (start + size > ROOM) return NULL;
    book->used = start + size - sizeof *book;
    return (char *)book + start;
}

/* The path from the root, kept; NULL: too long, or no room. */
static const char *keep_path(int directory, const char *path) {
    char base[PATH] = "";
    size_t length = 0, size = strlen(path);
    if (path[0] != '/') {
        char link[40] = "/proc/self/cwd";
        if (directory != AT_FDCWD) {
            memcpy(link, "/proc/self/fd/", 15);
            rv_text_number(link + 14, directory);
        }
        long got = rv_sys3(SYS_readlink, (long)link, (long)base, sizeof base - 1);
        if (rv_sys_failed(got)) return NULL;
        length = (size_t)got;
        base[length++] = '/';
    }
    char *whole = keep(length + size + 1);
    if (!whole) return NULL;
    memcpy(whole, base, length);
    memcpy(whole + length, path, size + 1);
    return whole;
}

static void note(const struct note *what) {
    rv_need_alone();
    if (book->count == MOST || !what->path) {
        rv_note("the program changes more files than can be put back between executions");
        return;
    }
    book->notes[book->count++] = *what;
}

static bool look_at(int directory, const char *path, int flags, struct stat *status) {
    return !rv_sys_failed(rv_sys4(SYS_newfstatat, directory, (long)path, (long)status, flags));
}

/* Notes a file's contents before they change or go. */
static void note_contents(enum change change, int directory, const char *path, const struct stat *status) {
    if (!S_ISREG(status->st_mode)) return;
    if (status->st_size > RV_SAVED_SMALL) {
        rv_note("the program changes a file of more than %d MiB: it is not put back between executions",
                RV_SAVED_SMALL >> 20);
        return;
    }
    struct note what = {.change = change, .mode = status->st_mode & 07777};
    char *contents = keep((size_t)status->st_size);
    long fd = rv_sys4(SYS_openat, directory, (long)path, O_RDONLY | O_CLOEXEC, 0);
    long got = rv_sys_failed(fd) || !contents ? -1 : rv_sys_read((int)fd, contents, (size_t)status->st_size);
    if (!rv_sys_failed(fd)) (void)rv_sys_close((int)fd);
    if (got < 0) {
        rv_note("the program changes a file that cannot be read: it is not put back between executions");
        return;
    }
    what.contents = contents;
    what.size = (size_t)got;
    what.path = keep_path(directory, path);
    note(&what);
}

/* Something is about to take this name. */
static void note_creation(int directory, const char *path) {
    note(&(struct note){.change = CREATED, .path = keep_path(directory, path)});
}

/* The name is about to lose what it stands for. */
static void note_removal(int directory, const char *path) {
    struct stat status;
    if (!look_at(directory, path, AT_SYMLINK_NOFOLLOW, &status)) return;
    if (S_ISREG(status.st_mode))
        note_contents(REMOVED, directory, path, &status);
    else if (S_ISLNK(status.st_mode))
        rv_note("the program removes a symbolic link: it is not put back");
}

/* /dev/null and its like. */
static bool is_device(int directory, const char *path) {
    struct stat status;
    return look_at(directory, path, 0, &status) && S_ISCHR(status.st_mode);
}

/* A file is about to be opened with these flags. */
static void note_opening(int directory, const char *path, int flags) {
    bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
    if (writes && !is_device(directory, path)) rv_need_alone();
    if (!noting() || (!writes && !(flags & O_CREAT)) || (flags & O_TMPFILE) == O_TMPFILE) return;
    struct stat status;
    if (!look_at(directory, path, 0, &status)) {
        if (flags & O_CREAT) note_creation(directory, path);
    } else if (writes && !S_ISREG(status.st_mode)) {
        if (!S_ISCHR(status.st_mode)) rv.area->control.left_files = 1; /* a FIFO: somebody may have read it */
    } else if (writes && !(flags & O_EXCL && flags & O_CREAT) && !rv_output_is(&status)) {
        note_contents(WRITTEN, directory, path, &status);
    }
}

/* ---- undoing ---- */

static void put_contents(const struct note *what, int flags) {
    long fd = rv_sys_open(what->path, O_WRONLY | O_CLOEXEC | flags, what->mode);
    if (rv_sys_failed(fd)) return;
    (void)rv_sys2(SYS_ftruncate, fd, (long)what->size);
    for (size_t done = 0; done < what->size;) {
        long written = rv_sys_pwrite((int)fd, what->contents + done, what->size - done, (off_t)done);
        if (written <= 0) break;
        done += (size_t)written;
    }
    if (flags & O_CREAT) (void)rv_sys2(SYS_fchmod, fd, what->mode);
    (void)rv_sys_close((int)fd);
}

static void undo(const struct note *what) {
    switch (what->change) {
    case CREATED: (void)rv_sys1(SYS_unlink, (long)what->path); break;
    case WRITTEN: put_contents(what, 0); break;
    case REMOVED: put_contents(what, O_CREAT); break;
    case RENAMED: (void)rv_sys2(SYS_rename, (long)what->path, (long)what->other); break;
    case MADE_DIRECTORY: (void)rv_sys1(SYS_rmdir, (long)what->path); break;
    case REMOVED_DIRECTORY: (void)rv_sys2(SYS_mkdir, (long)what->path, what->mode); break;
    }
}

static bool exists(const char *path) {
    struct stat status;
    return look_at(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &status);
}

/* Whether files are other than they were. One that came and is gone again counts as nothing; for the rest it is not asked what
 * exactly became of them. */
static bool left_changed(void) {
    if (book->count > LOOKED_AT) return true;
    for (unsigned i = 0; i < book->count; i++) {
        const struct note *each = &book->notes[i], *first = book->notes;
        while (strcmp(first->path, each->path) != 0) first++;
        if (each->change == RENAMED || first->change != CREATED || exists(each->path)) return true;
    }
    return false;
}

void rv_files_snapshot(void) {
    if (!book) book = rv_reserve_shared(ROOM);
    names_saved = names;
}

void rv_files_restore(void) {
    names = names_saved;
    memset(fifos, 0, sizeof fifos);
    if (!book || !book->count) return;
    if (left_changed()) {
        rv.area->control.left_files = 1;
        while (book->count) undo(&book->notes[--book->count]);
    }
    book->count = 0;
    book->used = 0;
}

/* ---- opening ---- */

static uint32_t *opens_of(const struct stat *fifo, bool writing) {
    unsigned i = 0;
    while (i < FIFOS - 1 && fifos[i].inode &&
           (fifos[i].inode != fifo->st_ino || fifos[i].device != fifo->st_dev))
        i++;
    fifos[i].device = fifo->st_dev;
    fifos[i].inode = fifo->st_ino;
    return writing ? &fifos[i].writers : &fifos[i].readers;
}

/* A reader opens at once and waits for a writer to come, or to have come; a writer can only open when a reader has. */
static long open_fifo(int directory, const char *path, int flags, const struct stat *fifo, uintptr_t site) {
    long fd;
    struct rv_io io;
    bool writing = (flags & O_ACCMODE) == O_WRONLY;
    while ((fd = rv_sys4(SYS_openat, directory, (long)path, flags | O_NONBLOCK, 0)) == -ENXIO) {
        int error = rv_io_await_change(&io, RV_OP_FD_OPEN, -1, site);
        if (error) return -error;
    }
    if (rv_sys_failed(fd)) return fd;
    rv_fd_opened((int)fd, RV_FD_PIPE, false, -1);
    ++*opens_of(fifo, writing);
    rv_io_changed();
    while (!writing && !*opens_of(fifo, true)) {
        int error = rv_io_await_change(&io, RV_OP_FD_OPEN, -1, site);
        if (!error) continue;
        (void)rv_fd_closing((int)fd);
        (void)rv_sys_close((int)fd);
        return -error;
    }
    (void)rv_sys_fcntl((int)fd, F_SETFL, flags);
    return fd;
}

long rv_file_open(int directory, const char *path, int flags, unsigned mode, uintptr_t site) {
    note_opening(directory, path, flags);
    struct stat status;
    bool may_wait = !(flags & (O_NONBLOCK | O_PATH | O_DIRECTORY)) && (flags & O_ACCMODE) != O_RDWR;
    if (may_wait && look_at(directory, path, 0, &status) && S_ISFIFO(status.st_mode)) {
        return open_fifo(directory, path, flags, &status, site);
    }
    return rv_sys4(SYS_openat, directory, (long)path, flags, mode);
}

int rv_file_flags(const char *mode) {
    int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (mode[0] == 'w' ? O_TRUNC : O_APPEND);
    for (const char *letter = mode; *letter; letter++) {
        if (*letter == '+') flags = (flags & ~O_ACCMODE) | O_RDWR;
        if (*letter == 'x') flags |= O_EXCL;
        if (*letter == 'e') flags |= O_CLOEXEC;
    }
    return flags;
}

void rv_file_fopen(const char *path, const char *mode) { note_opening(AT_FDCWD, path, rv_file_flags(mode)); }

/* ---- memory that is a file ---- */

static const char *read_number(const char *at, unsigned base, uint64_t *value) {
    for (*value = 0;; at++) {
        unsigned digit = (unsigned char)*at - '0';
        if (digit > 9) digit = *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a') + 10 : 99;
        if (digit >= base) return at;
        *value = *value * base + digit;
    }
}

/* The part of the mapping in this line of /proc/self/maps that goes when the file gets that size; 0: none. */
static uintptr_t lost_part(const char *line, const struct stat *file, uint64_t size) {
    uint64_t start, end, offset, big, small, inode;
    line = read_number(line, 16, &start) + 1;
    line = read_number(line, 16, &end) + 1;
    if (line[3] != 's') return 0;
    line = read_number(line + 5, 16, &offset) + 1;
    line = read_number(line, 16, &big) + 1;
    line = read_number(line, 16, &small) + 1;
    (void)read_number(line, 10, &inode);
    uint64_t first = start + (size > offset ? (size - offset + 4095) & ~(uint64_t)4095 : 0);
    return inode == file->st_ino && first < end ? first : 0;
}

void rv_file_shrinking(int fd, off_t size, uintptr_t site) {
    enum { FEW = 8 };
    struct stat status;
    if (rv.mode != RV_CONTROLLED || rv_sys_failed(rv_sys_fstat(fd, &status)) || size >= status.st_size)
        return;
    long maps = rv_sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (rv_sys_failed(maps)) return;
    uintptr_t lost[FEW];
    unsigned count = 0;
    char text[8192];
    size_t filled = 0;
    for (long got; (got = rv_sys_read((int)maps, text + filled, sizeof text - 1 - filled)) > 0;) {
        filled += (size_t)got;
        text[filled] = '\0';
        size_t from = 0;
        for (size_t i = 0; i < filled && count < FEW; i++) {
            if (text[i] != '\n') continue;
            if ((lost[count] = lost_part(text + from, &status, (uint64_t)size))) count++;
            from = i + 1;
        }
        memmove(text, text + from, filled - from);
        filled -= from;
    }
    (void)rv_sys_close((int)maps);
    while (count) rv_access((void *)lost[--count], 4096, true, site);
}

/* ---- the calls that change names ---- */

/* Announces a change of the file system. */
static struct rv_pending announce(const char *path, uintptr_t site) {
    rv_io_buffer(path, strlen(path) + 1, false, site);
    struct rv_pending pending = RV_PENDING(RV_OP_FD_OPEN, NULL, site);
    (void)rv_schedule(&pending);
    return pending;
}

static int done(const struct rv_pending *pending, long result) {
    rv_done(pending, (uint64_t)result, rv_sys_failed(result) ? RV_EVENT_FAILED : 0);
    return (int)rv_result(result);
}

static int remove_at(int directory, const char *path, int flags, uintptr_t site) {
    struct rv_pending pending = announce(path, site);
    unsigned before = book ? book->count : 0;
    struct stat status;
    if (noting() && !(flags & AT_REMOVEDIR))
        note_removal(directory, path);
    else if (noting() && look_at(directory, path, AT_SYMLINK_NOFOLLOW, &status))
        note(&(struct note){
            .change = REMOVED_DIRECTORY, .path = keep_path(directory, path), .mode = status.st_mode & 07777});
    long result = rv_sys3(SYS_unlinkat, directory, (long)path, flags);
    if (rv_sys_failed(result) && noting()) book->count = before;
    return done(&pending, result);
}

RV_EXPORT int unlink(const char *path) {
    if (rv_passive()) return RV_REAL(unlink)(path);
    return remove_at(AT_FDCWD, path, 0, RV_SITE());
}

RV_EXPORT int unlinkat(int directory, const char *path, int flags) {
    if (rv_passive()) return RV_REAL(unlinkat)(directory, path, flags);
    return remove_at(directory, path, flags, RV_SITE());
}

RV_EXPORT int rmdir(const char *path) {
    if (rv_passive()) return RV_REAL(rmdir)(path);
    return remove_at(AT_FDCWD, path, AT_REMOVEDIR, RV_SITE());
}

RV_EXPORT int remove(const char *path) {
    if (rv_passive()) return RV_REAL(remove)(path);
    struct stat status;
    bool directory = look_at(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &status) && S_ISDIR(status.st_mode);
    return remove_at(AT_FDCWD, path, directory ? AT_REMOVEDIR : 0, RV_SITE());
}

static int rename_at(int from_directory, const char *from, int to_directory, const char *to, unsigned flags,
                     uintptr_t site) {
    struct rv_pending pending = announce(from, site);
    unsigned before = book ? book->count : 0;
    if (noting()) {
        note_removal(to_directory, to);
        note(&(struct note){.change = RENAMED,
                            .path = keep_path(to_directory, to),
                            .other = keep_path(from_directory, from)});
    }
    long result = rv_sys6(SYS_renameat2, from_directory, (long)from, to_directory, (long)to, flags, 0);
    if (rv_sys_failed(result) && noting()) book->count = before;
    return done(&pending, result);
}

RV_EXPORT int rename(const char *from, const char *to) {
    if (rv_passive()) return RV_REAL(rename)(from, to);
    return rename_at(AT_FDCWD, from, AT_FDCWD, to, 0, RV_SITE());
}

RV_EXPORT int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    if (rv_passive()) return RV_REAL(renameat)(from_directory, from, to_directory, to);
    return rename_at(from_directory, from, to_directory, to, 0, RV_SITE());
}

RV_EXPORT int renameat2(int from_directory, const char *from, int to_directory, const char *to,
                        unsigned flags) {
    if (rv_passive()) return RV_REAL(renameat2)(from_directory, from, to_directory, to, flags);
    return rename_at(from_directory, from, to_directory, to, flags, RV_SITE());
}

/* A call that gives a name to something new. */
static int create(enum change change, long number, int directory, const char *path, long a, long b,
                  uintptr_t site) {
    struct rv_pending pending = announce(path, site);
    long result = rv_sys4(number, directory, (long)path, a, b);
    if (!rv_sys_failed(result) && noting())
        note(&(struct note){.change = change, .path = keep_path(directory, path)});
    return done(&pending, result);
}

RV_EXPORT int mkdir(const char *path, mode_t mode) {
    if (rv_passive()) return RV_REAL(mkdir)(path, mode);
    return create(MADE_DIRECTORY, SYS_mkdirat, AT_FDCWD, path, mode, 0, RV_SITE());
}

RV_EXPORT int mkdirat(int directory, const char *path, mode_t mode) {
    if (rv_passive()) return RV_REAL(mkdirat)(directory, path, mode);
    return create(MADE_DIRECTORY, SYS_mkdirat, directory, path, mode, 0, RV_SITE());
}

RV_EXPORT int mkfifo(const char *path, mode_t mode) {
    if (rv_passive()) return RV_REAL(mkfifo)(path, mode);
    return create(CREATED, SYS_mknodat, AT_FDCWD, path, mode | S_IFIFO, 0, RV_SITE());
}

/* Two names: the new one is the second. */
static int link_at(long result, int directory, const char *name, const struct rv_pending *pending) {
    if (!rv_sys_failed(result) && noting()) note_creation(directory, name);
    return done(pending, result);
}

RV_EXPORT int symlink(const char *target, const char *name) {
    if (rv_passive()) return RV_REAL(symlink)(target, name);
    struct rv_pending pending = announce(name, RV_SITE());
    return link_at(rv_sys3(SYS_symlinkat, (long)target, AT_FDCWD, (long)name), AT_FDCWD, name, &pending);
}

RV_EXPORT int link(const char *target, const char *name) {
    if (rv_passive()) return RV_REAL(link)(target, name);
    struct rv_pending pending = announce(name, RV_SITE());
    return link_at(rv_sys6(SYS_linkat, AT_FDCWD, (long)target, AT_FDCWD, (long)name, 0, 0), AT_FDCWD, name,
                   &pending);
}

RV_EXPORT int truncate(const char *path, off_t size) {
    if (rv_passive()) return RV_REAL(truncate)(path, size);
    struct rv_pending pending = announce(path, RV_SITE());
    struct stat status;
    if (noting() && look_at(AT_FDCWD, path, 0, &status)) note_contents(WRITTEN, AT_FDCWD, path, &status);
    return done(&pending, rv_sys2(SYS_truncate, (long)path, size));
}
RV_ALSO(truncate, truncate64);

/* ---- names made up by libc ---- */

/* Six letters for the six X before the suffix. The same in every execution, as long as the name is free; not from the
 * program's random stream, for what other processes have left behind must not move that. */
static void make_letters(char *x, uint32_t name, uint32_t try) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    uint64_t hash = ((uint64_t)try << 32 | name) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
    for (int i = 0; i < 6; i++, hash /= sizeof letters - 1) x[i] = letters[hash % (sizeof letters - 1)];
}

static int make_temporary(char *name, int suffix, int flags, uintptr_t site) {
    size_t length = strlen(name);
    if (suffix < 0 || length < (size_t)suffix + 6) return (int)rv_fail_with(EINVAL);
    char *x = name + length - (size_t)suffix - 6;
    if (memcmp(x, "XXXXXX", 6) != 0) return (int)rv_fail_with(EINVAL);
    rv_access(x, 6, true, site);
    struct rv_pending pending = RV_PENDING(RV_OP_FD_OPEN, NULL, site);
    (void)rv_schedule(&pending);
    long fd = -EEXIST;
    names++;
    for (uint32_t try = 0; fd == -EEXIST && try < 10000; try++) {
        make_letters(x, names, try);
        int all = (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL;
        fd = rv_sys4(SYS_openat, AT_FDCWD, (long)name, all, 0600);
    }
    if (!rv_sys_failed(fd)) {
        if (noting()) note_creation(AT_FDCWD, name);
        rv_fd_opened((int)fd, RV_FD_FILE, false, -1);
    }
    return done(&pending, fd);
}

RV_EXPORT int mkstemp(char *name) {
    if (rv_passive()) return RV_REAL(mkstemp)(name);
    return make_temporary(name, 0, 0, RV_SITE());
}
RV_ALSO(mkstemp, mkstemp64);

RV_EXPORT int mkostemp(char *name, int flags) {
    if (rv_passive()) return RV_REAL(mkostemp)(name, flags);
    return make_temporary(name, 0, flags, RV_SITE());
}
RV_ALSO(mkostemp, mkostemp64);

RV_EXPORT int mkstemps(char *name, int suffix) {
    if (rv_passive()) return RV_REAL(mkstemps)(name, suffix);
    return make_temporary(name, suffix, 0, RV_SITE());
}
RV_ALSO(mkstemps, mkstemps64);
