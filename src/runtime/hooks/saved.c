/* The open files of the snapshot: what is saved of each, and how it is brought back after an execution.
 *
 *   object                  | its state                | changed by the execution     | closed by the execution
 *   regular file            | offset, flags; contents  | put back (contents up to     | a hidden copy of the
 *                           | at the first write       | SMALL bytes)                 | descriptor is kept
 *   pipe, socketpair, both  | bytes in it, capacity,   | emptied and refilled         | made anew: a hidden copy
 *   ends in this process    | flags, some options      |                              | would keep the end open, and
 *                           |                          |                              | its reader would see no end
 *   eventfd                 | counter                  | set                          | hidden copy
 *   listening socket        | nothing                  | waiting connections dropped  | hidden copy
 *   fresh socket            | its kind                 | made anew                    | made anew
 *   epoll                   | registrations: epoll.c   |                              | hidden copy
 *   anything else           | nothing: the outside has it; what was read is gone, which rv_note says
 *
 * A saved object is an open file (a pipe: both ends); several descriptors may stand for it. The same work makes
 * the descriptors of a forked execution its own (rv_saved_forked): its parent holds every pipe open, too.
 */
#include <fcntl.h>
#include <sys/ioctl.h>

#include "runtime/hooks/saved.h"
#include "runtime/reserve.h"

struct rv_saved_object *rv_saved_objects;
int rv_saved_object_count;
struct rv_saved_descriptor *rv_saved_descriptors;
int rv_saved_descriptor_count;
static int object_room, saved_room;
static bool dirty;
static bool watching; /* there are files that libc may write to from inside, at exit for instance */
#define objects      rv_saved_objects
#define object_count rv_saved_object_count
#define saved        rv_saved_descriptors
#define saved_count  rv_saved_descriptor_count

bool rv_saved_dirty(void) {
    for (int i = 1; watching && i <= object_count; i++) {
        struct rv_saved_object *object = &objects[i];
        if (object->watched < 0 || object->touched) continue;
        if (rv_sys_lseek(object->fd[0], 0, SEEK_CUR) != object->offset) rv_saved_touch(i);
    }
    return dirty;
}

void rv_saved_each(void (*keep)(int fd, void *data), void *data) {
    for (int i = 0; i < saved_count; i++) keep(saved[i].fd, data);
}

void *rv_saved_memory(size_t size) { return rv_reserve(size ? size : 1); }

/* ---- saving ---- */

static const struct {
    int level, name;
    bool doubled; /* the kernel answers twice what was set */
} options[RV_SAVED_OPTIONS] = {
    {SOL_SOCKET, SO_SNDBUF, true},     {SOL_SOCKET, SO_RCVBUF, true},    {SOL_SOCKET, SO_RCVTIMEO, false},
    {SOL_SOCKET, SO_SNDTIMEO, false},  {SOL_SOCKET, SO_PASSCRED, false}, {SOL_SOCKET, SO_REUSEADDR, false},
    {SOL_SOCKET, SO_KEEPALIVE, false},
};

static int socket_number(int fd, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    (void)rv_sys6(SYS_getsockopt, fd, SOL_SOCKET, name, (long)&value, (long)&size, 0);
    return value;
}

int rv_saved_available(int fd) {
    int count = 0;
    return rv_sys_failed(rv_sys_ioctl(fd, FIONREAD, &count)) ? 0 : count;
}

static void save_options(struct rv_saved_object *object, int fd) {
    for (int i = 0; i < RV_SAVED_OPTIONS; i++) {
        struct rv_saved_option *option = &object->options[i];
        option->size = sizeof option->value;
        option->known = !rv_sys_failed(rv_sys6(SYS_getsockopt, fd, options[i].level, options[i].name,
                                               (long)&option->value, (long)&option->size, 0));
        if (option->known && options[i].doubled) option->value.number /= 2;
    }
}

void rv_saved_put_options(const struct rv_saved_object *object, int fd) {
    for (int i = 0; i < RV_SAVED_OPTIONS; i++) {
        const struct rv_saved_option *option = &object->options[i];
        if (!option->known) continue;
        (void)rv_sys6(SYS_setsockopt, fd, options[i].level, options[i].name, (long)&option->value,
                      option->size, 0);
    }
}

