/* A logger that rotates its buffer when it is full; the check for "full" is outside the lock.
 *
 * Bug (double-free in log_rotate): two writers see the buffer full; the first rotates (frees the old segment under
 * the lock); the second had read the same segment pointer before and frees it again.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEGMENT = 2 };

struct segment {
    int used;
    int lines[SEGMENT];
};

static struct logger {
    pthread_mutex_t lock;
    _Atomic(struct segment *) segment;
    int flushed;
} logger = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void log_rotate(struct logger *log, struct segment *full) {
    struct segment *fresh = calloc(1, sizeof *fresh);
    pthread_mutex_lock(&log->lock);
    log->flushed++;
    atomic_store(&log->segment, fresh);
    pthread_mutex_unlock(&log->lock);
    free(full);
}

static int log_line(struct logger *log, int line) {
    pthread_mutex_lock(&log->lock);
    struct segment *segment = atomic_load(&log->segment);
    int written = segment->used < SEGMENT;
    if (written) segment->lines[segment->used++] = line;
    pthread_mutex_unlock(&log->lock);
    if (!written) log_rotate(log, segment);
    return written;
}

static void *work(void *first) {
    for (int line = *(int *)first; line % 10 < 2; line++)
        while (!log_line(&logger, line)) continue;
    return NULL;
}

int main(void) {
    pthread_t workers[2];
    int first[2] = {10, 20};
    atomic_store(&logger.segment, calloc(1, sizeof(struct segment)));
    for (int i = 0; i < 2; i++) pthread_create(&workers[i], NULL, work, &first[i]);
    for (int i = 0; i < 2; i++) pthread_join(workers[i], NULL);
    free(atomic_load(&logger.segment));
    printf("flushed %d\n", logger.flushed);
    return 0;
}
