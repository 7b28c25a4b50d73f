/* An LRU cache whose lookup copies the value out under the lock: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CAPACITY = 2 };

struct entry {
    int key, value;
    struct entry *older;
};

static struct cache {
    pthread_mutex_t lock;
    struct entry *newest;
    int count;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void evict_oldest(struct cache *c) {
    struct entry **link = &c->newest;
    while ((*link)->older) link = &(*link)->older;
    free(*link);
    *link = NULL;
    c->count--;
}

static void cache_put(struct cache *c, int key, int value) {
    struct entry *entry = malloc(sizeof *entry);
    pthread_mutex_lock(&c->lock);
    if (c->count == CAPACITY) evict_oldest(c);
    *entry = (struct entry){.key = key, .value = value, .older = c->newest};
    c->newest = entry;
    c->count++;
    pthread_mutex_unlock(&c->lock);
}

static bool cache_get(struct cache *c, int key, int *value) {
    bool found = false;
    pthread_mutex_lock(&c->lock);
    for (struct entry **link = &c->newest; *link; link = &(*link)->older) {
        struct entry *entry = *link;
        if (entry->key != key) continue;
        *value = entry->value;
        found = true;
        *link = entry->older;
        entry->older = c->newest;
        c->newest = entry;
        break;
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}

static void *client(void *arg) {
    int key = *(int *)arg, value;
    cache_put(&cache, key, key * 10);
    if (cache_get(&cache, key, &value)) assert(value == key * 10);
    if (cache_get(&cache, 1, &value)) assert(value == 10);
    return NULL;
}

int main(void) {
    pthread_t clients[3];
    int keys[3] = {2, 3, 4};
    cache_put(&cache, 1, 10);
    for (int i = 0; i < 3; i++) pthread_create(&clients[i], NULL, client, &keys[i]);
    for (int i = 0; i < 3; i++) pthread_join(clients[i], NULL);
    assert(cache.count == CAPACITY);
    while (cache.count) evict_oldest(&cache);
    return 0;
}
