/* Memory mappings: what an execution maps is unmapped after it, and what it had before comes back as it was.
 *
 *   made        mapped since the snapshot: unmapped at the end, by us if not by the program
 *   old         mapped at the snapshot. The snapshot brings back the contents, but only of what is still there. So
 *               an munmap of old memory only takes the access away (a use of it faults, as it should), and
 *               what mprotect, brk and madvise did to it is undone. Mapping over it (MAP_FIXED, mremap to a fixed
 *               place) would destroy it: from the next execution on, fork isolation is needed.
 * Everything else is in neither: the runtime's own, or nothing. All is undone before memory is restored.
 *
 * Shared mappings. Contents of those that are old are restored by copying, like private memory. Under fork isolation
 * all executions share them with the process that forks, which copies them back (rv_mappings_restore_shared).
 */
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/access.h"
#include "runtime/engine.h"
#include "runtime/hooks/outside.h"
#include "runtime/hooks/ranges.h"
#include "runtime/reserve.h"
#include "runtime/watch.h"

enum { PAGE = 4096, OLD_MAPS = 4096 };

struct old_map {
    uintptr_t start, end;
    int protection;
    bool shared;
    bool file;
};

static struct old_map old[OLD_MAPS];
static unsigned old_count;
static uintptr_t old_break;
static bool taken; /* there is a snapshot: old is known */
static struct rv_ranges made;
static struct rv_ranges changed; /* old memory whose protection is not what it was */

static bool controlled(void) { return taken && rv.mode == RV_CONTROLLED; }

static uintptr_t page_up(uintptr_t value) { return (value + PAGE - 1) & ~(uintptr_t)(PAGE - 1); }

/* ---- the snapshot: /proc/self/maps ---- */

struct reader {
    int fd;
    size_t at, size;
    char buffer[8192];
};

static int next_byte(struct reader *reader) {
    if (reader->at == reader->size) {
        long got = rv_sys_read(reader->fd, reader->buffer, sizeof reader->buffer);
        if (got <= 0) return -1;
        reader->size = (size_t)got;
        reader->at = 0;
    }
    return (unsigned char)reader->buffer[reader->at++];
}

static uintptr_t read_hex(struct reader *reader, int *after) {
    uintptr_t value = 0;
    for (;;) {
        int byte = next_byte(reader);
        if (byte >= '0' && byte <= '9')
            value = value << 4 | (uintptr_t)(byte - '0');
        else if (byte >= 'a' && byte <= 'f')
            value = value << 4 | (uintptr_t)(byte - 'a' + 10);
        else {
            *after = byte;
            return value;
        }
    }
}

static bool is_shared_of_program(const struct old_map *map) {
    const int access = PROT_READ | PROT_WRITE;
    return map->shared && (map->protection & access) == access && !rv_is_own(map->start);
}

/* "start-end rwxp offset dev inode path": false at the end of the file. */
static bool read_map(struct reader *reader, struct old_map *map) {
    int byte;
    map->start = read_hex(reader, &byte);
    if (byte != '-') return false;
    map->end = read_hex(reader, &byte);
    map->protection = PROT_NONE;
    if (next_byte(reader) == 'r') map->protection |= PROT_READ;
    if (next_byte(reader) == 'w') map->protection |= PROT_WRITE;
    if (next_byte(reader) == 'x') map->protection |= PROT_EXEC;
    map->shared = next_byte(reader) == 's';
    (void)next_byte(reader);
    (void)read_hex(reader, &byte); /* offset */
    (void)read_hex(reader, &byte); /* device, major */
    (void)read_hex(reader, &byte);
    map->file = read_hex(reader, &byte) != 0; /* inode: decimal, but only 0 or not matters */
    while (byte != '\n' && byte != -1) byte = next_byte(reader);
    return true;
}

/* ---- shared memory, under fork isolation ---- */

static char *shared_copy; /* of all old shared writable memory, one after the other */
static size_t shared_size;

