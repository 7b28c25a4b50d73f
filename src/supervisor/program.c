/* Finding and checking the program; making its input repeatable.
 *
 * What must hold for the runtime to get in: an ELF file of this architecture whose dynamic loader is
 * glibc's, for a static program never runs a loader that could load libravel. Everything else is refused
 * here with one line, before any process is started.
 *
 * Standard input is read by every execution of every worker from its first byte, so it must be a file.
 * A pipe or socket is copied into memory once. A terminal would make executions depend on who types: it
 * is replaced by /dev/null. A pipe that nobody writes to and nobody closes (usual under CI systems) must
 * not hang the campaign: without a byte or an end in the first half second it counts as empty, and the
 * user is told; once a byte has come, everything is waited for.
 */
#include "supervisor/program.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/text.h"
#include "supervisor/util.h"

#if defined(__x86_64__)
enum { HOST_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { HOST_MACHINE = EM_AARCH64 };
#else
#error "ravel runs on x86-64 and aarch64"
#endif

enum { INPUT_PATIENCE_MS = 500 };

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* The file that NAME means: a path, a file here, or a command in PATH. NULL: none. */
static char *find_file(const char *name) {
    if (is_file(name)) return realpath(name, NULL);
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path) return NULL;
    char *copy = rv_text_format("%s", path), *rest = copy, *found = NULL;
    for (char *part = strsep(&rest, ":"); part && !found; part = strsep(&rest, ":")) {
        char *candidate = rv_text_format("%s/%s", *part ? part : ".", name);
        if (is_file(candidate) && access(candidate, X_OK) == 0) found = realpath(candidate, NULL);
        free(candidate);
    }
    free(copy);
    return found;
}

static char *hex_text(const uint8_t *bytes, size_t size) {
    char *text = rv_allocate(2 * size + 1);
    for (size_t i = 0; i < size; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

/* Whether the loader named by PT_INTERP is glibc's. */
static bool is_glibc_loader(Elf *elf, const GElf_Phdr *header) {
    size_t size = 0;
    const char *file = elf_rawfile(elf, &size);
    if (!file || header->p_offset >= size || header->p_filesz > size - header->p_offset) return false;
    const char *text = file + header->p_offset;
    size_t length = strnlen(text, header->p_filesz);
    const char *slash = memrchr(text, '/', length);
    const char *base = slash ? slash + 1 : text;
    return (size_t)(text + length - base) > 8 && memcmp(base, "ld-linux", 8) == 0;
}

/* Looks through DT_NEEDED for libravel. */
static bool needs_libravel(Elf *elf) {
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC || header.sh_entsize == 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Dyn entry;
            if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag != DT_NEEDED) continue;
            const char *name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
            if (name && strncmp(name, "libravel.so", 11) == 0) return true;
        }
    }
    return false;
}

/* 0, or the exit code with *error. */
static int check_elf(struct rv_program *program, Elf *elf, char **error) {
    GElf_Ehdr header;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header)) {
        *error = rv_text_format("%s: not an ELF program (a script? name its interpreter's program)",
                                program->name);
        return 2;
    }
    if (header.e_machine != HOST_MACHINE || header.e_ident[EI_CLASS] != ELFCLASS64) {
        *error = rv_text_format("%s: built for another architecture", program->name);
        return 3;
    }
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
        *error = rv_text_format("%s: an ELF file, but not a program (an object or core file)", program->name);
        return 2;
    }
    bool interpreted = false;
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_INTERP) continue;
        interpreted = true;
        if (!is_glibc_loader(elf, &segment)) {
            *error = rv_text_format("%s: its dynamic loader is not glibc's; ravel supports only that",
                                    program->name);
            return 3;
        }
    }
    if (!interpreted) {
        *error = rv_text_format(
            "%s: statically linked (or a library); ravel needs a dynamically linked program", program->name);
        return 3;
    }
    program->instrumented = needs_libravel(elf);
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &id);
    program->build_id = size > 0 ? hex_text(id, (size_t)size) : rv_text_format("%s", "");
    return 0;
}

