#include "counter.h"

#include <stdlib.h>

struct counter_cells {
    long values[COUNTER_CATEGORIES]; /* [0] is not used */
};

void counter_init(struct counter *counter) {
    pthread_mutex_init(&counter->lock, NULL);
    counter->first = 0;
    counter->cells = NULL;
}

void counter_destroy(struct counter *counter) {
    pthread_mutex_destroy(&counter->lock);
    free(counter->cells);
}

/* The cells, made if they are not there yet; NULL: no memory. */
static struct counter_cells *cells_of(struct counter *counter) {
    if (!counter->cells) counter->cells = calloc(1, sizeof *counter->cells);
    return counter->cells;
}

bool counter_add(struct counter *counter, unsigned category, int by) {
    if (category >= COUNTER_CATEGORIES) return false;
    struct counter_cells *cells = category > 0 ? cells_of(counter) : NULL;
    if (category > 0 && !cells) return false;
    pthread_mutex_lock(&counter->lock);
    *(cells ? &cells->values[category] : &counter->first) += by;
    pthread_mutex_unlock(&counter->lock);
    return true;
}

/* Locked. */
static long value_of(const struct counter *counter, unsigned category) {
    if (category == 0) return counter->first;
    return counter->cells ? counter->cells->values[category] : 0;
}

static long sum_of(const struct counter *counter) {
    long sum = 0;
    for (unsigned i = 0; i < COUNTER_CATEGORIES; i++) sum += value_of(counter, i);
    return sum;
}

long counter_get(struct counter *counter, unsigned category) {
    if (category >= COUNTER_CATEGORIES) return 0;
    pthread_mutex_lock(&counter->lock);
    long value = value_of(counter, category);
    pthread_mutex_unlock(&counter->lock);
    return value;
}

long counter_sum(struct counter *counter) {
    pthread_mutex_lock(&counter->lock);
    long sum = sum_of(counter);
    pthread_mutex_unlock(&counter->lock);
    return sum;
}

long counter_reset(struct counter *counter) {
    pthread_mutex_lock(&counter->lock);
    long sum = sum_of(counter);
    counter->first = 0;
    if (counter->cells) *counter->cells = (struct counter_cells){0};
    pthread_mutex_unlock(&counter->lock);
    return sum;
}

unsigned counter_highest(struct counter *counter) {
    unsigned highest = 0;
    pthread_mutex_lock(&counter->lock);
    for (unsigned i = 1; i < COUNTER_CATEGORIES; i++)
        if (value_of(counter, i) > value_of(counter, highest)) highest = i;
    pthread_mutex_unlock(&counter->lock);
    return highest;
}
