/* A map under a read-write lock; a reader that misses takes the write lock without giving up the read lock.
 *
 * Bug (deadlock in map_fetch): the reader looks the key up before the loader has inserted it, and then asks for the
 * write lock while it holds a read lock itself.
 */
#include <pthread.h>
#include <stdio.h>

enum { SLOTS = 4 };

static struct map {
    pthread_rwlock_t lock;
    int keys[SLOTS], values[SLOTS];
    int count;
} map = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static int find(const struct map *m, int key) {
    for (int i = 0; i < m->count; i++)
        if (m->keys[i] == key) return i;
    return -1;
}

static void insert(struct map *m, int key, int value) {
    if (find(m, key) >= 0) return;
    m->keys[m->count] = key;
    m->values[m->count++] = value;
}

static void map_put(struct map *m, int key, int value) {
    pthread_rwlock_wrlock(&m->lock);
    insert(m, key, value);
    pthread_rwlock_unlock(&m->lock);
}

static int map_fetch(struct map *m, int key) {
    pthread_rwlock_rdlock(&m->lock);
    int at = find(m, key);
    if (at < 0) {
        pthread_rwlock_wrlock(&m->lock);
        insert(m, key, -1);
        at = find(m, key);
        pthread_rwlock_unlock(&m->lock);
    }
    int value = m->values[at];
    pthread_rwlock_unlock(&m->lock);
    return value;
}

static void *load(void *unused) {
    (void)unused;
    map_put(&map, 1, 11);
    return NULL;
}

static void *query(void *result) {
    for (int i = 0; i < 2; i++) *(int *)result = map_fetch(&map, i);
    return NULL;
}

int main(void) {
    pthread_t loader, reader;
    int result;
    map_put(&map, 0, 10);
    pthread_create(&loader, NULL, load, NULL);
    pthread_create(&reader, NULL, query, &result);
    pthread_join(loader, NULL);
    pthread_join(reader, NULL);
    printf("%d\n", result);
    return 0;
}
