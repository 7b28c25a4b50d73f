/* Instructions as constraints. Numbers of 64 bits are followed like pointers, for C code keeps pointers in them; of arithmetic,
 * adding, subtracting and masking give a pointer into the same object, all else gives none.
 *
 * A function that returns what it has allocated, as void *, is a wrapper: each of its calls has memory of its own. In the
 * wrapper itself the allocation stands for that of all calls. That goes WRAPPER_DEPTH wrappers deep. */
#include <stdio.h>
#include <string.h>

#include "modeller/modeller.h"

enum { WRAPPER_DEPTH = 3 };

struct call_list {
    LLVMValueRef *calls;
    uint32_t count, capacity;
};

static struct call_list *direct_calls; /* of each function */
static uint8_t *depth_of;              /* of each function, 0: no wrapper */

static uint64_t key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

/* --- values --- */

static bool can_point(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind: return true;
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) >= 64;
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind: return can_point(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (can_point(LLVMStructGetTypeAtIndex(type, i))) return true;
        return false;
    default: return false;
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void step_by(struct rm *rm, LLVMValueRef index, LLVMTypeRef type, int64_t *offset, uint64_t *stride) {
    uint64_t size = rm_size_of(rm, type);
    if (LLVMIsAConstantInt(index))
        *offset += LLVMConstIntGetSExtValue(index) * (int64_t)size;
    else
        *stride = common_divisor(*stride, size);
}

static void offset_of_element(struct rm *rm, LLVMValueRef value, int64_t *offset, uint64_t *stride) {
    LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
    int count = LLVMGetNumOperands(value);
    *offset = 0;
    *stride = 0;
    for (int i = 1; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(value, (unsigned)i);
        if (i == 1) {
            step_by(rm, index, type, offset, stride);
        } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned element = (unsigned)LLVMConstIntGetZExtValue(index);
            *offset += (int64_t)LLVMOffsetOfElement(rm->layout, type, element);
            type = LLVMStructGetTypeAtIndex(type, element);
        } else {
            type = LLVMGetElementType(type);
            step_by(rm, index, type, offset, stride);
        }
    }
}

static void element_address(struct rm *rm, LLVMValueRef value, uint32_t node) {
    int64_t offset;
    uint64_t stride;
    offset_of_element(rm, value, &offset, &stride);
    rm_shift(rm, rm_value(rm, LLVMGetOperand(value, 0)), node, offset, stride);
}

LLVMValueRef rm_strip(struct rm *rm, LLVMValueRef address, int64_t *offset) {
    *offset = 0;
    for (;;) {
        int64_t moved;
        uint64_t stride;
        if (LLVMIsABitCastInst(address)) {
            address = LLVMGetOperand(address, 0);
            continue;
        }
        if (!LLVMIsAGetElementPtrInst(address)) return address;
        offset_of_element(rm, address, &moved, &stride);
        if (stride) return address;
        *offset += moved;
        address = LLVMGetOperand(address, 0);
    }
}

static void all_operands(struct rm *rm, LLVMValueRef value, uint32_t node) {
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        rm_edge(rm, rm_value(rm, LLVMGetOperand(value, (unsigned)i)), node);
}

/* Of adding and the like: a constant moves by what it says, anything else by anything. */
static void arithmetic(struct rm *rm, LLVMValueRef value, LLVMOpcode opcode, uint32_t node) {
    LLVMValueRef left = LLVMGetOperand(value, 0), right = LLVMGetOperand(value, 1);
    if (opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor) {
        bool masks = LLVMIsAConstantInt(right) != NULL;
        rm_shift(rm, rm_value(rm, left), node, 0, masks ? 0 : 1);
        if (!masks) rm_shift(rm, rm_value(rm, right), node, 0, 1);
    } else if (LLVMIsAConstantInt(right)) {
        int64_t moved = LLVMGetIntTypeWidth(LLVMTypeOf(right)) <= 64 ? LLVMConstIntGetSExtValue(right) : 0;
        rm_shift(rm, rm_value(rm, left), node, opcode == LLVMSub ? -moved : moved, 0);
    } else {
        rm_shift(rm, rm_value(rm, left), node, 0, 1);
        if (opcode == LLVMAdd) rm_shift(rm, rm_value(rm, right), node, 0, 1);
    }
}

