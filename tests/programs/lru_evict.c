/* A small LRU cache whose lookup returns a pointer to the entry after dropping the lock.
 *
 * Bug (use-after-free in request): thread 1 looks up key 1 and unlocks; thread 2 inserts key 3, which evicts and
 * frees the oldest entry, key 1; thread 1 reads the entry it was given.
 */
#include <pthread.h>
#include <stdio.h>
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

static const struct entry *cache_get(struct cache *c, int key) {
    pthread_mutex_lock(&c->lock);
    struct entry *entry = c->newest;
    while (entry && entry->key != key) entry = entry->older;
    pthread_mutex_unlock(&c->lock);
    return entry;
}

static void *request(void *result) {
    const struct entry *entry = cache_get(&cache, 1);
    *(int *)result = entry ? entry->value : -1;
    return NULL;
}

static void *fill(void *unused) {
    (void)unused;
    cache_put(&cache, 3, 30);
    return NULL;
}

int main(void) {
    pthread_t reader, writer;
    int result;
    cache_put(&cache, 1, 10);
    cache_put(&cache, 2, 20);
    pthread_create(&reader, NULL, request, &result);
    pthread_create(&writer, NULL, fill, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    while (cache.count) evict_oldest(&cache);
    printf("%d\n", result);
    return 0;
}
