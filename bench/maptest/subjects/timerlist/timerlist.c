#include "timerlist.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum timer_state { ARMED, EXPIRED };

struct timer {
    struct timer *next; /* in the order of their numbers */
    enum timer_state state;
    long deadline;
    int number;
};

struct timerlist {
    pthread_mutex_t lock; /* over all that follows */
    struct timer *timers; /* none of them expired */
    size_t pending;
    long now;
    int last_number;
};

timerlist *timerlist_new(void) {
    timerlist *list = calloc(1, sizeof *list);
    if (list) pthread_mutex_init(&list->lock, NULL);
    return list;
}

/* Locked. */
static void remove_timer(timerlist *list, struct timer **link) {
    struct timer *timer = *link;
    *link = timer->next;
    list->pending--;
    free(timer);
}

void timerlist_free(timerlist *list) {
    if (!list) return;
    while (list->timers) remove_timer(list, &list->timers);
    pthread_mutex_destroy(&list->lock);
    free(list);
}

int timerlist_add(timerlist *list, int delay) {
    struct timer *fresh = calloc(1, sizeof *fresh), **link;
    if (!fresh) return 0;
    pthread_mutex_lock(&list->lock);
    int number = fresh->number = ++list->last_number;
    fresh->deadline = list->now + (delay > 0 ? delay : 0);
    link = &list->timers;
    while (*link) link = &(*link)->next;
    *link = fresh;
    list->pending++;
    pthread_mutex_unlock(&list->lock);
    return number;
}

/* Locked: where the timer is linked. What is in the list has not expired. */
static struct timer **find(timerlist *list, int number) {
    struct timer **link = &list->timers;
    while (*link && (*link)->number != number) link = &(*link)->next;
    assert(!*link || (*link)->state == ARMED);
    return link;
}

bool timerlist_cancel(timerlist *list, int timer) {
    pthread_mutex_lock(&list->lock);
    struct timer **link = find(list, timer);
    bool found = *link != NULL;
    if (found) remove_timer(list, link);
    pthread_mutex_unlock(&list->lock);
    return found;
}

bool timerlist_restart(timerlist *list, int timer, int delay) {
    pthread_mutex_lock(&list->lock);
    struct timer *found = *find(list, timer);
    if (found) found->deadline = list->now + (delay > 0 ? delay : 0);
    pthread_mutex_unlock(&list->lock);
    return found != NULL;
}

/* Takes those that have expired out of the list. */
static void sweep(timerlist *list) {
    pthread_mutex_lock(&list->lock);
    for (struct timer **link = &list->timers; *link;) {
        if ((*link)->state == EXPIRED)
            remove_timer(list, link);
        else
            link = &(*link)->next;
    }
    pthread_mutex_unlock(&list->lock);
}

int timerlist_tick(timerlist *list) {
    int expired = 0;
    pthread_mutex_lock(&list->lock);
    list->now++;
    for (struct timer *timer = list->timers; timer; timer = timer->next) {
        if (timer->state != ARMED || timer->deadline > list->now) continue;
        timer->state = EXPIRED;
        expired++;
    }
    pthread_mutex_unlock(&list->lock);
    if (expired) sweep(list);
    return expired;
}

size_t timerlist_pending(timerlist *list) {
    pthread_mutex_lock(&list->lock);
    size_t pending = list->pending;
    pthread_mutex_unlock(&list->lock);
    return pending;
}

int timerlist_next(timerlist *list) {
    const struct timer *next = NULL;
    pthread_mutex_lock(&list->lock);
    for (const struct timer *timer = list->timers; timer; timer = timer->next)
        if (!next || timer->deadline < next->deadline) next = timer;
    int number = next ? next->number : 0;
    pthread_mutex_unlock(&list->lock);
    return number;
}

long timerlist_now(timerlist *list) {
    pthread_mutex_lock(&list->lock);
    long now = list->now;
    pthread_mutex_unlock(&list->lock);
    return now;
}
