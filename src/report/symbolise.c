#include "report/symbolise.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/symbolise_private.h"

enum { SOURCE_MAX = 16 << 20 }; /* bytes of a source file that are read */

static bool is_runtime(const char *path) {
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "libravel.so", 11) == 0;
}

static bool is_c_library(const char *path) {
    static const char *const names[] = {"libc.so", "libc-", "ld-linux", "libpthread", "libm.so"};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(base, names[i], strlen(names[i])) == 0) return true;
    }
    return false;
}

struct rv_symboliser *rv_symboliser_open(const struct rv_area *area, const char *program_directory) {
    unsigned count = area->module_count;
    return rv_symboliser_open_modules(area->modules, count < RV_MAX_MODULES ? count : RV_MAX_MODULES,
                                      program_directory);
}

struct rv_symboliser *rv_symboliser_open_modules(const struct rv_module *modules, unsigned count,
                                                 const char *program_directory) {
    elf_version(EV_CURRENT);
    struct rv_symboliser *symbols = rv_text_alloc(1, sizeof *symbols);
    char *resolved = program_directory && *program_directory ? realpath(program_directory, NULL) : NULL;
    symbols->directory = resolved ? resolved : rv_text_copy("");
    if (strcmp(symbols->directory, "/") == 0) symbols->directory[0] = '\0';
    symbols->modules = rv_text_alloc(count, sizeof *symbols->modules);
    symbols->module_count = count;
    for (unsigned i = 0; i < count; i++) {
        const struct rv_module *from = &modules[i];
        struct rv_sym_module *to = &symbols->modules[i];
        to->path = rv_text_copy_n(from->path, sizeof from->path);
        to->base = from->base;
        to->start = from->start;
        to->end = from->end;
        to->build_id_size = from->build_id_size <= sizeof to->build_id ? from->build_id_size : 0;
        memcpy(to->build_id, from->build_id, sizeof to->build_id);
        to->runtime = is_runtime(to->path);
        to->system = is_c_library(to->path);
        to->fd = to->debug_fd = -1;
    }
    return symbols;
}

void rv_location_free(struct rv_location *location) {
    free(location->function);
    free(location->file);
    free(location->source);
    free(location->module);
    *location = (struct rv_location){0};
}

void rv_location_copy(struct rv_location *to, const struct rv_location *from) {
    *to = *from;
    to->function = rv_text_copy(from->function);
    to->file = rv_text_copy(from->file);
    to->source = rv_text_copy(from->source);
    to->module = rv_text_copy(from->module);
}

void rv_symboliser_close(struct rv_symboliser *symbols) {
    if (!symbols) return;
    for (unsigned i = 0; i < symbols->module_count; i++) rv_sym_module_close(&symbols->modules[i]);
    for (size_t i = 0; i < symbols->source_count; i++) {
        free(symbols->sources[i].path);
        free(symbols->sources[i].text);
        free(symbols->sources[i].lines);
    }
    for (unsigned i = 0; i < RV_SYM_CACHE; i++) {
        struct rv_sym_cached *slot = &symbols->cache[i];
        for (unsigned k = 0; k < slot->count; k++) rv_location_free(&slot->locations[k]);
        free(slot->locations);
    }
    free(symbols->modules);
    free(symbols->sources);
    free(symbols->directory);
    free(symbols);
}

/* --- source files --- */

static char *read_whole(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    char *text = NULL;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= SOURCE_MAX) {
        size_t size = (size_t)status.st_size, got = 0;
        text = rv_text_alloc(size + 1, 1);
        ssize_t n;
        while (got < size && (n = read(fd, text + got, size - got)) > 0) got += (size_t)n;
        text[got] = '\0';
    }
    if (fd >= 0) close(fd);
    return text;
}

