/* Opening the object files of the program. The path comes from an untrusted area: only a regular file whose
 * build-id is the recorded one is used, so a program that was rebuilt in the meantime gives no names rather
 * than wrong ones. Compilation units are found by their own ranges, not by .debug_aranges, which clang
 * leaves out. Separate debug files are looked for where Debian puts them, but not for the C library: a place inside
 * it explains nothing to the user, and unpacking its debug information took 80 of 90 ms per failure. */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/symbolise_private.h"

static int open_regular(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool same_build(struct rv_sym_module *module, Elf *elf) {
    const void *id = NULL;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &id);
    if (module->build_id_size == 0) return true;
    return size == (ssize_t)module->build_id_size && memcmp(id, module->build_id, module->build_id_size) == 0;
}

static int by_address(const void *a, const void *b) {
    const struct rv_sym_symbol *first = a, *second = b;
    if (first->address != second->address) return first->address < second->address ? -1 : 1;
    return first->size < second->size ? -1 : first->size > second->size;
}

static void add_symbol(struct rv_sym_symbols *symbols, const GElf_Sym *symbol, const char *name) {
    if ((symbols->count & (symbols->count + 1)) == 0) { /* grows at 0, 1, 3, 7, ... */
        symbols->list = rv_text_realloc(symbols->list, symbols->count * 2 + 2, sizeof *symbols->list);
    }
    symbols->list[symbols->count++] = (struct rv_sym_symbol){symbol->st_value, symbol->st_size, name};
}

static void read_table(struct rv_sym_module *module, Elf *elf, Elf_Scn *section, const GElf_Shdr *header) {
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || header->sh_entsize == 0) return;
    size_t count = header->sh_size / header->sh_entsize;
    for (size_t i = 0; i < count && i < 0x7fffffff; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol)) break;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name || !*name || symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) continue;
        int type = GELF_ST_TYPE(symbol.st_info);
        if (type == STT_FUNC || type == STT_GNU_IFUNC) add_symbol(&module->functions, &symbol, name);
        if (type == STT_OBJECT) add_symbol(&module->objects, &symbol, name);
    }
}

/* The full table where there is one, else the dynamic one. */
static bool read_symbols(struct rv_sym_module *module, Elf *elf, unsigned wanted) {
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != wanted) continue;
        read_table(module, elf, section, &header);
    }
    return module->functions.count + module->objects.count > 0;
}

static int by_low(const void *a, const void *b) {
    const struct rv_sym_range *first = a, *second = b;
    return first->low < second->low ? -1 : first->low > second->low;
}

static void index_units(struct rv_sym_module *module) {
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;
    size_t capacity = 0;
    while (dwarf_get_units(module->dwarf, unit, &unit, NULL, &type, &die, NULL) == 0) {
        Dwarf_Addr base, low, high;
        ptrdiff_t offset = 0;
        if (dwarf_tag(&die) != DW_TAG_compile_unit) continue;
        while ((offset = dwarf_ranges(&die, offset, &base, &low, &high)) > 0) {
            if (low >= high) continue;
            if (module->range_count == capacity) {
                capacity = capacity * 2 + 16;
                module->ranges = rv_text_realloc(module->ranges, capacity, sizeof *module->ranges);
            }
            module->ranges[module->range_count++] = (struct rv_sym_range){low, high, dwarf_dieoffset(&die)};
        }
    }
    if (module->range_count) qsort(module->ranges, module->range_count, sizeof *module->ranges, by_low);
}

/* /usr/lib/debug/.build-id/ab/cdef....debug */
static void open_separate(struct rv_sym_module *module) {
    const uint8_t *id = NULL;
    const void *found = NULL;
    ssize_t size = dwelf_elf_gnu_build_id(module->elf, &found);
    if (size < 2 || size > 64) return;
    id = found;
    struct rv_text path = {0};
    rv_text_addf(&path, "/usr/lib/debug/.build-id/%02x/", id[0]);
    for (ssize_t i = 1; i < size; i++) rv_text_addf(&path, "%02x", id[i]);
    rv_text_add(&path, ".debug");
    module->debug_fd = open_regular(path.data);
    free(path.data);
    if (module->debug_fd < 0) return;
    module->debug_elf = elf_begin(module->debug_fd, ELF_C_READ_MMAP, NULL);
    if (!module->debug_elf || !same_build(module, module->debug_elf)) return;
    module->dwarf = dwarf_begin_elf(module->debug_elf, DWARF_C_READ, NULL);
}

static void open_module(struct rv_sym_module *module) {
    module->opened = true;
    module->fd = open_regular(module->path);
    if (module->fd < 0) return;
    module->elf = elf_begin(module->fd, ELF_C_READ_MMAP, NULL);
    if (!module->elf || elf_kind(module->elf) != ELF_K_ELF || !same_build(module, module->elf)) {
        elf_end(module->elf);
        module->elf = NULL;
        return;
    }
    module->dwarf = dwarf_begin_elf(module->elf, DWARF_C_READ, NULL);
    if (module->dwarf) index_units(module);
    if (!module->range_count) {
        dwarf_end(module->dwarf);
        module->dwarf = NULL;
        if (!module->system) open_separate(module);
        if (module->dwarf) index_units(module);
    }
    if (!(module->debug_elf && read_symbols(module, module->debug_elf, SHT_SYMTAB)) &&
        !read_symbols(module, module->elf, SHT_SYMTAB)) {
        read_symbols(module, module->elf, SHT_DYNSYM);
    }
    if (module->functions.count)
        qsort(module->functions.list, module->functions.count, sizeof(struct rv_sym_symbol), by_address);
    if (module->objects.count)
        qsort(module->objects.list, module->objects.count, sizeof(struct rv_sym_symbol), by_address);
}

struct rv_sym_module *rv_sym_module(struct rv_symboliser *symbols, unsigned index) {
    if (index >= symbols->module_count) return NULL;
    struct rv_sym_module *module = &symbols->modules[index];
    if (!module->opened) open_module(module);
    return module;
}

void rv_sym_module_close(struct rv_sym_module *module) {
    dwarf_end(module->dwarf);
    elf_end(module->debug_elf);
    elf_end(module->elf);
    if (module->debug_fd >= 0) close(module->debug_fd);
    if (module->fd >= 0) close(module->fd);
    free(module->functions.list);
    free(module->objects.list);
    free(module->ranges);
    free(module->variables);
    free(module->path);
}

bool rv_sym_unit(const struct rv_sym_module *module, uint64_t address, Dwarf_Die *unit) {
    size_t low = 0, high = module->range_count;
    while (low < high) { /* the last range that begins at or before the address */
        size_t middle = low + (high - low) / 2;
        if (module->ranges[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= module->ranges[low - 1].high) return false;
    return dwarf_offdie(module->dwarf, module->ranges[low - 1].unit, unit) != NULL;
}

const struct rv_sym_symbol *rv_sym_find(const struct rv_sym_symbols *symbols, uint64_t address) {
    size_t low = 0, high = symbols->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->list[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low, tried = 0; i > 0 && tried < 8; i--, tried++) { /* aliases and nested symbols */
        const struct rv_sym_symbol *symbol = &symbols->list[i - 1];
        if (address - symbol->address < symbol->size || address == symbol->address) return symbol;
    }
    return NULL;
}
