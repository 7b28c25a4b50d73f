/* The runtime's own memory. All of it lies in one window of addresses, so that whoever lists the program's
 * memory (the snapshot, the conflict shadow) can leave it out by a comparison.
 *
 *   0x5a0000000000  the memory shared with the supervisor (base/protocol.h)
 *   0x5c0000000000  what rv_reserve gives out
 *   0x5e0000000000  stacks of fibers (fiber.c)
 *   0x600000000000  the program's heap and its tables (heap.h)
 */
#ifndef RV_RUNTIME_RESERVE_H
#define RV_RUNTIME_RESERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_OWN_BASE   ((uintptr_t)0x5a0000000000)
#define RV_OWN_END    ((uintptr_t)0x640000000000)
#define RV_STACK_BASE ((uintptr_t)0x5e0000000000)
#define RV_STACK_END  ((uintptr_t)0x600000000000)

static inline bool rv_is_own(uintptr_t address) { return address - RV_OWN_BASE < RV_OWN_END - RV_OWN_BASE; }

/* Zeroed memory, page-aligned, never given back; costs nothing until touched. Private, or shared with the
 * children of a fork. NULL: no room. */
void *rv_reserve(size_t size);
void *rv_reserve_shared(size_t size);

#endif
