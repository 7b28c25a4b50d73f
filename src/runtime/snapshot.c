/* Taking and restoring memory: a full copy, and per region the cheapest way to see what differs from it.
 *
 * Hot pages. Tracking by write protection costs a page fault per first write and a system call per page that is
 * protected again: 1.5 us for a page that every execution writes, where copying it costs 0.05. So a page that
 * was found written is left unprotected: it is hot, and every restore copies it, or compares it and copies what
 * differs. A page that did not differ for IDLE restores is protected again; if it comes back, it has to be idle
 * twice as long the next time, for some pages are written in every execution and end as they were (a lock).
 * Invariant after every restore: a page of a tracked region is equal to the copy, and it is hot or protected.
 * After some executions nothing faults any more, the fault counters say so (rv_track_quiet), and a restore is
 * one getrusage and the hot pages: its cost follows what executions write, whatever the size of the whole.
 *
 * Measured here (AMD EPYC, Linux 6.18, one core; ns):
 *
 *   copy 64 KB, 128 KB, 256 KB, 1 MB with rep movsb           1180   2330   4890  22100
 *   compare the same with SSE2                                1600   3150   6370  26600
 *   one page: copy, compare                                     45    104
 *   PAGEMAP_SCAN of one mapping of 40 pages, of 64 MB         1200  18000
 *   first write to a protected page, protecting one page       734    737
 *   getrusage(RUSAGE_THREAD)                                   304
 *   whole restore, 10 pages written, of 10 regions with 150 KB together: uffd 1150, copy 2760, compare 3840
 *   whole restore, 10 pages written, of 64 MB: uffd 1130, copy 3.3 ms, compare 3.9 ms
 *
 * Hence the thresholds: below TRACK_TOTAL everything is copied without a system call; above, regions of at
 * least TRACK_REGION are tracked. A program that has page faults in every execution for other reasons (it maps
 * files, it forks) would pay scans of 1.2 us per region for nothing: if more than a quarter of the
 * restores had to scan, regions up to SCAN_REGION, the break-even, are copied from then on. Where nothing can
 * be tracked, regions of at least SCAN_REGION are compared once everything together exceeds the cache
 * (COMPARE_TOTAL), because copying would make all of it dirty in the cache as well.
 *
 * The main stack is not tracked unless it is large: protection splits its mapping in two, which
 * pthread_getattr_np, a reader of /proc/self/maps, takes for a stack of a few pages.
 *
 * Growth. What a region grew by in an execution is zeroed: up to ZERO_DIRECT just so, above it only pages
 * that hold something, and if those are more than ZERO_PAGES they are given back to the kernel instead,
 * so that an execution that used 100 MB does not burden all that follow.
 */
#include <emmintrin.h>
#include <sys/mman.h>

#include "runtime/reserve.h"
#include "runtime/snapshot.h"
#include "runtime/snapshot_track.h"
#include "runtime/sys.h"

enum {
    TRACK_TOTAL = 32 << 10,
    TRACK_REGION = 8 << 10,
    SCAN_REGION = 64 << 10,
    COMPARE_TOTAL = 512 << 10,
    STACK_COPIED = 256 << 10,
    ZERO_DIRECT = 64 << 10,
    ZERO_PAGES = 1024,
    IDLE = 32,     /* restores without a difference after which a page is protected again */
    HOT = 128,     /* in marks */
    FEW = 64,      /* hot pages that are copied without a look, */
    LOOK = 16,     /* but for one restore in so many */
    PATIENCE = 16, /* times that the idle time is doubled */
    WINDOW = 256,  /* restores after which the share of scans is looked at */
    ALIVE = 64,    /* restores after which tracking is tested */
};

struct saved {
    char *base;
    size_t size;           /* at the snapshot */
    const size_t *counter; /* bytes in use; NULL: size for ever */
    size_t now;            /* in use when the restore began */
    char *copy;
    uint8_t *marks; /* per page: HOT, and how often it has been protected again; tracked regions only */
    enum rv_snapshot_way way; /* COPY, COMPARE, or UFFD/SOFT: tracked */
};

struct hot_page {
    uint32_t region;
    uint32_t page; /* from the page that holds the region's base */
    uint32_t idle; /* restores in a row that found no difference */
};