static int check_file(struct rv_program *program, char **error) {
    if (access(program->path, X_OK) != 0) {
        *error = rv_text_format("%s: not executable", program->name);
        return 2;
    }
    int fd = open(program->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        *error = rv_text_format("%s: cannot be read: %s", program->name, strerror(errno));
        return 2;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    int status = check_elf(program, elf, error);
    elf_end(elf);
    close(fd);
    return status;
}

/* libravel.so beside this executable: ../lib, in the build tree and when installed. */
static char *find_library(void) {
    char self[PATH_MAX];
    const char *override = getenv("RAVEL_LIBRARY");
    if (override && *override) return realpath(override, NULL);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return NULL;
    self[length] = 0;
    *strrchr(self, '/') = 0;
    static const char *const places[] = {"../lib/libravel.so", "../lib/libravel.so.0",
                                         "../lib/x86_64-linux-gnu/libravel.so.0",
                                         "../lib/aarch64-linux-gnu/libravel.so.0", "../lib64/libravel.so.0"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *candidate = rv_text_format("%s/%s", self, places[i]);
        char *found = is_file(candidate) ? realpath(candidate, NULL) : NULL;
        free(candidate);
        if (found) return found;
    }
    return NULL;
}

int rv_program_open(struct rv_program *program, const char *name, char *const *args, char **error) {
    *program = (struct rv_program){.name = rv_text_format("%s", name), .input = -1};
    size_t count = 0;
    while (args && args[count]) count++;
    program->argv = rv_allocate((count + 2) * sizeof *program->argv);
    program->argv[0] = rv_text_format("%s", name);
    for (size_t i = 0; i < count; i++) program->argv[i + 1] = rv_text_format("%s", args[i]);
    struct stat status;
    if (stat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
        *error = rv_text_format("%s: is a directory, not a program", name);
        return 2;
    }
    program->path = find_file(name);
    if (!program->path) {
        *error = rv_text_format("%s: no such program", name);
        return 2;
    }
    int code = check_file(program, error);
    if (code) return code;
    program->library = find_library();
    if (!program->library) {
        *error =
            rv_text_format("libravel.so not found in ../lib beside ravel; is the installation complete?");
        return 3;
    }
    return 0;
}

/* Copies everything that a pipe or socket gives into a memory file; -1: /dev/null will do. */
static int slurp(int from, bool *silent) {
    struct pollfd ready = {.fd = from, .events = POLLIN};
    if (poll(&ready, 1, INPUT_PATIENCE_MS) == 0) {
        *silent = true;
        return -1;
    }
    int to = memfd_create("ravel-input", MFD_CLOEXEC);
    char *buffer = rv_allocate(1 << 16);
    for (;;) {
        ssize_t size = read(from, buffer, 1 << 16);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0 || to < 0) break;
        for (ssize_t done = 0; done < size;) {
            ssize_t written = write(to, buffer + done, (size_t)(size - done));
            if (written <= 0) break;
            done += written;
        }
    }
    free(buffer);
    return to;
}

void rv_program_take_input(struct rv_program *program) {
    struct stat status;
    if (fstat(0, &status) != 0) return;
    if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
        program->input = slurp(0, &program->input_silent);
    else if (S_ISREG(status.st_mode))
        program->input = fcntl(0, F_DUPFD_CLOEXEC, 3);
}

static void free_list(char **list) {
    for (char **item = list; item && *item; item++) free(*item);
    free(list);
}

void rv_program_close(struct rv_program *program) {
    free(program->name);
    free(program->path);
    free_list(program->argv);
    free_list(program->env);
    free(program->directory);
    free(program->build_id);
    free(program->library);
    if (program->input >= 0) close(program->input);
    *program = (struct rv_program){.input = -1};
}