static struct rv_sym_source *source_of(struct rv_symboliser *symbols, const char *path) {
    for (size_t i = 0; i < symbols->source_count; i++) {
        if (strcmp(symbols->sources[i].path, path) == 0) return &symbols->sources[i];
    }
    symbols->sources = rv_text_realloc(symbols->sources, symbols->source_count + 1, sizeof *symbols->sources);
    struct rv_sym_source *source = &symbols->sources[symbols->source_count++];
    *source = (struct rv_sym_source){.path = rv_text_copy(path), .text = read_whole(path)};
    if (!source->text) return source;
    size_t capacity = 0;
    for (char *line = source->text; line;) {
        if (source->line_count == capacity) {
            capacity = capacity * 2 + 64;
            source->lines = rv_text_realloc(source->lines, capacity, sizeof *source->lines);
        }
        source->lines[source->line_count++] = line;
        char *newline = strchr(line, '\n');
        if (newline) *newline = '\0';
        line = newline ? newline + 1 : NULL;
    }
    for (size_t i = 0; i < source->line_count; i++) { /* trim */
        char *line = source->lines[i] + strspn(source->lines[i], " \t\r\f\v");
        size_t size = strlen(line);
        while (size > 0 && strchr(" \t\r\f\v", line[size - 1])) line[--size] = '\0';
        source->lines[i] = line;
    }
    return source;
}

const char *rv_sym_source_line(struct rv_symboliser *symbols, const char *path, unsigned line) {
    if (!*path || line == 0) return "";
    struct rv_sym_source *source = source_of(symbols, path);
    return source->text && line <= source->line_count ? source->lines[line - 1] : "";
}

/* --- paths --- */

/* Removes "." and ".." and double slashes, by text alone. */
static char *normalise(const char *path) {
    char *out = rv_text_alloc(strlen(path) + 2, 1);
    size_t size = 0;
    bool absolute = *path == '/';
    while (*path) {
        while (*path == '/') path++;
        size_t length = strcspn(path, "/");
        size_t cut = size;
        while (cut > 0 && out[cut - 1] != '/') cut--;
        bool can_go_up = size > 0 && strcmp(out + cut, "..") != 0;
        if (length == 0 || (length == 1 && path[0] == '.')) {
            /* nothing */
        } else if (length == 2 && path[0] == '.' && path[1] == '.' && (can_go_up || absolute)) {
            size = cut > 0 ? cut - 1 : 0;
        } else {
            if (size > 0 || absolute) out[size++] = '/';
            memcpy(out + size, path, length);
            size += length;
        }
        out[size] = '\0';
        path += length;
    }
    return out;
}

/* The part of the path below the program's directory, or NULL. */
static const char *below_directory(const struct rv_symboliser *symbols, const char *path) {
    size_t size = strlen(symbols->directory);
    bool below = size > 0 && strncmp(path, symbols->directory, size) == 0 && path[size] == '/';
    return below ? path + size + 1 : NULL;
}

/* --- code --- */

int rv_sym_scopes(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes) {
    Dwarf_Die *found = NULL;
    *scopes = NULL;
    int count = dwarf_getscopes(unit, address, &found);
    if (count > 0) {
        Dwarf_Die innermost = found[0];
        count = dwarf_getscopes_die(&innermost, scopes);
    }
    free(found);
    return count;
}

/* A relative path is meant from where the compiler ran (`origin`, NULL: unknown); the sources may since have
 * moved together with the directory that ravel was started in. */
static void set_place(struct rv_symboliser *symbols, struct rv_location *location, const char *origin,
                      const char *file, int line) {
    char *path = normalise(file ? file : ""), *whole = NULL;
    if (origin && *origin == '/' && *path && *path != '/') {
        char *joined = rv_text_format("%s/%s", origin, path);
        whole = normalise(joined);
        free(joined);
    }
    location->line = line > 0 ? (unsigned)line : 0;
    const char *source = whole ? rv_sym_source_line(symbols, whole, location->line) : "";
    if (!*source) source = rv_sym_source_line(symbols, path, location->line);
    rv_text_set(&location->source, rv_text_copy(source));
    const char *below = below_directory(symbols, whole ? whole : path);
    rv_text_set(&location->file, rv_text_copy(below ? below : path));
    free(path);
    free(whole);
}

static const char *origin_of(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

static const char *call_file(Dwarf_Die *unit, Dwarf_Die *inlined) {
    Dwarf_Attribute attribute;
    Dwarf_Word index;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &index) != 0) return NULL;
    if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count) return NULL;
    return dwarf_filesrc(files, index, NULL, NULL);
}

