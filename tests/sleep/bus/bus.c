#include "bus.h"

#include <pthread.h>
#include <stdlib.h>

struct subscriber {
    bus *bus;
    bool used;
    int  first, count;
    int  mail[BUS_MAILBOX];
};

struct bus {
    pthread_mutex_t lock;
    pthread_cond_t  arrived; // in some mailbox
    pthread_cond_t  room;    // in some mailbox
    bool            closed;
    subscriber      subscribers[BUS_SUBSCRIBERS];
};

bus *bus_new(void) {
    bus *b = calloc(1, sizeof(bus));
    if (b == NULL) return NULL;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->arrived, NULL);
    pthread_cond_init(&b->room, NULL);
    for (int i = 0; i < BUS_SUBSCRIBERS; i++) b->subscribers[i].bus = b;
    return b;
}

void bus_free(bus *b) {
    pthread_cond_destroy(&b->room);
    pthread_cond_destroy(&b->arrived);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

subscriber *bus_subscribe(bus *b) {
    subscriber *found = NULL;
    pthread_mutex_lock(&b->lock);
    for (int i = 0; i < BUS_SUBSCRIBERS && found == NULL; i++) {
        if (!b->subscribers[i].used) {
            found        = &b->subscribers[i];
            found->used  = true;
            found->first = found->count = 0;
        }
    }
    pthread_mutex_unlock(&b->lock);
    return found;
}

void bus_unsubscribe(subscriber *s) {
    pthread_mutex_lock(&s->bus->lock);
    s->used = false;
    pthread_cond_broadcast(&s->bus->room); // a publisher may wait for this one
    pthread_mutex_unlock(&s->bus->lock);
}

static bool somebody_is_full(const bus *b) {
    for (int i = 0; i < BUS_SUBSCRIBERS; i++)
        if (b->subscribers[i].used && b->subscribers[i].count == BUS_MAILBOX) return true;
    return false;
}

void bus_publish(bus *b, int message) {
    pthread_mutex_lock(&b->lock);
    while (somebody_is_full(b)) pthread_cond_wait(&b->room, &b->lock);
    for (int i = 0; i < BUS_SUBSCRIBERS; i++) {
        subscriber *s = &b->subscribers[i];
        if (!s->used) continue;
        s->mail[(s->first + s->count) % BUS_MAILBOX] = message;
        s->count++;
    }
    pthread_cond_broadcast(&b->arrived);
    pthread_mutex_unlock(&b->lock);
}

bool bus_receive(subscriber *s, int *message) {
    bus *b = s->bus;
    pthread_mutex_lock(&b->lock);
    while (s->count == 0 && !b->closed) pthread_cond_wait(&b->arrived, &b->lock);
    bool any = s->count > 0;
    if (any) {
        *message = s->mail[s->first];
        s->first = (s->first + 1) % BUS_MAILBOX;
        if (s->count-- == BUS_MAILBOX) pthread_cond_broadcast(&b->room);
    }
    pthread_mutex_unlock(&b->lock);
    return any;
}

int bus_waiting(subscriber *s) {
    pthread_mutex_lock(&s->bus->lock);
    int count = s->count;
    pthread_mutex_unlock(&s->bus->lock);
    return count;
}

void bus_close(bus *b) {
    pthread_mutex_lock(&b->lock);
    b->closed = true;
    pthread_cond_broadcast(&b->arrived);
    pthread_mutex_unlock(&b->lock);
}
