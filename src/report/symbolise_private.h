/* What the files of the symboliser share: the opened modules. Only they include this.
 *
 *   module.c      opens files, checks build-ids, indexes compilation units and ELF symbols
 *   symbolise.c   code locations: functions, inline levels, lines, source text
 *   variables.c   data addresses: variables, fields, indices
 *   types.c       paths through DWARF types
 *   blocks.c      heap blocks: the type told from the allocation site
 */
#ifndef RV_REPORT_SYMBOLISE_PRIVATE_H
#define RV_REPORT_SYMBOLISE_PRIVATE_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include "report/symbolise.h"
#include "report/text.h"

struct rv_sym_symbol {
    uint64_t address;
    uint64_t size;
    const char *name; /* the Elf's */
};

struct rv_sym_range {
    uint64_t low, high; /* high is past the end */
    Dwarf_Off unit;     /* offset of the unit's DIE */
};

struct rv_sym_variable {
    uint64_t address;
    uint64_t size;
    Dwarf_Off die;
    const char *name;     /* the Dwarf's */
    const char *function; /* whose static it is; NULL: file scope */
};

struct rv_sym_symbols {
    struct rv_sym_symbol *list; /* sorted by address */
    size_t count;
};

struct rv_sym_module {
    char *path;
    uint64_t base, start, end; /* as struct rv_module */
    uint8_t build_id[20];
    uint32_t build_id_size;
    bool runtime; /* libravel itself */
    bool system;  /* the C library */
    bool opened;  /* tried: what is NULL below is not there */
    int fd, debug_fd;
    Elf *elf, *debug_elf;
    Dwarf *dwarf;
    struct rv_sym_symbols functions, objects;
    struct rv_sym_range *ranges; /* of code, sorted */
    size_t range_count;
    bool indexed;                      /* variables[] is filled */
    struct rv_sym_variable *variables; /* sorted by address */
    size_t variable_count;
};

struct rv_sym_source {
    char *path;
    char *text;   /* NULL: unreadable */
    char **lines; /* into text; NUL-terminated each */
    size_t line_count;
};

struct rv_sym_cached {
    rv_code code;
    bool is_return;
    unsigned count; /* 0: free slot */
    struct rv_location *locations;
};
enum { RV_SYM_CACHE = 1024, RV_SYM_INLINE_MAX = 16 };

struct rv_symboliser {
    char *directory; /* of the program, absolute, without trailing slash; "" if unknown */
    struct rv_sym_module *modules;
    unsigned module_count;
    struct rv_sym_source *sources;
    size_t source_count;
    struct rv_sym_cached cache[RV_SYM_CACHE];
};

/* module.c. The module, opened, or NULL if the index is wrong. */
struct rv_sym_module *rv_sym_module(struct rv_symboliser *symbols, unsigned index);
void rv_sym_module_close(struct rv_sym_module *module);
/* The compilation unit whose code contains the file address. */
bool rv_sym_unit(const struct rv_sym_module *module, uint64_t address, Dwarf_Die *unit);
/* The symbol that contains the address, or NULL. */
const struct rv_sym_symbol *rv_sym_find(const struct rv_sym_symbols *symbols, uint64_t address);

/* symbolise.c. Scopes around an address, innermost first, as they are nested in the code (not in the
 * source, for inlined functions); malloc'ed; the number, <= 0: none. */
int rv_sym_scopes(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes);
/* The text of a line of a file, trimmed; owned by the cache; "" if unknown. */
const char *rv_sym_source_line(struct rv_symboliser *symbols, const char *path, unsigned line);

/* types.c */
/* The type of a variable, member or pointer, without qualifiers and typedefs. False: none (void). */
bool rv_sym_type_of(Dwarf_Die *die, Dwarf_Die *type);
/* The same, typedefs kept: what a reader would call it. */
bool rv_sym_named_type_of(Dwarf_Die *die, Dwarf_Die *type);
/* Bytes of a type; 0: unknown or incomplete. */
uint64_t rv_sym_type_size(Dwarf_Die *type);
/* Adds ".field[3].next" for the bytes [offset, offset + size) of an object of this type; size 0: as deep as
 * it goes. Stops at names reserved for the implementation (the inside of pthread_mutex_t). */
void rv_sym_type_path(Dwarf_Die *type, uint64_t offset, unsigned size, struct rv_text *path);
/* "struct node", "node_t", "int"; false if it has no name. */
bool rv_sym_type_name(Dwarf_Die *named, struct rv_text *name);

#endif
