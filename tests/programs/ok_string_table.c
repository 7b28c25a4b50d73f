/* A table of strings that grows by realloc; readers copy out under the lock, with the library's string functions on
 * shared memory and every member of the malloc family: correct. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, EACH = 2, WORD = 16 };

static struct table {
    pthread_mutex_t lock;
    char **words; /* sorted; under lock, as all below */
    size_t count, capacity;
    char *joined; /* all words with a space behind each */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void append_joined(struct table *t, const char *word) {
    size_t old = t->joined ? strlen(t->joined) : 0, more = strlen(word);
    char *joined = realloc(t->joined, old + more + 2);
    memcpy(joined + old, word, more);
    memcpy(joined + old + more, " ", 2);
    t->joined = joined;
}

static void table_add(struct table *t, const char *word) {
    pthread_mutex_lock(&t->lock);
    if (t->count == t->capacity) {
        t->capacity += 1 + t->capacity / 2;
        t->words = reallocarray(t->words, t->capacity, sizeof *t->words);
    }
    t->words[t->count++] = strdup(word);
    qsort(t->words, t->count, sizeof *t->words, compare);
    append_joined(t, word);
    pthread_mutex_unlock(&t->lock);
}

/* A copy of the first word at or behind `from`, in memory of the caller's, or NULL. */
static char *table_next(struct table *t, const char *from) {
    char *copy = NULL;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->count && !copy; i++) {
        if (strncmp(t->words[i], from, WORD) < 0) continue;
        size_t size = strnlen(t->words[i], WORD) + 1;
        copy = aligned_alloc(16, 16 * ((size + 15) / 16));
        assert((uintptr_t)copy % 16 == 0);
        memcpy(copy, t->words[i], size);
        assert(strstr(t->joined, copy));
    }
    pthread_mutex_unlock(&t->lock);
    return copy;
}

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < EACH; i++) {
        char word[WORD];
        snprintf(word, sizeof word, "word-%d-%d", me, i);
        table_add(&table, word);
        char *found = table_next(&table, word);
        assert(found && strcmp(found, word) == 0);
        free(found);
    }
    return NULL;
}

static void table_clear(struct table *t) {
    for (size_t i = 0; i < t->count; i++) {
        memset(t->words[i], 0, strlen(t->words[i]));
        free(t->words[i]);
    }
    free(t->words);
    free(t->joined);
}

int main(void) {
    pthread_t threads[THREADS];
    int ids[THREADS] = {1, 2};
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, &ids[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert(table.count == THREADS * EACH);
    for (size_t i = 1; i < table.count; i++) assert(strcmp(table.words[i - 1], table.words[i]) < 0);
    assert(strlen(table.joined) == table.count * strlen("word-1-1 "));
    table_clear(&table);
    return 0;
}
