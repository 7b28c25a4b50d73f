/* Names and places from debug information, which LLVM's C API gives as a graph of nodes: which operand is what is LLVM's
 * (DebugInfoMetadata.h), and named here. */
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modeller/modeller.h"

enum {
    TYPE_NAME = 2,
    TYPE_BASE = 3,
    TYPE_ELEMENTS = 4,
    VARIABLE_NAME = 1,
    VARIABLE_TYPE = 3,
    FUNCTION_NAME = 2,
    DEPTH_MAX = 64
};

static LLVMContextRef context;
static struct rm_map visited, by_name,
    locals; /* nodes; hash of a name and size to `structs`; allocas to `variables` */
static struct {
    LLVMMetadataRef type;
    bool several;
} * structs;
static LLVMMetadataRef *variables;
static uint32_t struct_count, struct_capacity, variable_count, variable_capacity;

static uint64_t key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static unsigned operands(LLVMMetadataRef node, LLVMValueRef *values, unsigned most) {
    LLVMValueRef value = LLVMMetadataAsValue(context, node);
    unsigned count = LLVMGetMDNodeNumOperands(value);
    if (count > most) return 0;
    LLVMGetMDNodeOperands(value, values);
    return count;
}

static LLVMMetadataRef operand(LLVMMetadataRef node, unsigned index) {
    LLVMValueRef values[64] = {0};
    return index < operands(node, values, 64) && values[index] ? LLVMValueAsMetadata(values[index]) : NULL;
}

static const char *text_operand(LLVMMetadataRef node, unsigned index) {
    LLVMValueRef values[64] = {0};
    unsigned length;
    if (index >= operands(node, values, 64) || !values[index]) return NULL;
    return LLVMGetMDString(values[index], &length); /* ends with NUL: it is the key of a StringMap */
}

static uint64_t hash_text(const char *text, size_t length) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash | 1;
}

static bool is_composite(LLVMMetadataRef node) {
    return node && LLVMGetMetadataKind(node) == LLVMDICompositeTypeMetadataKind;
}

static void note_struct(const char *name, LLVMMetadataRef type) {
    uint64_t size = LLVMDITypeGetSizeInBits(type) / 8;
    if (!size) return;
    uint32_t *slot = rm_map_at(&by_name, hash_text(name, strlen(name)), size);
    if (*slot != RM_NONE) {
        structs[*slot].several |= structs[*slot].type != type;
        return;
    }
    if (struct_count == struct_capacity) {
        struct_capacity = struct_capacity ? struct_capacity * 2 : 64;
        structs = rv_text_realloc(structs, struct_capacity, sizeof *structs);
    }
    *slot = struct_count;
    structs[struct_count].type = type;
    structs[struct_count++].several = false;
}

/* All that can be reached: the graph is deep, so the way is kept in a list. */
static void visit(LLVMMetadataRef root) {
    static LLVMMetadataRef *list;
    static size_t capacity;
    size_t count = 0;
    if (!root) return;
    if (capacity == 0) list = rv_text_realloc(list, capacity = 1024, sizeof(void *));
    list[count++] = root;
    while (count) {
        LLVMMetadataRef node = list[--count];
        uint32_t *known = rm_map_at(&visited, key(node), 0);
        if (*known != RM_NONE) continue;
        *known = 1;
        LLVMMetadataKind kind = LLVMGetMetadataKind(node);
        if (kind == LLVMMDStringMetadataKind || kind == LLVMConstantAsMetadataMetadataKind ||
            kind == LLVMLocalAsMetadataMetadataKind || kind == LLVMDIExpressionMetadataKind ||
            kind == LLVMDIArgListMetadataKind)
            continue;
        if (kind == LLVMDICompositeTypeMetadataKind) {
            const char *name = text_operand(node, TYPE_NAME);
            if (name) note_struct(name, node);
        } else if (kind == LLVMDIDerivedTypeMetadataKind) { /* typedef struct { } name */
            const char *name = text_operand(node, TYPE_NAME);
            LLVMMetadataRef base = operand(node, TYPE_BASE);
            if (name && is_composite(base) && !text_operand(base, TYPE_NAME) &&
                LLVMDITypeGetSizeInBits(node) == 0)
                note_struct(name, base);
        }
        LLVMValueRef value = LLVMMetadataAsValue(context, node);
        unsigned number = LLVMGetMDNodeNumOperands(value);
        LLVMValueRef *values = rv_text_alloc(number, sizeof(LLVMValueRef));
        LLVMGetMDNodeOperands(value, values);
        for (unsigned i = 0; i < number; i++) {
            if (!values[i] || !LLVMIsAMDNode(values[i])) continue;
            if (count == capacity) list = rv_text_realloc(list, capacity *= 2, sizeof(void *));
            list[count++] = LLVMValueAsMetadata(values[i]);
        }
        free(values);
    }
}

