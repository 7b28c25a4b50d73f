#include "sema.h"

#include <pthread.h>
#include <stdlib.h>

struct waiter {
    struct waiter *next;
    unsigned       n;
    int            granted;
    pthread_cond_t cond;
};

struct sema {
    pthread_mutex_t lock;
    unsigned        units;
    struct waiter  *head, **tail;
};

struct sema *sema_new (unsigned units)
{
    struct sema *s = malloc (sizeof *s);
    if (s == NULL) return NULL;
    pthread_mutex_init (&s->lock, NULL);
    s->units = units;
    s->head = NULL;
    s->tail = &s->head;
    return s;
}

void sema_free (struct sema *s)
{
    pthread_mutex_destroy (&s->lock);
    free (s);
}

/* Locked: serves the line as far as the units reach. */
static void grant (struct sema *s)
{
    while (s->head != NULL && s->head->n <= s->units) {
        struct waiter *w = s->head;
        s->units -= w->n;
        s->head = w->next;
        if (s->head == NULL) s->tail = &s->head;
        w->granted = 1;
        pthread_cond_signal (&w->cond);
    }
}

void sema_take (struct sema *s, unsigned n)
{
    pthread_mutex_lock (&s->lock);
    if (s->head == NULL && s->units >= n) {
        s->units -= n;
    } else {
        struct waiter me = { .n = n };
        pthread_cond_init (&me.cond, NULL);
        *s->tail = &me;
        s->tail = &me.next;
        while (!me.granted) pthread_cond_wait (&me.cond, &s->lock);
        pthread_cond_destroy (&me.cond);
    }
    pthread_mutex_unlock (&s->lock);
}

int sema_try (struct sema *s, unsigned n)
{
    pthread_mutex_lock (&s->lock);
    int taken = s->head == NULL && s->units >= n;
    if (taken) s->units -= n;
    pthread_mutex_unlock (&s->lock);
    return taken;
}

void sema_give (struct sema *s, unsigned n)
{
    pthread_mutex_lock (&s->lock);
    s->units += n;
    grant (s);
    pthread_mutex_unlock (&s->lock);
}

unsigned sema_value (struct sema *s)
{
    pthread_mutex_lock (&s->lock);
    unsigned units = s->units;
    pthread_mutex_unlock (&s->lock);
    return units;
}

unsigned sema_waiters (struct sema *s)
{
    unsigned count = 0;
    pthread_mutex_lock (&s->lock);
    for (struct waiter *w = s->head; w != NULL; w = w->next) count++;
    pthread_mutex_unlock (&s->lock);
    return count;
}
