/* Bringing the open files of the snapshot back; saved.c has the table of what is done for which.
 *
 * Order: first every number of the snapshot that was closed or taken over is occupied again, with our hidden copy or,
 * if its object is made anew, with a placeholder, so that nothing made here lands on it. Then the objects.
 */
#include <fcntl.h>
#include <unistd.h>

#include "runtime/hooks/saved.h"

bool rv_saved_later;

static void place(int from, const struct rv_saved_descriptor *to) {
    RV_INVARIANT(from != to->fd);
    (void)rv_sys_dup3(from, to->fd, to->fd_flags & FD_CLOEXEC ? O_CLOEXEC : 0);
}

static bool occupy_numbers(void) {
    bool any = false;
    for (int i = 0; i < rv_saved_descriptor_count; i++) {
        struct rv_saved_descriptor *descriptor = &rv_saved_descriptors[i];
        if (!descriptor->gone) continue;
        int from = descriptor->hidden >= 0 ? descriptor->hidden : rv_fd_null();
        place(from, descriptor);
        descriptor->gone = false;
        any = true;
        rv_epoll_remade(descriptor->fd);
    }
    return any;
}

/* Puts `from` on every descriptor of the snapshot that stands for this end of the object, and closes it. */
static void place_all(int from, int object, int end) {
    for (int i = 0; i < rv_saved_descriptor_count; i++) {
        const struct rv_saved_descriptor *descriptor = &rv_saved_descriptors[i];
        if (descriptor->object != object || descriptor->end != end) continue;
        place(from, descriptor);
        rv_epoll_remade(descriptor->fd);
    }
    (void)rv_sys_close(from);
}

static void drain(int fd, int count) {
    char waste[4096];
    while (count > 0) {
        long got = rv_sys_read(fd, waste, (size_t)count < sizeof waste ? (size_t)count : sizeof waste);
        if (got <= 0) return;
        count -= (int)got;
    }
}

static void remake_pipe(struct rv_saved_object *object, int number) {
    int ends[2];
    if (rv_sys_failed(rv_sys2(SYS_pipe2, (long)ends, O_CLOEXEC))) return;
    if (object->capacity > 0 && object->capacity != 65536) {
        (void)rv_sys_fcntl(ends[1], F_SETPIPE_SZ, object->capacity);
    }
    if (object->size) (void)rv_sys_write(ends[1], object->contents, object->size);
    for (int end = 0; end < 2; end++) {
        if (object->fd[end] >= 0 && (object->flags[end] & ~O_ACCMODE)) {
            (void)rv_sys_fcntl(ends[end], F_SETFL, object->flags[end]);
        }
    }
    for (int end = 0; end < 2; end++) place_all(ends[end], number, end);
}

static void refill_pipe(const struct rv_saved_object *object) {
    int count = rv_saved_available(object->fd[0]);
    if (count == 0 && object->size == 0) return;
    drain(object->fd[0], count);
    if (object->size) (void)rv_sys_write(object->fd[1], object->contents, object->size);
}

static void revive_pipe(struct rv_saved_object *object, int number) {
    if (!object->internal) return;
    bool whole = object->fd[0] >= 0 && object->fd[1] >= 0;
    bool resized = object->reflagged && rv_sys_fcntl(object->fd[whole ? 0 : object->fd[0] < 0], F_GETPIPE_SZ,
                                                     0) != object->capacity;
    if (object->remake || resized || !whole)
        remake_pipe(object, number);
    else if (object->touched)
        refill_pipe(object);
}

static void remake_pair(struct rv_saved_object *object, int number) {
    int ends[2];
    if (rv_sys_failed(rv_sys4(SYS_socketpair, object->domain, object->type | SOCK_CLOEXEC, object->protocol,
                              (long)ends)))
        return;
    struct rv_saved_object *peer = object->peer ? &rv_saved_objects[object->peer] : NULL;
    rv_saved_put_options(object, ends[0]);
    if (peer) rv_saved_put_options(peer, ends[1]);
    if (object->size) (void)rv_sys_write(ends[1], object->contents, object->size);
    if (peer && peer->size) (void)rv_sys_write(ends[0], peer->contents, peer->size);
    if (object->flags[0] & O_NONBLOCK) (void)rv_sys_fcntl(ends[0], F_SETFL, object->flags[0]);
    if (peer && (peer->flags[0] & O_NONBLOCK)) (void)rv_sys_fcntl(ends[1], F_SETFL, peer->flags[0]);
    place_all(ends[0], number, 0);
    if (peer)
        place_all(ends[1], object->peer, 0);
    else
        (void)rv_sys_close(ends[1]);
    object->remake = object->touched = object->reflagged = false;
    if (peer) peer->remake = peer->touched = peer->reflagged = false;
}

static void remake_socket(struct rv_saved_object *object, int number) {
    int type = object->type | SOCK_CLOEXEC | (object->flags[0] & O_NONBLOCK ? SOCK_NONBLOCK : 0);
    long fd = rv_sys3(SYS_socket, object->domain, type, object->protocol);
    if (rv_sys_failed(fd)) return;
    rv_saved_put_options(object, (int)fd);
    place_all((int)fd, number, 0);
}

