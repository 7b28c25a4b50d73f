/* A cache under a read-write lock; "reading" also counts hits and moves the hot entry, under the read lock.
 *
 * Bug (assert in lookup): two readers swap the same two entries at the same time and one entry is there twice, the
 * other lost. Needs both readers inside the swap: read, read, write, write.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ENTRIES = 3 };

static struct cache {
    pthread_rwlock_t lock;
    atomic_int keys[ENTRIES];
} cache = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static int position_of(struct cache *c, int key) {
    for (int i = 0; i < ENTRIES; i++)
        if (atomic_load(&c->keys[i]) == key) return i;
    return -1;
}

static void move_to_front(struct cache *c, int at) {
    int hot = atomic_load(&c->keys[at]);
    int first = atomic_load(&c->keys[0]);
    atomic_store(&c->keys[at], first);
    atomic_store(&c->keys[0], hot);
}

static void touch(struct cache *c, int key) {
    pthread_rwlock_rdlock(&c->lock);
    int at = position_of(c, key);
    if (at > 0) move_to_front(c, at);
    pthread_rwlock_unlock(&c->lock);
}

static void lookup(struct cache *c, int key) {
    pthread_rwlock_rdlock(&c->lock);
    int at = position_of(c, key);
    pthread_rwlock_unlock(&c->lock);
    assert(at >= 0 && "an entry got lost");
}

static void *reader(void *key) {
    touch(&cache, *(int *)key);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int keys[2] = {2, 3};
    for (int i = 0; i < ENTRIES; i++) atomic_store(&cache.keys[i], i + 1);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, reader, &keys[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int key = 1; key <= ENTRIES; key++) lookup(&cache, key);
    puts("complete");
    return 0;
}
