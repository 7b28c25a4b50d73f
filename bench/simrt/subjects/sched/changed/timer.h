/* Jobs that wait for a time, soonest first; and the clock, which goes on when it is told to. For all threads. */
#ifndef TIMER_H
#define TIMER_H

#include <stdbool.h>
#include <stddef.h>

enum { TIMER_MOST = 32 };

typedef struct timers timers;

timers *timers_new(void);
void timers_free(timers *clock);

long timers_now(timers *clock);
long timers_advance(timers *clock, long seconds);
bool timers_add(timers *clock, int job, long due);
bool timers_remove(timers *clock, int job);
/* A job that is due, or -1. */
int timers_take_due(timers *clock);
size_t timers_count(timers *clock);
bool timers_soonest(timers *clock, long *due);

#endif
