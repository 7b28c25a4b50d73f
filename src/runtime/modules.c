/* Modules: the files whose code and data the program has mapped, in the area's table, so that the
 * supervisor can name what an address means. A module keeps its index for the life of the area, also over the
 * death of a worker: it is found again by path, and only its addresses change.
 */
#include "runtime/engine.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include "runtime/sys.h"

static struct {
    uintptr_t start, end;
    uint32_t module;
    bool system; /* libc, ld.so, the kernel's: code that may hold a lock of its own */
} ranges[RV_MAX_MODULES];
static uint32_t range_count;
static uint32_t last; /* the range that was right last time */
static uintptr_t own_start, own_end;

static void copy_path(char *to, const char *from) {
    size_t size = strlen(from);
    if (size > sizeof((struct rv_module *)0)->path - 1) size = sizeof((struct rv_module *)0)->path - 1;
    memcpy(to, from, size);
    to[size] = 0;
}

static void program_path(char *path) {
    long size = rv_sys3(SYS_readlink, (long)"/proc/self/exe", (long)path, 255);
    path[size > 0 ? size : 0] = 0;
}

static void read_build_id(const char *note, size_t size, struct rv_module *module) {
    for (size_t at = 0; at + 12 <= size;) {
        const ElfW(Nhdr) *header = (const void *)(note + at);
        size_t name = (header->n_namesz + 3) & ~(size_t)3, body = (header->n_descsz + 3) & ~(size_t)3;
        if (at + 12 + name + body > size) return;
        if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 &&
            memcmp(note + at + 12, "GNU", 4) == 0) {
            size_t length = header->n_descsz < 20 ? header->n_descsz : 20;
            memcpy(module->build_id, note + at + 12 + name, length);
            module->build_id_size = (uint32_t)length;
            return;
        }
        at += 12 + name + body;
    }
}

/* The area's entry for this path, a new one if there is none; NULL: the table is full. */
static struct rv_module *entry_for(const char *path) {
    struct rv_area *area = rv.area;
    uint32_t count = area->module_count < RV_MAX_MODULES ? area->module_count : RV_MAX_MODULES;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(area->modules[i].path, path) == 0) return &area->modules[i];
    if (count == RV_MAX_MODULES) return NULL;
    struct rv_module *module = &area->modules[count];
    copy_path(module->path, path);
    area->module_count = count + 1;
    return module;
}

static bool starts(const char *text, const char *with) {
    while (*with && *text == *with) text++, with++;
    return !*with;
}

static bool is_system(const char *path) {
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (*at == '/') name = at + 1;
    static const char *const names[] = {"libc.so", "ld-linux", "linux-vdso", "libgcc_s"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (starts(name, names[i])) return true;
    return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    (void)data;
    char path[256];
    if (info->dlpi_name && *info->dlpi_name)
        copy_path(path, info->dlpi_name);
    else
        program_path(path);
    uintptr_t start = UINTPTR_MAX, end = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD) continue;
        uintptr_t from = info->dlpi_addr + header->p_vaddr;
        if (from < start) start = from;
        if (from + header->p_memsz > end) end = from + header->p_memsz;
    }
    struct rv_module *module = start < end && range_count < RV_MAX_MODULES ? entry_for(path) : NULL;
    if (!module) return 0;
    module->base = info->dlpi_addr;
    module->start = start;
    module->end = end;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_NOTE)
            read_build_id((const char *)info->dlpi_addr + header->p_vaddr, header->p_memsz, module);
    }
    ranges[range_count].start = start;
    ranges[range_count].end = end;
    ranges[range_count].system = is_system(path);
    ranges[range_count++].module = (uint32_t)(module - rv.area->modules);
    uintptr_t here = (uintptr_t)&rv_modules_scan;
    if (here >= start && here < end) {
        own_start = start;
        own_end = end;
    }
    return 0;
}

void rv_modules_scan(void) {
    range_count = 0;
    last = 0;
    rv.internal++;
    dl_iterate_phdr(visit, NULL);
    rv.internal--;
}

static bool find(uintptr_t address) {
    if (last < range_count && address - ranges[last].start < ranges[last].end - ranges[last].start)
        return true;
    for (uint32_t i = 0; i < range_count; i++)
        if (address - ranges[i].start < ranges[i].end - ranges[i].start) {
            last = i;
            return true;
        }
    return false;
}

rv_code rv_code_of(uintptr_t address) {
    if (!find(address)) {
        if (!address || rv_passive()) return RV_CODE_UNKNOWN;
        rv_modules_scan(); /* something may have been loaded since */
        if (!find(address)) return RV_CODE_UNKNOWN;
    }
    uint32_t module = ranges[last].module;
    return (rv_code)module << 48 | ((address - rv.area->modules[module].base) & 0xffffffffffffu);
}

bool rv_in_program(uintptr_t address) {
    return !rv_in_runtime(address) && find(address) && !ranges[last].system;
}

void rv_runtime_range(uintptr_t *start, uintptr_t *end) {
    *start = own_start;
    *end = (own_end + 4095) & ~(uintptr_t)4095;
}

bool rv_in_runtime(uintptr_t address) { return address - own_start < own_end - own_start; }
