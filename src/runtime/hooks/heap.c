/* The malloc family.
 *
 * Whose memory a call is about is decided by the address alone, because blocks outlive modes: libc allocates before
 * our constructor has run and frees under control, and a function called with rv.internal > 0 may free what the
 * program gave it.
 *
 *   owner       gives memory                              known by
 *   libc        not under ravel: __libc_malloc and friends  the range that such blocks have come from
 *   internal    under ravel while rv.internal > 0           its fixed range of addresses (internal_heap.h)
 *   program     under ravel                                 its fixed range of addresses (heap.h)
 *
 * realloc keeps the owner. __libc_malloc is called by that name and not through dlsym, because dlsym allocates.
 *
 * A free is an operation on the whole block, and a scheduling point: what other threads do to the block may come
 * before or after it. Whether the block is still there is looked at after the point, so that of two threads
 * that free it the second one is told, whichever it is. An allocation is no point: nobody else knows the
 * block yet. Freed memory keeps its contents: instrumented code that touches it is caught by the heap's
 * shadow, and code that is not instrumented sees what it would see without ravel.
 *
 * realloc always moves: a pointer into the old block that somebody kept is then seen for what it is.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/access.h"
#include "runtime/core.h"
#include "runtime/heap_internal.h"
#include "runtime/engine.h"
#include "runtime/hooks/heap.h"
#include "runtime/internal_heap.h"
#include "runtime/names.h"
#include "runtime/real.h"
#include "runtime/sys.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *address, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *address);

enum {
    PAGE = 4096,
    LEAST_ALIGN = 16,
    ORIGIN_FRAMES = 12,
    NOTED_BYTES = 1 << 20, /* of a freed block in the conflict history: some 100 us */
};

/* ---- libc's blocks ---- */

static uintptr_t libc_low = UINTPTR_MAX, libc_high;

/* Several threads may be here at once, outside ravel: then the range is not looked at. */
static void *from_libc(void *block) {
    uintptr_t address = (uintptr_t)block;
    if (RV_UNLIKELY(address < __atomic_load_n(&libc_low, __ATOMIC_RELAXED)) && block)
        __atomic_store_n(&libc_low, address, __ATOMIC_RELAXED);
    if (RV_UNLIKELY(address > __atomic_load_n(&libc_high, __ATOMIC_RELAXED)))
        __atomic_store_n(&libc_high, address, __ATOMIC_RELAXED);
    return block;
}

static bool is_libcs(const void *block) {
    return (uintptr_t)block >= libc_low && (uintptr_t)block <= libc_high;
}

static bool is_programs(const void *block) { return rv_heap_contains((uintptr_t)block); }

/* ---- the program's blocks ---- */

static struct rv_heap_origin origin_here(uintptr_t site) {
    struct rv_heap_origin origin;
    origin.thread = rv_self()->id;
    origin.frame_count = rv_stack(site, origin.frames, ORIGIN_FRAMES);
    return origin;
}

static uint32_t event_size(size_t size) { return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX; }

/* NULL with errno set: no memory. */
static void *allocate(size_t size, size_t align, uintptr_t site) {
    void *block;
    if (rv.mode == RV_PASSIVE)
        return from_libc(align > LEAST_ALIGN ? __libc_memalign(align, size) : __libc_malloc(size));
    if (RV_UNLIKELY(rv.internal)) {
        block = rv_internal_allocate(size, align);
    } else {
        struct rv_heap_origin origin = origin_here(site);
        block = rv_heap_allocate(size, align, &origin);
        if (block) rv_name_block(block);
        struct rv_pending pending = RV_PENDING(RV_OP_MALLOC, block, site);
        pending.size = event_size(size);
        rv_done(&pending, size, block ? 0 : RV_EVENT_FAILED);
    }
    if (!block) errno = ENOMEM;
    return block;
}

static _Noreturn void fail_not_a_block(const void *block, const char *what) {
    struct rv_heap_block near;
    if (rv_heap_find((uintptr_t)block, &near) && (uintptr_t)block - near.address < near.size)
        rv_fail_memory(RV_KIND_MISUSE, (uintptr_t)block, "%s of an address inside a block that malloc gave",
                       what);
    rv_fail_memory(RV_KIND_MISUSE, (uintptr_t)block, "%s of memory that malloc did not give", what);
}