/* Not by pointers: the end of a mapped file may have come nearer, and touching what lies behind it is a SIGBUS. */
static void copy_shared(bool back) {
    size_t at = 0;
    for (unsigned i = 0; i < old_count; i++) {
        const struct old_map *map = &old[i];
        if (!is_shared_of_program(map)) continue;
        size_t size = map->end - map->start;
        struct iovec copy = {shared_copy + at, size}, memory = {(void *)map->start, size};
        (void)rv_sys6(back ? SYS_process_vm_writev : SYS_process_vm_readv, rv_sys_getpid(), (long)&copy, 1,
                      (long)&memory, 1, 0);
        at += size;
    }
}

static void save_shared(void) {
    if (shared_copy) (void)rv_sys_munmap(shared_copy, shared_size);
    shared_copy = NULL;
    shared_size = 0;
    for (unsigned i = 0; i < old_count; i++)
        if (is_shared_of_program(&old[i])) shared_size += old[i].end - old[i].start;
    if (!shared_size) return;
    enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };
    void *memory = rv_sys_mmap(NULL, shared_size, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
    if (rv_sys_failed((long)memory)) {
        rv_note("no memory for a copy of the program's shared memory: executions see what others left there");
        return;
    }
    shared_copy = memory;
    copy_shared(false);
}

void rv_mappings_restore_shared(void) {
    if (shared_copy) copy_shared(true);
}

void rv_mappings_snapshot(void) {
    static struct reader reader;
    long fd = rv_sys_open("/proc/self/maps", 0, 0);
    if (rv_sys_failed(fd)) rv_unusable("/proc/self/maps cannot be read");
    reader.fd = (int)fd;
    reader.at = reader.size = 0;
    old_count = 0;
    for (struct old_map map; old_count < OLD_MAPS && read_map(&reader, &map);) old[old_count++] = map;
    (void)rv_sys_close((int)fd);
    old_break = (uintptr_t)rv_sys1(SYS_brk, 0);
    made.count = changed.count = 0;
    taken = true;
    if (rv.area->control.isolation == RV_ISOLATION_FORK) save_shared();
}

/* ---- what is old ---- */

