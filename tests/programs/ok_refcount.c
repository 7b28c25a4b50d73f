/* Shared objects with an atomic reference count; the table's own reference is taken under its lock: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    atomic_int references;
    int verbosity, check;
};

static pthread_mutex_t current_lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *current;
static atomic_int alive;

static struct config *config_new(int verbosity) {
    struct config *config = malloc(sizeof *config);
    atomic_init(&config->references, 1);
    config->verbosity = verbosity;
    config->check = -verbosity;
    atomic_fetch_add(&alive, 1);
    return config;
}

static void config_put(struct config *config) {
    if (atomic_fetch_sub(&config->references, 1) == 1) {
        free(config);
        atomic_fetch_sub(&alive, 1);
    }
}

static struct config *config_get(void) {
    pthread_mutex_lock(&current_lock);
    struct config *config = current;
    atomic_fetch_add(&config->references, 1);
    pthread_mutex_unlock(&current_lock);
    return config;
}

static void config_set(struct config *fresh) {
    pthread_mutex_lock(&current_lock);
    struct config *old = current;
    current = fresh;
    pthread_mutex_unlock(&current_lock);
    if (old) config_put(old);
}

static void *serve(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct config *config = config_get();
        assert(config->verbosity == -config->check);
        config_put(config);
    }
    return NULL;
}

static void *reload(void *unused) {
    (void)unused;
    for (int i = 2; i <= 3; i++) config_set(config_new(i));
    return NULL;
}

int main(void) {
    pthread_t servers[2], updater;
    config_set(config_new(1));
    for (int i = 0; i < 2; i++) pthread_create(&servers[i], NULL, serve, NULL);
    pthread_create(&updater, NULL, reload, NULL);
    for (int i = 0; i < 2; i++) pthread_join(servers[i], NULL);
    pthread_join(updater, NULL);
    config_put(current);
    assert(atomic_load(&alive) == 0);
    return 0;
}
