/* For hooks that allocate on behalf of the program: malloc with the program's own call as the origin of the block. */
#ifndef RV_RUNTIME_HOOKS_HEAP_H
#define RV_RUNTIME_HOOKS_HEAP_H

#include <stddef.h>
#include <stdint.h>

void *rv_malloc(size_t size, uintptr_t site);

#endif
