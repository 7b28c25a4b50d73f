/* What a heap block is, told from where it was allocated.
 *
 * The debug information does not say what malloc's result is for, but the allocating function nearly always
 * does: it has a variable, a member or a return type that points to the thing. So: walk the allocation's
 * stack outwards to the first function that is not itself an allocator (one that returns void * and takes a
 * size), collect every pointer type in reach there, and weigh them:
 *
 *     what is known                                              weight
 *     the variable, member or type is named on the source line     8
 *     declared on the line of the call                             4
 *     the type is exactly as big as the block                      4
 *     the block is a whole number of them                          1
 *     ends in a flexible array, block is bigger (only if named)    2
 *     it is a variable or parameter, not a member                  1
 *
 * The best one wins if it weighs at least 5: an exact size in a variable is enough, a size that merely
 * divides is not. A wrong guess is worse than none, for readers believe it.
 */
#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbolise_private.h"

enum { ENOUGH = 5 };

struct guess {
    uint64_t size;      /* of the block */
    const char *source; /* the line of the allocation */
    unsigned line;
    int weight;      /* of the best so far */
    Dwarf_Die named; /* its type with typedefs */
    Dwarf_Die type;  /* and without */
};

static bool mentions(const char *source, const char *word) {
    size_t size = strlen(word);
    for (const char *at = source; size && (at = strstr(at, word)); at++) {
        bool begins = at == source || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !(isalnum((unsigned char)at[size]) || at[size] == '_')) return true;
    }
    return false;
}

