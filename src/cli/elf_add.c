/* The data, the names of sections with one more, and the section table with one more are written behind the end of the
 * file; then the ELF header says where the new table is. The old table stays where it is, unused. */
#include "cli/elf_add.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/text.h"

struct elf_file {
    int fd;
    off_t size;
    Elf64_Ehdr header;
    Elf64_Shdr *sections;
    uint64_t count, names; /* names: index of the section with the names */
};

static bool read_at(const struct elf_file *elf, void *data, size_t size, uint64_t offset) {
    if (offset > (uint64_t)elf->size || size > (uint64_t)elf->size - offset) return false;
    return pread(elf->fd, data, size, (off_t)offset) == (ssize_t)size;
}

static bool read_table(struct elf_file *elf) {
    const Elf64_Ehdr *header = &elf->header;
    Elf64_Shdr first;
    if (!read_at(elf, &elf->header, sizeof elf->header, 0) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_shentsize != sizeof(Elf64_Shdr) || !read_at(elf, &first, sizeof first, header->e_shoff))
        return false;
    elf->count = header->e_shnum ? header->e_shnum : first.sh_size;
    elf->names = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
    if (elf->count > (uint64_t)elf->size / sizeof first || elf->names >= elf->count) return false;
    elf->sections = rv_text_alloc(elf->count + 1, sizeof first);
    return read_at(elf, elf->sections, elf->count * sizeof first, header->e_shoff);
}

static bool append(struct elf_file *elf, off_t *end, const void *data, size_t size, uint64_t *offset) {
    static const char zeros[8];
    size_t padding = (size_t)(-*end & 7);
    if (padding && pwrite(elf->fd, zeros, padding, *end) != (ssize_t)padding) return false;
    *end += (off_t)padding;
    *offset = (uint64_t)*end;
    for (size_t done = 0; done < size;) {
        ssize_t part = pwrite(elf->fd, (const char *)data + done, size - done, *end);
        if (part <= 0) return false;
        done += (size_t)part;
        *end += part;
    }
    return true;
}

static bool write_section(struct elf_file *elf, const char *name, const void *data, size_t size) {
    off_t end = elf->size;
    Elf64_Shdr *names = &elf->sections[elf->names];
    uint64_t old_size = names->sh_size;
    if (names->sh_type != SHT_STRTAB || old_size > (uint64_t)elf->size) return false;
    char *text = rv_text_alloc(old_size + strlen(name) + 1, 1);
    bool good = read_at(elf, text, old_size, names->sh_offset);
    memcpy(text + old_size, name, strlen(name) + 1);

    elf->sections[elf->count] = (Elf64_Shdr){
        .sh_name = (Elf64_Word)old_size, .sh_type = SHT_PROGBITS, .sh_size = size, .sh_addralign = 8};
    good = good && append(elf, &end, data, size, &elf->sections[elf->count].sh_offset);
    names->sh_size = old_size + strlen(name) + 1;
    good = good && append(elf, &end, text, names->sh_size, &names->sh_offset);
    free(text);

    uint64_t count = elf->count + 1;
    bool many = count >= SHN_LORESERVE;
    elf->header.e_shnum = many ? 0 : (Elf64_Half)count;
    if (many) elf->sections[0].sh_size = count;
    good = good && append(elf, &end, elf->sections, count * sizeof *elf->sections, &elf->header.e_shoff);
    if (good && pwrite(elf->fd, &elf->header, sizeof elf->header, 0) == (ssize_t)sizeof elf->header)
        return true;
    if (ftruncate(elf->fd, elf->size) != 0) return false;
    return false;
}

/* Somebody else's link to the same file, a compiler cache's for one, must not change. */
static bool make_single(const char *path, const struct stat *status) {
    char *fresh = rv_text_format("%s.ravel-XXXXXX", path);
    int from = open(path, O_RDONLY | O_CLOEXEC), to = mkostemp(fresh, O_CLOEXEC);
    bool good = from >= 0 && to >= 0 && fchmod(to, status->st_mode & 07777) == 0;
    for (off_t left = status->st_size; good && left > 0;) {
        ssize_t part = sendfile(to, from, NULL, (size_t)left);
        good = part > 0;
        left -= part;
    }
    good = good && rename(fresh, path) == 0;
    if (!good && to >= 0) unlink(fresh);
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    free(fresh);
    return good;
}

bool rv_elf_add_section(const char *path, const char *name, const void *data, size_t size) {
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1 &&
        !make_single(path, &status))
        return false;
    struct elf_file elf = {.fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)};
    if (elf.fd < 0) return false;
    bool good = fstat(elf.fd, &status) == 0 && S_ISREG(status.st_mode);
    elf.size = status.st_size;
    good = good && read_table(&elf) && write_section(&elf, name, data, size);
    free(elf.sections);
    return close(elf.fd) == 0 && good;
}
