#include "multicaster.h"

#include <pthread.h>
#include <stdlib.h>

struct listener {
    struct listener *next;
    multicaster_callback *callback;
    void *context;
    int number;
};

struct multicaster {
    pthread_mutex_t lock; /* over all that follows */
    struct listener *listeners;
    size_t count;
    int last_number, fired;
};

/* What is called with nothing locked is a copy. */
struct target {
    multicaster_callback *callback;
    void *context;
};

multicaster *multicaster_new(void) {
    multicaster *caster = calloc(1, sizeof *caster);
    if (caster) pthread_mutex_init(&caster->lock, NULL);
    return caster;
}

void multicaster_free(multicaster *caster) {
    if (!caster) return;
    while (caster->listeners) {
        struct listener *listener = caster->listeners;
        caster->listeners = listener->next;
        free(listener);
    }
    pthread_mutex_destroy(&caster->lock);
    free(caster);
}

/* Locked: where the listener is linked, or where the next one would be. */
static struct listener **find(multicaster *caster, int number) {
    struct listener **link = &caster->listeners;
    while (*link && (*link)->number != number) link = &(*link)->next;
    return link;
}

int multicaster_add(multicaster *caster, multicaster_callback *callback, void *context) {
    struct listener *fresh = calloc(1, sizeof *fresh);
    if (!fresh) return 0;
    *fresh = (struct listener){.callback = callback, .context = context};
    pthread_mutex_lock(&caster->lock);
    int number = fresh->number = ++caster->last_number;
    *find(caster, 0) = fresh; /* nobody is number 0: at the end */
    caster->count++;
    pthread_mutex_unlock(&caster->lock);
    return number;
}

bool multicaster_remove(multicaster *caster, int listener) {
    pthread_mutex_lock(&caster->lock);
    struct listener *found = *find(caster, listener);
    struct target target = {0};
    if (found) target = (struct target){found->callback, found->context};
    pthread_mutex_unlock(&caster->lock);
    if (!found) return false;
    if (target.callback) target.callback(target.context, MULTICASTER_GONE);
    pthread_mutex_lock(&caster->lock);
    struct listener **link = find(caster, listener);
    if (*link) {
        *link = found->next;
        caster->count--;
    }
    free(found);
    pthread_mutex_unlock(&caster->lock);
    return true;
}

int multicaster_fire(multicaster *caster, int event) {
    pthread_mutex_lock(&caster->lock);
    size_t count = 0;
    struct target *targets = malloc((caster->count + 1) * sizeof *targets);
    for (const struct listener *l = caster->listeners; targets && l; l = l->next)
        targets[count++] = (struct target){l->callback, l->context};
    caster->fired++;
    pthread_mutex_unlock(&caster->lock);
    for (size_t i = 0; i < count; i++)
        if (targets[i].callback) targets[i].callback(targets[i].context, event);
    free(targets);
    return (int)count;
}

size_t multicaster_count(multicaster *caster) {
    pthread_mutex_lock(&caster->lock);
    size_t count = caster->count;
    pthread_mutex_unlock(&caster->lock);
    return count;
}

bool multicaster_has(multicaster *caster, int listener) {
    pthread_mutex_lock(&caster->lock);
    bool found = *find(caster, listener) != NULL;
    pthread_mutex_unlock(&caster->lock);
    return found;
}

int multicaster_fired(multicaster *caster) {
    pthread_mutex_lock(&caster->lock);
    int fired = caster->fired;
    pthread_mutex_unlock(&caster->lock);
    return fired;
}
