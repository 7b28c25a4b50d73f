/* How long jobs have waited and how they ended. For all threads. */
#ifndef METRICS_H
#define METRICS_H

#include <stdbool.h>

enum { METRICS_CLASSES = 5 };

typedef struct metrics metrics;

metrics *metrics_new(void);
void metrics_free(metrics *figures);

void metrics_finished(metrics *figures, int job, long waited, bool good);
/* So many of 100 jobs waited no longer than ... seconds; classes are 1, 2, 4, 8 and more. */
long metrics_waited(metrics *figures, unsigned percent);
unsigned metrics_failure_rate(metrics *figures); /* of 100 */
int metrics_last(metrics *figures);              /* the job that ended last, -1: none; for display */
long metrics_longest(metrics *figures);
void metrics_reset(metrics *figures);

#endif