static void save_socket(struct rv_saved_object *object, int fd) {
    object->domain = socket_number(fd, SO_DOMAIN);
    object->type = socket_number(fd, SO_TYPE);
    object->protocol = socket_number(fd, SO_PROTOCOL);
    object->listening = socket_number(fd, SO_ACCEPTCONN);
    save_options(object, fd);
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    bool connected = !rv_sys_failed(rv_sys3(SYS_getpeername, fd, (long)&name, (long)&size));
    size = sizeof name;
    memset(&name, 0, sizeof name);
    (void)rv_sys3(SYS_getsockname, fd, (long)&name, (long)&size);
    bool named = false; /* anything beyond the family */
    for (size_t i = sizeof(sa_family_t); i < size && i < sizeof name; i++)
        named |= ((const char *)&name)[i] != 0;
    object->pair = rv_descriptor(fd)->peer != 0;
    object->remakeable = object->pair || (!named && !connected && !object->listening);
    int count = object->listening ? 0 : rv_saved_available(fd);
    if (count <= 0) return;
    object->contents = rv_saved_memory((size_t)count);
    if (!object->contents || object->type != SOCK_STREAM) {
        rv_note("datagrams wait in a socket when the first thread starts: only one execution gets them");
        return;
    }
    long got = rv_sys6(SYS_recvfrom, fd, (long)object->contents, count, MSG_PEEK | MSG_DONTWAIT, 0, 0);
    object->size = rv_sys_failed(got) ? 0 : (size_t)got;
}

/* Copies what is in the pipe without taking it out. */
static void save_pipe_contents(struct rv_saved_object *object, int fd) {
    int count = rv_saved_available(fd), ends[2];
    if (count <= 0 || rv_sys_failed(rv_sys2(SYS_pipe2, (long)ends, O_CLOEXEC | O_NONBLOCK))) return;
    if (object->capacity > 0) (void)rv_sys_fcntl(ends[1], F_SETPIPE_SZ, object->capacity);
    object->contents = rv_saved_memory((size_t)count);
    long copied = rv_sys4(SYS_tee, fd, ends[1], count, 2 /* SPLICE_F_NONBLOCK */);
    long got = copied > 0 && object->contents ? rv_sys_read(ends[0], object->contents, (size_t)copied) : 0;
    object->size = got > 0 ? (size_t)got : 0;
    (void)rv_sys_close(ends[0]);
    (void)rv_sys_close(ends[1]);
}

