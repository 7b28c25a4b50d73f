/* Servers and clients in one process: a local socket and TCP over loopback, listening since before the threads.
 * One client more connects than is ever accepted: it must not wait in the next execution. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../sync/check.h"

enum { CLIENTS = 2 };

struct service {
    int fd;
    union {
        struct sockaddr any;
        struct sockaddr_un local;
        struct sockaddr_in four;
    } address;
    socklen_t size;
};
static struct service services[2];

static void *serve(void *argument) {
    struct service *service = argument;
    for (int i = 0; i < CLIENTS; i++) {
        int fd = accept4(service->fd, NULL, NULL, SOCK_CLOEXEC);
        CHECK(fd >= 0);
        char byte;
        CHECK(read(fd, &byte, 1) == 1);
        byte++;
        CHECK(write(fd, &byte, 1) == 1);
        CHECK(close(fd) == 0);
    }
    return NULL;
}

static void *ask(void *argument) {
    struct service *service = argument;
    int fd = socket(service->address.any.sa_family, SOCK_STREAM, 0);
    CHECK(fd >= 0 && connect(fd, &service->address.any, service->size) == 0);
    char byte = 'a';
    CHECK(send(fd, &byte, 1, 0) == 1 && recv(fd, &byte, 1, 0) == 1 && byte == 'b');
    CHECK(recv(fd, &byte, 1, 0) == 0);
    return NULL; /* not closed */
}

static void listen_on(struct service *service) {
    service->fd = socket(service->address.any.sa_family, SOCK_STREAM, 0);
    CHECK(service->fd >= 0 && bind(service->fd, &service->address.any, service->size) == 0);
    CHECK(listen(service->fd, 8) == 0);
    CHECK(getsockname(service->fd, &service->address.any, &service->size) == 0);
}

int main(void) {
    services[0].address.local.sun_family = AF_UNIX;
    int length = snprintf(services[0].address.local.sun_path + 1, 90, "ravel-io-%d", (int)getpid());
    services[0].size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    services[1].address.four =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    services[1].size = sizeof services[1].address.four;
    pthread_t servers[2], clients[2][CLIENTS];
    for (int i = 0; i < 2; i++) listen_on(&services[i]);
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&servers[i], NULL, serve, &services[i]) == 0);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < CLIENTS; k++) CHECK(pthread_create(&clients[i][k], NULL, ask, &services[i]) == 0);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < CLIENTS; k++) CHECK(pthread_join(clients[i][k], NULL) == 0);
        CHECK(pthread_join(servers[i], NULL) == 0);
    }
    int extra = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(extra >= 0 && connect(extra, &services[0].address.any, services[0].size) == 0);
    return 0;
}