static void note_local(LLVMValueRef call) {
    LLVMValueRef about = LLVMGetOperand(call, 0), value = NULL;
    LLVMMetadataRef variable = LLVMValueAsMetadata(LLVMGetOperand(call, 1));
    visit(variable);
    if (LLVMGetMDNodeNumOperands(about) != 1) return;
    LLVMGetMDNodeOperands(about, &value);
    if (!value || !LLVMIsAAllocaInst(value)) return;
    if (variable_count == variable_capacity) {
        variable_capacity = variable_capacity ? variable_capacity * 2 : 64;
        variables = rv_text_realloc(variables, variable_capacity, sizeof(void *));
    }
    *rm_map_at(&locals, key(value), 0) = variable_count;
    variables[variable_count++] = variable;
}

void rm_debug_collect(struct rm *rm) {
    context = rm->context;
    unsigned count = LLVMGetNamedMetadataNumOperands(rm->module, "llvm.dbg.cu");
    LLVMValueRef *units = rv_text_alloc(count, sizeof(void *));
    LLVMGetNamedMetadataOperands(rm->module, "llvm.dbg.cu", units);
    for (unsigned i = 0; i < count; i++) visit(LLVMValueAsMetadata(units[i]));
    free(units);
    for (LLVMValueRef f = LLVMGetFirstFunction(rm->module); f; f = LLVMGetNextFunction(f)) {
        visit(LLVMGetSubprogram(f));
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsADbgDeclareInst(i)) note_local(i);
    }
}

LLVMMetadataRef rm_debug_of_struct(const char *ir_name, uint64_t size) {
    if (!ir_name) return NULL;
    const char *dot = strchr(ir_name, '.'), *name = dot ? dot + 1 : ir_name;
    for (const char *colons; (colons = strstr(name, "::"));) name = colons + 2;
    size_t length = strlen(name), end = length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') end--;
    if (end > 0 && end < length && name[end - 1] == '.') length = end - 1;
    uint32_t slot = rm_map_get(&by_name, hash_text(name, length), size);
    return slot == RM_NONE ? NULL : structs[slot].type;
}

LLVMMetadataRef rm_debug_of_local(LLVMValueRef alloca_, const char **name) {
    uint32_t slot = rm_map_get(&locals, key(alloca_), 0);
    if (slot == RM_NONE) return NULL;
    const char *own = text_operand(variables[slot], VARIABLE_NAME);
    if (own) *name = own;
    return operand(variables[slot], VARIABLE_TYPE);
}

LLVMMetadataRef rm_debug_of_global(LLVMValueRef global, const char **name) {
    size_t count;
    LLVMMetadataRef result = NULL;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    for (unsigned i = 0; i < count && !result; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
        if (LLVMGetMetadataKind(node) != LLVMDIGlobalVariableExpressionMetadataKind) continue;
        LLVMMetadataRef variable = LLVMDIGlobalVariableExpressionGetVariable(node);
        const char *own = text_operand(variable, VARIABLE_NAME);
        if (own) *name = own;
        result = operand(variable, VARIABLE_TYPE);
    }
    if (entries) LLVMDisposeValueMetadataEntries(entries);
    return result;
}

const char *rm_debug_of_function(LLVMValueRef function) {
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    return subprogram ? text_operand(subprogram, FUNCTION_NAME) : NULL;
}

/* --- paths of members --- */

/* Without names for it and what qualifies it. */
static LLVMMetadataRef plain(LLVMMetadataRef type) {
    for (int i = 0; type && i < DEPTH_MAX; i++) {
        if (LLVMGetMetadataKind(type) != LLVMDIDerivedTypeMetadataKind || LLVMDITypeGetSizeInBits(type) != 0)
            return type;
        type = operand(type, TYPE_BASE);
    }
    return NULL;
}

static bool is_array(LLVMMetadataRef type) {
    LLVMMetadataRef elements = operand(type, TYPE_ELEMENTS);
    LLVMMetadataRef first = elements ? operand(elements, 0) : NULL;
    return first && LLVMGetMetadataKind(first) == LLVMDISubrangeMetadataKind;
}