static void constant_expression(struct rm *rm, LLVMValueRef value, uint32_t node) {
    LLVMOpcode opcode = LLVMGetConstOpcode(value);
    if (opcode == LLVMGetElementPtr)
        element_address(rm, value, node);
    else if (opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMAnd || opcode == LLVMOr ||
             opcode == LLVMXor)
        arithmetic(rm, value, opcode, node);
    else
        all_operands(rm, value, node);
}

static uint32_t object_of_global(struct rm *rm, LLVMValueRef value) {
    uint32_t *known = rm_map_at(&rm->objects_of, key(value), 0);
    if (*known != RM_NONE) return *known;
    bool function = LLVMIsAFunction(value) != NULL;
    uint32_t object = rm_object_new(rm, function ? RM_FUNCTION : RM_GLOBAL, value,
                                    function ? NULL : LLVMGlobalGetValueType(value), LLVMGetValueName(value));
    *rm_map_at(&rm->objects_of, key(value), 0) = object;
    if (!function) rm->objects[object].own = LLVMIsThreadLocal(value);
    if (!function && strncmp(LLVMGetValueName(value), "_ZTV", 4) == 0) /* each entry is a thing of its own */
        rm->objects[object].type = NULL, rm->objects[object].size = 0;
    if (!function && !LLVMGetInitializer(value))
        rm_point(rm, rm->objects[object].base, rm->objects[rm->outside].base);
    return object;
}

uint32_t rm_value(struct rm *rm, LLVMValueRef value) {
    if (!can_point(LLVMTypeOf(value)) || LLVMIsAConstantInt(value) || LLVMIsNull(value) || LLVMIsUndef(value))
        return RM_NONE;
    uint32_t known = rm_map_get(&rm->values, key(value), 0);
    if (known != RM_NONE) return known;
    if (LLVMIsAGlobalAlias(value)) return rm_value(rm, LLVMAliasGetAliasee(value));
    uint32_t node = rm_node_new(rm);
    *rm_map_at(&rm->values, key(value), 0) = node;
    if (LLVMIsAFunction(value) || LLVMIsAGlobalVariable(value)) {
        uint32_t object = object_of_global(rm, value);
        rm_point(rm, node, rm->objects[object].base);
    } else if (LLVMIsAConstantExpr(value))
        constant_expression(rm, value, node);
    else if (LLVMIsAConstant(value) && !LLVMIsABlockAddress(value) && !LLVMIsAConstantDataSequential(value))
        all_operands(rm, value, node);
    return node;
}

static void initialise(struct rm *rm, uint32_t object, uint64_t offset, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!can_point(type) || LLVMIsNull(value) || LLVMIsUndef(value) || LLVMIsAConstantDataSequential(value))
        return;
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (LLVMIsAConstantExpr(value) || (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind)) {
        uint32_t node = rm_value(rm, value);
        if (node != RM_NONE) rm_edge(rm, node, rm_field(rm, object, (int64_t)offset));
        return;
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        uint64_t before = kind == LLVMStructTypeKind ? LLVMOffsetOfElement(rm->layout, type, (unsigned)i)
                                                     : (uint64_t)i * rm_size_of(rm, LLVMGetElementType(type));
        initialise(rm, object, offset + before, LLVMGetOperand(value, (unsigned)i));
    }
}

/* --- calls --- */

bool rm_is_call(LLVMValueRef instruction) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    return opcode == LLVMCall || opcode == LLVMInvoke || opcode == LLVMCallBr;
}

