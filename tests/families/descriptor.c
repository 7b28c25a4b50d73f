/* Descriptors: pipes, socket pairs, event counters, poll. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "family.h"

static int one[2], two[2], counter;
static pthread_t first;

static void put(int fd, char what) {
    if (write(fd, &what, 1) != 1) _exit(8);
}
static number get(int fd) {
    char what = 0;
    ssize_t got = read(fd, &what, 1);
    return got == 1 ? what : got < 0 ? -errno : 0;
}
static void make(void) {
    if (pipe(one) || pipe(two)) _exit(8);
    counter = eventfd(0, 0);
}
static void make_filled(void) {
    make();
    put(one[1], 1);
}
static void make_nonblocking(void) {
    make();
    fcntl(one[0], F_SETFL, O_NONBLOCK);
}
static void make_small(void) { /* room for one page */
    char page[4096] = {0};
    make();
    fcntl(one[1], F_SETPIPE_SZ, 4096);
    if (write(one[1], page, 4096) != 4096) _exit(8);
}
static void make_sockets(void) {
    make();
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, one)) _exit(8);
}

THREAD(puts1) { return put(one[1], 1), 0; }
THREAD(puts2) { return put(one[1], 2), 0; }
THREAD(gets) { return get(one[0]); }
THREAD(gets_twice) { return get(one[0]) * 10 + get(one[0]); }
THREAD(puts_other) { return put(two[1], 5), 0; }
THREAD(closes) { return close(one[1]); }
THREAD(closes_reader) { return close(one[0]); }
THREAD(gets_page) {
    char page[4096];
    return read(one[0], page, sizeof page);
}
THREAD(polls_both) {
    struct pollfd fds[2] = {{.fd = one[0], .events = POLLIN}, {.fd = two[0], .events = POLLIN}};
    number ready = poll(fds, 2, -1);
    return ready * 100 + (fds[0].revents != 0) * 10 + (fds[1].revents != 0);
}
THREAD(polls_timed) {
    struct pollfd fds[2] = {{.fd = two[0], .events = POLLIN}, {.fd = one[0], .events = POLLIN}};
    return poll(fds, 2, 100);
}
THREAD(polls_now) {
    struct pollfd fds[2] = {{.fd = two[0], .events = POLLIN}, {.fd = one[0], .events = POLLIN}};
    return poll(fds, 2, 0);
}
THREAD(counts) { return eventfd_write(counter, 2); }
THREAD(takes_count) {
    eventfd_t value = 0;
    return eventfd_read(counter, &value) ? -errno : (number)value;
}
THREAD(echoes) {
    number got = get(one[1]);
    put(one[1], (char)(got + 1));
    return got;
}
THREAD(asks) {
    put(one[0], 1);
    return get(one[0]);
}
/* One byte for two readers; the second byte comes when the first reader is done with the first. */
static void *takes_first(void *unused) {
    (void)unused;
    return (void *)get(one[0]);
}
THREAD(refills) {
    void *result;
    pthread_join(first, &result);
    put(one[1], 2);
    return (number)result;
}
static void make_refilled(void) {
    make_filled();
    pthread_create(&first, NULL, takes_first, NULL);
}
/* The number that a new descriptor gets depends on what was opened and closed before. */
static int base;
static void make_base(void) {
    make();
    base = dup(0);
    close(base);
}
THREAD(opens) { return open("/dev/null", O_RDONLY) - base; }
THREAD(opens_pipe) {
    int ends[2];
    if (pipe(ends)) _exit(8);
    return (ends[0] - base) * 10 + (ends[1] - base);
}
THREAD(opens_counter) { return eventfd(0, 0) - base; }
THREAD(opens_socket) { return socket(AF_UNIX, SOCK_STREAM, 0) - base; }
THREAD(closes_other) { return close(two[0]); }
THREAD(duplicates_low) { return dup(two[1]) - base; }
THREAD(duplicates) {
    int copy = dup(one[0]);
    number got = get(copy);
    close(copy);
    return got;
}

SCENARIOS(
    {"pipe", "-", make, {puts1, gets}}, {"two_writers", "-", make, {puts1, puts2, gets}},
    {"order", "-", make, {puts1, puts2, gets_twice}}, {"two_readers", "-", make_filled, {gets, gets, puts2}},
    {"refilled", "-", make_refilled, {refills, gets}}, {"starving_reader", "-", make_filled, {gets, gets}},
    {"closed", "-", make_filled, {closes, gets_twice}}, {"nonblocking", "-", make_nonblocking, {gets, puts1}},
    {"full", "-", make_small, {puts1, gets_page}}, {"full_twice", "-", make_small, {puts1, puts2, gets_page}},
    {"poll", "-", make, {polls_both, puts1, puts_other}}, {"poll_timed", "-", make, {polls_timed, puts1}},
    {"poll_strict", "--timing=strict", make, {polls_timed, puts1}},
    {"poll_now", "-", make, {polls_now, puts1, gets}}, {"eventfd", "-", make, {counts, counts, takes_count}},
    {"socketpair", "-", make_sockets, {echoes, asks}}, {"open", "-", make_base, {opens, opens}},
    {"open_pipe", "-", make_base, {opens_pipe, opens}},
    {"open_counter", "-", make_base, {opens_counter, opens_socket}},
    {"open_close", "-", make_base, {closes_other, opens}},
    {"open_duplicate", "-", make_base, {closes_other, duplicates_low}},
    {"duplicate", "-", make, {duplicates, puts1, gets}})
