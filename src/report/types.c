/* Paths through DWARF types: which member, which element lies at an offset of an object. */
#include <dwarf.h>
#include <string.h>

#include "report/symbolise_private.h"

enum { DEPTH_MAX = 16 }; /* of nested members: guards against damaged debug information */

bool rv_sym_named_type_of(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type)) return false;
    for (int i = 0; i < DEPTH_MAX; i++) { /* const struct node -> struct node */
        int tag = dwarf_tag(type);
        bool qualifier = tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
                         tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
        if (!qualifier) return true;
        Dwarf_Die inner;
        if (!dwarf_formref_die(dwarf_attr(type, DW_AT_type, &attribute), &inner)) return false;
        *type = inner;
    }
    return false;
}

bool rv_sym_type_of(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    Dwarf_Die named;
    if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &named)) return false;
    return dwarf_peel_type(&named, type) == 0;
}

uint64_t rv_sym_type_size(Dwarf_Die *type) {
    Dwarf_Word size;
    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static bool is_record(int tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

bool rv_sym_type_name(Dwarf_Die *named, struct rv_text *name) {
    const char *text = dwarf_diename(named);
    if (!text) return false;
    int tag = dwarf_tag(named);
    const char *keyword = tag == DW_TAG_structure_type ? "struct " : tag == DW_TAG_union_type ? "union " : "";
    rv_text_addf(name, "%s%s", keyword, text);
    return true;
}

/* Byte offset of a member in its record; bit-fields: of the byte where they begin. */
static uint64_t member_offset(Dwarf_Die *member) {
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (dwarf_formudata(dwarf_attr(member, DW_AT_data_member_location, &attribute), &value) == 0)
        return value;
    if (dwarf_formudata(dwarf_attr(member, DW_AT_data_bit_offset, &attribute), &value) == 0) return value / 8;
    return 0; /* unions have no attribute */
}

static bool reserved(const char *name) {
    return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/* The member that holds [offset, offset + size). In unions the first that is exactly so big, else the
 * first that is big enough. A flexible array at the end holds everything behind it. */
static bool find_member(Dwarf_Die *record, uint64_t offset, unsigned size, Dwarf_Die *found, uint64_t *at) {
    Dwarf_Die child;
    bool any = false, is_union = dwarf_tag(record) == DW_TAG_union_type;
    if (dwarf_child(record, &child) != 0) return false;
    do {
        int tag = dwarf_tag(&child);
        Dwarf_Die type;
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
        if (dwarf_hasattr(&child, DW_AT_declaration) || dwarf_hasattr(&child, DW_AT_external))
            continue; /* static */
        if (!rv_sym_type_of(&child, &type)) continue;
        uint64_t start = member_offset(&child), length = rv_sym_type_size(&type);
        bool flexible = length == 0 && dwarf_tag(&type) == DW_TAG_array_type;
        if (offset < start || (offset - start >= length && !flexible)) continue;
        bool exact = is_union && size && offset == start && length == size;
        if (any && !exact && !flexible) continue;
        *found = child;
        *at = start;
        any = true;
        if (exact || (!is_union && !flexible)) break;
    } while (dwarf_siblingof(&child, &child) == 0);
    return any;
}

static uint64_t dimension(Dwarf_Die *subrange) {
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (dwarf_formudata(dwarf_attr(subrange, DW_AT_count, &attribute), &value) == 0) return value;
    if (dwarf_formudata(dwarf_attr(subrange, DW_AT_upper_bound, &attribute), &value) == 0) return value + 1;
    return 0; /* flexible */
}

/* Adds "[i][j]"; *offset becomes the offset in the element. */
static bool array_path(Dwarf_Die *array, uint64_t *offset, Dwarf_Die *element, struct rv_text *path) {
    uint64_t dimensions[8];
    unsigned count = 0;
    Dwarf_Die child;
    if (!rv_sym_type_of(array, element)) return false;
    uint64_t size = rv_sym_type_size(element);
    if (size == 0 || dwarf_child(array, &child) != 0) return false;
    do {
        if (dwarf_tag(&child) == DW_TAG_subrange_type && count < 8) dimensions[count++] = dimension(&child);
    } while (dwarf_siblingof(&child, &child) == 0);
    uint64_t index = *offset / size;
    *offset %= size;
    for (unsigned i = 0; i < count; i++) {
        uint64_t below = 1; /* elements in one step of this dimension */
        for (unsigned k = i + 1; k < count; k++) {
            if (dimensions[k] == 0 || __builtin_mul_overflow(below, dimensions[k], &below)) return false;
        }
        rv_text_addf(path, "[%llu]", (unsigned long long)(index / below));
        index %= below;
    }
    return true;
}

void rv_sym_type_path(Dwarf_Die *type, uint64_t offset, unsigned size, struct rv_text *path) {
    Dwarf_Die current = *type;
    bool unnamed = false; /* `current` is an anonymous member: its own members say more */
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        Dwarf_Die next;
        uint64_t whole = rv_sym_type_size(&current);
        if (offset == 0 && size && whole && size >= whole && !unnamed) return; /* all of it */
        unnamed = false;
        if (dwarf_tag(&current) == DW_TAG_array_type) {
            if (!array_path(&current, &offset, &next, path)) return;
        } else if (is_record(dwarf_tag(&current))) {
            Dwarf_Die member;
            uint64_t start;
            if (!find_member(&current, offset, size, &member, &start)) return;
            const char *name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
            if (name && reserved(name)) return;
            if (name)
                rv_text_addf(path, ".%s", name);
            else
                unnamed = true;
            if (!rv_sym_type_of(&member, &next)) return;
            offset -= start;
        } else {
            if (offset) rv_text_addf(path, "+%llu", (unsigned long long)offset);
            return;
        }
        current = next;
    }
}
