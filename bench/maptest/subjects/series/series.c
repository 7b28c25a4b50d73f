#include "series.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct point {
    int x, y;
};

struct listener {
    series_listener *call;
    void *context;
};

/* A list is not changed any more once it is in a series: changes put a new one in its place. */
struct listeners {
    size_t count;
    struct listener list[];
};

struct series {
    pthread_mutex_t lock;        /* over all that follows */
    struct listeners *listeners; /* NULL: none */
    struct point *points;        /* in the order in which they came */
    size_t count, capacity;
};

series *series_new(void) {
    series *points = calloc(1, sizeof *points);
    if (points) pthread_mutex_init(&points->lock, NULL);
    return points;
}

void series_free(series *points) {
    if (!points) return;
    pthread_mutex_destroy(&points->lock);
    free(points->listeners);
    free(points->points);
    free(points);
}

/* Locked: the number of a listener in the list, or how many there are. */
static size_t find_listener(const series *points, series_listener *call, const void *context) {
    const struct listeners *all = points->listeners;
    size_t i = 0;
    while (all && i < all->count && (all->list[i].call != call || all->list[i].context != context)) i++;
    return i;
}

static size_t listener_count(const series *points) {
    return points->listeners ? points->listeners->count : 0;
}

/* Locked: puts a list without number `without`, and with room for one more, in place of the present one. */
static bool replace_listeners(series *points, size_t without) {
    size_t count = listener_count(points), kept = 0;
    struct listeners *fresh = malloc(sizeof *fresh + (count + 1) * sizeof fresh->list[0]);
    if (!fresh) return false;
    for (size_t i = 0; i < count; i++)
        if (i != without) fresh->list[kept++] = points->listeners->list[i];
    fresh->count = kept;
    free(points->listeners);
    points->listeners = fresh;
    return true;
}

bool series_add_listener(series *points, series_listener *listener, void *context) {
    pthread_mutex_lock(&points->lock);
    size_t count = listener_count(points);
    bool added = find_listener(points, listener, context) == count && replace_listeners(points, count);
    if (added) points->listeners->list[points->listeners->count++] = (struct listener){listener, context};
    pthread_mutex_unlock(&points->lock);
    return added;
}

bool series_remove_listener(series *points, series_listener *listener, void *context) {
    pthread_mutex_lock(&points->lock);
    size_t number = find_listener(points, listener, context);
    bool removed = number < listener_count(points) && replace_listeners(points, number);
    pthread_mutex_unlock(&points->lock);
    return removed;
}

size_t series_listeners(series *points) {
    pthread_mutex_lock(&points->lock);
    size_t count = listener_count(points);
    pthread_mutex_unlock(&points->lock);
    return count;
}

/* Unlocked, for listeners look at the series; so they are those of the moment at which this begins. */
static void tell_listeners(series *points) {
    pthread_mutex_lock(&points->lock);
    const struct listeners *all = points->listeners;
    pthread_mutex_unlock(&points->lock);
    if (!all) return;
    for (size_t i = 0; i < all->count; i++) all->list[i].call(points, all->list[i].context);
}

/* Locked: the number of the point at x, or how many there are. */
static size_t find_point(const series *points, int x) {
    size_t i = 0;
    while (i < points->count && points->points[i].x != x) i++;
    return i;
}

/* Locked. */
static bool put_point(series *points, int x, int y) {
    size_t i = find_point(points, x);
    if (i == points->capacity) {
        size_t capacity = points->capacity ? 2 * points->capacity : 4;
        struct point *larger = realloc(points->points, capacity * sizeof *larger);
        if (!larger) return false;
        points->points = larger;
        points->capacity = capacity;
    }
    points->points[i] = (struct point){x, y};
    if (i == points->count) points->count++;
    return true;
}

bool series_put(series *points, int x, int y) {
    pthread_mutex_lock(&points->lock);
    bool done = put_point(points, x, y);
    pthread_mutex_unlock(&points->lock);
    if (done) tell_listeners(points);
    return done;
}

bool series_remove(series *points, int x) {
    pthread_mutex_lock(&points->lock);
    size_t i = find_point(points, x);
    bool found = i < points->count;
    if (found) {
        points->count--;
        memmove(points->points + i, points->points + i + 1, (points->count - i) * sizeof *points->points);
    }
    pthread_mutex_unlock(&points->lock);
    if (found) tell_listeners(points);
    return found;
}

bool series_get(series *points, int x, int *y) {
    pthread_mutex_lock(&points->lock);
    size_t i = find_point(points, x);
    bool found = i < points->count;
    if (found) *y = points->points[i].y;
    pthread_mutex_unlock(&points->lock);
    return found;
}

size_t series_count(series *points) {
    pthread_mutex_lock(&points->lock);
    size_t count = points->count;
    pthread_mutex_unlock(&points->lock);
    return count;
}

bool series_range(series *points, int *lowest, int *highest) {
    pthread_mutex_lock(&points->lock);
    bool some = points->count > 0;
    if (some) *lowest = *highest = points->points[0].y;
    for (size_t i = 1; i < points->count; i++) {
        int y = points->points[i].y;
        if (y < *lowest) *lowest = y;
        if (y > *highest) *highest = y;
    }
    pthread_mutex_unlock(&points->lock);
    return some;
}

void series_clear(series *points) {
    pthread_mutex_lock(&points->lock);
    points->count = 0;
    pthread_mutex_unlock(&points->lock);
    tell_listeners(points);
}
