/* Memory for what outlives executions: what libc allocates while the runtime itself calls it (rv.internal > 0).
 *
 * DTVs and TLS blocks of contexts, the unwinder's tables, dlsym's messages. None of it may be restored with the
 * program's memory, none of it may be among the program's blocks. It lies in one range of addresses inside the
 * runtime's window (reserve.h), so that free can tell by the address whose memory it is given.
 * Runs on the carrier only; never calls libc.
 */
#ifndef RV_RUNTIME_INTERNAL_HEAP_H
#define RV_RUNTIME_INTERNAL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_INTERNAL_BASE ((uintptr_t)0x630000000000)
#define RV_INTERNAL_SIZE ((uintptr_t)1 << 34) /* addresses; memory as it is used */

static inline bool rv_internal_owns(const void *address) {
    return (uintptr_t)address - RV_INTERNAL_BASE < RV_INTERNAL_SIZE;
}

/* align: a power of two; at least 16 is given. Not zeroed. NULL: no memory. */
void *rv_internal_allocate(size_t size, size_t align);
void rv_internal_free(void *address);
/* Bytes asked for. */
size_t rv_internal_size(const void *address);

#endif
