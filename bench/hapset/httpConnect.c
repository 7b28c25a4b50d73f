/* An HTTP connection asks the socket thread to connect, and is told when that is done.
 *
 * Original: Mozilla, nsHttpConnection; the paper gives the kind (order violation) only. Reconstructed: the request to
 * connect is posted before the connection has stored its transport, and the notification comes back too early.
 *
 * Bug (assert in on_connected; order): the connecting thread posts its request and is preempted before it stores the
 * transport; the socket thread connects and notifies; the notification is about a transport that is not the
 * connection's.
 *
 * Parameters: CONNECTIONS (1 to 8; default 2), ROUNDS of unrelated work (default 1).
 */
#include "subject.h"
#include <assert.h>

enum { MAX_CONNECTIONS = 8, MAX_ROUNDS = 20 };

struct connection {
    atomic_int transport; /* its number, 0 before connection_open() */
    int connected;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    struct connection *requests[MAX_CONNECTIONS];
    int first, end;
} sockets = {.lock = PTHREAD_MUTEX_INITIALIZER, .posted = PTHREAD_COND_INITIALIZER};

static struct connection connections[MAX_CONNECTIONS];
static int count, rounds;

static int transport_connect(struct connection *c) {
    pthread_mutex_lock(&sockets.lock);
    sockets.requests[sockets.end++] = c;
    int transport = sockets.end;
    pthread_cond_signal(&sockets.posted);
    pthread_mutex_unlock(&sockets.lock);
    return transport;
}

static void on_connected(struct connection *c, int transport) {
    assert(atomic_load(&c->transport) == transport && "the transport is known to its connection");
    c->connected = 1;
}

static void *socket_thread(void *unused) {
    (void)unused;
    for (int i = 0; i < count; i++) {
        pthread_mutex_lock(&sockets.lock);
        while (sockets.first == sockets.end) pthread_cond_wait(&sockets.posted, &sockets.lock);
        struct connection *c = sockets.requests[sockets.first++];
        int transport = sockets.first;
        pthread_mutex_unlock(&sockets.lock);
        slow_outside();
        unrelated_work(1, rounds);
        on_connected(c, transport);
    }
    return NULL;
}

static void *http_thread(void *unused) {
    (void)unused;
    for (int i = 0; i < count; i++) {
        unrelated_work(2, rounds);
        int transport = transport_connect(&connections[i]);
        atomic_store(&connections[i].transport, transport); /* too late if the socket thread is fast */
    }
    return NULL;
}

int main(int argc, char **argv) {
    count = size_argument(argc, argv, 1, 2, 1, MAX_CONNECTIONS);
    rounds = size_argument(argc, argv, 2, 1, 0, MAX_ROUNDS);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, socket_thread, NULL);
    pthread_create(&threads[1], NULL, http_thread, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < count; i++) assert(connections[i].connected);
    puts("connected");
    return 0;
}
