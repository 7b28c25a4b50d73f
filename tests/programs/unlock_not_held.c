/* Statistics flushed with trylock, and unlocked whether or not the lock was got.
 *
 * Bug (misuse, unlock of a mutex held by another thread, in flush): a counter thread holds the lock when flush tries
 * it; flush skips its work and unlocks all the same.
 */
#include <pthread.h>
#include <stdio.h>

static struct statistics {
    pthread_mutex_t lock;
    long hits, misses;
    long flushed;
} statistics = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void count(struct statistics *s, int hit) {
    pthread_mutex_lock(&s->lock);
    if (hit)
        s->hits++;
    else
        s->misses++;
    pthread_mutex_unlock(&s->lock);
}

static void flush(struct statistics *s) {
    if (pthread_mutex_trylock(&s->lock) == 0) {
        s->flushed += s->hits + s->misses;
        s->hits = s->misses = 0;
    }
    pthread_mutex_unlock(&s->lock);
}

static void *serve(void *arg) {
    for (int i = 0; i < 3; i++) count(arg, i % 2);
    return NULL;
}

int main(void) {
    pthread_t server;
    pthread_create(&server, NULL, serve, &statistics);
    flush(&statistics);
    pthread_join(server, NULL);
    flush(&statistics);
    printf("%ld\n", statistics.flushed);
    return 0;
}
