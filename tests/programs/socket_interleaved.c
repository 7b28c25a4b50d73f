/* Two clients share one socket; a message is a header and a body, written by two calls without a lock around them.
 *
 * Bug (assert in receive): client 2's header comes between header and body of client 1.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 2 };

static int ends[2];

static void send_all(int fd, const char *data, size_t size) {
    while (size) {
        ssize_t sent = write(fd, data, size);
        if (sent <= 0) return;
        data += sent;
        size -= (size_t)sent;
    }
}

static void send_message(int fd, char from) {
    char header[2] = {'H', from}, body[2] = {'B', from};
    send_all(fd, header, sizeof header);
    send_all(fd, body, sizeof body);
}

static void *client(void *name) {
    send_message(ends[0], *(char *)name);
    return NULL;
}

static void receive_part(int fd, char part[2]) {
    for (size_t got = 0; got < 2;) {
        ssize_t count = read(fd, part + got, 2 - got);
        if (count <= 0) return;
        got += (size_t)count;
    }
}

static void receive(int fd) {
    char header[2] = {0}, body[2] = {0};
    receive_part(fd, header);
    receive_part(fd, body);
    assert(header[0] == 'H' && body[0] == 'B' && header[1] == body[1]);
}

int main(void) {
    pthread_t clients[CLIENTS];
    char names[CLIENTS] = {'1', '2'};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    for (int i = 0; i < CLIENTS; i++) pthread_create(&clients[i], NULL, client, &names[i]);
    for (int i = 0; i < CLIENTS; i++) receive(ends[1]);
    for (int i = 0; i < CLIENTS; i++) pthread_join(clients[i], NULL);
    close(ends[0]);
    close(ends[1]);
    puts("received");
    return 0;
}
