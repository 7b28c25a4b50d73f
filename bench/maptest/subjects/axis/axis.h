/* The axis of a chart: the range of values that it shows, and where on the screen they are.
 *
 * All functions but axis_init and axis_destroy may be called by several threads on the same axis at the same time.
 * The range is never empty: its upper bound is above its lower bound.
 */
#ifndef AXIS_H
#define AXIS_H

#include <pthread.h>
#include <stdbool.h>

struct axis {
    pthread_mutex_t lock; /* over all that follows */
    int lower, upper;
    int changes;
};

void axis_init(struct axis *axis, int lower, int upper);
void axis_destroy(struct axis *axis);

void axis_get_range(struct axis *axis, int *lower, int *upper);
int axis_lower(struct axis *axis);
int axis_upper(struct axis *axis);
/* A bound that would make the range empty is refused. */
bool axis_set_lower(struct axis *axis, int lower);
bool axis_set_upper(struct axis *axis, int upper);
bool axis_set_range(struct axis *axis, int lower, int upper);
/* Moves the range. */
void axis_pan(struct axis *axis, int by);
/* Where a value is on a screen of `pixels` pixels; -1: outside of the range. */
int axis_to_screen(struct axis *axis, int value, int pixels);
int axis_changes(struct axis *axis);

#endif