static void release(void *block, uintptr_t site, const char *what) {
    struct rv_heap_origin origin = origin_here(site);
    enum rv_heap_status status = rv_heap_release(block, &origin);
    if (RV_LIKELY(status == RV_HEAP_OK)) return;
    rv_observe_bad_access((uintptr_t)block, site);
    rv_schedule_failure(site);
    if (status == RV_HEAP_NOT_A_BLOCK) fail_not_a_block(block, what);
    rv_fail_memory(RV_KIND_DOUBLE_FREE, (uintptr_t)block, "%s of a block that was freed before", what);
}

/* The point before a block's end. Like an access it is one only where the site has been in conflict before; the
 * conflict history hears of all bytes, for whoever has read one of them could have done so too late. */
static struct rv_pending announce_end(void *block, uintptr_t pc) {
    struct rv_pending pending = RV_PENDING(RV_OP_FREE, block, pc);
    size_t size = rv_heap_size(block);
    pending.size = size ? event_size(size) : 1;
    if (rv.mode != RV_CONTROLLED) return pending;
    struct rv_fiber *self = rv_self();
    if (RV_UNLIKELY(self->unfilled)) rv_trace_fill(self);
    struct rv_site *site = rv_site_of(pc);
    if (rv_access_is_point(self, site))
        rv_access_point(RV_OP_FREE, (uintptr_t)block, pending.size, pc);
    else
        self->step++;
    size_t noted = pending.size < NOTED_BYTES ? pending.size : NOTED_BYTES;
    rv_shadow_access((uintptr_t)block, noted, true, site, self->id);
    rv_effect(rv.current);
    return pending;
}

static void end_block(void *block, uintptr_t site) {
    int error = errno;
    struct rv_pending pending = announce_end(block, site);
    release(block, site, "free");
    rv_done(&pending, pending.size, 0);
    errno = error;
}

/* ---- what the hooks are made of ---- */

static void free_any(void *block, uintptr_t site) {
    if (!block) return;
    bool passive = rv_passive();
    if (is_programs(block)) {
        if (RV_LIKELY(!passive))
            end_block(block, site);
        else
            (void)rv_heap_release(block, NULL);
    } else if (rv_internal_owns(block)) {
        rv_internal_free(block);
    } else if (rv.mode == RV_PASSIVE || is_libcs(block)) {
        __libc_free(block);
    } else if (!passive) {
        fail_not_a_block(block, "free");
    }
}

static size_t size_of(void *block) {
    if (is_programs(block)) return rv_heap_size(block);
    if (rv_internal_owns(block)) return rv_internal_size(block);
    return RV_REAL(malloc_usable_size)(block);
}

/* A block of the program that grows or shrinks: a point, then a new block with the old one's bytes. */
static void *move_programs(void *block, size_t size, uintptr_t site) {
    bool passive = rv_passive();
    struct rv_pending pending = RV_PENDING(RV_OP_FREE, block, site);
    if (!passive) pending = announce_end(block, site);
    struct rv_heap_block old;
    bool live = rv_heap_find((uintptr_t)block, &old) && old.address == (uintptr_t)block && !old.freed;
    if (!live && !passive) release(block, site, "realloc"); /* says what is wrong with it */
    void *fresh = passive ? rv_heap_allocate(size, LEAST_ALIGN, NULL) : allocate(size, LEAST_ALIGN, site);
    if (!fresh) {
        errno = ENOMEM;
        return NULL;
    }
    __builtin_memcpy(fresh, block, size < old.size ? size : old.size);
    if (passive) {
        (void)rv_heap_release(block, NULL);
    } else {
        release(block, site, "realloc");
        rv_done(&pending, old.size, 0);
    }
    return fresh;
}

static void *move_internal(void *block, size_t size) {
    void *fresh = rv_internal_allocate(size, LEAST_ALIGN);
    if (!fresh) {
        errno = ENOMEM;
        return NULL;
    }
    size_t old = rv_internal_size(block);
    __builtin_memcpy(fresh, block, size < old ? size : old);
    rv_internal_free(block);
    return fresh;
}

