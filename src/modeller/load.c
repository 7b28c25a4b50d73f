/* Bitcode: out of the sections that `ravel cc` has made (model/section.h) in a program, in the libraries that it names and that
 * are found where the loader would look, in objects and archives; or bitcode as a file of its own. All modules become
 * one. Where two define the same function, the first one counts, as for the dynamic linker. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/section.h"
#include "modeller/modeller.h"

struct loader {
    struct rm *rm;
    struct rm_map seen; /* modules and files that are in already */
    char message[512];  /* of LLVM */
    unsigned modules;
    bool failed;
};

static void take_diagnostic(LLVMDiagnosticInfoRef info, void *context) {
    struct loader *loader = context;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
    char *text = LLVMGetDiagInfoDescription(info);
    snprintf(loader->message, sizeof loader->message, "%s", text);
    LLVMDisposeMessage(text);
}

static bool is_new(struct loader *loader, const void *data, size_t size) {
    const unsigned char *bytes = data;
    uint64_t first = 14695981039346656037u, second = size;
    for (size_t i = 0; i < size; i++) {
        first = (first ^ bytes[i]) * 1099511628211u;
        second = (second << 7 | second >> 57) + bytes[i];
    }
    uint32_t *known = rm_map_at(&loader->seen, first | 1, second);
    if (*known != RM_NONE) return false;
    *known = 0;
    return true;
}

/* What the whole defines already is not defined again. */
static void yield_definitions(struct rm *rm, LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMValueRef other = LLVMGetNamedFunction(rm->module, LLVMGetValueName(f));
        LLVMLinkage linkage = LLVMGetLinkage(f);
        if (!other || LLVMIsDeclaration(f) || LLVMIsDeclaration(other) || linkage != LLVMExternalLinkage)
            continue;
        LLVMSetLinkage(f, LLVMWeakAnyLinkage);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        LLVMValueRef other = LLVMGetNamedGlobal(rm->module, LLVMGetValueName(g));
        if (!other || LLVMIsDeclaration(g) || LLVMIsDeclaration(other) ||
            LLVMGetLinkage(g) != LLVMExternalLinkage)
            continue;
        LLVMSetLinkage(g, LLVMWeakAnyLinkage);
    }
}

static void add_module(struct loader *loader, const char *name, const char *data, size_t size) {
    struct rm *rm = loader->rm;
    if (!is_new(loader, data, size)) return;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(data, size, name);
    LLVMModuleRef module;
    loader->message[0] = '\0';
    if (LLVMParseBitcodeInContext2(rm->context, buffer, &module)) {
        rm_unsure(rm, "no bitcode of %s: %s", name,
                  loader->message[0] ? loader->message : "it cannot be read");
        rm->missing = true;
    } else {
        loader->modules++;
        if (LLVMGetModuleInlineAsm(module, &(size_t){0})[0]) rm_unsure(rm, "assembly at the top of %s", name);
        if (!rm->module) {
            rm->module = module;
        } else {
            yield_definitions(rm, module);
            if (LLVMLinkModules2(rm->module, module)) {
                rm_unsure(rm, "%s is left out: %s", name, loader->message);
                rm->missing = true;
            }
        }
    }
    LLVMDisposeMemoryBuffer(buffer);
}

static void add_section(struct loader *loader, const char *data, size_t size) {
    while (size >= sizeof(struct rv_bitcode_head)) {
        struct rv_bitcode_head head;
        memcpy(&head, data, sizeof head);
        if (head.magic != RV_BITCODE_MAGIC) {
            data += 8;
            size -= 8;
            continue;
        }
        data += sizeof head;
        size -= sizeof head;
        if (head.name_size > size || head.size > size - head.name_size) {
            rm_unsure(loader->rm, "bitcode that is cut off");
            loader->rm->missing = true;
            return;
        }
        char *name = rv_text_copy_n(data, head.name_size);
        if (head.kind == RV_BITCODE_MODULE) {
            add_module(loader, name, data + head.name_size, head.size);
        } else if (is_new(loader, data, head.name_size + head.size)) {
            rm_unsure(loader->rm, "no bitcode of %s: %.*s", name, (int)head.size, data + head.name_size);
            loader->rm->missing = true;
        }
        free(name);
        size_t used = (head.name_size + head.size + 7) & ~(uint64_t)7;
        if (used > size) return;
        data += used;
        size -= used;
    }
}

/* --- ELF --- */

static bool add_file(struct loader *loader, const char *path, bool asked);

static bool try_library(struct loader *loader, const char *directory, size_t length, const char *origin,
                        const char *name) {
    char path[PATH_MAX];
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    const char *rest = directory, *before = "";
    for (int i = 0; i < 2; i++)
        if (length >= strlen(words[i]) && strncmp(directory, words[i], strlen(words[i])) == 0) {
            before = origin;
            rest += strlen(words[i]);
            length -= strlen(words[i]);
        }
    int size = snprintf(path, sizeof path, "%s%.*s/%s", before, (int)length, rest, name);
    if (size < 0 || (size_t)size >= sizeof path || access(path, R_OK) != 0) return false;
    return add_file(loader, path, false);
}

