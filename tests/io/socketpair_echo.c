/* An echo server over a stream pair, ended by shutdown; and datagrams, which keep their borders. A descriptor is
 * passed along. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../sync/check.h"

static int stream[2], packets[2], passed[2];

static void *echo(void *unused) {
    (void)unused;
    char buffer[16];
    for (ssize_t got; (got = recv(stream[1], buffer, sizeof buffer, 0)) != 0;) {
        CHECK(got > 0);
        CHECK(send(stream[1], buffer, (size_t)got, MSG_NOSIGNAL) == got);
    }
    CHECK(shutdown(stream[1], SHUT_WR) == 0);
    return NULL;
}

static void *receive_packets(void *unused) {
    (void)unused;
    char buffer[16];
    CHECK(recv(packets[1], buffer, sizeof buffer, 0) == 3 && !memcmp(buffer, "one", 3));
    CHECK(read(packets[1], buffer, sizeof buffer) == 5 && !memcmp(buffer, "seven", 5));
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {buffer, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    CHECK(recvmsg(packets[1], &message, 0) == 1);
    int fd;
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    CHECK(read(fd, buffer, sizeof buffer) == 4 && !memcmp(buffer, "pipe", 4));
    return NULL; /* fd is left open: the execution takes it away */
}

static void pass(int fd) {
    char control[CMSG_SPACE(sizeof fd)] = {0}, byte = 'x';
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header =
        (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    CHECK(sendmsg(packets[0], &message, 0) == 1);
}

int main(void) {
    pthread_t threads[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, stream) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, packets) == 0 && pipe(passed) == 0);
    CHECK(pthread_create(&threads[0], NULL, echo, NULL) == 0);
    CHECK(pthread_create(&threads[1], NULL, receive_packets, NULL) == 0);
    char buffer[16];
    CHECK(recv(stream[0], buffer, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    CHECK(send(stream[0], "hello", 5, 0) == 5);
    CHECK(recv(stream[0], buffer, 5, MSG_WAITALL) == 5 && !memcmp(buffer, "hello", 5));
    CHECK(send(packets[0], "one", 3, 0) == 3 && write(packets[0], "seven", 5) == 5);
    CHECK(write(passed[1], "pipe", 4) == 4);
    pass(passed[0]);
    CHECK(shutdown(stream[0], SHUT_WR) == 0);
    CHECK(recv(stream[0], buffer, sizeof buffer, 0) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(close(stream[0]) == 0 && close(packets[0]) == 0);
    return 0;
}
