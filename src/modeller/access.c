/* Variables and what accesses them. A variable is a range of bytes of an object: accesses that overlap mean the same one. What
 * touches many bytes at once (memcpy, assignment of a struct) does not make them one variable: it accesses all in its range. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "modeller/modeller.h"

enum { SCALAR_MAX = 16 };

static struct rm_map sizes; /* object + 1, offset to the largest size of an access there */
static uint32_t *
    first_of; /* variables of an object, while they are sorted by object and offset; object_count + 1 of them */

static void add_access(struct rm *rm, LLVMValueRef instruction, LLVMValueRef address, uint32_t function,
                       unsigned kind, uint64_t size, bool range) {
    uint32_t index = RM_ADD(rm, use);
    rm->uses[index] = (struct rm_access){.instruction = instruction,
                                         .place = address,
                                         .address = rm_value(rm, address),
                                         .function = function,
                                         .kind = kind,
                                         .size = size,
                                         .range = range};
}

static bool is_atomic(LLVMValueRef value) { return LLVMGetOrdering(value) != LLVMAtomicOrderingNotAtomic; }

uint64_t rm_bytes_behind(LLVMValueRef address) {
    bool expression = LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr;
    if (!expression && !LLVMIsAGetElementPtrInst(address)) return 0;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address), around = NULL;
    int count = LLVMGetNumOperands(address);
    for (int i = 2; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(address, (unsigned)i);
        around = type;
        type = LLVMGetTypeKind(type) == LLVMStructTypeKind
                   ? LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index))
                   : LLVMGetElementType(type);
    }
    LLVMValueRef last = LLVMGetOperand(address, (unsigned)count - 1);
    if (!around || LLVMGetTypeKind(around) != LLVMArrayTypeKind ||
        LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 8 ||
        !LLVMIsAConstantInt(last))
        return 0;
    uint64_t length = LLVMGetArrayLength(around), before = LLVMConstIntGetZExtValue(last);
    return length > 1 && before < length ? length - before : 0;
}

static void of_call(struct rm *rm, LLVMValueRef call, uint32_t function) {
    LLVMValueRef callee = rm_callee(call);
    unsigned count = LLVMGetNumArgOperands(call);
    if (LLVMIsAInlineAsm(callee)) {
        for (unsigned i = 0; i < count; i++)
            if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i))) == LLVMPointerTypeKind)
                add_access(rm, call, LLVMGetOperand(call, i), function, RV_MODEL_READ | RV_MODEL_WRITE, 0,
                           true);
        return;
    }
    if (LLVMIsAFunction(callee) && strncmp(LLVMGetValueName(callee), "llvm.", 5) == 0) {
        const char *name = LLVMGetValueName(callee);
        bool copies = strncmp(name, "llvm.memcpy", 11) == 0 || strncmp(name, "llvm.memmove", 12) == 0;
        if (!copies && strncmp(name, "llvm.memset", 11) != 0) return;
        LLVMValueRef length = LLVMGetOperand(call, 2);
        uint64_t size = LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : 0;
        for (unsigned side = 0; side <= copies; side++) {
            LLVMValueRef address = LLVMGetOperand(call, side);
            add_access(rm, call, address, function,
                       (side ? RV_MODEL_READ : RV_MODEL_WRITE) | RV_MODEL_LIBRARY,
                       size ? size : rm_bytes_behind(address), true);
        }
        return;
    }
    uint32_t index = rm_map_get(&rm->call_of, (uint64_t)(uintptr_t)call, 0), target;
    if (index == RM_NONE) return;
    if (LLVMIsAFunction(callee) &&
        strstr(LLVMGetValueName(callee), "truncate")) { /* of a file that may be mapped */
        uint32_t truncated = RM_ADD(rm, use);
        rm->uses[truncated] = (struct rm_access){.instruction = call,
                                                 .address = rm->mapped,
                                                 .function = function,
                                                 .kind = RV_MODEL_WRITE | RV_MODEL_LIBRARY,
                                                 .range = true};
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned kind = 0;
        uint64_t size = 0, most = 0;
        bool whole = false;
        RM_EACH(target, &rm->calls[index].callees) {
            if (rm->functions[target].defined) continue;
            char use = rm_foreign_use(call, rm->functions[target].value, i, &size);
            if (use == 'r' || use == 'u') kind |= RV_MODEL_READ;
            if (use == 'w' || use == 'u') kind |= RV_MODEL_WRITE;
            whole |= use != '.' && size == 0;
            if (size > most) most = size;
        }
        /* Both, as two accesses: at run time they are two. */
        for (unsigned one = RV_MODEL_READ; one <= RV_MODEL_WRITE; one <<= 1)
            if (kind & one)
                add_access(rm, call, LLVMGetOperand(call, i), function, one | RV_MODEL_LIBRARY,
                           whole ? rm_bytes_behind(LLVMGetOperand(call, i)) : most, true);
    }
}

