#include "runtime/reserve.h"

#include <sys/mman.h>

#include "runtime/sys.h"

static uintptr_t next = (uintptr_t)0x5c0000000000;

static void *reserve(size_t size, int sharing) {
    uintptr_t rounded = (size + 4095) & ~(uintptr_t)4095;
    if (rounded < size || rounded > RV_STACK_BASE - next) return NULL;
    void *memory = rv_sys_mmap((void *)next, rounded, PROT_READ | PROT_WRITE,
                               sharing | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (rv_sys_failed((long)memory)) return NULL;
    next += rounded + 4096; /* an unmapped page between two pieces: overruns are seen */
    return memory;
}

void *rv_reserve(size_t size) { return reserve(size, MAP_PRIVATE); }
void *rv_reserve_shared(size_t size) { return reserve(size, MAP_SHARED); }