LLVMValueRef rm_callee(LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    for (;;) {
        if (LLVMIsAGlobalAlias(callee))
            callee = LLVMAliasGetAliasee(callee);
        else if (LLVMIsAConstantExpr(callee) && LLVMGetConstOpcode(callee) == LLVMBitCast)
            callee = LLVMGetOperand(callee, 0);
        else
            return callee;
    }
}

uint32_t rm_call_new(struct rm *rm, LLVMValueRef instruction, uint32_t caller, enum rm_call_kind kind) {
    uint32_t index = RM_ADD(rm, call);
    struct rm_call *call = &rm->calls[index];
    call->instruction = instruction;
    call->caller = caller;
    call->kind = kind;
    call->result = RM_NONE;
    rm_bits_add(&rm->functions[caller].calls, index);
    return index;
}

static bool gives_memory(struct rm *rm, LLVMValueRef call) {
    LLVMValueRef callee = rm_callee(call);
    uint32_t function = LLVMIsAFunction(callee) ? rm_map_get(&rm->functions_of, key(callee), 0) : RM_NONE;
    return function != RM_NONE &&
           (rm->functions[function].defined ? depth_of[function] > 0
                                            : rm_foreign_gives_memory(rm->functions[function].name));
}

static bool number_argument(LLVMValueRef call, unsigned index, uint64_t *value) {
    if (index >= LLVMGetNumArgOperands(call)) return false;
    LLVMValueRef argument = LLVMGetOperand(call, index);
    if (!LLVMIsAConstantInt(argument) || LLVMGetIntTypeWidth(LLVMTypeOf(argument)) > 64) return false;
    *value = LLVMConstIntGetZExtValue(argument);
    return true;
}

/* The type that the program takes the new memory for: the largest that its address is cast to. */
static LLVMTypeRef memory_type(struct rm *rm, LLVMValueRef call) {
    LLVMTypeRef best = LLVMGetElementType(LLVMTypeOf(call));
    if (LLVMGetTypeKind(best) != LLVMStructTypeKind) best = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsABitCastInst(user) || LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind) continue;
        LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(user));
        if (rm_size_of(rm, type) > rm_size_of(rm, best)) best = type;
    }
    return best;
}

static uint32_t memory_at(struct rm *rm, LLVMValueRef call, const char *what) {
    uint32_t known = rm_map_get(&rm->objects_of, key(call), 1);
    if (known != RM_NONE) return known;
    LLVMTypeRef type = memory_type(rm, call);
    uint64_t size = 0, number = 1, item = rm_size_of(rm, type);
    char room[128];
    LLVMValueRef callee = rm_callee(call);
    const char *name =
        LLVMIsAFunction(callee) ? rm_foreign_name(LLVMGetValueName(callee), room, sizeof room) : "";
    bool exact = false;
    if (strcmp(name, "malloc") == 0 || strncmp(name, "_Zn", 3) == 0)
        exact = number_argument(call, 0, &size);
    else if (strcmp(name, "calloc") == 0)
        exact = number_argument(call, 0, &number) && number_argument(call, 1, &size);
    size *= number;
    if (type && exact && size > item && size % item != 0 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        unsigned count = LLVMCountStructElementTypes(type);
        if (!count || LLVMGetTypeKind(LLVMStructGetTypeAtIndex(type, count - 1)) != LLVMArrayTypeKind)
            type = NULL;
    }
    uint32_t object = rm_object_new(rm, RM_HEAP, call, type, what);
    rm->objects[object].array = !(exact && size == item);
    if (!type && exact) rm->objects[object].size = size;
    *rm_map_at(&rm->objects_of, key(call), 1) = object;
    return object;
}

/* By calls that are known, all of them. */
static bool only_called(struct rm *rm, uint32_t function) {
    LLVMValueRef value = rm->functions[function].value;
    if (!direct_calls[function].count) return false;
    if (rm->main_function == RM_NONE && LLVMGetLinkage(value) != LLVMInternalLinkage) return false;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user) || !rm_is_call(user) || rm_callee(user) != value) return false;
        for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
            if (LLVMGetOperand(user, i) == value) return false;
    }
    return true;
}