static void of_instruction(struct rm *rm, LLVMValueRef value, uint32_t function) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    unsigned more = 0;
    uint64_t size;
    switch (opcode) {
    case LLVMLoad:
        more = (is_atomic(value) ? RV_MODEL_ATOMIC : 0) | (LLVMGetVolatile(value) ? RV_MODEL_VOLATILE : 0);
        size = rm_size_of(rm, LLVMTypeOf(value));
        add_access(rm, value, LLVMGetOperand(value, 0), function, RV_MODEL_READ | more, size,
                   size > SCALAR_MAX);
        break;
    case LLVMStore:
        more = (is_atomic(value) ? RV_MODEL_ATOMIC : 0) | (LLVMGetVolatile(value) ? RV_MODEL_VOLATILE : 0);
        size = rm_size_of(rm, LLVMTypeOf(LLVMGetOperand(value, 0)));
        add_access(rm, value, LLVMGetOperand(value, 1), function, RV_MODEL_WRITE | more, size,
                   size > SCALAR_MAX);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        size = rm_size_of(rm, LLVMTypeOf(LLVMGetOperand(value, 1)));
        add_access(rm, value, LLVMGetOperand(value, 0), function,
                   RV_MODEL_READ | RV_MODEL_WRITE | RV_MODEL_ATOMIC, size, false);
        break;
    case LLVMVAArg: add_access(rm, value, LLVMGetOperand(value, 0), function, RV_MODEL_READ, 0, true); break;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr: of_call(rm, value, function); break;
    default: break;
    }
}

/* --- variables --- */

static bool counts(const struct rm_object *object) {
    if (object->kind == RM_FUNCTION || object->kind == RM_PASSAGE || object->kind == RM_ARGUMENTS)
        return false;
    if (object->kind == RM_GLOBAL && LLVMIsGlobalConstant(object->value)) return false;
    return object->escaped;
}

static void note_size(uint32_t object, uint64_t offset, uint64_t size) {
    uint32_t *slot = rm_map_at(&sizes, object + UINT64_C(1), offset),
             wanted = (uint32_t)(size < 4096 ? size : 4096);
    if (*slot == RM_NONE || *slot < wanted) *slot = wanted;
}

static uint64_t offset_of(struct rm *rm, uint32_t location) {
    return rm->objects[rm->nodes[location].object].collapsed ? 0 : rm->nodes[location].offset;
}

static void note_sizes(struct rm *rm) {
    uint32_t location;
    for (uint32_t i = 0; i < rm->use_count; i++) {
        const struct rm_access *access = &rm->uses[i];
        if (access->range) continue;
        RM_EACH(location, rm_points(rm, access->address)) {
            uint32_t object = rm->nodes[location].object;
            if (counts(&rm->objects[object]))
                note_size(object, offset_of(rm, location), access->size ? access->size : 1);
        }
    }
    for (uint32_t i = 0; i < rm->call_count; i++) { /* locks are variables, too */
        LLVMValueRef call = rm->calls[i].instruction, callee = rm_callee(call);
        int object = -1;
        if (!LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee) ||
            !rm_foreign_sync(LLVMGetValueName(callee), &object) || object < 0 ||
            (unsigned)object >= LLVMGetNumArgOperands(call))
            continue;
        LLVMValueRef address = LLVMGetOperand(call, (unsigned)object);
        LLVMTypeRef type = LLVMTypeOf(address);
        uint64_t size =
            LLVMGetTypeKind(type) == LLVMPointerTypeKind ? rm_size_of(rm, LLVMGetElementType(type)) : 0;
        RM_EACH(location, rm_points(rm, rm_value(rm, address)))
            if (rm->objects[rm->nodes[location].object].kind != RM_FUNCTION)
                note_size(rm->nodes[location].object, offset_of(rm, location), size ? size : 1);
    }
}

static int by_place(const void *a, const void *b) {
    const struct rm_entry *first = a, *second = b;
    if (first->first != second->first) return first->first < second->first ? -1 : 1;
    return first->second < second->second ? -1 : first->second > second->second;
}

static void new_variable(struct rm *rm, uint32_t object, uint64_t start, uint64_t end) {
    uint32_t index = RM_ADD(rm, variable);
    rm->variables[index] = (struct rm_variable){
        .object = object, .start = start, .end = end, .number = RM_NONE, .joined = index};
}

