/* Timers over a clock that is moved by hand.
 *
 * All functions but timerlist_free may be called by several threads on the same list at the same time.
 */
#ifndef TIMERLIST_H
#define TIMERLIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct timerlist timerlist;

timerlist *timerlist_new(void); /* NULL: no memory */
void timerlist_free(timerlist *list);

/* Expires `delay` ticks from now (negative: 0), so with the next tick at the earliest. Its number: 1, 2, 3 ...; 0: no memory. */
int timerlist_add(timerlist *list, int delay);
/* false: there is no such timer, or it has expired. */
bool timerlist_cancel(timerlist *list, int timer);
/* Gives it another delay from now; false as above. */
bool timerlist_restart(timerlist *list, int timer, int delay);
/* One tick later; how many have expired with it. */
int timerlist_tick(timerlist *list);
size_t timerlist_pending(timerlist *list);
/* The number of the timer that expires next; 0: there is none. */
int timerlist_next(timerlist *list);
long timerlist_now(timerlist *list);

#endif
