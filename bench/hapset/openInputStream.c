/* Opening a stream waits for the socket service, with the transport locked.
 *
 * Original: Mozilla, OpenInputStream() of a transport; the paper gives the kind (deadlock) only. Reconstructed as a
 * nested monitor: the wait releases the inner lock and keeps the outer one, which the other side needs to get ahead.
 *
 * Bug (deadlock): the opening thread locks the transport and waits until the service is ready; the service must lock
 * the transport to register it before it can be ready. All is well only if the service has registered it before.
 *
 * Parameters: OPENERS (1 to 8; default 1), ROUNDS of unrelated work (default 2).
 */
#include "subject.h"
#include <assert.h>
#include <stdbool.h>

enum { MAX_OPENERS = 8, MAX_ROUNDS = 20 };

static struct {
    pthread_mutex_t monitor;
    bool registered;
    int streams;
} transport = {.monitor = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t monitor;
    pthread_cond_t changed;
    bool ready;
} service = {.monitor = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static int rounds;

static void service_wait_ready(void) {
    pthread_mutex_lock(&service.monitor);
    while (!service.ready) pthread_cond_wait(&service.changed, &service.monitor);
    pthread_mutex_unlock(&service.monitor);
}

static void open_input_stream(void) {
    pthread_mutex_lock(&transport.monitor);
    service_wait_ready(); /* with the transport locked */
    transport.streams++;
    pthread_mutex_unlock(&transport.monitor);
}

static void *run_service(void *unused) {
    (void)unused;
    unrelated_work(0, rounds);
    pthread_mutex_lock(&transport.monitor);
    transport.registered = true;
    pthread_mutex_unlock(&transport.monitor);

    pthread_mutex_lock(&service.monitor);
    service.ready = true;
    pthread_cond_broadcast(&service.changed);
    pthread_mutex_unlock(&service.monitor);
    return NULL;
}

static void *opener(void *arg) {
    int me = *(const int *)arg;
    slow_outside();
    unrelated_work(me, rounds);
    open_input_stream();
    unrelated_work(me, rounds);
    return NULL;
}

int main(int argc, char **argv) {
    static int numbers[MAX_OPENERS];
    int openers = size_argument(argc, argv, 1, 1, 1, MAX_OPENERS);
    rounds = size_argument(argc, argv, 2, 2, 0, MAX_ROUNDS);
    pthread_t threads[MAX_OPENERS], service_thread;
    pthread_create(&service_thread, NULL, run_service, NULL);
    for (int i = 0; i < openers; i++) {
        numbers[i] = i + 1;
        pthread_create(&threads[i], NULL, opener, &numbers[i]);
    }
    pthread_join(service_thread, NULL);
    for (int i = 0; i < openers; i++) pthread_join(threads[i], NULL);
    assert(transport.registered && transport.streams == openers);
    puts("opened");
    return 0;
}
