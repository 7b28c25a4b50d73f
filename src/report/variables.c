/* Data addresses to variables. All variables with a fixed place are collected once per module, also those
 * inside functions (statics) and C++ namespaces, and sorted. Thread-local variables have no fixed place and
 * stay unnamed. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbolise_private.h"

enum { NESTING_MAX = 64 };

struct collector {
    struct rv_sym_module *module;
    size_t capacity;
};

static bool fixed_address(Dwarf_Die *variable, uint64_t *address) {
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    size_t count;
    if (!dwarf_attr(variable, DW_AT_location, &attribute)) return false;
    if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) return false;
    if (operations[0].atom == DW_OP_addr) {
        *address = operations[0].number;
        return true;
    }
    Dwarf_Attribute indirect; /* DWARF 5: an index into .debug_addr */
    if (operations[0].atom != DW_OP_addrx && operations[0].atom != DW_OP_GNU_addr_index) return false;
    return dwarf_getlocation_attr(&attribute, operations, &indirect) == 0 &&
           dwarf_formaddr(&indirect, address) == 0;
}

static void add_variable(struct collector *collector, Dwarf_Die *die, const char *function) {
    struct rv_sym_module *module = collector->module;
    uint64_t address;
    Dwarf_Die type;
    const char *name = dwarf_diename(die);
    if (!name || !fixed_address(die, &address)) return;
    uint64_t size = rv_sym_type_of(die, &type) ? rv_sym_type_size(&type) : 0;
    const struct rv_sym_symbol *symbol = rv_sym_find(&module->objects, address);
    if (symbol && symbol->address == address && symbol->size > size)
        size = symbol->size; /* flexible arrays */
    if (module->variable_count == collector->capacity) {
        collector->capacity = collector->capacity * 2 + 64;
        module->variables =
            rv_text_realloc(module->variables, collector->capacity, sizeof *module->variables);
    }
    module->variables[module->variable_count++] =
        (struct rv_sym_variable){address, size, dwarf_dieoffset(die), name, function};
}

static void collect(struct collector *collector, Dwarf_Die *parent, const char *function, int depth) {
    Dwarf_Die child;
    if (depth > NESTING_MAX || dwarf_child(parent, &child) != 0) return;
    do {
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable: add_variable(collector, &child, function); break;
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine: {
            const char *name = dwarf_diename(&child);
            collect(collector, &child, name ? name : function, depth + 1);
            break;
        }
        case DW_TAG_lexical_block:
        case DW_TAG_namespace: collect(collector, &child, function, depth + 1); break;
        default: break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int by_address(const void *a, const void *b) {
    const struct rv_sym_variable *first = a, *second = b;
    return first->address < second->address ? -1 : first->address > second->address;
}

static void index_variables(struct rv_sym_module *module) {
    struct collector collector = {module, 0};
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    module->indexed = true;
    if (!module->dwarf) return;
    while (dwarf_get_units(module->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        if (dwarf_tag(&die) == DW_TAG_compile_unit) collect(&collector, &die, NULL, 0);
    }
    if (module->variable_count) {
        qsort(module->variables, module->variable_count, sizeof *module->variables, by_address);
    }
}

static const struct rv_sym_variable *find_variable(const struct rv_sym_module *module, uint64_t address) {
    size_t low = 0, high = module->variable_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (module->variables[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return NULL;
    const struct rv_sym_variable *variable = &module->variables[low - 1];
    return address - variable->address < variable->size ? variable : NULL;
}

static char *describe(struct rv_sym_module *module, uint64_t address, unsigned size) {
    struct rv_text text = {0};
    const struct rv_sym_variable *variable = find_variable(module, address);
    if (variable) {
        Dwarf_Die die, type;
        rv_text_add(&text, variable->name);
        if (dwarf_offdie(module->dwarf, variable->die, &die) && rv_sym_type_of(&die, &type)) {
            rv_sym_type_path(&type, address - variable->address, size, &text);
        }
        if (variable->function) rv_text_addf(&text, " (static in %s())", variable->function);
        return rv_text_take(&text);
    }
    const struct rv_sym_symbol *symbol = rv_sym_find(&module->objects, address);
    if (symbol) {
        rv_text_add(&text, symbol->name);
        if (address > symbol->address)
            rv_text_addf(&text, "+%llu", (unsigned long long)(address - symbol->address));
        return rv_text_take(&text);
    }
    const char *slash = strrchr(module->path, '/');
    rv_text_addf(&text, "%s+0x%llx", slash ? slash + 1 : module->path, (unsigned long long)address);
    return rv_text_take(&text);
}

char *rv_symbolise_data(struct rv_symboliser *symbols, uint64_t address, unsigned size) {
    for (unsigned i = 0; i < symbols->module_count; i++) {
        const struct rv_sym_module *candidate = &symbols->modules[i];
        if (address < candidate->start || address >= candidate->end) continue;
        struct rv_sym_module *module = rv_sym_module(symbols, i);
        if (!module->indexed) index_variables(module);
        return describe(module, address - module->base, size);
    }
    return NULL;
}
