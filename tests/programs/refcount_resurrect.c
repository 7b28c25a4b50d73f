/* A shared configuration with a reference count; taking a reference reads the pointer first and counts second.
 *
 * Bug (use-after-free in config_get): the reader loads `current`; the updater swaps in a new object and drops the
 * last reference of the old one, which is freed; the reader increments the counter of freed memory.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
    atomic_int references;
    int verbosity;
};

static _Atomic(struct config *) current;

static struct config *config_new(int verbosity) {
    struct config *config = malloc(sizeof *config);
    atomic_init(&config->references, 1);
    config->verbosity = verbosity;
    return config;
}

static struct config *config_get(void) {
    struct config *config = atomic_load(&current);
    atomic_fetch_add(&config->references, 1);
    return config;
}

static void config_put(struct config *config) {
    if (atomic_fetch_sub(&config->references, 1) == 1) free(config);
}

static void *serve(void *result) {
    struct config *config = config_get();
    *(int *)result = config->verbosity;
    config_put(config);
    return NULL;
}

static void *reload(void *unused) {
    (void)unused;
    struct config *old = atomic_exchange(&current, config_new(2));
    config_put(old);
    return NULL;
}

int main(void) {
    pthread_t servers[2], updater;
    int results[2];
    atomic_store(&current, config_new(1));
    for (int i = 0; i < 2; i++) pthread_create(&servers[i], NULL, serve, &results[i]);
    pthread_create(&updater, NULL, reload, NULL);
    for (int i = 0; i < 2; i++) pthread_join(servers[i], NULL);
    pthread_join(updater, NULL);
    config_put(atomic_load(&current));
    printf("%d %d\n", results[0], results[1]);
    return 0;
}
