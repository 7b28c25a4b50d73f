/* Sends events to all who listen, one after the other, in the order in which they came.
 *
 * All functions but multicaster_free may be called by several threads at the same time. Callbacks are called with nothing
 * locked: they may call the functions here.
 */
#ifndef MULTICASTER_H
#define MULTICASTER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct multicaster multicaster;
/* For each event; and with MULTICASTER_GONE once, when the listener is removed. */
typedef void multicaster_callback(void *context, int event);

enum { MULTICASTER_GONE = -1 };

multicaster *multicaster_new(void); /* NULL: no memory */
void multicaster_free(multicaster *caster);

/* The number of the listener: 1, 2, 3 ...; 0: no memory. */
int multicaster_add(multicaster *caster, multicaster_callback *callback, void *context);
bool multicaster_remove(multicaster *caster, int listener);
/* To all who listen at this moment; to how many. */
int multicaster_fire(multicaster *caster, int event);
size_t multicaster_count(multicaster *caster);
bool multicaster_has(multicaster *caster, int listener);
int multicaster_fired(multicaster *caster); /* events so far */

#endif