/* The counter, from the kernel's description: reading it would change it. */
static uint64_t eventfd_counter(int fd) {
    char path[48] = "/proc/self/fdinfo/", text[512];
    rv_text_number(path + strlen(path), fd);
    long info = rv_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (rv_sys_failed(info)) return 0;
    long size = rv_sys_read((int)info, text, sizeof text - 1);
    (void)rv_sys_close((int)info);
    static const char key[] = "eventfd-count:";
    uint64_t value = 0;
    for (long i = 0; i + (long)sizeof key <= size; i++) {
        if (memcmp(text + i, key, sizeof key - 1) != 0) continue;
        for (i += (long)sizeof key - 1; i < size && text[i] == ' '; i++) continue;
        for (; i < size && text[i] != '\n'; i++) {
            char digit = text[i];
            value = value * 16 + (uint64_t)(digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
        }
    }
    return value;
}

static int find_object(const struct stat *status, enum rv_fd_kind kind) {
    if (kind != RV_FD_PIPE && kind != RV_FD_SOCKET) return 0; /* an offset of its own, for all we know */
    for (int i = 1; i <= object_count; i++) {
        if (objects[i].device == status->st_dev && objects[i].inode == status->st_ino) return i;
    }
    return 0;
}

static void save_state(struct rv_saved_object *object, int fd, int end) {
    object->flags[end] = (int)rv_sys_fcntl(fd, F_GETFL, 0);
    object->fd[end] = fd;
    switch (object->kind) {
    case RV_FD_PIPE:
        object->capacity = (int)rv_sys_fcntl(fd, F_GETPIPE_SZ, 0);
        object->remakeable = object->internal;
        if (end == 0 && object->internal) save_pipe_contents(object, fd);
        break;
    case RV_FD_SOCKET: save_socket(object, fd); break;
    case RV_FD_EVENT:
    case RV_FD_TIMER: object->counter = eventfd_counter(fd); break;
    case RV_FD_FILE: {
        long offset = rv_sys_lseek(fd, 0, SEEK_CUR);
        object->offset = rv_sys_failed(offset) ? -1 : offset;
        break;
    }
    default: break;
    }
}

static void save_descriptor(int fd) {
    struct stat status;
    if (rv_fd_hidden(fd) || rv_sys_failed(rv_sys_fstat(fd, &status))) return;
    enum rv_fd_kind kind = rv_fd_kind_of(fd);
    struct rv_descriptor *descriptor = rv_descriptor(fd);
    if (!descriptor || saved_count == saved_room || object_count + 1 == object_room) return;
    if (!descriptor->known) rv_fd_opened(fd, kind, false, -1);
    long flags = rv_sys_fcntl(fd, F_GETFL, 0);
    int end = kind == RV_FD_PIPE && (flags & O_ACCMODE) != O_RDONLY;
    int number = find_object(&status, kind);
    bool seen = number && objects[number].fd[end] >= 0;
    if (!number) {
        number = ++object_count;
        objects[number] = (struct rv_saved_object){.kind = kind,
                                                   .device = status.st_dev,
                                                   .inode = status.st_ino,
                                                   .internal = descriptor->internal,
                                                   .fd = {-1, -1},
                                                   .offset = -1,
                                                   .watched = -1};
    }
    if (!seen) save_state(&objects[number], fd, end);
    objects[number].output = rv_output_is(&status);
    bool writable = kind == RV_FD_FILE && S_ISREG(status.st_mode) && (flags & O_ACCMODE) != O_RDONLY;
    if (writable && !objects[number].output) objects[number].watched = status.st_size;
    watching |= objects[number].watched >= 0;
    descriptor->object = number;
    saved[saved_count++] = (struct rv_saved_descriptor){
        .fd = fd, .object = number, .end = end, .hidden = -1, .fd_flags = (int)rv_sys_fcntl(fd, F_GETFD, 0)};
}

/* Calls save_descriptor for every open one; returns how many there are. `save` false: only counts. */
static int each_open(bool save) {
    struct entry {
        uint64_t inode;
        int64_t offset;
        uint16_t size;
        uint8_t type;
        char name[];
    };
    long directory = rv_sys_open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    int count = 0;
    if (rv_sys_failed(directory)) {
        for (int fd = 0; fd < 1024; fd++) {
            if (rv_sys_failed(rv_sys_fcntl(fd, F_GETFD, 0))) continue;
            count++;
            if (save) save_descriptor(fd);
        }
        return count;
    }
    _Alignas(8) char buffer[2048];
    for (;;) {
        long size = rv_sys3(SYS_getdents64, directory, (long)buffer, sizeof buffer);
        if (size <= 0) break;
        for (long at = 0; at < size;) {
            const struct entry *entry = (const struct entry *)(buffer + at);
            at += entry->size;
            int fd = 0;
            if (entry->name[0] == '.') continue;
            for (const char *digit = entry->name; *digit; digit++) fd = fd * 10 + (*digit - '0');
            if (fd == directory) continue;
            count++;
            if (save) save_descriptor(fd);
        }
    }
    (void)rv_sys_close((int)directory);
    return count;
}

/* Both ends of a socketpair have the same channel. */
static void link_peers(void) {
    for (int i = 0; i < saved_count; i++) {
        for (int j = 0; j < saved_count; j++) {
            int mine = saved[i].object, other = saved[j].object;
            if (mine == other || !objects[mine].pair || !objects[other].pair) continue;
            if (rv_fd_object(saved[i].fd) == rv_fd_object(saved[j].fd)) objects[mine].peer = other;
        }
    }
}

static void drop_snapshot(void) {
    for (int i = 0; i < saved_count; i++) {
        if (saved[i].hidden >= 0) rv_fd_close_hidden(saved[i].hidden);
    }
    saved_count = object_count = 0;
}

void rv_saved_snapshot(void) {
    drop_snapshot();
    watching = false;
    int room = each_open(false) + 8;
    if (room > saved_room) { /* taken again with more open: the old tables stay unused */
        saved_room = room;
        object_room = room + 1;
        objects = rv_saved_memory((size_t)object_room * sizeof *objects);
        saved = rv_saved_memory((size_t)saved_room * sizeof *saved);
    }
    RV_INVARIANT(objects && saved);
    (void)each_open(true); /* the kernel lists them in ascending order */
    for (int i = 1; i < saved_count; i++) RV_INVARIANT(saved[i - 1].fd < saved[i].fd);
    link_peers();
    dirty = false;
}

/* ---- what the execution does ---- */

void rv_saved_touch(int object) { dirty = objects[object].touched = true; }
void rv_saved_flags(int object) { dirty = objects[object].reflagged = true; }

void rv_saved_remake(int object) {
    dirty = objects[object].remake = true;
    if (objects[object].remakeable) return;
    rv_note("the program changes a socket that it made before its first thread (bind, connect, shutdown): "
            "later executions begin with it changed");
}

/* Keeps the contents of a file; size SIZE_MAX: they could not be kept. */
static void save_file(struct rv_saved_object *object, int fd, const struct stat *status) {
    object->file_saved = true;
    object->size = SIZE_MAX;
    if (status->st_size > RV_SAVED_SMALL) {
        rv_note(
            "a file of more than %d MiB that was open before the first thread is written: its contents are not "
            "put back between executions",
            RV_SAVED_SMALL >> 20);
        return;
    }
    char path[40] = "/proc/self/fd/"; /* the descriptor itself may be for writing only */
    rv_text_number(path + strlen(path), fd);
    long again = rv_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    object->contents = rv_saved_memory((size_t)status->st_size);
    if (!rv_sys_failed(again) && object->contents) {
        long got = rv_sys_pread((int)again, object->contents, (size_t)status->st_size, 0);
        if (!rv_sys_failed(got)) object->size = (size_t)got;
    }
    if (!rv_sys_failed(again)) (void)rv_sys_close((int)again);
    if (object->size == SIZE_MAX)
        rv_note("a file that cannot be read is written: its contents are not put back between executions");
}

/* Another descriptor of the snapshot has kept the contents before this execution changed them. */
static bool kept_by_another(const struct rv_saved_object *object) {
    for (int i = 1; i <= object_count; i++) {
        const struct rv_saved_object *other = &objects[i];
        bool same =
            other->device == object->device && other->inode == object->inode && other->kind == RV_FD_FILE;
        if (other != object && same && other->rewritten) return true;
    }
    return false;
}

void rv_saved_writing(int number, int fd) {
    struct rv_saved_object *object = &objects[number];
    rv_saved_touch(number);
    if (object->kind != RV_FD_FILE || object->rewritten || object->output) return;
    struct stat status;
    if (rv_sys_failed(rv_sys_fstat(fd, &status)) || !S_ISREG(status.st_mode) || kept_by_another(object))
        return;
    object->rewritten = true;
    if (!object->file_saved) save_file(object, fd, &status);
}

bool rv_saved_closing(int fd, int object) {
    for (int i = 0; i < saved_count; i++) {
        struct rv_saved_descriptor *descriptor = &saved[i];
        if (descriptor->fd != fd || descriptor->gone) continue;
        dirty = descriptor->gone = true;
        objects[object].remake |= objects[object].remakeable;
        if (objects[object].remakeable) return false;
        if (descriptor->hidden < 0) descriptor->hidden = rv_fd_copy_hidden(fd);
        return true;
    }
    return false; /* a duplicate that the execution made */
}

void rv_saved_restore(void) {
    rv_revive_all();
    dirty = false;
}

void rv_saved_share(void) {
    for (int i = 0; i < saved_count; i++) {
        struct rv_saved_object *object = &objects[saved[i].object];
        struct stat status;
        bool writable =
            object->kind == RV_FD_FILE && !object->output && (object->flags[0] & O_ACCMODE) != O_RDONLY;
        if (!writable || object->file_saved || rv_sys_failed(rv_sys_fstat(saved[i].fd, &status))) continue;
        if (S_ISREG(status.st_mode)) save_file(object, saved[i].fd, &status);
    }
}

void rv_saved_forked(void) {
    for (int i = 1; i <= object_count; i++) {
        objects[i].touched = true;
        objects[i].rewritten = objects[i].file_saved;
        objects[i].remake = objects[i].remakeable && objects[i].internal;
    }
    rv_saved_restore();
    if (rv_saved_later) rv_revive_later();
}
