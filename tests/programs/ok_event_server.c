/* A little server: one epoll loop over the connections of two clients (socketpairs) and an eventfd by which main asks
 * it to stop once both are served. Messages may arrive in pieces: correct. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 2, MESSAGE = 4, STOP = CLIENTS };

static struct server {
    int poll, stop;
    struct connection {
        int client_end, server_end;
        char partial[MESSAGE];
        size_t got;
    } connections[CLIENTS];
    int served; /* by the server thread; main reads it after the join */
} server;

static void watch(struct server *s, int fd, uint32_t number) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = number}};
    assert(epoll_ctl(s->poll, EPOLL_CTL_ADD, fd, &event) == 0);
}

static void server_init(struct server *s) {
    s->poll = epoll_create1(EPOLL_CLOEXEC);
    s->stop = eventfd(0, EFD_CLOEXEC);
    assert(s->poll >= 0 && s->stop >= 0);
    watch(s, s->stop, STOP);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        int ends[2];
        assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        s->connections[i].client_end = ends[0];
        s->connections[i].server_end = ends[1];
        watch(s, ends[1], i);
    }
}

static void send_all(int fd, const char *data, size_t size) {
    while (size) {
        ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
        assert(sent > 0);
        data += sent;
        size -= (size_t)sent;
    }
}

static void serve(struct server *s, struct connection *c) {
    ssize_t count = recv(c->server_end, c->partial + c->got, MESSAGE - c->got, MSG_DONTWAIT);
    assert(count > 0);
    c->got += (size_t)count;
    if (c->got < MESSAGE) return;
    for (size_t i = 0; i < MESSAGE; i++) c->partial[i] = (char)(c->partial[i] - 'a' + 'A');
    send_all(c->server_end, c->partial, MESSAGE);
    c->got = 0;
    s->served++;
}

static void *server_loop(void *arg) {
    struct server *s = arg;
    for (;;) {
        struct epoll_event events[CLIENTS + 1];
        int count = epoll_wait(s->poll, events, CLIENTS + 1, -1);
        assert(count > 0);
        for (int i = 0; i < count; i++) {
            uint64_t requests;
            if (events[i].data.u32 != STOP) {
                serve(s, &s->connections[events[i].data.u32]);
            } else if (read(s->stop, &requests, sizeof requests) == sizeof requests) {
                return NULL;
            }
        }
    }
}

static void *client(void *arg) {
    struct connection *c = arg;
    char reply[MESSAGE];
    send_all(c->client_end, "pi", 2);
    send_all(c->client_end, "ng", 2);
    for (size_t got = 0; got < MESSAGE;) {
        struct pollfd wait = {.fd = c->client_end, .events = POLLIN};
        assert(poll(&wait, 1, -1) == 1 && (wait.revents & POLLIN));
        ssize_t count = read(c->client_end, reply + got, MESSAGE - got);
        assert(count > 0);
        got += (size_t)count;
    }
    assert(memcmp(reply, "PING", MESSAGE) == 0);
    return NULL;
}

int main(void) {
    pthread_t loop, clients[CLIENTS];
    uint64_t one = 1;
    server_init(&server);
    pthread_create(&loop, NULL, server_loop, &server);
    for (int i = 0; i < CLIENTS; i++) pthread_create(&clients[i], NULL, client, &server.connections[i]);
    for (int i = 0; i < CLIENTS; i++) pthread_join(clients[i], NULL);
    assert(write(server.stop, &one, sizeof one) == sizeof one);
    pthread_join(loop, NULL);
    assert(server.served == CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        close(server.connections[i].client_end);
        close(server.connections[i].server_end);
    }
    close(server.stop);
    close(server.poll);
    return 0;
}