static void add_memory(struct rm *rm, LLVMValueRef call, uint32_t node, const char *what, int depth) {
    uint32_t function = rm_map_get(&rm->leaf_of, key(call), 0);
    if (function == RM_NONE || depth > WRAPPER_DEPTH || !only_called(rm, function)) {
        uint32_t object = memory_at(rm, call, what); /* may move the objects */
        rm_point(rm, node, rm->objects[object].base);
    }
    if (function == RM_NONE || depth > WRAPPER_DEPTH) return;
    for (uint32_t i = 0; i < direct_calls[function].count; i++)
        add_memory(rm, direct_calls[function].calls[i], node, what, depth + 1);
}

void rm_fresh_memory(struct rm *rm, LLVMValueRef call, uint32_t function, const char *what) {
    (void)function;
    uint32_t node = rm_value(rm, call);
    if (node != RM_NONE) add_memory(rm, call, node, what, 0);
}

/* --- what is returned --- */

struct leaves {
    LLVMValueRef values[512];
    unsigned count;
    bool full;
};

static void add_leaf(struct leaves *leaves, LLVMValueRef value) {
    for (unsigned i = 0; i < leaves->count; i++)
        if (leaves->values[i] == value) return;
    if (leaves->count == sizeof leaves->values / sizeof leaves->values[0])
        leaves->full = true;
    else
        leaves->values[leaves->count++] = value;
}

/* The values that the function may return, behind casts and choices; also those in between. */
static void find_leaves(LLVMValueRef function, struct leaves *leaves) {
    leaves->count = 0;
    leaves->full = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
        if (last && LLVMIsAReturnInst(last) && LLVMGetNumOperands(last) == 1)
            add_leaf(leaves, LLVMGetOperand(last, 0));
    }
    for (unsigned i = 0; i < leaves->count; i++) {
        LLVMValueRef value = leaves->values[i];
        if (LLVMIsABitCastInst(value))
            add_leaf(leaves, LLVMGetOperand(value, 0));
        else if (LLVMIsAPHINode(value))
            for (unsigned k = 0; k < LLVMCountIncoming(value); k++)
                add_leaf(leaves, LLVMGetIncomingValue(value, k));
        else if (LLVMIsASelectInst(value))
            add_leaf(leaves, LLVMGetOperand(value, 1)), add_leaf(leaves, LLVMGetOperand(value, 2));
    }
}

static bool is_passed_on(LLVMValueRef value) {
    return LLVMIsABitCastInst(value) || LLVMIsAPHINode(value) || LLVMIsASelectInst(value);
}

static void find_direct_calls(struct rm *rm) {
    direct_calls = rv_text_alloc(rm->function_count, sizeof *direct_calls);
    depth_of = rv_text_alloc(rm->function_count, 1);
    for (uint32_t f = 0; f < rm->function_count; f++) {
        LLVMValueRef function = rm->functions[f].value;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (!rm_is_call(i)) continue;
                LLVMValueRef callee = rm_callee(i);
                uint32_t target =
                    LLVMIsAFunction(callee) ? rm_map_get(&rm->functions_of, key(callee), 0) : RM_NONE;
                if (target == RM_NONE) continue;
                struct call_list *list = &direct_calls[target];
                if (list->count == list->capacity) {
                    list->capacity = list->capacity ? list->capacity * 2 : 4;
                    list->calls = rv_text_realloc(list->calls, list->capacity, sizeof(LLVMValueRef));
                }
                list->calls[list->count++] = i;
            }
    }
}

static bool returns_memory(LLVMValueRef function) {
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind;
}

