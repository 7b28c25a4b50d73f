#include "timer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct timer {
    int job;
    long due;
};

struct timers {
    atomic_long now;
    pthread_mutex_t lock; /* over what follows */
    size_t count;
    struct timer sorted[TIMER_MOST];
};

timers *timers_new(void) {
    timers *clock = calloc(1, sizeof *clock);
    if (clock) pthread_mutex_init(&clock->lock, NULL);
    return clock;
}

void timers_free(timers *clock) {
    if (!clock) return;
    pthread_mutex_destroy(&clock->lock);
    free(clock);
}

long timers_now(timers *clock) { return clock->now; }

long timers_advance(timers *clock, long seconds) { return atomic_fetch_add(&clock->now, seconds) + seconds; }

/* Locked. */
static void take_out(timers *clock, size_t index) {
    clock->count--;
    memmove(&clock->sorted[index], &clock->sorted[index + 1],
            (clock->count - index) * sizeof clock->sorted[0]);
}

bool timers_add(timers *clock, int job, long due) {
    pthread_mutex_lock(&clock->lock);
    bool room = clock->count < TIMER_MOST;
    if (room) {
        size_t index = clock->count++;
        for (; index > 0 && clock->sorted[index - 1].due > due; index--)
            clock->sorted[index] = clock->sorted[index - 1];
        clock->sorted[index] = (struct timer){.job = job, .due = due};
    }
    pthread_mutex_unlock(&clock->lock);
    return room;
}

size_t timers_count(timers *clock) {
    pthread_mutex_lock(&clock->lock);
    size_t count = clock->count;
    pthread_mutex_unlock(&clock->lock);
    return count;
}

bool timers_remove(timers *clock, int job) {
    pthread_mutex_lock(&clock->lock);
    size_t index = 0;
    while (index < clock->count && clock->sorted[index].job != job) index++;
    bool found = index < clock->count;
    if (found) take_out(clock, index);
    pthread_mutex_unlock(&clock->lock);
    return found;
}

int timers_take_due(timers *clock) {
    int job = -1;
    pthread_mutex_lock(&clock->lock);
    if (clock->count > 0 && clock->sorted[0].due <= clock->now) {
        job = clock->sorted[0].job;
        take_out(clock, 0);
    }
    pthread_mutex_unlock(&clock->lock);
    return job;
}

bool timers_soonest(timers *clock, long *due) {
    pthread_mutex_lock(&clock->lock);
    bool some = clock->count > 0;
    if (some) *due = clock->sorted[0].due;
    pthread_mutex_unlock(&clock->lock);
    return some;
}
