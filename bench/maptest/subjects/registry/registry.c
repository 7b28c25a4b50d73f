#include "registry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct object {
    struct object *next;
    int number;
    char *name;
};

struct registry {
    pthread_rwlock_t lock; /* over all that follows */
    struct object *objects;
    int last_number;
    size_t count;
};

registry *registry_new(void) {
    registry *names = calloc(1, sizeof *names);
    if (names) pthread_rwlock_init(&names->lock, NULL);
    return names;
}

static void free_object(struct object *object) {
    if (object) free(object->name);
    free(object);
}

void registry_free(registry *names) {
    if (!names) return;
    while (names->objects) {
        struct object *object = names->objects;
        names->objects = object->next;
        free_object(object);
    }
    pthread_rwlock_destroy(&names->lock);
    free(names);
}

/* Locked: where the object is linked, or would be. */
static struct object **find_name(registry *names, const char *name) {
    struct object **link = &names->objects;
    while (*link && strcmp((*link)->name, name) != 0) link = &(*link)->next;
    return link;
}

static struct object *find_number(registry *names, int number) {
    struct object *object = names->objects;
    while (object && object->number != number) object = object->next;
    return object;
}

int registry_find(registry *names, const char *name) {
    pthread_rwlock_rdlock(&names->lock);
    struct object *object = *find_name(names, name);
    int number = object ? object->number : 0;
    pthread_rwlock_unlock(&names->lock);
    return number;
}

int registry_intern(registry *names, const char *name) {
    int number = registry_find(names, name); /* most names have one: no need to keep others out */
    if (number) return number;
    struct object *object = calloc(1, sizeof *object);
    char *copy = strdup(name);
    if (!object || !copy) {
        free(object);
        free(copy);
        return 0;
    }
    object->name = copy;
    pthread_rwlock_wrlock(&names->lock);
    object->next = names->objects;
    object->number = number = ++names->last_number;
    names->objects = object;
    names->count++;
    pthread_rwlock_unlock(&names->lock);
    return number;
}

bool registry_name(registry *names, int number, char *out, size_t size) {
    pthread_rwlock_rdlock(&names->lock);
    const struct object *object = find_number(names, number);
    if (object && size > 0) {
        size_t length = strnlen(object->name, size - 1);
        memcpy(out, object->name, length);
        out[length] = '\0';
    }
    pthread_rwlock_unlock(&names->lock);
    return object != NULL;
}

bool registry_remove(registry *names, const char *name) {
    pthread_rwlock_wrlock(&names->lock);
    struct object **link = find_name(names, name), *object = *link;
    if (object) {
        *link = object->next;
        names->count--;
    }
    pthread_rwlock_unlock(&names->lock);
    free_object(object);
    return object != NULL;
}

bool registry_rename(registry *names, int number, const char *name) {
    char *copy = strdup(name);
    if (!copy) return false;
    pthread_rwlock_wrlock(&names->lock);
    struct object *object = find_number(names, number);
    bool done = object && !*find_name(names, name);
    if (done) {
        char *old = object->name;
        object->name = copy;
        copy = old;
    }
    pthread_rwlock_unlock(&names->lock);
    free(copy);
    return done;
}

size_t registry_count(registry *names) {
    pthread_rwlock_rdlock(&names->lock);
    size_t count = names->count;
    pthread_rwlock_unlock(&names->lock);
    return count;
}