static uint64_t bytes_of(LLVMMetadataRef type) {
    type = plain(type);
    return type ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
}

/* The member of a struct, or of a union the one that fits best, in which the offset is. */
static LLVMMetadataRef member_at(LLVMMetadataRef type, uint64_t offset, uint64_t size) {
    LLVMMetadataRef elements = operand(type, TYPE_ELEMENTS), best = NULL;
    if (!elements) return NULL;
    LLVMValueRef value = LLVMMetadataAsValue(context, elements);
    unsigned count = LLVMGetMDNodeNumOperands(value);
    LLVMValueRef *values = rv_text_alloc(count, sizeof(void *));
    LLVMGetMDNodeOperands(value, values);
    uint64_t best_size = 0;
    for (unsigned i = 0; i < count; i++) {
        LLVMMetadataRef member = values[i] ? LLVMValueAsMetadata(values[i]) : NULL;
        if (!member || LLVMGetMetadataKind(member) != LLVMDIDerivedTypeMetadataKind) continue;
        uint64_t start = LLVMDITypeGetOffsetInBits(member) / 8, bytes = bytes_of(operand(member, TYPE_BASE));
        bool last = bytes == 0 && offset >= start; /* an array without length */
        if (start > offset || (offset - start >= bytes && !last)) continue;
        bool fits = !best || (best_size < size && bytes > best_size) || (bytes >= size && bytes < best_size);
        if (!fits) continue;
        best = member;
        best_size = bytes;
    }
    free(values);
    return best;
}

char *rm_debug_path(LLVMMetadataRef type, uint64_t offset, uint64_t size) {
    struct rv_text path = {0};
    for (int depth = 0; depth < DEPTH_MAX && (type = plain(type)); depth++) {
        if (!is_composite(type)) break;
        if (is_array(type)) {
            type = operand(type, TYPE_BASE);
            uint64_t element = bytes_of(type);
            rv_text_add(&path, "[]");
            if (element) offset %= element;
            continue;
        }
        if (offset == 0 && size >= LLVMDITypeGetSizeInBits(type) / 8 && size > 16) break; /* all of it */
        LLVMMetadataRef member = member_at(type, offset, size);
        if (!member) break;
        const char *name = text_operand(member, TYPE_NAME);
        if (name && *name) rv_text_addf(&path, ".%s", name);
        offset -= LLVMDITypeGetOffsetInBits(member) / 8;
        type = operand(member, TYPE_BASE);
    }
    return rv_text_take(&path);
}

/* --- places --- */

/* "/a/b/../c/./d" gives "/a/c/d". */
static char *tidy(const char *directory, unsigned directory_size, const char *file, unsigned size) {
    char *path = size && file[0] == '/'
                     ? rv_text_format("%.*s", (int)size, file)
                     : rv_text_format("%.*s/%.*s", (int)directory_size, directory, (int)size, file);
    char *to = path;
    for (const char *from = path; *from;) {
        size_t slashes = strspn(from, "/");
        size_t length = strcspn(from + slashes, "/");
        const char *part = from + slashes;
        from = part + length;
        if (length == 0 || (length == 1 && part[0] == '.')) continue;
        if (length == 2 && part[0] == '.' && part[1] == '.' && to > path && path[0] == '/') {
            do to--;
            while (to > path && *to != '/');
            continue;
        }
        if (slashes) *to++ = '/';
        memmove(to, part, length);
        to += length;
    }
    *to = '\0';
    return path;
}

char *rm_debug_place(LLVMValueRef value, uint32_t *line, uint32_t *column) {
    unsigned size = 0, directory_size = 0;
    const char *file = LLVMGetDebugLocFilename(value, &size);
    if (!file || !size) return NULL;
    const char *directory = LLVMGetDebugLocDirectory(value, &directory_size);
    *line = LLVMGetDebugLocLine(value);
    *column = LLVMIsAInstruction(value) ? LLVMGetDebugLocColumn(value) : 0;
    return tidy(directory ? directory : "", directory_size, file, size);
}

char *rm_where(LLVMValueRef value) {
    uint32_t line, column;
    char *path =
        LLVMIsAInstruction(value) || LLVMIsAFunction(value) ? rm_debug_place(value, &line, &column) : NULL;
    if (!path) return rv_text_copy("an unknown place");
    const char *slash = strrchr(path, '/');
    char *result = rv_text_format("%s:%u", slash ? slash + 1 : path, line);
    free(path);
    return result;
}
