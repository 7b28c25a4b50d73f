/* A series of points for a chart, which tells its listeners when it changes.
 *
 * All functions but series_free may be called by several threads on the same series at the same time. A listener is
 * called by the thread that makes the change, after it was made, and may itself call the functions of the series.
 */
#ifndef SERIES_H
#define SERIES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct series series;
typedef void series_listener(series *points, void *context);

series *series_new(void); /* NULL: no memory */
void series_free(series *points);

/* The same listener with the same context is there once only; false: it was there, or no memory. */
bool series_add_listener(series *points, series_listener *listener, void *context);
bool series_remove_listener(series *points, series_listener *listener, void *context);
size_t series_listeners(series *points);

/* Adds a point; one at the same x is replaced. */
bool series_put(series *points, int x, int y);
bool series_remove(series *points, int x);
bool series_get(series *points, int x, int *y);
size_t series_count(series *points);
/* The range of all y; false: there are no points. */
bool series_range(series *points, int *lowest, int *highest);
void series_clear(series *points);

#endif
