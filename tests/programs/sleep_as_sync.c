/* A start-up that waits for its helper by sleeping "long enough".
 *
 * Bug (assert in main, only if the sleep of 50 ms is over before the helper is): main wakes before the helper has set
 * the port.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static struct server {
    pthread_t thread;
    atomic_int port;
    atomic_int stop;
    atomic_int requests;
} server;

static int bind_somewhere(void) {
    int port = 8000;
    for (int i = 0; i < 3; i++) port += i;
    return port;
}

static void *server_main(void *arg) {
    struct server *s = arg;
    atomic_store(&s->port, bind_somewhere());
    atomic_fetch_add(&s->requests, 1);
    return NULL;
}

static void server_start(struct server *s) {
    pthread_create(&s->thread, NULL, server_main, s);
    usleep(50 * 1000);
}

static void server_stop(struct server *s) {
    atomic_store(&s->stop, 1);
    pthread_join(s->thread, NULL);
}

int main(void) {
    server_start(&server);
    int port = atomic_load(&server.port);
    assert(port != 0 && "server is up");
    server_stop(&server);
    printf("port %d\n", port);
    return 0;
}