/* The first old map at or after `start` that begins before `end`; NULL: none. They are in order. */
static const struct old_map *old_in(uintptr_t start, uintptr_t end) {
    unsigned low = 0, high = old_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (old[middle].end <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < old_count && old[low].start < end ? &old[low] : NULL;
}

/* Old memory that is not covered by something made. */
static bool touches_old(uintptr_t start, uintptr_t end) {
    return old_in(start, end) && !rv_ranges_cover(&made, start, end);
}

bool rv_mapping_is_old(uintptr_t address) { return touches_old(address, address + 1); }

/* ---- undoing ---- */

static void protect_as_before(uintptr_t start, uintptr_t end) {
    while (start < end) {
        const struct old_map *map = old_in(start, end);
        if (!map) return;
        uintptr_t from = map->start > start ? map->start : start, to = map->end < end ? map->end : end;
        (void)rv_sys_mprotect((void *)from, to - from, map->protection);
        start = to;
    }
}

void rv_mappings_restore(void) {
    if (!taken) return;
    for (unsigned i = 0; i < made.count; i++)
        (void)rv_sys_munmap((void *)made.list[i].start, made.list[i].end - made.list[i].start);
    for (unsigned i = 0; i < changed.count; i++)
        protect_as_before(changed.list[i].start, changed.list[i].end);
    if ((uintptr_t)rv_sys1(SYS_brk, 0) != old_break) (void)rv_sys1(SYS_brk, (long)old_break);
    made.count = changed.count = 0;
}

static void check_room(void) {
    if (made.overflow || changed.overflow) rv_need_fork("it has too many mappings to keep track of");
}

static void note_made(void *address, size_t size) {
    uintptr_t start = (uintptr_t)address;
    rv_ranges_add(&made, start, start + page_up(size));
    rv_watch(RV_STEP_ALLOC, address, page_up(size), 0, 0);
    check_room();
}

static void note_changed(uintptr_t start, uintptr_t end) {
    rv_ranges_add(&changed, start, end);
    check_room();
}

/* ---- the scheduling point ---- */

enum { NOTED_BYTES = 64 << 10 };

/* Before memory goes, changes its contents or its protection: like a write to it (see free, in heap.c). */
static void point(uintptr_t start, size_t size, uintptr_t pc) {
    if (!size) return;
    struct rv_fiber *self = rv_self();
    if (RV_UNLIKELY(self->unfilled)) rv_trace_fill(self);
    struct rv_site *site = rv_site_of(pc);
    if (rv_access_is_point(self, site))
        rv_access_point(RV_OP_REMAP, start, size, pc);
    else
        self->step++;
    rv_shadow_access(start, size < NOTED_BYTES ? size : NOTED_BYTES, true, site, self->id);
    rv_effect(rv.current);
    struct rv_pending pending = RV_PENDING(RV_OP_REMAP, (void *)start, pc);
    pending.size = (uint32_t)(size < UINT32_MAX ? size : UINT32_MAX);
    rv_done(&pending, 0, 0);
}

/* ---- mmap ---- */

RV_EXPORT void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    if (rv_passive() || !controlled()) return RV_REAL(mmap)(address, size, protection, flags, fd, offset);
    uintptr_t start = (uintptr_t)address;
    bool replaces = (flags & MAP_FIXED) && (flags & MAP_FIXED_NOREPLACE) != MAP_FIXED_NOREPLACE;
    if (replaces && touches_old(start, start + page_up(size)))
        rv_need_fork("it maps memory over what it had before its threads");
    bool shared = (flags & MAP_TYPE) == MAP_SHARED || (flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
    if (shared && (protection & PROT_WRITE) && !(flags & MAP_ANONYMOUS)) rv_fd_touch(fd);
    void *result = RV_REAL(mmap)(address, size, protection, flags, fd, offset);
    if (result != MAP_FAILED) note_made(result, size);
    return result;
}

/* The same function where offsets have 64 bits anyway; older programs ask for it by this name. */
RV_EXPORT void *mmap64(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    return mmap(address, size, protection, flags, fd, offset);
}

static int unmap(uintptr_t start, uintptr_t end) {
    for (uintptr_t until; start < end; start = until) {
        bool ours = rv_ranges_part(&made, start, end, &until);
        const struct old_map *map = ours ? NULL : old_in(start, until);
        if (map) {
            for (; map && map < old + old_count && map->start < until; map++) {
                uintptr_t from = map->start > start ? map->start : start,
                          to = map->end < until ? map->end : until;
                (void)rv_sys_mprotect((void *)from, to - from, PROT_NONE);
                note_changed(from, to);
            }
        } else {
            (void)rv_sys_munmap((void *)start, until - start);
            rv_ranges_remove(&made, start, until);
        }
    }
    return 0;
}

RV_EXPORT int munmap(void *address, size_t size) {
    uintptr_t start = (uintptr_t)address, end = start + page_up(size);
    if (rv_passive() || !controlled() || !size || start % PAGE || end < start)
        return RV_REAL(munmap)(address, size);
    point(start, size, RV_SITE());
    return unmap(start, end);
}

RV_EXPORT int mprotect(void *address, size_t size, int protection) {
    if (rv_passive() || !controlled()) return RV_REAL(mprotect)(address, size, protection);
    point((uintptr_t)address, size, RV_SITE());
    int result = RV_REAL(mprotect)(address, size, protection);
    uintptr_t start = (uintptr_t)address, end = start + page_up(size);
    if (touches_old(start, end)) note_changed(start, end); /* also when it did only a part and failed */
    return result;
}

/* ---- mremap ---- */

/* Old memory cannot be moved, for it must be there again: the program gets a copy. */
static void *move_copy(void *address, size_t size, size_t new_size, int protection) {
    enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS };
    void *copy = rv_sys_mmap(NULL, new_size, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
    if (rv_sys_failed((long)copy)) {
        errno = (int)-(long)copy;
        return MAP_FAILED;
    }
    memcpy(copy, address, size < new_size ? size : new_size);
    if (protection != (PROT_READ | PROT_WRITE)) (void)rv_sys_mprotect(copy, new_size, protection);
    note_made(copy, new_size);
    (void)unmap((uintptr_t)address, (uintptr_t)address + page_up(size));
    return copy;
}

RV_EXPORT void *mremap(void *address, size_t size, size_t new_size, int flags, ...) {
    void *target = NULL;
    if (flags & MREMAP_FIXED) {
        va_list list;
        va_start(list, flags);
        target = va_arg(list, void *);
        va_end(list);
    }
    uintptr_t start = (uintptr_t)address;
    bool simple = rv_passive() || !controlled() || start % PAGE || !size || !new_size;
    if (!simple) point(start, size, RV_SITE());
    if (!simple && touches_old(start, start + page_up(size)) && !(flags & MREMAP_FIXED)) {
        const struct old_map *map = old_in(start, start + PAGE);
        bool copyable = map && !map->shared && (map->protection & PROT_READ);
        if (page_up(new_size) == page_up(size)) return address;
        if (new_size < size) {
            (void)unmap(start + page_up(new_size), start + page_up(size));
            return address;
        }
        if (copyable && (flags & MREMAP_MAYMOVE)) return move_copy(address, size, new_size, map->protection);
        if (!(flags & MREMAP_MAYMOVE)) {
            errno = ENOMEM; /* it would have to grow where it is */
            return MAP_FAILED;
        }
    }
    if (!simple && touches_old(start, start + page_up(size)))
        rv_need_fork("it moves memory that it had before its threads");
    void *result = RV_REAL(mremap)(address, size, new_size, flags, target);
    if (simple || result == MAP_FAILED) return result;
    if (!(flags & MREMAP_DONTUNMAP)) rv_ranges_remove(&made, start, start + page_up(size));
    note_made(result, new_size);
    return result;
}

/* ---- madvise ---- */

/* Gives old pages back empty, in a way that restoring sees: by writing zeros. */
static void empty(uintptr_t start, uintptr_t end) {
    while (start < end) {
        uintptr_t until;
        bool ours = rv_ranges_part(&made, start, end, &until);
        const struct old_map *map = ours ? NULL : old_in(start, until);
        if (!map) {
            (void)rv_sys_madvise((void *)start, until - start, MADV_DONTNEED);
        } else {
            if (map->end < until) until = map->end;
            uintptr_t from = map->start > start ? map->start : start;
            if (map->shared)
                (void)rv_sys_madvise((void *)from, until - from, MADV_DONTNEED); /* nothing is lost */
            else if (map->file)
                rv_need_fork("it drops its changes to a mapped file (MADV_DONTNEED)");
            else if (map->protection & PROT_WRITE)
                memset((void *)from, 0, until - from);
        }
        start = until;
    }
}

RV_EXPORT int madvise(void *address, size_t size, int advice) {
    uintptr_t start = (uintptr_t)address, end = start + page_up(size);
    if (rv_passive() || !controlled() || start % PAGE || !touches_old(start, end))
        return RV_REAL(madvise)(address, size, advice);
    switch (advice) {
    case MADV_DONTNEED:
        point(start, size, RV_SITE());
        empty(start, end);
        return 0;
    case MADV_FREE: return 0;     /* may keep the contents */
    case MADV_DONTFORK: return 0; /* isolation may need them in a child */
    case MADV_REMOVE: rv_need_fork("it punches holes into shared memory (MADV_REMOVE)"); break;
    default: break;
    }
    return RV_REAL(madvise)(address, size, advice);
}

/* ---- brk ---- */

static void note_break(uintptr_t now) {
    if (now < old_break) rv_need_fork("it gives memory back by brk");
}

RV_EXPORT int brk(void *address) {
    if (rv_passive() || !controlled()) return RV_REAL(brk)(address);
    note_break((uintptr_t)address);
    return RV_REAL(brk)(address);
}

RV_EXPORT void *sbrk(intptr_t change) {
    if (rv_passive() || !controlled() || !change) return RV_REAL(sbrk)(change);
    note_break((uintptr_t)RV_REAL(sbrk)(0) + (uintptr_t)change);
    return RV_REAL(sbrk)(change);
}

RV_EXPORT int posix_madvise(void *address, size_t size, int advice) {
    if (rv_passive() || !controlled()) return RV_REAL(posix_madvise)(address, size, advice);
    return 0; /* advice of this kind never changes contents */
}
