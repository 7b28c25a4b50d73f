/* Asynchronous input: a flag says that an operation is pending, its completion clears it.
 *
 * Original: Mozilla, macio.c: ReadWriteProc() starts an asynchronous operation, then sets io_pending and waits until
 * DoneWaitingOnThisThread() has cleared it. The completion can come before the flag is set.
 *
 * Bug (deadlock; order): the operation is started and its thread is preempted; the completion clears the flag, which
 * is not set yet, and wakes nobody; then the flag is set, and is waited for for ever.
 *
 * Parameters: OPERATIONS (1 to 8; default 2), ROUNDS of unrelated work (default 1).
 */
#include "subject.h"
#include <assert.h>
#include <stdbool.h>

enum { MAX_OPERATIONS = 8, MAX_ROUNDS = 20 };

static struct {
    pthread_mutex_t lock; /* over all */
    pthread_cond_t started, done;
    int requests, completions;
    bool io_pending;
} device = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .started = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static int operations, rounds;

static void start_async(void) {
    pthread_mutex_lock(&device.lock);
    device.requests++;
    pthread_cond_signal(&device.started);
    pthread_mutex_unlock(&device.lock);
}

static void read_write_proc(void) {
    start_async();
    pthread_mutex_lock(&device.lock);
    device.io_pending = true; /* belongs before start_async() */
    while (device.io_pending) pthread_cond_wait(&device.done, &device.lock);
    pthread_mutex_unlock(&device.lock);
}

static void *io_thread(void *unused) {
    (void)unused;
    for (int i = 0; i < operations; i++) {
        pthread_mutex_lock(&device.lock);
        while (device.requests == device.completions) pthread_cond_wait(&device.started, &device.lock);
        pthread_mutex_unlock(&device.lock);
        slow_outside();
        pthread_mutex_lock(&device.lock);
        device.completions++;
        device.io_pending = false;
        pthread_cond_signal(&device.done);
        pthread_mutex_unlock(&device.lock);
        unrelated_work(1, rounds);
    }
    return NULL;
}

static void *user(void *unused) {
    (void)unused;
    for (int i = 0; i < operations; i++) {
        unrelated_work(2, rounds);
        read_write_proc();
    }
    return NULL;
}

int main(int argc, char **argv) {
    operations = size_argument(argc, argv, 1, 2, 1, MAX_OPERATIONS);
    rounds = size_argument(argc, argv, 2, 1, 0, MAX_ROUNDS);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, io_thread, NULL);
    pthread_create(&threads[1], NULL, user, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(device.completions == operations);
    puts("read and written");
    return 0;
}
