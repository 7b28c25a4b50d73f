#include "manifest.h"

#include <pthread.h>
#include <stdlib.h>

struct manifest {
    pthread_mutex_t lock; /* over all that follows */
    unsigned long latest;
    size_t count;
    checkpoint kept[MANIFEST_KEPT]; /* by number, as a ring */
};

manifest *manifest_new(void) {
    manifest *list = calloc(1, sizeof *list);
    if (list) pthread_mutex_init(&list->lock, NULL);
    return list;
}

void manifest_free(manifest *list) {
    if (!list) return;
    pthread_mutex_destroy(&list->lock);
    free(list);
}

/* NULL if it is not kept. Locked. */
static checkpoint *find(manifest *list, unsigned long number) {
    if (number == 0 || number > list->latest || number + list->count <= list->latest) return NULL;
    return &list->kept[number % MANIFEST_KEPT];
}

unsigned long manifest_add(manifest *list, const checkpoint *made) {
    pthread_mutex_lock(&list->lock);
    unsigned long number = ++list->latest;
    list->kept[number % MANIFEST_KEPT] = *made;
    list->kept[number % MANIFEST_KEPT].number = number;
    if (list->count < MANIFEST_KEPT) list->count++;
    pthread_mutex_unlock(&list->lock);
    return number;
}

bool manifest_find(manifest *list, unsigned long number, checkpoint *found) {
    pthread_mutex_lock(&list->lock);
    const checkpoint *kept = find(list, number);
    if (kept) *found = *kept;
    pthread_mutex_unlock(&list->lock);
    return kept != NULL;
}

bool manifest_latest(manifest *list, checkpoint *found) {
    pthread_mutex_lock(&list->lock);
    const checkpoint *kept = find(list, list->latest);
    if (kept) *found = *kept;
    pthread_mutex_unlock(&list->lock);
    return kept != NULL;
}

size_t manifest_trim(manifest *list) {
    pthread_mutex_lock(&list->lock);
    size_t dropped = list->count > 1 ? list->count - 1 : 0;
    list->count -= dropped;
    pthread_mutex_unlock(&list->lock);
    return dropped;
}

static size_t bytes_of(const checkpoint *kept) {
    size_t bytes = 0;
    for (size_t i = 0; i < MANIFEST_SEGMENTS; i++) bytes += kept->used[i];
    return bytes;
}

size_t manifest_growth(manifest *list) {
    pthread_mutex_lock(&list->lock);
    const checkpoint *new = find(list, list->latest), *old = find(list, list->latest - 1);
    size_t growth = new &&old &&bytes_of(new) > bytes_of(old) ? bytes_of(new) - bytes_of(old) : 0;
    pthread_mutex_unlock(&list->lock);
    return growth;
}
