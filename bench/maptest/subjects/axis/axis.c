#include "axis.h"

#include <assert.h>

enum { LIMIT = 1 << 20 }; /* of bounds: nothing overflows */

static int limited(int value) { return value < -LIMIT ? -LIMIT : value > LIMIT ? LIMIT : value; }

void axis_init(struct axis *axis, int lower, int upper) {
    pthread_mutex_init(&axis->lock, NULL);
    axis->lower = limited(lower);
    axis->upper = limited(upper);
    if (axis->upper <= axis->lower) axis->upper = axis->lower + 1;
    axis->changes = 0;
}

void axis_destroy(struct axis *axis) { pthread_mutex_destroy(&axis->lock); }

void axis_get_range(struct axis *axis, int *lower, int *upper) {
    pthread_mutex_lock(&axis->lock);
    *lower = axis->lower;
    *upper = axis->upper;
    pthread_mutex_unlock(&axis->lock);
}

int axis_lower(struct axis *axis) {
    pthread_mutex_lock(&axis->lock);
    int lower = axis->lower;
    pthread_mutex_unlock(&axis->lock);
    return lower;
}

int axis_upper(struct axis *axis) {
    pthread_mutex_lock(&axis->lock);
    int upper = axis->upper;
    pthread_mutex_unlock(&axis->lock);
    return upper;
}

bool axis_set_lower(struct axis *axis, int lower) {
    lower = limited(lower);
    pthread_mutex_lock(&axis->lock);
    bool accepted = lower < axis->upper;
    if (accepted) {
        axis->lower = lower;
        axis->changes++;
    }
    pthread_mutex_unlock(&axis->lock);
    return accepted;
}

bool axis_set_upper(struct axis *axis, int upper) {
    upper = limited(upper);
    pthread_mutex_lock(&axis->lock);
    bool accepted = upper > axis->lower;
    if (accepted) {
        axis->upper = upper;
        axis->changes++;
    }
    pthread_mutex_unlock(&axis->lock);
    return accepted;
}

/* Gives a bound its value, whatever the other one is. */
static void store_bound(struct axis *axis, int *bound, int value) {
    pthread_mutex_lock(&axis->lock);
    if (*bound != value) {
        *bound = value;
        axis->changes++;
    }
    pthread_mutex_unlock(&axis->lock);
}

bool axis_set_range(struct axis *axis, int lower, int upper) {
    lower = limited(lower);
    upper = limited(upper);
    if (lower >= upper) return false;
    store_bound(axis, &axis->lower, lower);
    store_bound(axis, &axis->upper, upper);
    return true;
}

void axis_pan(struct axis *axis, int by) {
    pthread_mutex_lock(&axis->lock);
    int length = axis->upper - axis->lower;
    if (length <= LIMIT) {
        axis->lower = limited(axis->lower + limited(by));
        axis->upper = axis->lower + length;
        axis->changes++;
    }
    pthread_mutex_unlock(&axis->lock);
}

int axis_to_screen(struct axis *axis, int value, int pixels) {
    int place = -1;
    pthread_mutex_lock(&axis->lock);
    assert(axis->lower < axis->upper);
    if (value >= axis->lower && value <= axis->upper) {
        long long distance = value - axis->lower;
        place = (int)(distance * limited(pixels) / (axis->upper - axis->lower));
    }
    pthread_mutex_unlock(&axis->lock);
    return place;
}

int axis_changes(struct axis *axis) {
    pthread_mutex_lock(&axis->lock);
    int changes = axis->changes;
    pthread_mutex_unlock(&axis->lock);
    return changes;
}