static void find_wrappers(struct rm *rm) {
    struct leaves *leaves = rv_text_alloc(1, sizeof *leaves);
    uint8_t *fresh = rv_text_alloc(rm->function_count, 1);
    find_direct_calls(rm);
    for (int depth = 1; depth <= WRAPPER_DEPTH; depth++) {
        memset(fresh, 0, rm->function_count);
        for (uint32_t f = 0; f < rm->function_count; f++) {
            LLVMValueRef function = rm->functions[f].value;
            if (!rm->functions[f].defined || depth_of[f] || !returns_memory(function)) continue;
            find_leaves(function, leaves);
            if (leaves->full) continue;
            for (unsigned i = 0; i < leaves->count; i++) {
                LLVMValueRef leaf = leaves->values[i];
                if (!LLVMIsAInstruction(leaf) || !rm_is_call(leaf) || !gives_memory(rm, leaf)) continue;
                *rm_map_at(&rm->leaf_of, key(leaf), 0) = f;
                fresh[f] = 1;
            }
        }
        for (uint32_t f = 0; f < rm->function_count; f++)
            if (fresh[f]) depth_of[f] = (uint8_t)depth, rm->functions[f].wrapper = true;
    }
    free(fresh);
    free(leaves);
}

/* A direct call of a wrapper: its own memory, and what else the wrapper may return. */
static void wrapped_result(struct rm *rm, struct rm_call *call, uint32_t function) {
    static struct leaves leaves;
    uint32_t result = call->result;
    LLVMValueRef instruction = call->instruction;
    if (result == RM_NONE) return;
    find_leaves(rm->functions[function].value, &leaves);
    for (unsigned i = 0; i < leaves.count; i++) {
        LLVMValueRef leaf = leaves.values[i];
        if (!is_passed_on(leaf) && rm_map_get(&rm->leaf_of, key(leaf), 0) != function)
            rm_edge(rm, rm_value(rm, leaf), result);
    }
    add_memory(rm, instruction, result, "malloc", 0);
}

/* --- connecting calls with functions --- */

static uint32_t rest_of(struct rm *rm, uint32_t function) {
    if (rm->functions[function].rest == RM_NONE) {
        uint32_t object = rm_object_new(rm, RM_ARGUMENTS, rm->functions[function].value, NULL, "arguments");
        rm_collapse(rm, object);
        rm->objects[object].own = true;
        rm_point(rm, rm->objects[object].base, rm->objects[object].base);
        rm->functions[function].rest = object;
    }
    return rm->functions[function].rest;
}

void rm_connect(struct rm *rm, uint32_t index, uint32_t function) {
    if (!rm_bits_add(&rm->calls[index].callees, function)) return;
    rm->changed = true;
    rm_bits_add(&rm->functions[function].callers, index);
    if (!rm->functions[function].defined) {
        if (rm->calls[index].kind == RM_CALL)
            rm_foreign_call(rm, rm->calls[index].instruction, rm->functions[function].value,
                            rm->calls[index].caller);
        return;
    }
    LLVMValueRef value = rm->functions[function].value;
    unsigned parameters = LLVMCountParams(value);
    for (uint32_t i = 0; i < rm->calls[index].argument_count; i++) {
        uint32_t argument = rm->calls[index].arguments[i];
        if (argument == RM_NONE) continue;
        if (i < parameters)
            rm_edge(rm, argument, rm_value(rm, LLVMGetParam(value, i)));
        else if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(value))) {
            uint32_t rest = rest_of(rm, function); /* may move the objects */
            rm_edge(rm, argument, rm->objects[rest].base);
        }
    }
    if (rm->functions[function].wrapper && rm->calls[index].direct)
        wrapped_result(rm, &rm->calls[index], function);
    else if (rm->functions[function].result != RM_NONE && rm->calls[index].result != RM_NONE)
        rm_edge(rm, rm->functions[function].result, rm->calls[index].result);
}

