#include "regress/unmodelled.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/text.h"

/* Of crt1.o, crtbegin.o and the like; names that begin with "__" are the implementation's, too. */
static const char *const added[] = {"_start",
                                    "_init",
                                    "_fini",
                                    "deregister_tm_clones",
                                    "register_tm_clones",
                                    "frame_dummy",
                                    "_dl_relocate_static_pie",
                                    "atexit",
                                    NULL};

static bool is_of_compiler(const char *name) {
    for (const char *const *one = added; *one; one++)
        if (strcmp(*one, name) == 0) return true;
    static const char *const beginnings[] = {"__", "_Z", "_sub_", "_GLOBAL_", "tsan.", NULL};
    for (const char *const *one = beginnings; *one; one++)
        if (strncmp(name, *one, strlen(*one)) == 0) return true;
    return false;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* "f.part.0" and "f.cold" are f. */
static char *plain_name(const char *name) { return rv_text_copy_n(name, strcspn(name, ".")); }

struct names {
    char **list;
    size_t count;
};

static struct names names_of(const struct rv_model *model) {
    struct names names = {rv_text_alloc(model->function_count, sizeof(char *)), model->function_count};
    for (uint32_t i = 0; i < model->function_count; i++) names.list[i] = plain_name(model->functions[i].name);
    if (names.count) qsort(names.list, names.count, sizeof *names.list, by_text);
    return names;
}

static bool is_modelled(const struct names *names, char *name) {
    return names->count && bsearch(&name, names->list, names->count, sizeof *names->list, by_text);
}

static char *look_at_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const struct names *names) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; data && i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
            symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name || !*name || is_of_compiler(name)) continue;
        char *plain = plain_name(name);
        if (!is_modelled(names, plain)) return plain;
        free(plain);
    }
    return NULL;
}

char *rv_unmodelled_function(const char *path, const struct rv_model *model) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *found = NULL;
    if (fd < 0) return NULL;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    struct names names = names_of(model);
    for (Elf_Scn *section = elf ? elf_nextscn(elf, NULL) : NULL; section && !found;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            found = look_at_symbols(elf, section, &header, &names);
    }
    for (size_t i = 0; i < names.count; i++) free(names.list[i]);
    free(names.list);
    elf_end(elf);
    close(fd);
    return found;
}
