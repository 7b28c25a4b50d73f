/* An event loop over pipes, an event counter and a timer; registrations are made before the threads and changed by them:
 * level- and edge-triggered, one-shot, removed by closing. Each execution must begin with those made before. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../sync/check.h"

enum { BYTES = 4 };
static int loop, level[2], edge[2], once, timer;

static void add(int fd, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    CHECK(epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) == 0);
}

static void *feed(void *unused) {
    (void)unused;
    for (int i = 0; i < BYTES; i++) {
        CHECK(write(level[1], "l", 1) == 1);
        CHECK(write(edge[1], "e", 1) == 1);
    }
    CHECK(eventfd_write(once, 1) == 0);
    return NULL;
}

static int drain(int fd) {
    char buffer[8];
    int total = 0;
    for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) total += (int)got;
    CHECK(errno == EAGAIN);
    return total;
}

int main(void) {
    pthread_t thread;
    loop = epoll_create1(EPOLL_CLOEXEC);
    once = eventfd(0, 0);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    CHECK(loop >= 0 && once >= 0 && timer >= 0 && pipe(level) == 0 && pipe2(edge, O_NONBLOCK) == 0);
    add(level[0], EPOLLIN);
    add(edge[0], EPOLLIN | EPOLLET);
    add(once, EPOLLIN | EPOLLONESHOT);
    add(timer, EPOLLIN);
    CHECK(pthread_create(&thread, NULL, feed, NULL) == 0);
    struct itimerspec times = {.it_value = {.tv_nsec = 5000000}, .it_interval = {.tv_nsec = 1000000}};
    CHECK(timerfd_settime(timer, 0, &times, NULL) == 0);
    int levels = 0, edges = 0, onces = 0;
    uint64_t expiries = 0;
    while (levels < BYTES || edges < BYTES || !onces || !expiries) {
        struct epoll_event events[4];
        int count = epoll_wait(loop, events, 4, -1);
        CHECK(count > 0);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            char byte;
            uint64_t value;
            if (fd == level[0])
                levels += (int)read(fd, &byte, 1);
            else if (fd == edge[0])
                edges += drain(fd);
            else if (fd == once)
                onces++; /* not read: reported once all the same */
            else if (read(timer, &value, sizeof value) == sizeof value)
                expiries += value;
        }
    }
    CHECK(levels == BYTES && edges == BYTES && onces == 1);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(epoll_ctl(loop, EPOLL_CTL_DEL, timer, NULL) == 0);
    CHECK(close(edge[0]) == 0 && close(level[0]) == 0);
    struct epoll_event event;
    CHECK(epoll_wait(loop, &event, 1, 0) == 0);
    CHECK(epoll_wait(loop, &event, 1, 10) == 0);
    return 0;
}