static void index_variables(struct rm *rm) {
    free(first_of);
    first_of = rv_text_alloc(rm->object_count + 1, sizeof *first_of);
    uint32_t at = 0;
    for (uint32_t object = 0; object <= rm->object_count; object++) {
        while (at < rm->variable_count && rm->variables[at].object < object) at++;
        first_of[object] = at;
    }
}

static void make_variables(struct rm *rm) {
    struct rm_entry *places = rv_text_alloc(sizes.count, sizeof *places);
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizes.capacity; i++)
        if (sizes.entries[i].value != RM_NONE) places[count++] = sizes.entries[i];
    qsort(places, count, sizeof *places, by_place);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t object = (uint32_t)(places[i].first - 1);
        uint64_t start = places[i].second, end = start + places[i].value;
        struct rm_variable *last = rm->variable_count ? &rm->variables[rm->variable_count - 1] : NULL;
        if (last && last->object == object && start < last->end) {
            if (end > last->end) last->end = end;
        } else
            new_variable(rm, object, start, end);
    }
    free(places);
    index_variables(rm);
}

/* The range of an access of many bytes; in an array, from its begin. */
static void range_of(struct rm *rm, uint32_t location, uint64_t size, uint64_t *start, uint64_t *end) {
    const struct rm_object *object = &rm->objects[rm->nodes[location].object];
    uint64_t offset = offset_of(rm, location), before, element, all,
             text = object->collapsed ? 0 : rm_text_at(rm, object, offset, size > 0);
    *start = offset;
    *end = size ? offset + size : UINT64_MAX;
    if (object->collapsed) {
        *start = 0;
        *end = UINT64_MAX;
    } else if (text && size <= text) {
        *end = offset + text;
    } else if (rm_array_at(rm, object, offset, 0, &before, &element, &all)) {
        *start = before;
        if (size && before + element > *end) *end = before + element;
        if (!size && offset && element == 1) *end = before + all; /* a text within something larger */
    } else if (object->array && size > object->size)
        *start = 0;
}

uint32_t rm_variable_at(struct rm *rm, uint32_t location) {
    uint32_t object = rm->nodes[location].object;
    uint64_t offset = offset_of(rm, location);
    for (uint32_t i = first_of[object]; i < first_of[object + 1]; i++)
        if (rm->variables[i].start <= offset && offset < rm->variables[i].end) return rm->variables[i].joined;
    return RM_NONE;
}

static bool has_variable(struct rm *rm, uint32_t object, uint64_t start, uint64_t end) {
    for (uint32_t i = first_of[object]; i < first_of[object + 1]; i++)
        if (rm->variables[i].start < end && start < rm->variables[i].end) return true;
    return false;
}

/* Ranges in which no single thing is ever accessed are variables themselves. */
static void note_ranges(struct rm *rm) {
    uint32_t location;
    for (uint32_t i = 0; i < rm->use_count; i++) {
        const struct rm_access *access = &rm->uses[i];
        if (!access->range) continue;
        RM_EACH(location, rm_points(rm, access->address)) {
            uint32_t object = rm->nodes[location].object;
            uint64_t start, end;
            if (!counts(&rm->objects[object])) continue;
            range_of(rm, location, access->size, &start, &end);
            if (!has_variable(rm, object, start, end))
                note_size(object, start, end - start > 4096 ? 1 : end - start);
        }
    }
}

static void assign(struct rm *rm) {
    uint32_t location;
    for (uint32_t i = 0; i < rm->use_count; i++) {
        struct rm_access *access = &rm->uses[i];
        const struct rm_bits *threads = &rm->functions[access->function].threads;
        const struct rm_bits *points = rm_points(rm, access->address);
        RM_EACH(location, points) {
            uint32_t object = rm->nodes[location].object;
            uint64_t start = offset_of(rm, location), end = start + (access->size ? access->size : 1);
            if (!counts(&rm->objects[object])) continue;
            if (access->range) range_of(rm, location, access->size, &start, &end);
            for (uint32_t v = first_of[object]; v < first_of[object + 1]; v++) {
                struct rm_variable *variable = &rm->variables[v];
                if (variable->start >= end || start >= variable->end || !rm_bits_add(&access->variables, v))
                    continue;
                if (access->kind & RV_MODEL_READ) rm_bits_or(&variable->readers, threads);
                if (access->kind & RV_MODEL_WRITE) rm_bits_or(&variable->writers, threads);
                variable->used = true;
            }
        }
    }
}

/* --- fewer variables in large programs --- */

/* There a statement may access hundreds of variables. Many of these are accessed by just the same statements: one of them stands for all,
 * and nothing is lost but names. If that is not enough, the variables of the statements that access most of them are taken
 * for one: that says less, and nothing wrong. */
