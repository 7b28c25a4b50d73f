#include "suite/markers.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite/native.h"

static const double loader_seconds = 10;

typedef void add_name(struct rv_listing *listing, const char *name);

/* Texts ended by NUL; what is cut off at the end of the section is no name. */
static void add_names(struct rv_listing *listing, Elf_Scn *section, add_name *add) {
    Elf_Data *data = elf_rawdata(section, NULL);
    const char *at = data ? data->d_buf : NULL, *end = at ? at + data->d_size : NULL;
    while (at && at < end) {
        size_t size = strnlen(at, (size_t)(end - at));
        if (at + size == end) return;
        add(listing, at);
        at += size + 1;
    }
}

/* Symbols that it takes from elsewhere. */
static void look_at_imports(struct rv_listing *listing, Elf *elf, Elf_Scn *section, const GElf_Shdr *header) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx != SHN_UNDEF) continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name) continue;
        listing->open |= strcmp(name, "dlopen") == 0 || strcmp(name, "dlmopen") == 0;
        listing->criterion |= strcmp(name, "criterion_run_all_tests") == 0;
    }
}

static void look_at_needed(struct rv_listing *listing, Elf *elf, Elf_Scn *section, const GElf_Shdr *header) {
    Elf_Data *data = elf_getdata(section, NULL);
    for (size_t i = 0; data && header->sh_entsize && i < header->sh_size / header->sh_entsize; i++) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag != DT_NEEDED) continue;
        const char *name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (name && strncmp(name, "libcriterion.so", 15) == 0) listing->criterion = true;
    }
}

static void look_at_sections(struct rv_listing *listing, Elf *elf, bool program) {
    size_t names = 0;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0) return;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header)) continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (program && header.sh_type == SHT_DYNSYM) look_at_imports(listing, elf, section, &header);
        if (program && header.sh_type == SHT_DYNAMIC) look_at_needed(listing, elf, section, &header);
        if (!name) continue;
        if (strcmp(name, ".ravel.events") == 0) add_names(listing, section, rv_listing_add_event);
        if (strcmp(name, ".ravel.tests") == 0) add_names(listing, section, rv_listing_add_test);
    }
}

static void read_file(struct rv_listing *listing, const char *path, bool program) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (elf) look_at_sections(listing, elf, program);
    elf_end(elf);
    close(fd);
}

void rv_markers_read_file(struct rv_listing *listing, const char *path) { read_file(listing, path, false); }

/* None of ours are in the system's own. */
static bool is_system(const char *path) {
    const char *name = strrchr(path, '/');
    return strncmp(name, "/libc.so", 8) == 0 || strncmp(name, "/ld-linux", 9) == 0;
}

/* The loader is asked which libraries it would load, and from where: "name => /path (0x...)". */
static void ask_loader(struct rv_listing *listing, const struct rv_program *program) {
    static const char *const ask[] = {"LD_TRACE_LOADED_OBJECTS", "1", NULL};
    struct rv_native_request request = {.env = ask, .limit = loader_seconds, .most = 1 << 20};
    struct rv_native_end end;
    char *error = NULL;
    if (!rv_native_run(program, &request, &end, &error)) {
        free(error);
        return;
    }
    for (char *rest = end.output, *line; (line = strsep(&rest, "\n"));) {
        char *path = strstr(line, "=> /"), *after = path ? strrchr(path, '(') : NULL;
        if (!path || !after || after - path < 5) continue;
        after[-1] = 0;
        rv_markers_read_file(listing, path + 3);
    }
    rv_native_free(&end);
}

void rv_markers_read(struct rv_listing *listing, const struct rv_program *program) {
    read_file(listing, program->path, true);
    if (listing->library_count == 0) ask_loader(listing, program);
    for (size_t i = 0; i < listing->library_count; i++)
        if (listing->libraries[i][0] == '/' && !is_system(listing->libraries[i]))
            rv_markers_read_file(listing, listing->libraries[i]);
}