/* Takes everything out of a socket: bytes, datagrams, or connections that nobody has accepted. */
static void empty_socket(const struct rv_saved_object *object) {
    char waste[4096];
    struct pollfd one = {.fd = object->fd[0], .events = POLLIN};
    while (rv_poll_now(&one, 1) == 1 && (one.revents & POLLIN)) {
        if (object->listening) {
            long fd = rv_sys4(SYS_accept4, one.fd, 0, 0, SOCK_CLOEXEC);
            if (rv_sys_failed(fd)) return;
            (void)rv_sys_close((int)fd);
            continue;
        }
        long got = rv_sys6(SYS_recvfrom, one.fd, (long)waste, sizeof waste, MSG_DONTWAIT, 0, 0);
        if (rv_sys_failed(got) || (got == 0 && object->type == SOCK_STREAM)) return;
    }
}

static void revive_socket(struct rv_saved_object *object, int number) {
    const struct rv_saved_object *peer = object->peer ? &rv_saved_objects[object->peer] : NULL;
    bool anew = object->remake || (peer && peer->remake) || (object->remakeable && object->reflagged);
    if (anew && object->remakeable) {
        if (object->pair)
            remake_pair(object, number);
        else
            remake_socket(object, number);
        return;
    }
    bool sent_to_us = object->touched || (peer && peer->touched);
    if (!sent_to_us) return;
    empty_socket(object);
    if (object->size && peer) (void)rv_sys_write(peer->fd[0], object->contents, object->size);
}

static void revive_eventfd(const struct rv_saved_object *object) {
    uint64_t value;
    struct pollfd one = {.fd = object->fd[0], .events = POLLIN};
    while (rv_poll_now(&one, 1) == 1 && rv_sys_read(one.fd, &value, sizeof value) > 0) continue;
    if (object->counter) (void)rv_sys_write(one.fd, &object->counter, sizeof object->counter);
}

static void put_contents(struct rv_saved_object *object) {
    int fd = object->fd[0], flags = object->flags[0];
    if (flags & O_APPEND) (void)rv_sys_fcntl(fd, F_SETFL, flags & ~O_APPEND);
    (void)rv_sys2(SYS_ftruncate, fd, (long)object->size);
    if (object->size) (void)rv_sys_pwrite(fd, object->contents, object->size, 0);
    if (flags & O_APPEND) (void)rv_sys_fcntl(fd, F_SETFL, flags);
}

/* Contents come back when the next execution first looks at a descriptor, so that the last one of all leaves its
 * result with the user. Not so if the file has become smaller: it may be mapped, and memory is restored next. */
static void revive_file(struct rv_saved_object *object) {
    if (object->output) return;
    struct stat status;
    if (object->rewritten && object->size != SIZE_MAX) {
        bool smaller =
            rv_sys_failed(rv_sys_fstat(object->fd[0], &status)) || (size_t)status.st_size < object->size;
        if (smaller || object->internal)
            put_contents(object);
        else
            object->later = rv_saved_later = true;
    } else if (object->watched >= 0 && !rv_sys_failed(rv_sys_fstat(object->fd[0], &status))) {
        if (status.st_size > object->watched) (void)rv_sys2(SYS_ftruncate, object->fd[0], object->watched);
    }
    if (object->offset >= 0) (void)rv_sys_lseek(object->fd[0], object->offset, SEEK_SET);
}

void rv_revive_later(void) {
    rv_saved_later = false;
    for (int i = 1; i <= rv_saved_object_count; i++) {
        struct rv_saved_object *object = &rv_saved_objects[i];
        if (object->later) put_contents(object);
        object->later = false;
    }
}

static void revive_flags(const struct rv_saved_object *object, int number) {
    for (int end = 0; end < 2; end++) {
        if (object->fd[end] >= 0) (void)rv_sys_fcntl(object->fd[end], F_SETFL, object->flags[end]);
    }
    for (int i = 0; i < rv_saved_descriptor_count; i++) {
        const struct rv_saved_descriptor *descriptor = &rv_saved_descriptors[i];
        if (descriptor->object == number) (void)rv_sys_fcntl(descriptor->fd, F_SETFD, descriptor->fd_flags);
    }
}

static void revive(struct rv_saved_object *object, int number) {
    if (object->reflagged) revive_flags(object, number);
    switch (object->kind) {
    case RV_FD_PIPE: revive_pipe(object, number); break;
    case RV_FD_SOCKET: revive_socket(object, number); break;
    case RV_FD_EVENT:
    case RV_FD_TIMER: revive_eventfd(object); break;
    case RV_FD_FILE: revive_file(object); break;
    default: break; /* epoll, timers and signals have files of their own; the rest is outside */
    }
}

static bool marked(const struct rv_saved_object *object) {
    return object->touched || object->remake || object->reflagged;
}

void rv_revive_all(void) {
    if (occupy_numbers()) rv_output_again();
    for (int i = 1; i <= rv_saved_object_count; i++) {
        struct rv_saved_object *object = &rv_saved_objects[i];
        bool peer_marked = object->peer && marked(&rv_saved_objects[object->peer]);
        if (marked(object) || peer_marked) revive(object, i);
    }
    for (int i = 1; i <= rv_saved_object_count; i++) {
        struct rv_saved_object *object = &rv_saved_objects[i];
        object->touched = object->rewritten = object->remake = object->reflagged = false;
    }
}
