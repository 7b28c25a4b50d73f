/* Asking the kernel which pages were written: userfaultfd + PAGEMAP_SCAN, and soft-dirty bits.
 *
 * The definitions of the kernel's interface stand here because Debian 12's headers are those of Linux 6.1:
 * PAGEMAP_SCAN and UFFD_FEATURE_WP_ASYNC came with 6.7.
 *
 * The probe page. Each way is tried on a page of ours before it is believed: protected it must not be
 * reported, written it must be, and the write must have moved the fault counters. gVisor, old kernels, kernels
 * without CONFIG_MEM_SOFT_DIRTY and seccomp filters all fail here, in one place. Afterwards the page stays
 * registered and unprotected, so that PAGEMAP_SCAN must report it for as long as userfaultfd lives: that is
 * rv_track_alive.
 *
 * Fault counters. A write to a protected page is a minor fault of the thread that writes (a major one if the
 * page was swapped out), inside system calls too. All program code and all system calls on its behalf run on
 * the carrier thread, so unchanged counters of that thread mean that no protected page was written. That saves
 * the scan, whose cost is about 1 us per mapping and 1 ns per page, for a getrusage of 0.3 us.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "runtime/snapshot_track.h"
#include "runtime/sys.h"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#define WP_UNPOPULATED ((uint64_t)1 << 13)
#define WP_ASYNC       ((uint64_t)1 << 15)

struct scan_run {
    uint64_t start;
    uint64_t end;
    uint64_t categories;
};
struct scan {
    uint64_t size;
    uint64_t flags;
    uint64_t start;
    uint64_t end;
    uint64_t walk_end; /* out: where it stopped */
    uint64_t runs;
    uint64_t run_count;
    uint64_t max_pages;
    uint64_t inverted; /* categories looked at upside down */
    uint64_t all_of;
    uint64_t any_of;
    uint64_t wanted; /* categories that split runs */
};
#define SCAN _IOWR('f', 16, struct scan)
enum { IS_WRITTEN = 2, IS_PRESENT = 8, IS_SWAPPED = 16, IS_ZERO_PAGE = 32 };
enum { CHECK_TRACKED = 2 /* flag: fail if a mapping is not under asynchronous write protection */ };

enum { RUNS = 256, ENTRIES = 1024 };
#define SOFT_DIRTY ((uint64_t)1 << 55)

static enum rv_track_way open_way;
static int uffd = -1, pagemap = -1, clear_refs = -1;
static char *probe;
static bool faults_tell; /* the probe's write moved the counters */
static int64_t faults_seen = -1;
int (*rv_track_hide)(int fd);

static int hidden(long fd) {
    if (rv_sys_failed(fd)) return -1;
    return rv_track_hide ? rv_track_hide((int)fd) : (int)fd;
}

static void close_one(int *fd) {
    if (*fd >= 0) (void)rv_sys_close(*fd);
    *fd = -1;
}

/* ---- PAGEMAP_SCAN ---- */

static bool scan(struct scan *ask, rv_track_visit *visit, void *data) {
    static struct scan_run runs[RUNS]; /* not on the carrier's small stack */
    uintptr_t end = ask->end;
    ask->size = sizeof(*ask);
    ask->runs = (uintptr_t)runs;
    ask->run_count = RUNS;
    while (ask->start < end) {
        ask->walk_end = 0;
        long count = rv_sys_ioctl(pagemap, SCAN, ask);
        if (count == -EINTR) continue;
        if (rv_sys_failed(count) || count > RUNS || ask->walk_end <= ask->start) return false;
        for (long i = 0; i < count; i++) visit(data, (uintptr_t)runs[i].start, (uintptr_t)runs[i].end);
        ask->start = ask->walk_end;
    }
    return true;
}

static bool scan_written(uintptr_t start, uintptr_t end, rv_track_visit *visit, void *data) {
    struct scan ask = {
        .flags = CHECK_TRACKED, .start = start, .end = end, .all_of = IS_WRITTEN, .wanted = IS_WRITTEN};
    return scan(&ask, visit, data);
}

bool rv_track_present(uintptr_t start, uintptr_t end, rv_track_visit *visit, void *data) {
    if (pagemap < 0) return false;
    struct scan ask = {.start = start,
                       .end = end,
                       .inverted = IS_ZERO_PAGE,
                       .all_of = IS_ZERO_PAGE,
                       .any_of = IS_PRESENT | IS_SWAPPED,
                       .wanted = IS_ZERO_PAGE};
    return scan(&ask, visit, data);
}

static void count_pages(void *data, uintptr_t start, uintptr_t end) {
    *(size_t *)data += (end - start) / RV_PAGE;
}

static bool open_pagemap(void) {
    if (pagemap < 0) pagemap = hidden(rv_sys_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0));
    return pagemap >= 0;
}

bool rv_track_open_pages(void) {
    if (!open_pagemap()) return false;
    char *two =
        rv_sys_mmap(NULL, (size_t)2 * RV_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rv_sys_failed((long)two)) return false;
    *(volatile char *)two = 1; /* the second stays untouched */
    size_t pages = 0;
    uintptr_t start = (uintptr_t)two;
    bool works = rv_track_present(start, start + (uintptr_t)2 * RV_PAGE, count_pages, &pages) && pages == 1;
    (void)rv_sys_munmap(two, (size_t)2 * RV_PAGE);
    if (!works && open_way == RV_TRACK_NONE) close_one(&pagemap);
    return works;
}