static struct {
    struct saved *regions; /* `count` of them, then marks, in one mapping */
    struct hot_page *hot;
    char *copies;
    size_t regions_size, hot_size, copies_size; /* of the mappings */
    unsigned count;
    uint32_t hot_count;
    bool choose;              /* AUTO: ways may change */
    bool tracking;            /* some region is tracked */
    bool pages_known;         /* rv_track_present works */
    uint32_t restores, scans; /* in this window */
    size_t pages_copied;
} snapshot;

extern void *__libc_stack_end;

static uintptr_t page_down(uintptr_t address) { return address & ~(uintptr_t)(RV_PAGE - 1); }
static uintptr_t page_up(uintptr_t address) { return page_down(address + RV_PAGE - 1); }
static uintptr_t first_page(const struct saved *region) { return page_down((uintptr_t)region->base); }
static size_t page_count(const struct saved *region) {
    return (page_up((uintptr_t)region->base + region->size) - first_page(region)) / RV_PAGE;
}
static bool is_tracked(const struct saved *region) {
    return region->way == RV_SNAPSHOT_UFFD || region->way == RV_SNAPSHOT_SOFT;
}

/* In the runtime's window of addresses (reserve.h) if there is room: whoever lists the program's memory leaves it out. */
static void *map(size_t size) {
    static uintptr_t hint = RV_OWN_BASE + ((uintptr_t)3 << 40); /* above what rv_reserve gives out */
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *place = rv_sys_mmap((void *)hint, size ? size : 1, PROT_READ | PROT_WRITE, flags, -1, 0);
    hint += page_up(size) + RV_PAGE;
    return rv_sys_failed((long)place) ? NULL : place;
}

/* ---- bytes ---- */

static void copy_bytes(char *to, const char *from, size_t size) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void zero_bytes(char *to, size_t size) {
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory");
}

/* 64 bytes of both, zero where equal. */
static bool same_line(const char *a, const char *b) {
    __m128i all = _mm_set1_epi8(-1);
    for (size_t i = 0; i < 64; i += 16) {
        __m128i left = _mm_loadu_si128((const __m128i *)(a + i)),
                right = _mm_loadu_si128((const __m128i *)(b + i));
        all = _mm_and_si128(all, _mm_cmpeq_epi8(left, right));
    }
    return _mm_movemask_epi8(all) == 0xffff;
}

/* Bytes at the start that are equal, rounded down to where a search is over; size: all are. */
static size_t equal_bytes(const char *a, const char *b, size_t size) {
    size_t i = 0;
    for (; i + 64 <= size; i += 64)
        if (!same_line(a + i, b + i)) return i;
    for (; i < size; i++)
        if (a[i] != b[i]) return i;
    return size;
}

/* Brings [to, to + size), within one page, back; whether it had to. */
static bool put_back(char *to, const char *copy, size_t size) {
    size_t equal = equal_bytes(to, copy, size);
    if (equal == size) return false;
    copy_bytes(to + equal, copy + equal, size - equal);
    snapshot.pages_copied++;
    return true;
}

/* The part of a page that belongs to the region, as an offset into it and a size. */
static size_t part_of(const struct saved *region, size_t page, size_t *size) {
    uintptr_t base = (uintptr_t)region->base, start = first_page(region) + page * RV_PAGE,
              end = start + RV_PAGE;
    if (start < base) start = base;
    if (end > base + region->size) end = base + region->size;
    *size = end - start;
    return start - base;
}

static bool put_page_back(const struct saved *region, size_t page) {
    size_t size, offset = part_of(region, page, &size);
    return put_back(region->base + offset, region->copy + offset, size);
}

/* ---- taking ---- */

/* Copies a region; pages of zeros are left out, for the copy is fresh memory. */
static void save(struct saved *region) {
    static const char zeros[RV_PAGE];
    for (size_t page = 0; page < page_count(region); page++) {
        size_t size, offset = part_of(region, page, &size);
        if (equal_bytes(region->base + offset, zeros, size) < size)
            copy_bytes(region->copy + offset, region->base + offset, size);
    }
}

static bool is_main_stack(const struct saved *region) {
    return (uintptr_t)__libc_stack_end - (uintptr_t)region->base < region->size;
}

/* Whether AUTO wants this region tracked. */
static bool worth_tracking(const struct saved *region) {
    return region->size >= (is_main_stack(region) ? STACK_COPIED : TRACK_REGION);
}

