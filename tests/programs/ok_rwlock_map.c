/* A map under a read-write lock; a miss gives up the read lock, takes the write lock and looks again: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

enum { SLOTS = 4 };

static struct map {
    pthread_rwlock_t lock;
    int keys[SLOTS], values[SLOTS];
    int count, misses;
} map = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static int find(const struct map *m, int key) {
    for (int i = 0; i < m->count; i++)
        if (m->keys[i] == key) return i;
    return -1;
}

static bool map_get(struct map *m, int key, int *value) {
    pthread_rwlock_rdlock(&m->lock);
    int at = find(m, key);
    if (at >= 0) *value = m->values[at];
    pthread_rwlock_unlock(&m->lock);
    return at >= 0;
}

static int map_get_or_add(struct map *m, int key, int fallback) {
    int value;
    if (map_get(m, key, &value)) return value;
    pthread_rwlock_wrlock(&m->lock);
    int at = find(m, key);
    if (at < 0) {
        at = m->count++;
        m->keys[at] = key;
        m->values[at] = fallback;
        m->misses++;
    }
    value = m->values[at];
    pthread_rwlock_unlock(&m->lock);
    return value;
}

static void *client(void *arg) {
    int first = *(int *)arg;
    for (int i = 0; i < 2; i++) {
        int key = (first + i) % 2;
        int value = map_get_or_add(&map, key, key + 100);
        assert(value == key + 100);
    }
    if (pthread_rwlock_trywrlock(&map.lock) == 0) {
        assert(map.count == map.misses);
        pthread_rwlock_unlock(&map.lock);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int first[3] = {0, 1, 0};
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, client, &first[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    assert(map.count == 2 && map.misses == 2);
    pthread_rwlock_destroy(&map.lock);
    return 0;
}
