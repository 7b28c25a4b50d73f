/* A file transport and the stream that it feeds, each with its own monitor.
 *
 * Original: Mozilla, nsFileTransport; the paper gives the kind (deadlock) only. Reconstructed: processing locks the
 * transport and then the stream, cancelling comes from the stream's side and locks them the other way round.
 *
 * Bug (deadlock): the processing thread holds the transport and wants the stream; the cancelling one holds the stream
 * and wants the transport.
 *
 * Parameters: STEPS of processing (1 to 8; default 2), ROUNDS of unrelated work (default 1).
 */
#include "subject.h"
#include <assert.h>
#include <stdbool.h>

enum { MAX_STEPS = 8, MAX_ROUNDS = 20 };

static struct {
    pthread_mutex_t monitor;
    bool cancelled;
    int processed;
} transport = {.monitor = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t monitor;
    bool closed;
    int available;
} stream = {.monitor = PTHREAD_MUTEX_INITIALIZER};

static int steps, rounds;

static void stream_fill(int bytes) {
    pthread_mutex_lock(&stream.monitor);
    if (!stream.closed) stream.available += bytes;
    pthread_mutex_unlock(&stream.monitor);
}

static void transport_process(void) {
    pthread_mutex_lock(&transport.monitor);
    if (!transport.cancelled) {
        transport.processed++;
        stream_fill(1);
    }
    pthread_mutex_unlock(&transport.monitor);
}

static void transport_cancel(void) {
    pthread_mutex_lock(&transport.monitor);
    transport.cancelled = true;
    pthread_mutex_unlock(&transport.monitor);
}

static void stream_close(void) {
    pthread_mutex_lock(&stream.monitor);
    stream.closed = true;
    transport_cancel(); /* with the stream locked */
    pthread_mutex_unlock(&stream.monitor);
}

static void *process(void *unused) {
    (void)unused;
    for (int i = 0; i < steps; i++) {
        unrelated_work(1, rounds);
        transport_process();
    }
    return NULL;
}

static void *reader(void *unused) {
    (void)unused;
    unrelated_work(2, rounds);
    stream_close();
    unrelated_work(2, rounds);
    return NULL;
}

int main(int argc, char **argv) {
    steps = size_argument(argc, argv, 1, 2, 1, MAX_STEPS);
    rounds = size_argument(argc, argv, 2, 1, 0, MAX_ROUNDS);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, process, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(transport.processed == stream.available);
    puts("closed");
    return 0;
}