static void track(enum rv_snapshot_way way) {
    for (unsigned i = 0; i < snapshot.count; i++) {
        struct saved *region = &snapshot.regions[i];
        if (!region->size || (snapshot.choose && !worth_tracking(region))) continue;
        uintptr_t start = first_page(region), end = start + page_count(region) * RV_PAGE;
        region->way = rv_track_begin(start, end) ? way : RV_SNAPSHOT_COMPARE;
        snapshot.tracking = snapshot.tracking || region->way == way;
    }
    if (way == RV_SNAPSHOT_SOFT && !rv_track_protect_all()) snapshot.tracking = false;
}

/* Everything that is tracked is compared from now on. */
static void stop_tracking(void) {
    for (unsigned i = 0; i < snapshot.count; i++)
        if (is_tracked(&snapshot.regions[i])) snapshot.regions[i].way = RV_SNAPSHOT_COMPARE;
    snapshot.tracking = false;
    snapshot.hot_count = 0;
    rv_track_close();
    snapshot.pages_known = rv_track_open_pages();
}

static bool try_tracking(enum rv_snapshot_way way) {
    if (!rv_track_open(way == RV_SNAPSHOT_UFFD ? RV_TRACK_UFFD : RV_TRACK_SOFT)) return false;
    track(way);
    if (!snapshot.tracking) stop_tracking();
    return snapshot.tracking;
}

static void set_ways(enum rv_snapshot_way way, size_t least) {
    for (unsigned i = 0; i < snapshot.count; i++)
        if (snapshot.regions[i].size >= least) snapshot.regions[i].way = way;
}

static void choose_ways(enum rv_snapshot_way way, size_t total) {
    snapshot.choose = way == RV_SNAPSHOT_AUTO;
    if (snapshot.choose) {
        set_ways(RV_SNAPSHOT_COPY, 0);
        if (total <= TRACK_TOTAL || try_tracking(RV_SNAPSHOT_UFFD)) return;
        if (total <= COMPARE_TOTAL || try_tracking(RV_SNAPSHOT_SOFT)) return;
        set_ways(RV_SNAPSHOT_COMPARE, SCAN_REGION);
    } else if (way == RV_SNAPSHOT_COPY) {
        set_ways(way, 0);
    } else {
        set_ways(RV_SNAPSHOT_COMPARE, 0);
        if (way != RV_SNAPSHOT_COMPARE) (void)try_tracking(way);
    }
}

static size_t use_of(const struct rv_region *region) { return region->used ? *region->used : region->fixed; }

/* Maps what the snapshot needs and describes the regions; the bytes of all, or SIZE_MAX: no memory. */
static size_t lay_out(const struct rv_region *regions, unsigned count) {
    size_t total = 0, pages = 0;
    for (unsigned i = 0; i < count; i++) {
        size_t used = use_of(&regions[i]);
        total += used;
        pages += used / RV_PAGE + 2;
    }
    snapshot.regions_size = count * sizeof(struct saved) + pages;
    snapshot.hot_size = pages * sizeof(struct hot_page);
    snapshot.copies_size = total;
    snapshot.regions = map(snapshot.regions_size);
    snapshot.hot = map(snapshot.hot_size);
    snapshot.copies = map(snapshot.copies_size);
    if (!snapshot.regions || !snapshot.hot || !snapshot.copies) return SIZE_MAX;
    char *copy = snapshot.copies;
    uint8_t *marks = (uint8_t *)(snapshot.regions + count);
    for (unsigned i = 0; i < count; i++) {
        struct saved *region = &snapshot.regions[i];
        *region = (struct saved){.base = regions[i].base,
                                 .size = use_of(&regions[i]),
                                 .counter = regions[i].used,
                                 .copy = copy,
                                 .marks = marks};
        copy += region->size;
        marks += page_count(region);
    }
    return total;
}

bool rv_snapshot_take(const struct rv_region *regions, unsigned count, enum rv_snapshot_way way) {
    rv_snapshot_drop();
    if (count > RV_SNAPSHOT_MAX) return false;
    size_t total = lay_out(regions, count);
    if (total == SIZE_MAX) {
        rv_snapshot_drop();
        return false;
    }
    snapshot.count = count;
    for (unsigned i = 0; i < count; i++) save(&snapshot.regions[i]);
    choose_ways(way, total);
    snapshot.pages_known = rv_track_open_pages();
    return true;
}

