/* A server that is to serve two clients, of which one may see the door closed. Outcome: deadlock in accept. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

static int server;
static struct sockaddr_in address = {.sin_family = AF_INET};
static atomic_int busy;

static void *client(void *unused) {
    (void)unused;
    if (atomic_exchange(&busy, 1)) return NULL; /* the bug: takes the other client for itself */
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    (void)connect(fd, (struct sockaddr *)&address, sizeof address);
    close(fd);
    atomic_store(&busy, 0);
    return NULL;
}

int main(void) {
    pthread_t clients[2];
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, (struct sockaddr *)&address, size) || listen(server, 4)) return 1;
    getsockname(server, (struct sockaddr *)&address, &size);
    for (int i = 0; i < 2; i++) pthread_create(&clients[i], NULL, client, NULL);
    for (int i = 0; i < 2; i++) close(accept(server, NULL, NULL));
    for (int i = 0; i < 2; i++) pthread_join(clients[i], NULL);
    return 0;
}
