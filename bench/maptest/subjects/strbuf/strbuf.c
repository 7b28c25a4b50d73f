#include "strbuf.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct strbuf {
    pthread_mutex_t lock; /* over all that follows */
    char *text;           /* not terminated */
    size_t length, capacity;
};

enum { FIRST_CAPACITY = 16 };

strbuf *strbuf_new(void) {
    strbuf *buffer = calloc(1, sizeof *buffer);
    if (!buffer) return NULL;
    buffer->text = malloc(FIRST_CAPACITY);
    if (!buffer->text) {
        free(buffer);
        return NULL;
    }
    buffer->capacity = FIRST_CAPACITY;
    pthread_mutex_init(&buffer->lock, NULL);
    return buffer;
}

void strbuf_free(strbuf *buffer) {
    if (!buffer) return;
    pthread_mutex_destroy(&buffer->lock);
    free(buffer->text);
    free(buffer);
}

size_t strbuf_length(strbuf *buffer) {
    pthread_mutex_lock(&buffer->lock);
    size_t length = buffer->length;
    pthread_mutex_unlock(&buffer->lock);
    return length;
}

int strbuf_char_at(strbuf *buffer, size_t index) {
    int found = -1;
    pthread_mutex_lock(&buffer->lock);
    if (index < buffer->length) found = (unsigned char)buffer->text[index];
    pthread_mutex_unlock(&buffer->lock);
    return found;
}

/* Locked: room for `more` characters. */
static bool reserve(strbuf *buffer, size_t more) {
    size_t needed = buffer->length + more, capacity = buffer->capacity;
    if (needed <= capacity) return true;
    while (capacity < needed) capacity *= 2;
    char *text = realloc(buffer->text, capacity);
    if (!text) return false;
    buffer->text = text;
    buffer->capacity = capacity;
    return true;
}

/* Locked: puts `count` characters in at `index`. */
static bool put_in(strbuf *buffer, size_t index, const char *text, size_t count) {
    if (index > buffer->length || !reserve(buffer, count)) return false;
    memmove(buffer->text + index + count, buffer->text + index, buffer->length - index);
    memcpy(buffer->text + index, text, count);
    buffer->length += count;
    return true;
}

static bool append_chars(strbuf *buffer, const char *text, size_t count) {
    pthread_mutex_lock(&buffer->lock);
    bool done = put_in(buffer, buffer->length, text, count);
    pthread_mutex_unlock(&buffer->lock);
    return done;
}

bool strbuf_append(strbuf *buffer, const char *text) { return append_chars(buffer, text, strlen(text)); }

/* The characters from `begin` to before `end`, which must be there. */
static void get_chars(strbuf *buffer, size_t begin, size_t end, char *out) {
    pthread_mutex_lock(&buffer->lock);
    assert(begin <= end && end <= buffer->length);
    memcpy(out, buffer->text + begin, end - begin);
    pthread_mutex_unlock(&buffer->lock);
}

/* By way of a copy: the locks of two buffers are never held at once. */
bool strbuf_append_buffer(strbuf *buffer, strbuf *source) {
    size_t length = strbuf_length(source);
    char *copy = malloc(length + 1);
    if (!copy) return false;
    get_chars(source, 0, length, copy);
    bool done = append_chars(buffer, copy, length);
    free(copy);
    return done;
}

bool strbuf_insert(strbuf *buffer, size_t index, const char *text) {
    pthread_mutex_lock(&buffer->lock);
    bool done = put_in(buffer, index, text, strlen(text));
    pthread_mutex_unlock(&buffer->lock);
    return done;
}

bool strbuf_erase(strbuf *buffer, size_t index, size_t count) {
    pthread_mutex_lock(&buffer->lock);
    bool inside = index <= buffer->length;
    if (inside) {
        size_t left = buffer->length - index;
        if (count > left) count = left;
        memmove(buffer->text + index, buffer->text + index + count, left - count);
        buffer->length -= count;
    }
    pthread_mutex_unlock(&buffer->lock);
    return inside;
}

void strbuf_truncate(strbuf *buffer, size_t length) {
    pthread_mutex_lock(&buffer->lock);
    if (length < buffer->length) buffer->length = length;
    pthread_mutex_unlock(&buffer->lock);
}

size_t strbuf_copy(strbuf *buffer, char *out, size_t size) {
    pthread_mutex_lock(&buffer->lock);
    size_t length = buffer->length;
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(out, buffer->text, copied);
        out[copied] = '\0';
    }
    pthread_mutex_unlock(&buffer->lock);
    return length;
}
