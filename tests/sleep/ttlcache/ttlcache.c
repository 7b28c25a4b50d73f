#include "ttlcache.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct entry {
    char *key; /* NULL: free */
    char *value;
    long expires; /* ms, monotonic */
    bool loading;
};

struct ttlcache {
    pthread_mutex_t lock;
    pthread_cond_t loaded;
    long ttl;
    ttlcache_loader load;
    void *user;
    struct entry slots[TTLCACHE_SLOTS];
};

static long now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct ttlcache *ttlcache_open(long ttl_ms, ttlcache_loader load, void *user) {
    struct ttlcache *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->loaded, NULL);
    c->ttl = ttl_ms;
    c->load = load;
    c->user = user;
    return c;
}

static void clear(struct entry *e) {
    free(e->key);
    free(e->value);
    e->key = e->value = NULL;
}

void ttlcache_close(struct ttlcache *c) {
    for (int i = 0; i < TTLCACHE_SLOTS; i++) clear(&c->slots[i]);
    pthread_cond_destroy(&c->loaded);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static struct entry *find(struct ttlcache *c, const char *key) {
    for (int i = 0; i < TTLCACHE_SLOTS; i++)
        if (c->slots[i].key && strcmp(c->slots[i].key, key) == 0) return &c->slots[i];
    return NULL;
}

/* A free slot, or the one that expires first; NULL if all are being loaded. */
static struct entry *make_room(struct ttlcache *c) {
    struct entry *best = NULL;
    for (int i = 0; i < TTLCACHE_SLOTS; i++) {
        struct entry *e = &c->slots[i];
        if (!e->key) return e;
        if (!e->loading && (!best || e->expires < best->expires)) best = e;
    }
    if (best) clear(best);
    return best;
}

/* With the lock held, which is given up while the loader runs. */
static char *load_into(struct ttlcache *c, struct entry *e, const char *key) {
    e->key = strdup(key);
    e->loading = true;
    pthread_mutex_unlock(&c->lock);
    char *value = c->load(key, c->user);
    pthread_mutex_lock(&c->lock);
    e->loading = false;
    e->value = value;
    e->expires = now_ms() + c->ttl;
    pthread_cond_broadcast(&c->loaded);
    char *copy = value ? strdup(value) : NULL;
    if (!value) clear(e);
    return copy;
}

char *ttlcache_get(struct ttlcache *c, const char *key) {
    char *copy = NULL;
    struct entry *e;
    pthread_mutex_lock(&c->lock);
    while ((e = find(c, key)) && e->loading) pthread_cond_wait(&c->loaded, &c->lock);
    if (e && e->expires > now_ms()) {
        copy = strdup(e->value);
    } else {
        if (e)
            clear(e);
        else
            e = make_room(c);
        if (e) copy = load_into(c, e, key);
    }
    pthread_mutex_unlock(&c->lock);
    return copy;
}

void ttlcache_drop(struct ttlcache *c, const char *key) {
    struct entry *e;
    pthread_mutex_lock(&c->lock);
    while ((e = find(c, key)) && e->loading) pthread_cond_wait(&c->loaded, &c->lock);
    if (e) clear(e);
    pthread_mutex_unlock(&c->lock);
}

int ttlcache_live(struct ttlcache *c) {
    int live = 0;
    pthread_mutex_lock(&c->lock);
    for (int i = 0; i < TTLCACHE_SLOTS; i++)
        live += c->slots[i].key && !c->slots[i].loading && c->slots[i].expires > now_ms();
    pthread_mutex_unlock(&c->lock);
    return live;
}