static void *reallocate(void *block, size_t size, uintptr_t site) {
    if (!block) return allocate(size, LEAST_ALIGN, site);
    if (size == 0) {
        free_any(block, site);
        return NULL;
    }
    if (is_programs(block)) return move_programs(block, size, site);
    if (rv_internal_owns(block)) return move_internal(block, size);
    if (rv.mode != RV_PASSIVE && !is_libcs(block)) fail_not_a_block(block, "realloc");
    return from_libc(__libc_realloc(block, size));
}

static bool is_power_of_two(size_t value) { return value && !(value & (value - 1)); }

/* As glibc 2.36: the alignment is rounded up to a power of two, one that cannot be is EINVAL. */
static void *allocate_aligned(size_t align, size_t size, uintptr_t site) {
    if (align > SIZE_MAX / 2 + 1) {
        errno = EINVAL;
        return NULL;
    }
    size_t rounded = LEAST_ALIGN;
    while (rounded < align) rounded *= 2;
    return allocate(size, rounded, site);
}

void *rv_malloc(size_t size, uintptr_t site) { return allocate(size, LEAST_ALIGN, site); }

/* ---- the interposed functions ---- */

RV_EXPORT void *malloc(size_t size) { return allocate(size, LEAST_ALIGN, RV_SITE()); }

RV_EXPORT void free(void *block) { free_any(block, RV_SITE()); }

RV_EXPORT void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    if (rv.mode == RV_PASSIVE) return from_libc(__libc_calloc(count, size));
    /* Memory carved just now has never been used and is zero; a large block's pages stay untouched that way. */
    uintptr_t carved = RV_HEAP_BASE + rv_heap()->used[RV_PART_ARENA];
    void *block = allocate(bytes, LEAST_ALIGN, RV_SITE());
    bool fresh = is_programs(block) && (uintptr_t)block >= carved;
    if (block && !fresh) __builtin_memset(block, 0, bytes);
    return block;
}

RV_EXPORT void *realloc(void *block, size_t size) { return reallocate(block, size, RV_SITE()); }

RV_EXPORT void *reallocarray(void *block, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(block, bytes, RV_SITE());
}

RV_EXPORT void *memalign(size_t align, size_t size) { return allocate_aligned(align, size, RV_SITE()); }

RV_EXPORT void *aligned_alloc(size_t align, size_t size) { return allocate_aligned(align, size, RV_SITE()); }

RV_EXPORT int posix_memalign(void **block, size_t align, size_t size) {
    if (align % sizeof(void *) != 0 || !is_power_of_two(align / sizeof(void *))) return EINVAL;
    int error = errno;
    void *fresh = allocate_aligned(align, size, RV_SITE());
    errno = error;
    if (!fresh) return ENOMEM;
    *block = fresh;
    return 0;
}

RV_EXPORT void *valloc(size_t size) { return allocate_aligned(PAGE, size, RV_SITE()); }

RV_EXPORT void *pvalloc(size_t size) {
    if (size > SIZE_MAX - PAGE) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate_aligned(PAGE, (size + PAGE - 1) & ~(size_t)(PAGE - 1), RV_SITE());
}

RV_EXPORT size_t malloc_usable_size(void *block) { return block ? size_of(block) : 0; }

RV_EXPORT int malloc_trim(size_t pad) { return rv_passive() ? RV_REAL(malloc_trim)(pad) : 0; }

RV_EXPORT int mallopt(int parameter, int value) {
    return rv_passive() ? RV_REAL(mallopt)(parameter, value) : 1;
}

RV_EXPORT struct mallinfo2 mallinfo2(void) {
    if (rv_passive()) return RV_REAL(mallinfo2)();
    const struct rv_heap *heap = rv_heap();
    size_t arena = heap->used[RV_PART_ARENA];
    return (struct mallinfo2){.arena = arena, .uordblks = heap->live, .fordblks = arena - heap->live};
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
RV_EXPORT struct mallinfo mallinfo(void) {
    if (rv_passive()) return RV_REAL(mallinfo)();
    struct mallinfo2 info = mallinfo2();
    return (struct mallinfo){
        .arena = (int)info.arena, .uordblks = (int)info.uordblks, .fordblks = (int)info.fordblks};
}
#pragma GCC diagnostic pop