void rv_snapshot_drop(void) {
    rv_track_close();
    if (snapshot.regions)
        (void)rv_sys_munmap(snapshot.regions, snapshot.regions_size ? snapshot.regions_size : 1);
    if (snapshot.hot) (void)rv_sys_munmap(snapshot.hot, snapshot.hot_size ? snapshot.hot_size : 1);
    if (snapshot.copies)
        (void)rv_sys_munmap(snapshot.copies, snapshot.copies_size ? snapshot.copies_size : 1);
    __builtin_memset(&snapshot, 0, sizeof(snapshot));
}

/* ---- hot pages ---- */

static void heat(void *data, uintptr_t start, uintptr_t end) {
    const struct saved *region = data;
    for (uintptr_t at = start; at < end; at += RV_PAGE) {
        size_t page = (at - first_page(region)) / RV_PAGE;
        RV_INVARIANT(page < page_count(region));
        if (region->marks[page] & HOT) continue;
        region->marks[page] |= HOT;
        uint32_t index = (uint32_t)(region - snapshot.regions);
        snapshot.hot[snapshot.hot_count++] = (struct hot_page){.region = index, .page = (uint32_t)page};
    }
}

static bool find_written(void) {
    snapshot.scans++;
    for (unsigned i = 0; i < snapshot.count; i++) {
        struct saved *region = &snapshot.regions[i];
        if (!is_tracked(region)) continue;
        uintptr_t start = first_page(region);
        if (!rv_track_written(start, start + page_count(region) * RV_PAGE, heat, region)) return false;
    }
    return true;
}

static void forget(uint32_t index) {
    const struct hot_page *hot = &snapshot.hot[index];
    snapshot.regions[hot->region].marks[hot->page] &= (uint8_t)~HOT;
    snapshot.hot[index] = snapshot.hot[--snapshot.hot_count];
}

static bool is_idle(const struct hot_page *hot) {
    unsigned times = snapshot.regions[hot->region].marks[hot->page] & (HOT - 1);
    return hot->idle >= (uint32_t)IDLE << times;
}

/* A hot page that nobody writes: whether it is protected again. */
static bool cool(const struct hot_page *hot) {
    const struct saved *region = &snapshot.regions[hot->region];
    if (region->way != RV_SNAPSHOT_UFFD) return false;
    uintptr_t start = first_page(region) + (uintptr_t)hot->page * RV_PAGE;
    if (!rv_track_protect(start, start + RV_PAGE)) return false;
    uint8_t *mark = &region->marks[hot->page];
    if ((*mark & (HOT - 1)) < PATIENCE) ++*mark;
    return true;
}

/* Copying a page costs less than half of looking whether that is needed, so while there are few hot pages most
 * restores just copy them, and look only to find out which have become idle. */
static bool only_copy_hot(void) {
    if (snapshot.hot_count > FEW || snapshot.restores % LOOK == 0) return false;
    for (uint32_t i = 0; i < snapshot.hot_count; i++) {
        const struct saved *region = &snapshot.regions[snapshot.hot[i].region];
        size_t size, offset = part_of(region, snapshot.hot[i].page, &size);
        copy_bytes(region->base + offset, region->copy + offset, size);
    }
    snapshot.pages_copied += snapshot.hot_count;
    return true;
}

static void restore_hot(void) {
    if (only_copy_hot()) return;
    uint32_t idle = 0, since = snapshot.hot_count > FEW ? 1 : LOOK;
    for (uint32_t i = 0; i < snapshot.hot_count;) {
        struct hot_page *hot = &snapshot.hot[i];
        hot->idle += since;
        if (put_page_back(&snapshot.regions[hot->region], hot->page))
            hot->idle = 0;
        else if (is_idle(hot)) {
            if (cool(hot)) {
                forget(i);
                continue;
            }
            idle++;
        }
        i++;
    }
    /* Soft-dirty bits can only be cleared all at once: worth it when most pages are looked at in vain. */
    if (rv_track_open_way() != RV_TRACK_SOFT || idle < IDLE || idle < snapshot.hot_count / 2) return;
    if (rv_track_protect_all())
        while (snapshot.hot_count) forget(snapshot.hot_count - 1);
}

