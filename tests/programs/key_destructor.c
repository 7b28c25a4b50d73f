/* Per-thread counters that add themselves to a registry when their thread ends (the destructor of a key).
 *
 * Bug (use-after-free in counter_release): main waits until the worker says that its work is done, and frees the
 * registry; the worker's key destructor runs after that and adds to it.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct registry {
    atomic_long total;
    atomic_int threads;
};

struct counter {
    struct registry *registry;
    long value;
};

static pthread_key_t counter_key;
static sem_t done;

static void counter_release(void *arg) {
    struct counter *counter = arg;
    atomic_fetch_add(&counter->registry->total, counter->value);
    atomic_fetch_sub(&counter->registry->threads, 1);
    free(counter);
}

static void *work(void *arg) {
    struct registry *registry = arg;
    struct counter *counter = malloc(sizeof *counter);
    *counter = (struct counter){.registry = registry};
    pthread_setspecific(counter_key, counter);
    for (int i = 0; i < 3; i++) counter->value += i;
    sem_post(&done);
    return NULL;
}

int main(void) {
    pthread_t worker;
    struct registry *registry = calloc(1, sizeof *registry);
    atomic_store(&registry->threads, 1);
    sem_init(&done, 0, 0);
    pthread_key_create(&counter_key, counter_release);
    pthread_create(&worker, NULL, work, registry);
    sem_wait(&done);
    free(registry);
    pthread_join(worker, NULL);
    pthread_key_delete(counter_key);
    sem_destroy(&done);
    puts("done");
    return 0;
}