enum { RECORDS_MANY = 100000, RECORDS_MAX = 1000000 };

static uint64_t count_records(const struct rm *rm) {
    uint64_t records = 0;
    for (uint32_t i = 0; i < rm->use_count; i++) records += rm_bits_size(&rm->uses[i].variables);
    return records;
}

static uint32_t root_of(uint32_t *same, uint32_t variable) {
    while (same[variable] != variable) variable = same[variable] = same[same[variable]];
    return variable;
}

static void join(struct rm *rm, uint32_t *same, uint32_t a, uint32_t b) {
    a = root_of(same, a);
    b = root_of(same, b);
    if (a == b) return;
    if (a > b) {
        uint32_t other = a;
        a = b;
        b = other;
    }
    same[b] = a;
    rm->variables[a].others += rm->variables[b].others + 1;
    rm_bits_or(&rm->variables[a].readers, &rm->variables[b].readers);
    rm_bits_or(&rm->variables[a].writers, &rm->variables[b].writers);
}

static void rename_variables(struct rm *rm, uint32_t *same) {
    uint32_t variable;
    for (uint32_t i = 0; i < rm->use_count; i++) {
        struct rm_bits fresh = {0};
        RM_EACH(variable, &rm->uses[i].variables) rm_bits_add(&fresh, root_of(same, variable));
        rm_bits_free(&rm->uses[i].variables);
        rm->uses[i].variables = fresh;
    }
}

static void join_equal(struct rm *rm, uint32_t *same) {
    uint64_t *first = rv_text_alloc(rm->variable_count, sizeof *first),
             *second = rv_text_alloc(rm->variable_count, sizeof *second);
    struct rm_map known = {0};
    uint32_t variable;
    for (uint32_t i = 0; i < rm->use_count; i++)
        RM_EACH(variable, &rm->uses[i].variables) {
            first[variable] = rm_mix(first[variable] + 1, i);
            second[variable] = rm_mix(second[variable] ^ i, 0x9e37);
        }
    for (uint32_t i = 0; i < rm->variable_count; i++) {
        if (!rm->variables[i].used) continue;
        uint32_t *slot = rm_map_at(&known, first[i] | 1, second[i]);
        if (*slot == RM_NONE)
            *slot = i;
        else
            join(rm, same, *slot, i);
    }
    free(first);
    free(second);
    free(known.entries);
}

static void join_crowds(struct rm *rm, uint32_t *same, uint32_t most) {
    uint32_t variable;
    for (uint32_t i = 0; i < rm->use_count; i++) {
        uint32_t first = RM_NONE;
        if (rm_bits_size(&rm->uses[i].variables) <= most) continue;
        RM_EACH(variable, &rm->uses[i].variables)
            if (first == RM_NONE)
                first = variable;
            else
                join(rm, same, first, variable);
    }
}

static void join_variables(struct rm *rm) {
    if (count_records(rm) <= RECORDS_MANY) return;
    uint32_t *same = rv_text_alloc(rm->variable_count, sizeof *same);
    for (uint32_t i = 0; i < rm->variable_count; i++) same[i] = i;
    join_equal(rm, same);
    rename_variables(rm, same);
    for (uint32_t most = 512; most > 4 && count_records(rm) > RECORDS_MAX; most /= 2) {
        join_crowds(rm, same, most);
        rename_variables(rm, same);
    }
    for (uint32_t i = 0; i < rm->variable_count; i++) {
        rm->variables[i].joined = root_of(same, i);
        if (rm->variables[i].joined == i && rm->variables[i].others > 100)
            rm_unsure(rm, "%u variables are not told apart", rm->variables[i].others + 1);
    }
    free(same);
}

static void find_shared(struct rm *rm) {
    uint32_t writer;
    for (uint32_t i = 0; i < rm->variable_count; i++) {
        struct rm_variable *variable = &rm->variables[i];
        struct rm_bits all = {0};
        rm_bits_or(&all, &variable->readers);
        rm_bits_or(&all, &variable->writers);
        RM_EACH(writer, &variable->writers)
            if (rm->threads[writer].many || rm_bits_size(&all) > 1) variable->shared = true;
        rm_bits_free(&all);
    }
}

void rm_find_accesses(struct rm *rm) {
    for (uint32_t f = 0; f < rm->function_count; f++)
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(rm->functions[f].value); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                of_instruction(rm, i, f);
    note_sizes(rm);
    make_variables(rm);
    note_ranges(rm);
    rm->variable_count = 0;
    make_variables(rm);
    assign(rm);
    join_variables(rm);
    find_shared(rm);
}
