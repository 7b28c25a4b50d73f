/* Which memory is the program's: read from /proc/self/maps, once, at the snapshot.
 *
 * Everything writable counts, except: what is the runtime's own (its window of addresses and libravel's data),
 * what the kernel owns, and of the main stack all below the stack pointer. The heap has its own list.
 */
#include "runtime/regions.h"

#include <fcntl.h>

#include "runtime/engine.h"
#include "runtime/reserve.h"
#include "runtime/sys.h"

enum { BUFFER = 4 << 20, RED_ZONE = 128 };

struct line {
    uintptr_t start, end;
    bool readable, writable;
    const char *path; /* not ended by 0, but by a newline */
};

static const char *read_hex(const char *at, uintptr_t *value) {
    *value = 0;
    for (;; at++) {
        unsigned digit;
        if (*at >= '0' && *at <= '9')
            digit = (unsigned)(*at - '0');
        else if (*at >= 'a' && *at <= 'f')
            digit = (unsigned)(*at - 'a') + 10;
        else
            return at;
        *value = *value << 4 | digit;
    }
}

/* Reads one line of the file; returns the next, NULL after the last. */
static const char *read_line(const char *at, struct line *line) {
    if (!*at) return NULL;
    at = read_hex(at, &line->start);
    if (*at != '-') return NULL;
    at = read_hex(at + 1, &line->end);
    if (*at != ' ') return NULL;
    line->readable = at[1] == 'r';
    line->writable = at[2] == 'w';
    line->path = "\n";
    unsigned fields = 0;
    while (*at && *at != '\n') {
        if (*at == ' ' && at[1] != ' ' && at[1] != '\n' && ++fields == 5) line->path = at + 1;
        at++;
    }
    return *at ? at + 1 : at;
}

static bool starts(const char *text, const char *with) {
    while (*with && *text == *with) text++, with++;
    return !*with;
}

static bool is_program_memory(const struct line *line) {
    if (!line->writable || !line->readable || rv_is_own(line->start)) return false;
    return !starts(line->path, "[v");
}

static char *read_maps(void) {
    char *buffer = rv_reserve(BUFFER);
    long fd = rv_sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (!buffer || fd < 0) return NULL;
    size_t size = 0;
    for (;;) {
        long got = rv_sys_read((int)fd, buffer + size, BUFFER - 1 - size);
        if (got <= 0) break;
        size += (size_t)got;
    }
    (void)rv_sys_close((int)fd);
    buffer[size] = 0;
    return size < BUFFER - 1 ? buffer : NULL;
}

/* The list that is being made. */
struct list {
    struct rv_region *regions;
    unsigned count, max;
    bool full;
};

static void add(struct list *list, uintptr_t start, uintptr_t end) {
    if (start >= end) return;
    if (list->count == list->max)
        list->full = true;
    else
        list->regions[list->count++] = (struct rv_region){.base = (char *)start, .fixed = end - start};
}

unsigned rv_regions_find(struct rv_region *regions, unsigned max, uintptr_t main_sp) {
    const char *at = read_maps();
    if (!at) return 0;
    struct list list = {.regions = regions, .count = rv_heap_regions(regions), .max = max};
    struct line line;
    uintptr_t own_start, own_end;
    rv_runtime_range(&own_start, &own_end);
    while ((at = read_line(at, &line)) != NULL) {
        if (!is_program_memory(&line)) continue;
        if (main_sp - line.start < line.end - line.start) line.start = main_sp - RED_ZONE;
        /* The kernel makes one line of libravel's variables and of what happens to lie beside them. */
        add(&list, line.start, line.end < own_start ? line.end : own_start);
        add(&list, line.start > own_end ? line.start : own_end, line.end);
    }
    return list.full ? 0 : list.count;
}
