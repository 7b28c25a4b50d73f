/* The program's heap: an arena of our own, so that it can be restored between executions, and so that
 * every instrumented access can be checked against what is allocated.
 *
 * All of it (blocks, block table, shadow) lies in fixed reservations whose used part grows from the
 * bottom; rv_heap_regions tells the snapshot which. Freed blocks are quarantined: their memory is not
 * handed out again before RV_HEAP_QUARANTINE bytes (redzones included) have been freed after them, so that a
 * late access is seen as what it is. Addresses depend only on the sequence of calls: same schedule, same addresses.
 * Not reentrant; runs on the one carrier thread; never calls libc's allocator.
 */
#ifndef RV_RUNTIME_HEAP_H
#define RV_RUNTIME_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_HEAP_BASE ((uintptr_t)0x600000000000)
#define RV_HEAP_SIZE ((uintptr_t)1 << 36) /* 64 GiB of addresses, not of memory */
#define RV_HEAP_SHADOW \
    ((uintptr_t)0x610000000000) /* one byte for 8 of the heap: 0 = all 8 usable,
                                                      1..7 = the first n usable, >= 0x80 = none (RV_SHADOW_*) */
#define RV_HEAP_QUARANTINE ((size_t)64 << 20)

enum { RV_SHADOW_REDZONE = 0x80, RV_SHADOW_FREED = 0x81, RV_SHADOW_UNUSED = 0x82 };
/* The shadow of memory never handed out may read 0 (fresh zero pages): the block lookup decides then. */

/* Who did it: filled in by the caller, kept with the block. */
struct rv_heap_origin {
    uint32_t thread;
    uint32_t frame_count;
    uintptr_t frames[12]; /* return addresses, innermost first */
};

struct rv_heap_block {
    uint32_t number; /* 1-based, in allocation order within the execution (start-up included) */
    bool freed;
    uintptr_t address;
    size_t size;
    struct rv_heap_origin allocated;
    struct rv_heap_origin released; /* if freed */
};

enum rv_heap_status { RV_HEAP_OK, RV_HEAP_DOUBLE_FREE, RV_HEAP_NOT_A_BLOCK };

/* Reserves the addresses. limit: bytes of live blocks after which allocation fails. False: no room. */
bool rv_heap_init(size_t limit);
/* align: a power of two, at least 16 is given. NULL when out of memory. Memory is zeroed when it was
 * never used before in this execution, else it holds what the former owner left. size 0 is a block. */
void *rv_heap_allocate(size_t size, size_t align, const struct rv_heap_origin *origin);
enum rv_heap_status rv_heap_release(void *address, const struct rv_heap_origin *origin);
/* Usable size (what was asked for), or 0 if it is no live block. */
size_t rv_heap_size(const void *address);
/* The live or freed block that contains the address, or the one right before it whose redzone contains it.
 * A freed block is known until its memory is handed out again. An origin that was not given has thread
 * 0xffffffff and no frames. False: none (before the first block, or above all of them). */
bool rv_heap_find(uintptr_t address, struct rv_heap_block *block);
/* The same, only the number and the offset: for every event of a trace. 0: none. */
uint32_t rv_heap_number(uintptr_t address, uint32_t *offset);
/* The next live block, in the order of addresses; *cursor is 0 before the first. False: there is none. */
bool rv_heap_next(uint32_t *cursor, struct rv_heap_block *block);

static inline bool rv_heap_contains(uintptr_t address) { return address - RV_HEAP_BASE < RV_HEAP_SIZE; }

/* Whether [address, address+size) may be touched; address must be in the heap. The fast path is one
 * load. False: call rv_heap_find to say why. */
bool rv_heap_accessible_slow(uintptr_t address, size_t size);
static inline bool rv_heap_accessible(uintptr_t address, size_t size) {
    uintptr_t first = (address - RV_HEAP_BASE) >> 3;
    uintptr_t last = (address + size - 1 - RV_HEAP_BASE) >> 3;
    const uint8_t *shadow = (const uint8_t *)RV_HEAP_SHADOW;
    if (__builtin_expect(first == last && shadow[first] == 0, 1)) return true;
    return rv_heap_accessible_slow(address, size);
}

/* Memory whose bytes below *used are the heap's state. */
struct rv_region {
    char *base;
    const size_t *used; /* bytes in use now; beyond lies only memory that is zero when never used */
    size_t fixed;       /* used when `used` is NULL */
};
enum { RV_HEAP_REGIONS = 6 };
/* Fills in at most RV_HEAP_REGIONS; the number. The `used` counters themselves and all other variables of
 * the heap lie inside the first region, so that restoring the regions restores the heap. */
unsigned rv_heap_regions(struct rv_region *regions);

#endif
