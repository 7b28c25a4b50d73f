/* A counter by category. Most counters count in one category only, so the others get memory when first used.
 *
 * All functions but counter_init and counter_destroy may be called by several threads on the same counter at the same time.
 */
#ifndef COUNTER_H
#define COUNTER_H

#include <pthread.h>
#include <stdbool.h>

enum { COUNTER_CATEGORIES = 4 };

struct counter_cells;

struct counter {
    pthread_mutex_t lock;        /* over what is counted */
    long first;                  /* category 0 */
    struct counter_cells *cells; /* the others; NULL: all 0 */
};

void counter_init(struct counter *counter);
void counter_destroy(struct counter *counter);

/* Counts `by` more in a category (0 to COUNTER_CATEGORIES - 1); false: no such category, or no memory. */
bool counter_add(struct counter *counter, unsigned category, int by);
long counter_get(struct counter *counter, unsigned category);
long counter_sum(struct counter *counter);
/* All are 0 again; what the sum was. */
long counter_reset(struct counter *counter);
/* The category with most, the smallest of several. */
unsigned counter_highest(struct counter *counter);

#endif
