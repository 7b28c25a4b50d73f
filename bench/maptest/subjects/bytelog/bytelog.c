#include "bytelog.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct bytelog {
    pthread_mutex_t lock; /* over all that follows */
    unsigned char *buffer;
    size_t used, capacity;
    size_t written, passed_on;
};

bytelog *bytelog_new(size_t capacity) {
    bytelog *log = calloc(1, sizeof *log);
    if (!log) return NULL;
    if (capacity == 0) capacity = 1;
    log->buffer = malloc(capacity);
    if (!log->buffer) {
        free(log);
        return NULL;
    }
    log->capacity = capacity;
    pthread_mutex_init(&log->lock, NULL);
    return log;
}

void bytelog_free(bytelog *log) {
    if (!log) return;
    pthread_mutex_destroy(&log->lock);
    free(log->buffer);
    free(log);
}

size_t bytelog_flush(bytelog *log) {
    pthread_mutex_lock(&log->lock);
    size_t count = log->used;
    log->passed_on += count;
    log->used = 0;
    pthread_mutex_unlock(&log->lock);
    return count;
}

bool bytelog_write(bytelog *log, const void *data, size_t size) {
    if (size > log->capacity) return false;
    pthread_mutex_lock(&log->lock);
    if (log->used + size > log->capacity) {
        pthread_mutex_unlock(&log->lock);
        bytelog_flush(log);
        pthread_mutex_lock(&log->lock);
    }
    if (size > 0) memcpy(log->buffer + log->used, data, size);
    log->used += size;
    log->written += size;
    pthread_mutex_unlock(&log->lock);
    return true;
}

size_t bytelog_buffered(bytelog *log) {
    pthread_mutex_lock(&log->lock);
    size_t used = log->used;
    pthread_mutex_unlock(&log->lock);
    return used;
}

size_t bytelog_written(bytelog *log) {
    pthread_mutex_lock(&log->lock);
    size_t written = log->written;
    pthread_mutex_unlock(&log->lock);
    return written;
}

size_t bytelog_tail(bytelog *log, void *out, size_t size) {
    pthread_mutex_lock(&log->lock);
    if (size > log->used) size = log->used;
    if (size > 0) memcpy(out, log->buffer + log->used - size, size);
    pthread_mutex_unlock(&log->lock);
    return size;
}

void bytelog_discard(bytelog *log) {
    pthread_mutex_lock(&log->lock);
    log->used = 0;
    pthread_mutex_unlock(&log->lock);
}