static bool is_named(const char *name, const char *beginning) {
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

static void intrinsic(struct rm *rm, LLVMValueRef call, const char *name, uint32_t function) {
    if (is_named(name, "llvm.memcpy") || is_named(name, "llvm.memmove")) {
        uint64_t size = 0;
        (void)number_argument(call, 2, &size);
        uint32_t carried = rm_object_new(rm, RM_PASSAGE, call, NULL, "copy");
        for (unsigned side = 0; side < 2; side++) {
            LLVMValueRef address = LLVMGetOperand(call, side);
            rm_passage(rm, rm_value(rm, address), carried, size ? size : rm_bytes_behind(address), side == 1);
        }
    } else if (is_named(name, "llvm.memset")) {
        (void)rm_value(rm, LLVMGetOperand(call, 0)); /* an access will ask where it points */
    } else if (is_named(name, "llvm.va_start")) {
        uint32_t list = rm_value(rm, LLVMGetOperand(call, 0)), content = rm_node_new(rm), place;
        {
            uint32_t rest = rest_of(rm, function);
            rm_point(rm, content, rm->objects[rest].base);
        }
        for (int offset = 8; offset <= 16; offset += 8) { /* where the list keeps addresses */
            place = rm_node_new(rm);
            rm_shift(rm, list, place, offset, 0);
            rm_store_to(rm, place, content);
        }
    } else if (is_named(name, "llvm.va_copy")) {
        uint32_t carried = rm_object_new(rm, RM_PASSAGE, call, NULL, "copy");
        rm_passage(rm, rm_value(rm, LLVMGetOperand(call, 1)), carried, 24, true);
        rm_passage(rm, rm_value(rm, LLVMGetOperand(call, 0)), carried, 24, false);
    } else if (is_named(name, "llvm.ptr.annotation") || is_named(name, "llvm.launder") ||
               is_named(name, "llvm.strip") || is_named(name, "llvm.expect") ||
               is_named(name, "llvm.ptrmask"))
        rm_edge(rm, rm_value(rm, LLVMGetOperand(call, 0)), rm_value(rm, call));
}

static void call_instruction(struct rm *rm, LLVMValueRef instruction, uint32_t function) {
    LLVMValueRef callee = rm_callee(instruction);
    if (LLVMIsAInlineAsm(callee)) {
        uint32_t result = rm_value(rm, instruction);
        char *where = rm_where(instruction);
        if (LLVMGetNumArgOperands(instruction) > 0)
            rm_unsure(rm, "inline assembly at %s: what it accesses is guessed from its operands", where);
        free(where);
        for (unsigned i = 0; i < LLVMGetNumArgOperands(instruction); i++)
            rm_edge(rm, rm_value(rm, LLVMGetOperand(instruction, i)), result);
        return;
    }
    if (LLVMIsAFunction(callee) && is_named(LLVMGetValueName(callee), "llvm.")) {
        intrinsic(rm, instruction, LLVMGetValueName(callee), function);
        return;
    }
    uint32_t index = rm_call_new(rm, instruction, function, RM_CALL),
             count = LLVMGetNumArgOperands(instruction);
    uint32_t *arguments = rv_text_alloc(count, sizeof *arguments);
    for (uint32_t i = 0; i < count; i++) arguments[i] = rm_value(rm, LLVMGetOperand(instruction, i));
    rm->calls[index].arguments = arguments;
    rm->calls[index].argument_count = count;
    rm->calls[index].result = rm_value(rm, instruction);
    *rm_map_at(&rm->call_of, key(instruction), 0) = index;
    uint32_t target = LLVMIsAFunction(callee) ? rm_map_get(&rm->functions_of, key(callee), 0) : RM_NONE;
    if (target != RM_NONE) {
        rm->calls[index].direct = true;
        rm_connect(rm, index, target);
    } else
        rm_call_through(rm, rm_value(rm, callee), index);
}

/* --- the module --- */

static void instruction(struct rm *rm, LLVMValueRef value, uint32_t function) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    uint32_t node = RM_NONE;
    switch (opcode) {
    case LLVMAlloca: {
        uint32_t object =
            rm_object_new(rm, RM_STACK, value, LLVMGetAllocatedType(value), LLVMGetValueName(value));
        rm->objects[object].own = true;
        rm->objects[object].array = !LLVMIsAConstantInt(LLVMGetOperand(value, 0)) ||
                                    LLVMConstIntGetZExtValue(LLVMGetOperand(value, 0)) != 1;
        *rm_map_at(&rm->objects_of, key(value), 0) = object;
        rm_point(rm, rm_value(rm, value), rm->objects[object].base);
        break;
    }
    case LLVMGetElementPtr: element_address(rm, value, rm_value(rm, value)); break;
    case LLVMPHI:
        if ((node = rm_value(rm, value)) != RM_NONE)
            for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
                rm_edge(rm, rm_value(rm, LLVMGetIncomingValue(value, i)), node);
        break;
    case LLVMSelect:
        if ((node = rm_value(rm, value)) != RM_NONE)
            for (unsigned i = 1; i < 3; i++) rm_edge(rm, rm_value(rm, LLVMGetOperand(value, i)), node);
        break;
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        if ((node = rm_value(rm, value)) != RM_NONE) arithmetic(rm, value, opcode, node);
        break;
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMIntToPtr:
    case LLVMPtrToInt:
    case LLVMFreeze:
    case LLVMInsertValue:
    case LLVMExtractValue:
    case LLVMInsertElement:
    case LLVMExtractElement:
    case LLVMShuffleVector:
    case LLVMZExt:
    case LLVMTrunc:
        if ((node = rm_value(rm, value)) != RM_NONE) all_operands(rm, value, node);
        break;
    case LLVMLoad:
    case LLVMVAArg: rm_load_from(rm, rm_value(rm, LLVMGetOperand(value, 0)), rm_value(rm, value)); break;
    case LLVMStore:
        rm_store_to(rm, rm_value(rm, LLVMGetOperand(value, 1)), rm_value(rm, LLVMGetOperand(value, 0)));
        break;
    case LLVMAtomicRMW:
        rm_store_to(rm, rm_value(rm, LLVMGetOperand(value, 0)), rm_value(rm, LLVMGetOperand(value, 1)));
        rm_load_from(rm, rm_value(rm, LLVMGetOperand(value, 0)), rm_value(rm, value));
        break;
    case LLVMAtomicCmpXchg:
        rm_store_to(rm, rm_value(rm, LLVMGetOperand(value, 0)), rm_value(rm, LLVMGetOperand(value, 2)));
        rm_load_from(rm, rm_value(rm, LLVMGetOperand(value, 0)), rm_value(rm, value));
        break;
    case LLVMRet:
        if (LLVMGetNumOperands(value) == 1 && rm->functions[function].result != RM_NONE)
            rm_edge(rm, rm_value(rm, LLVMGetOperand(value, 0)), rm->functions[function].result);
        break;
    case LLVMLandingPad: rm_edge(rm, rm->thrown, rm_value(rm, value)); break;
    case LLVMResume: rm_edge(rm, rm_value(rm, LLVMGetOperand(value, 0)), rm->thrown); break;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr: call_instruction(rm, value, function); break;
    default: break;
    }
}

