/* Basic blocks by content: a hash of what a block does, in which nothing counts that a change elsewhere would change: lines,
 * numbers of values, order of functions, suffixes that linking gives to names. An operand is a constant, the name of
 * a global, the number of a parameter, the name of a local variable, an instruction by its distance in the same
 * block, or one of another block by what it is.
 *
 * That is done on the code as clang writes it. Afterwards locals whose address nobody takes become values. */
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modeller/modeller.h"

static uint64_t key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static uint64_t add(uint64_t hash, uint64_t word) { return rm_mix(hash, word + 0x51ed27); }

static uint64_t add_text(uint64_t hash, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return add(hash, length);
}

/* "node.12" as "node". */
static uint64_t add_name(uint64_t hash, const char *name) {
    size_t length = strlen(name), end = length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') end--;
    return add_text(hash, name, end > 0 && end < length && name[end - 1] == '.' ? end - 1 : length);
}

static uint64_t add_type(uint64_t hash, LLVMTypeRef type, int depth) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    hash = add(hash, (uint64_t)kind);
    if (kind == LLVMIntegerTypeKind) return add(hash, LLVMGetIntTypeWidth(type));
    if (kind == LLVMArrayTypeKind) hash = add(hash, LLVMGetArrayLength(type));
    if (kind == LLVMVectorTypeKind) hash = add(hash, LLVMGetVectorSize(type));
    if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind || kind == LLVMPointerTypeKind)
        return depth > 8 ? hash : add_type(hash, LLVMGetElementType(type), depth + 1);
    if (kind == LLVMStructTypeKind) {
        const char *name = LLVMGetStructName(type);
        return name ? add_name(hash, name) : add(hash, LLVMCountStructElementTypes(type));
    }
    return hash;
}

static bool without_names;    /* locals count by their types only, volatile and atomic not at all; */
static struct rm_list locals; /* ... and are listed here */

static uint64_t add_value(uint64_t hash, LLVMValueRef value, LLVMBasicBlockRef block,
                          const struct rm_map *positions, uint32_t at, int depth) {
    if (LLVMIsAMDNode(value) || LLVMIsAMDString(value)) return add(hash, 1);
    if (LLVMIsABasicBlock(value)) return add(hash, 2); /* edges are compared as edges */
    if (LLVMIsAConstantInt(value)) {
        hash = add(hash, LLVMGetIntTypeWidth(LLVMTypeOf(value)));
        return add(hash, LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 ? LLVMConstIntGetZExtValue(value) : 3);
    }
    if (LLVMIsAGlobalVariable(value) && LLVMGetLinkage(value) == LLVMPrivateLinkage &&
        LLVMGetInitializer(value) && depth < 4) /* a string */
        return add_value(add(hash, 4), LLVMGetInitializer(value), block, positions, at, depth + 1);
    if (LLVMIsAGlobalValue(value)) return add_name(add(hash, 5), LLVMGetValueName(value));
    if (LLVMIsAConstantDataSequential(value) && LLVMIsConstantString(value)) {
        size_t length;
        const char *text = LLVMGetAsString(value, &length);
        return add_text(hash, text, length);
    }
    if (LLVMIsAConstantFP(value)) {
        LLVMBool inexact;
        double number = LLVMConstRealGetDouble(value, &inexact);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        return add(hash, bits);
    }
    if (LLVMIsAInlineAsm(value)) {
        char *text = LLVMPrintValueToString(value);
        hash = add_text(hash, text, strlen(text));
        LLVMDisposeMessage(text);
        return hash;
    }
    if (LLVMIsAConstant(value)) {
        hash = add(hash, LLVMIsAConstantExpr(value) ? 100 + (uint64_t)LLVMGetConstOpcode(value) : 6);
        for (int i = 0; i < LLVMGetNumOperands(value) && depth < 8; i++)
            hash = add_value(hash, LLVMGetOperand(value, (unsigned)i), block, positions, at, depth + 1);
        return hash;
    }
    if (LLVMIsAArgument(value)) {
        LLVMValueRef function = LLVMGetParamParent(value);
        unsigned index = 0;
        while (index < LLVMCountParams(function) && LLVMGetParam(function, index) != value) index++;
        return add(add(hash, 7), index);
    }
    if (!LLVMIsAInstruction(value)) return add(hash, 8);
    if (LLVMIsAAllocaInst(value)) {
        size_t length;
        const char *name = NULL;
        if (without_names) {
            (void)rm_debug_of_local(value, &name);
            rm_list_add(&locals, (uint32_t)add_name(0, name ? name : LLVMGetValueName(value)) >> 2);
            return add_type(add(hash, 13), LLVMTypeOf(value), 0);
        }
        if (rm_debug_of_local(value, &name) && name)
            return add_type(add_text(add(hash, 12), name, strlen(name)), LLVMTypeOf(value), 0);
        name = LLVMGetValueName2(value, &length);
        while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9')
            length--; /* "i", "i5": two of that name */
        return add_type(add_text(add(hash, 9), name, length), LLVMTypeOf(value), 0);
    }
    uint32_t position = rm_map_get(positions, key(value), 0);
    if (position != RM_NONE) return add(add(hash, 10), at - position);
    return add_type(add(add(hash, 11), (uint64_t)LLVMGetInstructionOpcode(value)), LLVMTypeOf(value), 0);
}