/* ---- soft-dirty bits ---- */

bool rv_track_protect_all(void) { return rv_sys_write(clear_refs, "4", 1) == 1; }

static bool soft_written(uintptr_t start, uintptr_t end, rv_track_visit *visit, void *data) {
    static uint64_t entries[ENTRIES];
    while (start < end) {
        size_t pages = (end - start) / RV_PAGE;
        if (pages > ENTRIES) pages = ENTRIES;
        long size = (long)(pages * sizeof(entries[0]));
        if (rv_sys_pread(pagemap, entries, (size_t)size, (off_t)(start / RV_PAGE * sizeof(entries[0]))) !=
            size)
            return false;
        for (size_t i = 0; i < pages; i++)
            if (entries[i] & SOFT_DIRTY) visit(data, start + i * RV_PAGE, start + (i + 1) * RV_PAGE);
        start += pages * RV_PAGE;
    }
    return true;
}

/* ---- both ---- */

bool rv_track_protect(uintptr_t start, uintptr_t end) {
    struct uffdio_writeprotect ask = {.range = {.start = start, .len = end - start},
                                      .mode = UFFDIO_WRITEPROTECT_MODE_WP};
    return rv_sys_ioctl(uffd, UFFDIO_WRITEPROTECT, &ask) == 0;
}

bool rv_track_begin(uintptr_t start, uintptr_t end) {
    if (open_way == RV_TRACK_SOFT) return true;
    struct uffdio_register ask = {.range = {.start = start, .len = end - start},
                                  .mode = UFFDIO_REGISTER_MODE_WP};
    return rv_sys_ioctl(uffd, UFFDIO_REGISTER, &ask) == 0 && rv_track_protect(start, end);
}

bool rv_track_written(uintptr_t start, uintptr_t end, rv_track_visit *visit, void *data) {
    if (open_way == RV_TRACK_UFFD) return scan_written(start, end, visit, data);
    return open_way == RV_TRACK_SOFT && soft_written(start, end, visit, data);
}

static int64_t faults(void) {
    struct rusage usage;
    if (rv_sys_failed(rv_sys2(SYS_getrusage, RUSAGE_THREAD, (long)&usage))) return -1;
    return (int64_t)usage.ru_minflt + usage.ru_majflt;
}

bool rv_track_quiet(void) {
    if (!faults_tell) return false;
    int64_t now = faults(), before = faults_seen;
    faults_seen = now;
    return now >= 0 && now == before;
}

static size_t probe_written(void) {
    size_t pages = 0;
    uintptr_t start = (uintptr_t)probe;
    return rv_track_written(start, start + RV_PAGE, count_pages, &pages) ? pages : 2;
}

bool rv_track_alive(void) {
    return open_way == RV_TRACK_SOFT ? clear_refs >= 0 : open_way == RV_TRACK_UFFD && probe_written() == 1;
}

static bool open_uffd(void) {
    long fd = rv_sys1(SYS_userfaultfd, UFFD_USER_MODE_ONLY | O_CLOEXEC);
    if (rv_sys_failed(fd)) return false;
    uffd = hidden(fd);
    struct uffdio_api ask = {.api = UFFD_API, .features = WP_ASYNC | WP_UNPOPULATED};
    return uffd >= 0 && rv_sys_ioctl(uffd, UFFDIO_API, &ask) == 0;
}

/* Protects the probe and writes to it; whether the reports are as they must be. */
static bool try_probe(void) {
    *(volatile char *)probe = 1;
    uintptr_t start = (uintptr_t)probe;
    bool protected =
        open_way == RV_TRACK_UFFD ? rv_track_begin(start, start + RV_PAGE) : rv_track_protect_all();
    if (!protected || probe_written() != 0) return false;
    int64_t before = faults();
    *(volatile char *)probe = 2;
    faults_tell = before >= 0 && faults() > before;
    return probe_written() == 1;
}

bool rv_track_open(enum rv_track_way way) {
    rv_track_close();
    if (way == RV_TRACK_NONE) return false;
    probe = rv_sys_mmap(NULL, RV_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rv_sys_failed((long)probe)) {
        probe = NULL;
        return false;
    }
    open_way = way;
    bool opened = open_pagemap();
    if (opened && way == RV_TRACK_UFFD) opened = open_uffd();
    if (opened && way == RV_TRACK_SOFT) {
        clear_refs = hidden(rv_sys_open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC, 0));
        opened = clear_refs >= 0;
    }
    if (opened && try_probe()) return true;
    rv_track_close();
    return false;
}

enum rv_track_way rv_track_open_way(void) { return open_way; }

void rv_track_close(void) {
    close_one(&uffd); /* takes its protection off all ranges */
    close_one(&clear_refs);
    close_one(&pagemap);
    if (probe) (void)rv_sys_munmap(probe, RV_PAGE);
    probe = NULL;
    open_way = RV_TRACK_NONE;
    faults_tell = false;
    faults_seen = -1;
}
