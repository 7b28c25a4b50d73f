/* Blocking I/O between threads: pipes, sockets, poll, select, epoll, eventfd, timerfd, files. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int to_child[2], pair[2], event;

static void *echo(void *argument) {
    char text[64];
    ssize_t size = read(to_child[0], text, sizeof text);
    if (size > 0 && write(pair[1], text, (size_t)size) == size)
        eventfd_write(event, 3);
    return argument;
}

static void *client(void *argument) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, argument, sizeof(struct sockaddr_in)) == 0 && send(fd, "hello", 5, 0) != 5)
        perror("send");
    close(fd);
    return NULL;
}

int main(void) {
    pthread_t thread;
    char text[64] = "";
    if (pipe(to_child) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || (event = eventfd(0, 0)) < 0)
        return 1;
    pthread_create(&thread, NULL, echo, NULL);
    if (write(to_child[1], "ping", 4) != 4)
        return 1;
    struct pollfd poll_set = {.fd = pair[0], .events = POLLIN};
    printf("poll %d\n", poll(&poll_set, 1, -1));
    printf("read %zd", read(pair[0], text, sizeof text));
    printf(" %.4s\n", text);
    eventfd_t count;
    eventfd_read(event, &count);
    printf("event %d\n", (int)count);
    pthread_join(thread, NULL);
    printf("nothing more: %d\n", poll(&poll_set, 1, 0));

    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&address, &size))
        return 1;
    pthread_create(&thread, NULL, client, &address);
    int connection = accept(listener, NULL, NULL);
    int interest = epoll_create1(0);
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = 77}, got = {0};
    epoll_ctl(interest, EPOLL_CTL_ADD, connection, &wanted);
    printf("epoll %d", epoll_wait(interest, &got, 1, -1));
    printf(" %u\n", got.data.u32);
    printf("recv %d\n", (int)recv(connection, text, sizeof text, MSG_WAITALL));
    pthread_join(thread, NULL);

    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec soon = {.it_value = {0, 5000000}};
    timerfd_settime(timer, 0, &soon, NULL);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(timer, &set);
    printf("select %d\n", select(timer + 1, &set, NULL, NULL, NULL));
    uint64_t expirations = 0;
    if (read(timer, &expirations, sizeof expirations) != sizeof expirations)
        return 1;
    printf("timer %d\n", (int)expirations);
    close(to_child[1]);
    printf("end of file %d\n", (int)read(to_child[0], text, sizeof text));
    FILE *file = tmpfile();
    fprintf(file, "line one\nline two\n");
    rewind(file);
    while (fgets(text, sizeof text, file))
        fputs(text, stdout);
    return fclose(file);
}
