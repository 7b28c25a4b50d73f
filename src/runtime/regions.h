/* The program's writable memory, as a list for the snapshot. */
#ifndef RV_RUNTIME_REGIONS_H
#define RV_RUNTIME_REGIONS_H

#include "runtime/heap.h"

enum { RV_MAX_REGIONS = 512 };

/* Fills in at most max; the number, 0: it cannot be found out. main_sp: the main fiber's stack pointer; of the
 * stack only what lies above it counts. Called once: the buffer it uses is not given back. */
unsigned rv_regions_find(struct rv_region *regions, unsigned max, uintptr_t main_sp);

#endif