static bool is_record(int tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

static bool pointed_type(Dwarf_Die *holder, Dwarf_Die *named, Dwarf_Die *type) {
    Dwarf_Die pointer;
    if (!rv_sym_type_of(holder, &pointer) || dwarf_tag(&pointer) != DW_TAG_pointer_type) return false;
    return rv_sym_named_type_of(&pointer, named) && rv_sym_type_of(&pointer, type);
}

/* `holder` is something whose type may be a pointer to what was allocated. */
static void consider(struct guess *guess, Dwarf_Die *holder, const char *name, bool variable) {
    Dwarf_Die named, type;
    int line = 0;
    if (!pointed_type(holder, &named, &type)) return;
    uint64_t size = rv_sym_type_size(&type);
    if (size == 0) return;
    const char *type_name = dwarf_diename(&named);
    bool named_here = (name && mentions(guess->source, name)) ||
                      (is_record(dwarf_tag(&type)) && type_name && mentions(guess->source, type_name));
    int weight = (named_here ? 8 : 0) + (variable ? 1 : 0);
    if (variable && dwarf_decl_line(holder, &line) == 0 && (unsigned)line == guess->line) weight += 4;
    if (size == guess->size)
        weight += 4;
    else if (guess->size % size == 0)
        weight += 1;
    else if (named_here && guess->size > size && is_record(dwarf_tag(&type)))
        weight += 2;
    else
        return;
    if (!is_record(dwarf_tag(&type)) && !named_here) return;
    if (weight <= guess->weight) return;
    guess->weight = weight;
    guess->named = named;
    guess->type = type;
}

/* Members of what a variable is or points to: `queue->items = malloc(...)`. */
static void consider_members(struct guess *guess, Dwarf_Die *variable) {
    Dwarf_Die type, named, target, child;
    if (!rv_sym_type_of(variable, &type)) return;
    if (pointed_type(variable, &named, &target)) type = target;
    if (!is_record(dwarf_tag(&type)) || dwarf_child(&type, &child) != 0) return;
    do {
        const char *name = dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : NULL;
        if (name && mentions(guess->source, name)) consider(guess, &child, name, false);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void consider_scope(struct guess *guess, Dwarf_Die *scope, bool nested) {
    Dwarf_Die child;
    if (dwarf_child(scope, &child) != 0) return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
            const char *name = dwarf_diename(&child);
            if (dwarf_tag(scope) == DW_TAG_compile_unit && !(name && mentions(guess->source, name))) continue;
            consider(guess, &child, name, true);
            consider_members(guess, &child);
        } else if (nested && tag == DW_TAG_lexical_block) {
            consider_scope(guess, &child, true);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* An allocator of the program's own: returns void *, takes an integer. Its callers know the type. */
static bool is_allocator(Dwarf_Die *function) {
    Dwarf_Die type, child, inner;
    if (!rv_sym_type_of(function, &type) || dwarf_tag(&type) != DW_TAG_pointer_type) return false;
    if (rv_sym_type_of(&type, &inner)) return false;
    if (dwarf_child(function, &child) != 0) return false;
    do {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter && rv_sym_type_of(&child, &inner) &&
            dwarf_tag(&inner) == DW_TAG_base_type)
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

enum verdict { NO_DEBUG_INFORMATION, ALLOCATOR, CONSIDERED };

/* Weighs what is in reach at `address`, level by level of inlining: *level is the one that is no allocator. */
static enum verdict look_around(struct rv_sym_module *module, uint64_t address,
                                const struct rv_location *levels, unsigned level_count, struct guess *guess,
                                unsigned *level) {
    Dwarf_Die unit, *scopes;
    if (!module || !module->dwarf || !rv_sym_unit(module, address, &unit)) return NO_DEBUG_INFORMATION;
    int count = rv_sym_scopes(&unit, address, &scopes);
    enum verdict verdict = count > 0 ? ALLOCATOR : NO_DEBUG_INFORMATION;
    *level = 0;
    for (int i = 0; i < count && verdict != CONSIDERED && *level < level_count; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
        Dwarf_Attribute attribute;
        Dwarf_Die origin = scopes[i];
        if (tag == DW_TAG_inlined_subroutine) {
            dwarf_formref_die(dwarf_attr(&scopes[i], DW_AT_abstract_origin, &attribute), &origin);
        }
        if (is_allocator(&origin)) {
            (*level)++;
            continue;
        }
        guess->source = levels[*level].source;
        guess->line = levels[*level].line;
        consider_scope(guess, &scopes[i], true);
        consider(guess, &origin, NULL, true); /* its return type */
        consider_scope(guess, &unit, false);
        verdict = CONSIDERED;
    }
    free(scopes);
    return verdict;
}

static void add_place(struct rv_text *text, const struct rv_location *place) {
    const char *slash = strrchr(place->file, '/');
    if (*place->function) rv_text_addf(text, " from %s()", place->function);
    if (place->line) rv_text_addf(text, " %s:%u", slash ? slash + 1 : place->file, place->line);
}

static bool add_typed(struct rv_text *text, struct guess *guess, uint64_t offset) {
    uint64_t size = rv_sym_type_size(&guess->type);
    if (guess->weight < ENOUGH || offset >= guess->size || !rv_sym_type_name(&guess->named, text))
        return false;
    if (guess->size % size == 0 && guess->size > size) {
        rv_text_addf(text, "[%llu]", (unsigned long long)(offset / size));
        offset %= size;
    }
    rv_sym_type_path(&guess->type, offset, 0, text);
    return true;
}

char *rv_symbolise_block(struct rv_symboliser *symbols, const struct rv_block_report *block,
                         unsigned offset) {
    struct guess guess = {.size = block->size, .source = ""};
    struct rv_location levels[RV_SYM_INLINE_MAX], place = {0};
    struct rv_text text = {0};
    unsigned count = sizeof block->alloc_frames / sizeof block->alloc_frames[0];
    enum verdict verdict = NO_DEBUG_INFORMATION;
    for (unsigned i = 0; i < count && block->alloc_frames[i] != 0 && verdict != CONSIDERED; i++) {
        rv_code code = block->alloc_frames[i];
        if (code == RV_CODE_UNKNOWN || rv_symbolise_is_runtime(symbols, code)) continue;
        unsigned level_count = rv_symbolise_code(symbols, code, true, levels, RV_SYM_INLINE_MAX), level = 0;
        struct rv_sym_module *module = rv_sym_module(symbols, rv_code_module(code));
        if (block->size)
            verdict = look_around(module, rv_code_offset(code) - 1, levels, level_count, &guess, &level);
        if (verdict == CONSIDERED || !place.function) { /* the innermost, unless a better one comes */
            if (place.function) rv_location_free(&place);
            rv_location_copy(&place, &levels[level < level_count ? level : 0]);
        }
        if (verdict == CONSIDERED) add_typed(&text, &guess, offset); /* while the source text is there */
        for (unsigned k = 0; k < level_count; k++) rv_location_free(&levels[k]);
    }
    if (text.data) {
        rv_text_add(&text, " (heap block");
        if (place.function) add_place(&text, &place);
        rv_text_add(&text, ")");
    } else {
        rv_text_addf(&text, "heap block of %llu bytes", (unsigned long long)block->size);
        if (place.function) add_place(&text, &place);
        rv_text_addf(&text, ", +%u", offset);
    }
    if (place.function) rv_location_free(&place);
    return rv_text_take(&text);
}
