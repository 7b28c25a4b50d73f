/* A connection's state machine, advanced by two event sources; illegal transitions abort.
 *
 * Bug (abort in advance): both sources read CONNECTING; the timer closes the connection; the socket's event, still
 * believing in CONNECTING, advances a closed connection.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum state { IDLE, CONNECTING, ESTABLISHED, CLOSED };

static _Atomic(enum state) connection = CONNECTING;

static const unsigned char allowed[4][4] = {
    [IDLE] = {[CONNECTING] = 1},
    [CONNECTING] = {[ESTABLISHED] = 1, [CLOSED] = 1},
    [ESTABLISHED] = {[CLOSED] = 1},
};

static void advance(enum state to) {
    enum state from = atomic_exchange(&connection, to);
    if (!allowed[from][to]) {
        fprintf(stderr, "illegal transition %d -> %d\n", (int)from, (int)to);
        abort();
    }
}

static void *on_socket(void *unused) {
    (void)unused;
    if (atomic_load(&connection) == CONNECTING) advance(ESTABLISHED);
    return NULL;
}

static void *on_timer(void *unused) {
    (void)unused;
    enum state now = atomic_load(&connection);
    if (now == CONNECTING || now == ESTABLISHED) advance(CLOSED);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, on_socket, NULL);
    pthread_create(&threads[1], NULL, on_timer, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("state %d\n", (int)atomic_load(&connection));
    return 0;
}