static bool try_path(struct loader *loader, const char *list, const char *origin, const char *name) {
    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (length && try_library(loader, list, length, origin, name)) return true;
        list += length + (list[length] == ':');
    }
    return false;
}

static void add_libraries(struct loader *loader, Elf *elf, const char *path) {
    char origin[PATH_MAX], *slash;
    if (!realpath(path, origin) || !(slash = strrchr(origin, '/'))) return;
    *slash = '\0';
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC || !header.sh_entsize ||
            !(data = elf_getdata(section, NULL)))
            continue;
        size_t count = header.sh_size / header.sh_entsize;
        const char *run_path = NULL;
        GElf_Dyn entry;
        for (size_t i = 0; i < count && gelf_getdyn(data, (int)i, &entry); i++)
            if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
                run_path = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
        for (size_t i = 0; i < count && gelf_getdyn(data, (int)i, &entry); i++) {
            const char *name =
                entry.d_tag == DT_NEEDED ? elf_strptr(elf, header.sh_link, entry.d_un.d_val) : NULL;
            if (!name || strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libravel.so", 11) == 0) continue;
            if (strchr(name, '/'))
                (void)add_file(loader, name, false);
            else if (!try_path(loader, run_path, origin, name))
                (void)try_path(loader, getenv("LD_LIBRARY_PATH"), origin, name);
        }
    }
}

static bool add_elf(struct loader *loader, Elf *elf, const char *path) {
    size_t names;
    bool found = false;
    if (elf_getshdrstrndx(elf, &names) != 0) return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || !(name = elf_strptr(elf, names, header.sh_name))) continue;
        if (strcmp(name, RV_BITCODE_SECTION) != 0 || !(data = elf_rawdata(section, NULL)) || !data->d_buf)
            continue;
        add_section(loader, data->d_buf, data->d_size);
        found = true;
    }
    add_libraries(loader, elf, path);
    return found;
}

static bool add_archive(struct loader *loader, int fd, Elf *archive, const char *path) {
    bool found = false;
    Elf_Cmd command = ELF_C_READ;
    for (Elf *member; (member = elf_begin(fd, command, archive)); elf_end(member)) {
        command = elf_next(member);
        if (elf_kind(member) == ELF_K_ELF) found |= add_elf(loader, member, path);
    }
    return found;
}

static bool is_bitcode(const char *data, size_t size) {
    return size >= 4 && memcmp(data, "BC\xc0\xde", 4) == 0;
}

static bool add_plain(struct loader *loader, const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) return false;
    struct rv_text content = {0};
    char part[1 << 16];
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;) {
        rv_text_add_n(&content, part, got);
        if (!is_bitcode(content.data, content.size)) break;
    }
    fclose(file);
    bool good = content.data && is_bitcode(content.data, content.size);
    if (good) add_module(loader, path, content.data, content.size);
    free(content.data);
    return good;
}

/* False: nothing for us; if it was asked for, that is said. */
static bool add_file(struct loader *loader, const char *path, bool asked) {
    char real[PATH_MAX];
    if (realpath(path, real) && !is_new(loader, real, strlen(real))) return true;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (asked) fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
        loader->failed |= asked;
        return false;
    }
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool found = false, known = true;
    if (elf && elf_kind(elf) == ELF_K_ELF)
        found = add_elf(loader, elf, path);
    else if (elf && elf_kind(elf) == ELF_K_AR)
        found = add_archive(loader, fd, elf, path);
    else
        known = found = add_plain(loader, path);
    elf_end(elf);
    close(fd);
    if (!found && asked) {
        loader->failed = true;
        fprintf(stderr,
                known ? "%s: has no bitcode; expected a program, library or object built with ravel cc\n"
                      : "%s: expected a program, library, object or bitcode\n",
                path);
    }
    return true;
}

bool rm_load(struct rm *rm, char **paths, int count) {
    struct loader loader = {.rm = rm};
    elf_version(EV_CURRENT);
    rm->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(rm->context, take_diagnostic, &loader);
    for (int i = 0; i < count && !loader.failed; i++) (void)add_file(&loader, paths[i], true);
    if (!loader.failed && !rm->module) {
        loader.failed = true;
        fprintf(stderr, "%s: no bitcode could be read; %s\n", paths[0],
                rm->unsure_count ? rm->unsure[0] : "expected a program built with ravel cc");
    }
    free(loader.seen.entries);
    if (loader.failed) return false;
    rm->layout = LLVMGetModuleDataLayout(rm->module);
    return true;
}