static void add_functions(struct rm *rm) {
    for (LLVMValueRef f = LLVMGetFirstFunction(rm->module); f; f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName(f);
        if (is_named(name, "llvm.")) continue;
        uint32_t index = RM_ADD(rm, function);
        struct rm_function *function = &rm->functions[index];
        function->value = f;
        function->name = name;
        function->defined = LLVMCountBasicBlocks(f) > 0;
        function->object = function->result = function->rest = function->number = RM_NONE;
        *rm_map_at(&rm->functions_of, key(f), 0) = index;
        if (strcmp(name, "main") == 0 && function->defined) rm->main_function = index;
    }
    for (uint32_t i = 0; i < rm->function_count; i++)
        if (can_point(LLVMGetReturnType(LLVMGlobalGetValueType(rm->functions[i].value))))
            rm->functions[i].result = rm_node_new(rm);
}

/* Where objects of this type come from: the places of the library that allocate one; if it has none, whoever calls it. The only
 * place has the type's name. */
static void point_at_type(struct rm *rm, uint32_t node, LLVMTypeRef type) {
    uint32_t count = 0, last = 0;
    for (uint32_t i = 0; i < rm->object_count; i++) {
        if (rm->objects[i].kind != RM_HEAP || rm->objects[i].type != type) continue;
        rm_point(rm, node, rm->objects[i].base);
        last = i;
        count++;
    }
    const char *name = LLVMGetStructName(type);
    if (count == 0) {
        last = rm_object_new(rm, RM_HEAP, NULL, type, NULL);
        rm_point(rm, node, rm->objects[last].base);
        rm->objects[last].escaped = true;
    }
    if (count > 1) return;
    rm->objects[last].what = name ? name : "struct";
    rm->objects[last].named = true;
}

