/* The runtime's own allocator: classes of powers of two, a list of free pieces per class, new pieces from the
 * bottom of a reservation. Little is ever allocated here, and hardly anything freed, so it is as simple as can
 * be: before each block a header says how large it is, which class its piece has and where the piece begins.
 */
#include "runtime/internal_heap.h"

#include <sys/mman.h>

#include "runtime/sys.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { SMALLEST = 5 /* 32 bytes */, CLASSES = 35, HEADER = 16 };

struct header {
    size_t size;     /* asked for */
    uint32_t class;  /* the piece has 1 << class bytes */
    uint32_t before; /* bytes from the piece's start to the block, in units of 16 */
};
_Static_assert(sizeof(struct header) == HEADER, "blocks stay aligned to 16 behind it");

struct free_piece {
    struct free_piece *next;
};

static struct free_piece *free_pieces[CLASSES];
static uintptr_t next_piece, end; /* 0: nothing reserved yet */

/* All of the range, or as much of it as an address space limit allows. */
static bool reserve(void) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    for (size_t size = RV_INTERNAL_SIZE; size >= (size_t)16 << 20; size /= 2) {
        void *place = rv_sys_mmap((void *)RV_INTERNAL_BASE, size, PROT_READ | PROT_WRITE, flags, -1, 0);
        if ((uintptr_t)place == RV_INTERNAL_BASE) {
            next_piece = RV_INTERNAL_BASE;
            end = RV_INTERNAL_BASE + size;
            return true;
        }
        if (!rv_sys_failed((long)place)) (void)rv_sys_munmap(place, size);
    }
    return false;
}

static char *take_piece(uint32_t class) {
    struct free_piece *piece = free_pieces[class];
    if (piece) {
        free_pieces[class] = piece->next;
        return (char *)piece;
    }
    size_t size = (size_t)1 << class;
    if ((!end && !reserve()) || size > end - next_piece) return NULL;
    char *fresh = (char *)next_piece;
    next_piece += size;
    return fresh;
}

static struct header *header_of(const void *address) {
    return (struct header *)((uintptr_t)address - HEADER);
}

void *rv_internal_allocate(size_t size, size_t align) {
    RV_INVARIANT((align & (align - 1)) == 0);
    if (align < HEADER) align = HEADER;
    if (size >= RV_INTERNAL_SIZE || align >= RV_INTERNAL_SIZE) return NULL;
    size_t needed = size + align + (align > HEADER ? HEADER : 0); /* pieces are aligned to 16 only */
    uint32_t class = 64 - (uint32_t)__builtin_clzl(needed - 1);
    if (class < SMALLEST) class = SMALLEST;
    char *piece = class < CLASSES ? take_piece(class) : NULL;
    if (!piece) return NULL;
    uintptr_t block = ((uintptr_t)piece + HEADER + align - 1) & ~(uintptr_t)(align - 1);
    RV_INVARIANT(block + size <= (uintptr_t)piece + ((size_t)1 << class));
    *header_of((void *)block) = (struct header){
        .size = size, .class = class, .before = (uint32_t)((block - (uintptr_t)piece) / HEADER)};
    return (void *)block;
}

void rv_internal_free(void *address) {
    const struct header *header = header_of(address);
    RV_INVARIANT(header->class >= SMALLEST && header->class < CLASSES && header->before > 0);
    uint32_t class = header->class;
    struct free_piece *piece = (struct free_piece *)((uintptr_t)address - (uintptr_t)header->before * HEADER);
    piece->next = free_pieces[class];
    free_pieces[class] = piece;
}

size_t rv_internal_size(const void *address) { return header_of(address)->size; }