static bool is_allocation(LLVMValueRef value) {
    if (!LLVMIsACallInst(value) || !LLVMIsAFunction(LLVMGetCalledValue(value))) return false;
    const char *name = LLVMGetValueName(LLVMGetCalledValue(value));
    return strcmp(name, "malloc") == 0 || strcmp(name, "calloc") == 0 || strcmp(name, "aligned_alloc") == 0;
}

static bool is_failed_assertion(LLVMValueRef value) {
    if (!LLVMIsACallInst(value) || !LLVMIsAFunction(LLVMGetCalledValue(value))) return false;
    const char *name = LLVMGetValueName(LLVMGetCalledValue(value));
    return strcmp(name, "__assert_fail") == 0 || strcmp(name, "__assert") == 0;
}

static uint64_t add_instruction(uint64_t hash, LLVMValueRef value, LLVMBasicBlockRef block,
                                const struct rm_map *positions, uint32_t at) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    hash = add_type(add(hash, (uint64_t)opcode), LLVMTypeOf(value), 0);
    if (opcode == LLVMAlloca) { /* a local that is declared: its name is known where it is used */
        return add_value(hash, value, block, positions, at, 0);
    }
    if (opcode == LLVMICmp) hash = add(hash, (uint64_t)LLVMGetICmpPredicate(value));
    if (opcode == LLVMFCmp) hash = add(hash, (uint64_t)LLVMGetFCmpPredicate(value));
    if ((opcode == LLVMLoad || opcode == LLVMStore) && !without_names)
        hash = add(add(hash, (uint64_t)LLVMGetVolatile(value)), (uint64_t)LLVMGetOrdering(value));
    if (opcode == LLVMAtomicRMW) hash = add(hash, (uint64_t)LLVMGetAtomicRMWBinOp(value));
    if (opcode == LLVMAtomicRMW || opcode == LLVMFence) hash = add(hash, (uint64_t)LLVMGetOrdering(value));
    if (opcode == LLVMExtractValue || opcode == LLVMInsertValue)
        for (unsigned i = 0; i < LLVMGetNumIndices(value); i++) hash = add(hash, LLVMGetIndices(value)[i]);
    int count = LLVMGetNumOperands(value);
    bool allocates = is_allocation(
        value); /* how much does not matter: a struct that has grown is no change of what is done */
    if (is_failed_assertion(value)) count = 1; /* the others are file, line and function */
    for (int i = 0; i < count; i++)
        if (allocates && LLVMIsAConstantInt(LLVMGetOperand(value, (unsigned)i)))
            hash = add(hash, 14);
        else
            hash = add_value(hash, LLVMGetOperand(value, (unsigned)i), block, positions, at, 0);
    return hash;
}

static bool is_about_debugging(LLVMValueRef value) {
    if (!LLVMIsACallInst(value) || !LLVMIsAFunction(LLVMGetCalledValue(value))) return false;
    const char *name = LLVMGetValueName(LLVMGetCalledValue(value));
    return strncmp(name, "llvm.dbg.", 9) == 0 || strncmp(name, "llvm.lifetime.", 14) == 0;
}

static int by_number(const void *a, const void *b) {
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return first < second ? -1 : first > second;
}

static void take_lines(struct rm_block *result, uint32_t *lines, uint32_t count) {
    uint32_t kept = 0;
    qsort(lines, count, sizeof *lines, by_number);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || lines[i] != lines[i - 1]) lines[kept++] = lines[i];
    result->lines = lines;
    result->line_count = kept;
}

static void hash_block(struct rm *rm, LLVMBasicBlockRef block) {
    struct rm_map positions = {0};
    uint32_t at = 0, count = 0, capacity = 8, *lines = rv_text_alloc(capacity, sizeof *lines);
    uint64_t hash = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        if (is_about_debugging(i)) continue;
        uint64_t own = add_instruction(0, i, block, &positions, at);
        hash = add(hash, own);
        locals.count = 0;
        without_names = true;
        uint64_t loose = add_instruction(0, i, block, &positions, at);
        without_names = false;
        rm_statement_take(rm, i, own, loose, &locals);
        *rm_map_at(&positions, key(i), 0) = at++;
        uint32_t line = LLVMGetDebugLocLine(i);
        if (!line || (count && lines[count - 1] == line)) continue;
        if (count == capacity) lines = rv_text_realloc(lines, capacity *= 2, sizeof *lines);
        lines[count++] = line;
    }
    free(positions.entries);
    uint32_t index = RM_ADD(rm, block);
    rm->blocks[index].block = block;
    rm->blocks[index].hash = hash;
    take_lines(&rm->blocks[index], lines, count);
    *rm_map_at(&rm->blocks_of, key(block), 0) = index;
}

uint64_t rm_hash_initial(LLVMValueRef global) {
    struct rm_map none = {0};
    return add_value(0, LLVMGetInitializer(global), NULL, &none, 0, 0);
}

void rm_hash_blocks(struct rm *rm) {
    for (LLVMValueRef f = LLVMGetFirstFunction(rm->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            hash_block(rm, b);
    rm_statements_connect(rm);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(rm->module, "mem2reg", NULL, options);
    if (error) LLVMConsumeError(error);
    LLVMDisposePassBuilderOptions(options);
}