/* Looks at how it went since the last time, and stops tracking what does not pay or does not work. */
static void review(void) {
    if (snapshot.restores % ALIVE == 0 && !rv_track_alive()) stop_tracking();
    if (snapshot.restores < WINDOW) return;
    bool too_many = snapshot.scans * 4 > snapshot.restores;
    snapshot.restores = snapshot.scans = 0;
    if (!too_many || !snapshot.choose || !snapshot.tracking) return;
    snapshot.tracking = false;
    for (unsigned i = 0; i < snapshot.count; i++) {
        struct saved *region = &snapshot.regions[i];
        if (is_tracked(region) && region->size <= SCAN_REGION) region->way = RV_SNAPSHOT_COPY;
        snapshot.tracking = snapshot.tracking || is_tracked(region);
    }
    for (uint32_t i = snapshot.hot_count; i-- > 0;)
        if (!is_tracked(&snapshot.regions[snapshot.hot[i].region])) forget(i);
}

/* ---- growth ---- */

struct present {
    uintptr_t start, end; /* the bytes to be zeroed */
    size_t pages;
};

static void zero_run(void *data, uintptr_t start, uintptr_t end) {
    struct present *present = data;
    present->pages += (end - start) / RV_PAGE;
    if (present->pages > ZERO_PAGES) return;
    if (start < present->start) start = present->start;
    if (end > present->end) end = present->end;
    zero_bytes((char *)start, end - start);
}

/* Gives the whole pages of [start, end) back to the kernel and zeroes the rest. */
static void give_back(uintptr_t start, uintptr_t end) {
    uintptr_t low = page_up(start), high = page_down(end);
    if (high <= low || rv_sys_failed(rv_sys_madvise((void *)low, high - low, MADV_DONTNEED)))
        low = high = end;
    zero_bytes((char *)start, low - start);
    zero_bytes((char *)high, end - high);
}

static void zero_growth(const struct saved *region) {
    size_t now = region->now < RV_HEAP_SIZE ? region->now : RV_HEAP_SIZE; /* a wild write may have hit it */
    if (now <= region->size) return;
    uintptr_t start = (uintptr_t)region->base + region->size, end = (uintptr_t)region->base + now;
    if (now - region->size <= ZERO_DIRECT) {
        zero_bytes((char *)start, end - start);
        return;
    }
    struct present present = {.start = start, .end = end};
    if (snapshot.pages_known) {
        if (!rv_track_present(page_down(start), page_up(end), zero_run, &present))
            snapshot.pages_known = false;
        else if (present.pages <= ZERO_PAGES)
            return;
    }
    give_back(start, end);
}

/* ---- restoring ---- */

void rv_snapshot_restore(void) {
    snapshot.pages_copied = 0;
    snapshot.restores++;
    for (unsigned i = 0; i < snapshot.count;
         i++) /* before anything is restored: the counters lie in regions */
        if (snapshot.regions[i].counter) snapshot.regions[i].now = *snapshot.regions[i].counter;
    if (snapshot.tracking) {
        if (!rv_track_quiet() && !find_written()) stop_tracking();
        review();
    }
    for (unsigned i = 0; i < snapshot.count; i++) {
        const struct saved *region = &snapshot.regions[i];
        if (region->counter) zero_growth(region);
        if (region->way == RV_SNAPSHOT_COPY) {
            copy_bytes(region->base, region->copy, region->size);
            snapshot.pages_copied += page_count(region);
        } else if (region->way == RV_SNAPSHOT_COMPARE) {
            for (size_t page = 0; page < page_count(region); page++) (void)put_page_back(region, page);
        }
    }
    restore_hot();
}

enum rv_snapshot_way rv_snapshot_way_used(void) {
    enum rv_snapshot_way used = RV_SNAPSHOT_COPY;
    for (unsigned i = 0; i < snapshot.count; i++) {
        if (is_tracked(&snapshot.regions[i])) return snapshot.regions[i].way;
        if (snapshot.regions[i].way == RV_SNAPSHOT_COMPARE) used = RV_SNAPSHOT_COMPARE;
    }
    return used;
}

size_t rv_snapshot_pages_copied(void) { return snapshot.pages_copied; }

void rv_snapshot_hide_with(int (*hide)(int fd)) { rv_track_hide = hide; }
