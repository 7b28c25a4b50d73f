/* A signal handler that reads a structure its own thread may be in the middle of updating.
 *
 * Bug (assert in on_signal): the controller's pthread_kill reaches the worker between its two updates; the handler
 * sees a total that does not match its parts.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

static struct meter { atomic_int part_a, part_b, total; } meter;

static atomic_int reports;
static atomic_bool ready;

static void on_signal(int number) {
    (void)number;
    int total = atomic_load(&meter.total);
    int parts = atomic_load(&meter.part_a) + atomic_load(&meter.part_b);
    assert(total == parts);
    atomic_fetch_add(&reports, 1);
}

static void update(int a, int b) {
    atomic_fetch_add(&meter.part_a, a);
    atomic_fetch_add(&meter.part_b, b);
    atomic_fetch_add(&meter.total, a + b);
}

static void *worker(void *unused) {
    (void)unused;
    atomic_store(&ready, 1);
    for (int i = 0; i < 3; i++) update(i, i + 1);
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t thread;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    if (atomic_load(&ready)) pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("reported at most once: %d\n", atomic_load(&reports) <= 1);
    return 0;
}
