#include "charwriter.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct charwriter {
    pthread_mutex_t lock; /* over all that follows */
    char *chars;
    size_t count, capacity;
};

charwriter *charwriter_new(void) {
    charwriter *writer = calloc(1, sizeof *writer);
    if (writer) pthread_mutex_init(&writer->lock, NULL);
    return writer;
}

void charwriter_free(charwriter *writer) {
    if (!writer) return;
    pthread_mutex_destroy(&writer->lock);
    free(writer->chars);
    free(writer);
}

/* Locked: room for `more` characters. */
static bool reserve(charwriter *writer, size_t more) {
    size_t needed = writer->count + more;
    if (needed < more) return false;
    if (needed <= writer->capacity) return true;
    size_t capacity = needed > 2 * writer->capacity ? needed : 2 * writer->capacity;
    char *larger = realloc(writer->chars, capacity);
    if (!larger) return false;
    writer->chars = larger;
    writer->capacity = capacity;
    return true;
}

bool charwriter_put(charwriter *writer, char c) { return charwriter_write(writer, &c, 1); }

bool charwriter_write(charwriter *writer, const char *text, size_t length) {
    if (length == 0) return true;
    pthread_mutex_lock(&writer->lock);
    bool done = reserve(writer, length);
    if (done) {
        memcpy(writer->chars + writer->count, text, length);
        writer->count += length;
    }
    pthread_mutex_unlock(&writer->lock);
    return done;
}

size_t charwriter_size(charwriter *writer) {
    pthread_mutex_lock(&writer->lock);
    size_t count = writer->count;
    pthread_mutex_unlock(&writer->lock);
    return count;
}

size_t charwriter_copy(charwriter *writer, char *out, size_t size) {
    pthread_mutex_lock(&writer->lock);
    size_t count = writer->count;
    if (size > 0) {
        size_t copied = count < size ? count : size - 1;
        if (copied > 0) memcpy(out, writer->chars, copied);
        out[copied] = '\0';
    }
    pthread_mutex_unlock(&writer->lock);
    return count;
}

int charwriter_last(charwriter *writer) {
    pthread_mutex_lock(&writer->lock);
    int last = writer->count > 0 ? (unsigned char)writer->chars[writer->count - 1] : -1;
    pthread_mutex_unlock(&writer->lock);
    return last;
}

size_t charwriter_occurrences(charwriter *writer, char c) {
    size_t found = 0;
    pthread_mutex_lock(&writer->lock);
    for (size_t i = 0; i < writer->count; i++) found += writer->chars[i] == c;
    pthread_mutex_unlock(&writer->lock);
    return found;
}

void charwriter_reset(charwriter *writer) { writer->count = 0; }
