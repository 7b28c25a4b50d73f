#include "strtab.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 16, RECENT = 4 };

struct string {
    struct string *next;
    unsigned hash;
    unsigned references; /* goes up from 0 under the lock only */
    size_t length;
    char text[];
};

struct strtab {
    pthread_mutex_t lock; /* over all that follows */
    struct string *buckets[BUCKETS];
    size_t count, bytes;
    unsigned recent[RECENT]; /* hashes of the strings used last */
    unsigned position;
    unsigned long repeats;
};

struct strtab *strtab_new(void) {
    struct strtab *table = calloc(1, sizeof *table);
    if (table) pthread_mutex_init(&table->lock, NULL);
    return table;
}

void strtab_free(struct strtab *table) {
    if (!table) return;
    for (size_t i = 0; i < BUCKETS; i++) {
        for (struct string *string = table->buckets[i], *next; string; string = next) {
            next = string->next;
            free(string);
        }
    }
    pthread_mutex_destroy(&table->lock);
    free(table);
}

static unsigned hash_of(const char *text) {
    unsigned hash = 2166136261u;
    while (*text) hash = (hash ^ (unsigned char)*text++) * 16777619u;
    return hash;
}

/* Locked. */
static struct string *find(const struct strtab *table, const char *text, unsigned hash) {
    struct string *string = table->buckets[hash % BUCKETS];
    while (string && (string->hash != hash || strcmp(string->text, text) != 0)) string = string->next;
    return string;
}

/* Locked. */
static void note_use(struct strtab *table, unsigned hash) {
    for (unsigned i = 0; i < RECENT; i++) {
        if (table->recent[i] == hash) {
            table->repeats++;
            return;
        }
    }
    table->recent[table->position++ % RECENT] = hash;
}

/* Locked. */
static struct string *add(struct strtab *table, const char *text, unsigned hash) {
    size_t length = strlen(text);
    struct string *string = calloc(1, sizeof *string + length + 1);
    if (!string) return NULL;
    string->hash = hash;
    string->length = length;
    memcpy(string->text, text, length + 1);
    string->next = table->buckets[hash % BUCKETS];
    table->buckets[hash % BUCKETS] = string;
    table->count++;
    table->bytes += length;
    return string;
}

struct string *strtab_intern(struct strtab *table, const char *text) {
    unsigned hash = hash_of(text);
    pthread_mutex_lock(&table->lock);
    struct string *string = find(table, text, hash);
    if (!string) string = add(table, text, hash);
    if (string) {
        string->references++;
        note_use(table, hash);
    }
    pthread_mutex_unlock(&table->lock);
    return string;
}

struct string *strtab_find(struct strtab *table, const char *text) {
    unsigned hash = hash_of(text);
    pthread_mutex_lock(&table->lock);
    struct string *string = find(table, text, hash);
    if (string) {
        string->references++;
        note_use(table, hash);
    }
    pthread_mutex_unlock(&table->lock);
    return string;
}

struct string *strtab_retain(struct strtab *table, struct string *string) {
    string->references++;
    note_use(table, string->hash);
    return string;
}

void strtab_release(struct strtab *table, struct string *string) {
    pthread_mutex_lock(&table->lock);
    string->references--;
    pthread_mutex_unlock(&table->lock);
}

size_t strtab_sweep(struct strtab *table) {
    size_t dropped = 0;
    pthread_mutex_lock(&table->lock);
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
        struct string **place = &table->buckets[bucket];
        while (*place) {
            struct string *string = *place;
            if (string->references > 0) {
                place = &string->next;
                continue;
            }
            *place = string->next;
            table->count--;
            table->bytes -= string->length;
            free(string);
            dropped++;
        }
    }
    pthread_mutex_unlock(&table->lock);
    return dropped;
}

const char *strtab_text(const struct string *string) { return string->text; }

size_t strtab_length(const struct string *string) { return string->length; }

unsigned strtab_references(const struct string *string) { return string->references; }

size_t strtab_bytes(struct strtab *table) {
    pthread_mutex_lock(&table->lock);
    size_t bytes = table->bytes;
    pthread_mutex_unlock(&table->lock);
    return bytes;
}

size_t strtab_count(struct strtab *table) {
    pthread_mutex_lock(&table->lock);
    size_t count = table->count;
    pthread_mutex_unlock(&table->lock);
    return count;
}

unsigned long strtab_repeats(struct strtab *table) {
    pthread_mutex_lock(&table->lock);
    unsigned long repeats = table->repeats;
    pthread_mutex_unlock(&table->lock);
    return repeats;
}

void strtab_forget(struct strtab *table) {
    pthread_mutex_lock(&table->lock);
    memset(table->recent, 0, sizeof table->recent);
    table->repeats = 0;
    pthread_mutex_unlock(&table->lock);
}
