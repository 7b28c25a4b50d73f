/* Blocks allocated by one thread, resized by a second, freed by a third; each is handed over under a lock. */
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { BLOCKS = 4 };

struct lane {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *waiting[BLOCKS];
    int first, last;
};
static struct lane lanes[2] = {{.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER},
                               {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER}};

static void put(struct lane *lane, char *block) {
    pthread_mutex_lock(&lane->lock);
    lane->waiting[lane->last++] = block;
    pthread_cond_signal(&lane->changed);
    pthread_mutex_unlock(&lane->lock);
}

static char *take(struct lane *lane) {
    pthread_mutex_lock(&lane->lock);
    while (lane->first == lane->last) pthread_cond_wait(&lane->changed, &lane->lock);
    char *block = lane->waiting[lane->first++];
    pthread_mutex_unlock(&lane->lock);
    return block;
}

static void *maker(void *argument) {
    for (int i = 0; i < BLOCKS; i++) {
        char *block = malloc(16 + (size_t)i);
        snprintf(block, 16, "block %d", i);
        put(&lanes[0], block);
    }
    return argument;
}

static void *grower(void *argument) {
    for (int i = 0; i < BLOCKS; i++) {
        char *block = realloc(take(&lanes[0]), 100);
        strcat(block, ", grown");
        put(&lanes[1], block);
    }
    return argument;
}

int main(void) {
    pthread_t threads[2];
    CHECK(pthread_create(&threads[0], NULL, maker, NULL) == 0);
    CHECK(pthread_create(&threads[1], NULL, grower, NULL) == 0);
    for (int i = 0; i < BLOCKS; i++) {
        char expected[32], *block = take(&lanes[1]);
        snprintf(expected, sizeof expected, "block %d, grown", i);
        CHECK(strcmp(block, expected) == 0);
        free(block);
    }
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