static uint32_t node_of_type(struct rm *rm, struct rm_map *types, LLVMTypeRef type, uint32_t anything) {
    LLVMTypeRef pointed = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMGetElementType(type) : NULL;
    if (!pointed || LLVMGetTypeKind(pointed) != LLVMStructTypeKind || !LLVMTypeIsSized(pointed))
        return anything;
    uint32_t known = rm_map_get(types, key(pointed), 0);
    if (known != RM_NONE) return known;
    known = rm_node_new(rm);
    *rm_map_at(types, key(pointed), 0) = known;
    point_at_type(rm, known, pointed);
    return known;
}

/* Whoever may call a library has objects of its types, which its functions get and give. */
static void library_entries(struct rm *rm) {
    struct rm_map types = {0};
    uint32_t anything = rm_node_new(rm);
    rm_point(rm, anything, rm->objects[rm->outside].base);
    for (uint32_t i = 0; i < rm->function_count; i++) {
        LLVMValueRef value = rm->functions[i].value;
        LLVMLinkage linkage = LLVMGetLinkage(value);
        if (!rm->functions[i].defined || linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage)
            continue;
        for (unsigned p = 0; p < LLVMCountParams(value); p++) {
            LLVMValueRef parameter = LLVMGetParam(value, p);
            if (can_point(LLVMTypeOf(parameter)))
                rm_edge(rm, node_of_type(rm, &types, LLVMTypeOf(parameter), anything),
                        rm_value(rm, parameter));
        }
        LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(value));
        if (can_point(type)) rm_edge(rm, rm->functions[i].result, node_of_type(rm, &types, type, anything));
    }
    free(types.entries);
}

void rm_build(struct rm *rm) {
    rm->main_function = RM_NONE;
    rm->outside = rm_object_new(rm, RM_OUTSIDE, NULL, NULL, "memory of libraries");
    rm_collapse(rm, rm->outside);
    rm_point(rm, rm->objects[rm->outside].base, rm->objects[rm->outside].base);
    rm->joined = rm_node_new(rm);
    rm->specific = rm_node_new(rm);
    rm->thrown = rm_node_new(rm);
    rm->mapped = rm_node_new(rm);
    add_functions(rm);
    find_wrappers(rm);
    for (LLVMValueRef g = LLVMGetFirstGlobal(rm->module); g; g = LLVMGetNextGlobal(g)) {
        uint32_t object = object_of_global(rm, g);
        if (LLVMGetInitializer(g)) initialise(rm, object, 0, LLVMGetInitializer(g));
    }
    for (uint32_t f = 0; f < rm->function_count; f++)
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(rm->functions[f].value); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                instruction(rm, i, f);
    if (rm->main_function == RM_NONE) {
        library_entries(rm);
        return;
    }
    LLVMValueRef start = rm->functions[rm->main_function].value;
    for (unsigned p = 0; p < LLVMCountParams(start); p++)
        rm_point(rm, rm_value(rm, LLVMGetParam(start, p)), rm->objects[rm->outside].base);
}