static int call_line(Dwarf_Die *inlined) {
    Dwarf_Attribute attribute;
    Dwarf_Word line;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0) return 0;
    return line < INT32_MAX ? (int)line : 0;
}

static struct rv_location blank(const struct rv_sym_module *module, uint64_t offset) {
    return (struct rv_location){.function = rv_text_copy(""),
                                .file = rv_text_copy(""),
                                .source = rv_text_copy(""),
                                .module = rv_text_copy(module ? module->path : ""),
                                .offset = offset};
}

/* The levels of functions inlined into each other around the address; 0: no debug information. */
static unsigned from_dwarf(struct rv_symboliser *symbols, struct rv_sym_module *module, uint64_t address,
                           uint64_t offset, struct rv_location *locations, unsigned max) {
    Dwarf_Die unit, *scopes = NULL;
    if (!module->dwarf || !rv_sym_unit(module, address, &unit)) return 0;
    Dwarf_Line *line = dwarf_getsrc_die(&unit, address);
    int number = 0;
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (line) dwarf_lineno(line, &number);
    int scope_count = rv_sym_scopes(&unit, address, &scopes);
    unsigned count = 0;
    for (int i = 0; i < scope_count && count < max; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
        struct rv_location *location = &locations[count++];
        *location = blank(module, offset);
        const char *name = dwarf_diename(&scopes[i]);
        if (name) rv_text_set(&location->function, rv_text_copy(name));
        set_place(symbols, location, origin_of(&unit), file, number);
        if (tag == DW_TAG_subprogram) break;
        file = call_file(&unit, &scopes[i]);
        number = call_line(&scopes[i]);
    }
    free(scopes);
    return count;
}

static unsigned look_up(struct rv_symboliser *symbols, rv_code code, bool is_return,
                        struct rv_location *locations) {
    struct rv_sym_module *module =
        code == RV_CODE_UNKNOWN ? NULL : rv_sym_module(symbols, rv_code_module(code));
    uint64_t offset = rv_code_offset(code);
    if (!module) {
        locations[0] = blank(NULL, 0);
        return 1;
    }
    uint64_t address = is_return && offset > 0 ? offset - 1 : offset;
    unsigned count = from_dwarf(symbols, module, address, offset, locations, RV_SYM_INLINE_MAX);
    if (count) return count;
    locations[0] = blank(module, offset);
    const struct rv_sym_symbol *symbol = rv_sym_find(&module->functions, address);
    if (symbol) rv_text_set(&locations[0].function, rv_text_copy(symbol->name));
    return 1;
}

unsigned rv_symbolise_code(struct rv_symboliser *symbols, rv_code code, bool is_return,
                           struct rv_location *locations, unsigned max) {
    struct rv_sym_cached *slot = &symbols->cache[(code * 0x9e3779b97f4a7c15u >> 40) % RV_SYM_CACHE];
    if (slot->count == 0 || slot->code != code || slot->is_return != is_return) {
        for (unsigned i = 0; i < slot->count; i++) rv_location_free(&slot->locations[i]);
        if (!slot->locations) slot->locations = rv_text_alloc(RV_SYM_INLINE_MAX, sizeof *slot->locations);
        slot->code = code;
        slot->is_return = is_return;
        slot->count = look_up(symbols, code, is_return, slot->locations);
    }
    unsigned count = slot->count < max ? slot->count : max;
    for (unsigned i = 0; i < count; i++) rv_location_copy(&locations[i], &slot->locations[i]);
    return count;
}

bool rv_symbolise_is_runtime(const struct rv_symboliser *symbols, rv_code code) {
    return code != RV_CODE_UNKNOWN && rv_code_module(code) < symbols->module_count &&
           symbols->modules[rv_code_module(code)].runtime;
}

bool rv_symbolise_is_system(const struct rv_symboliser *symbols, rv_code code) {
    return code != RV_CODE_UNKNOWN && rv_code_module(code) < symbols->module_count &&
           symbols->modules[rv_code_module(code)].system;
}
