#include "input.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 4 };

struct input {
    unsigned char *data; /* what is read from; never changes */
    size_t size;
    unsigned char storage[BUFFER];
    /* storage, or NULL when closed. Closing must not wait for somebody who reads, so this is not under the lock. */
    _Atomic(unsigned char *) buffer;
    pthread_mutex_t lock; /* over the positions, and what is in storage */
    size_t filled;        /* position in data behind the buffer's bytes */
    size_t begin, end;    /* bytes of the buffer that were not read yet */
    size_t mark;          /* position in data */
};

input *input_new(const void *data, size_t size) {
    input *in = calloc(1, sizeof *in);
    unsigned char *copy = malloc(size + 1);
    if (!in || !copy) {
        free(in);
        free(copy);
        return NULL;
    }
    memcpy(copy, data, size);
    in->data = copy;
    in->size = size;
    atomic_init(&in->buffer, in->storage);
    pthread_mutex_init(&in->lock, NULL);
    return in;
}

void input_free(input *in) {
    if (!in) return;
    pthread_mutex_destroy(&in->lock);
    free(in->data);
    free(in);
}

/* Locked: the buffer is empty, and the next bytes come into it. Whether there are any. */
static bool fill(input *in) {
    size_t count = in->size - in->filled;
    if (count > BUFFER) count = BUFFER;
    memcpy(in->storage, in->data + in->filled, count);
    in->filled += count;
    in->begin = 0;
    in->end = count;
    return count > 0;
}

/* Locked: the next byte, or -1. */
static int next_byte(input *in) {
    if (!atomic_load(&in->buffer)) return -1;
    if (in->begin == in->end && !fill(in)) return -1;
    return atomic_load(&in->buffer)[in->begin++];
}

int input_read(input *in) {
    pthread_mutex_lock(&in->lock);
    int byte = next_byte(in);
    pthread_mutex_unlock(&in->lock);
    return byte;
}

size_t input_read_bytes(input *in, void *out, size_t size) {
    unsigned char *bytes = out;
    size_t count = 0;
    int byte = 0;
    pthread_mutex_lock(&in->lock);
    while (count < size && (byte = next_byte(in)) >= 0) bytes[count++] = (unsigned char)byte;
    pthread_mutex_unlock(&in->lock);
    return count;
}

size_t input_skip(input *in, size_t count) {
    size_t skipped = 0;
    pthread_mutex_lock(&in->lock);
    while (skipped < count && next_byte(in) >= 0) skipped++;
    pthread_mutex_unlock(&in->lock);
    return skipped;
}

size_t input_available(input *in) {
    pthread_mutex_lock(&in->lock);
    size_t left = in->size - in->filled + in->end - in->begin;
    if (!atomic_load(&in->buffer)) left = 0;
    pthread_mutex_unlock(&in->lock);
    return left;
}

void input_mark(input *in) {
    pthread_mutex_lock(&in->lock);
    in->mark = in->filled - (in->end - in->begin);
    pthread_mutex_unlock(&in->lock);
}

bool input_reset(input *in) {
    pthread_mutex_lock(&in->lock);
    bool open = atomic_load(&in->buffer) != NULL;
    if (open) {
        in->filled = in->mark;
        in->begin = in->end = 0;
    }
    pthread_mutex_unlock(&in->lock);
    return open;
}

void input_close(input *in) { atomic_store(&in->buffer, NULL); }
