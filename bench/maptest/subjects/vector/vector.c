#include "vector.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct vector {
    pthread_mutex_t lock; /* over all that follows */
    int *items;
    size_t count, capacity;
};

vector *vector_new(void) {
    vector *list = calloc(1, sizeof *list);
    if (list) pthread_mutex_init(&list->lock, NULL);
    return list;
}

void vector_free(vector *list) {
    if (!list) return;
    pthread_mutex_destroy(&list->lock);
    free(list->items);
    free(list);
}

size_t vector_size(vector *list) {
    pthread_mutex_lock(&list->lock);
    size_t count = list->count;
    pthread_mutex_unlock(&list->lock);
    return count;
}

/* Locked: appends `count` items. */
static bool append(vector *list, const int *items, size_t count) {
    if (count == 0) return true;
    if (list->count + count > list->capacity) {
        size_t capacity = 2 * (list->count + count);
        int *larger = realloc(list->items, capacity * sizeof *larger);
        if (!larger) return false;
        list->items = larger;
        list->capacity = capacity;
    }
    memcpy(list->items + list->count, items, count * sizeof *items);
    list->count += count;
    return true;
}

bool vector_push(vector *list, int item) {
    pthread_mutex_lock(&list->lock);
    bool done = append(list, &item, 1);
    pthread_mutex_unlock(&list->lock);
    return done;
}

bool vector_pop(vector *list, int *item) {
    pthread_mutex_lock(&list->lock);
    bool some = list->count > 0;
    if (some) *item = list->items[--list->count];
    pthread_mutex_unlock(&list->lock);
    return some;
}

bool vector_get(vector *list, size_t index, int *item) {
    pthread_mutex_lock(&list->lock);
    bool inside = index < list->count;
    if (inside) *item = list->items[index];
    pthread_mutex_unlock(&list->lock);
    return inside;
}

bool vector_set(vector *list, size_t index, int item) {
    pthread_mutex_lock(&list->lock);
    bool inside = index < list->count;
    if (inside) list->items[index] = item;
    pthread_mutex_unlock(&list->lock);
    return inside;
}

bool vector_remove(vector *list, size_t index) {
    pthread_mutex_lock(&list->lock);
    bool inside = index < list->count;
    if (inside) {
        list->count--;
        memmove(list->items + index, list->items + index + 1, (list->count - index) * sizeof *list->items);
    }
    pthread_mutex_unlock(&list->lock);
    return inside;
}

long vector_index_of(vector *list, int item) {
    long found = -1;
    pthread_mutex_lock(&list->lock);
    for (size_t i = 0; i < list->count && found < 0; i++)
        if (list->items[i] == item) found = (long)i;
    pthread_mutex_unlock(&list->lock);
    return found;
}

/* All items, in an array of the caller's. */
static size_t copy_items(vector *list, int *out) {
    pthread_mutex_lock(&list->lock);
    size_t count = list->count;
    if (count > 0) memcpy(out, list->items, count * sizeof *out);
    pthread_mutex_unlock(&list->lock);
    return count;
}

/* By way of a copy, so that two vectors are never locked at once. */
bool vector_push_all(vector *list, vector *source) {
    int *copy = malloc((vector_size(source) + 1) * sizeof *copy);
    if (!copy) return false;
    size_t count = copy_items(source, copy);
    pthread_mutex_lock(&list->lock);
    bool done = append(list, copy, count);
    pthread_mutex_unlock(&list->lock);
    free(copy);
    return done;
}

void vector_clear(vector *list) {
    pthread_mutex_lock(&list->lock);
    list->count = 0;
    pthread_mutex_unlock(&list->lock);
}
