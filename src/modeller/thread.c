/* Threads: functions that are given to pthread_create and the like, handlers of signals, and whatever a library that has no bitcode may
 * call. One that may be started twice is "many". What escapes is what a second thread could come to know of: globals, what is
 * given to a thread or a library, and all that can be reached from there. */
#include <stdio.h>
#include <string.h>

#include "modeller/modeller.h"

enum { ONCE_DEPTH = 20 };

static uint64_t key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

/* --- how often --- */

bool rm_in_cycle(struct rm *rm, LLVMBasicBlockRef block) {
    (void)rm;
    struct rm_map seen = {0};
    LLVMBasicBlockRef *list = NULL;
    uint32_t count = 0, capacity = 0;
    bool found = false;
    for (LLVMBasicBlockRef at = block; !found;) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(at);
        for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(last, i);
            found |= next == block;
            uint32_t *known = rm_map_at(&seen, key(next), 0);
            if (*known != RM_NONE) continue;
            *known = 0;
            if (count == capacity)
                list = rv_text_realloc(list, capacity = capacity ? capacity * 2 : 16, sizeof(void *));
            list[count++] = next;
        }
        if (!count) break;
        at = list[--count];
    }
    free(list);
    free(seen.entries);
    return found;
}

static bool runs_once(struct rm *rm, uint32_t function, int depth);

static bool happens_once(struct rm *rm, uint32_t call, int depth) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(rm->calls[call].instruction);
    return !rm_in_cycle(rm, block) && runs_once(rm, rm->calls[call].caller, depth + 1);
}

static bool runs_once(struct rm *rm, uint32_t function, int depth) {
    const struct rm_bits *callers = &rm->functions[function].callers;
    uint32_t call;
    if (depth > ONCE_DEPTH || rm->main_function == RM_NONE) return false;
    if (rm_bits_size(callers) == 0) return true;
    if (rm_bits_size(callers) > 1 || function == rm->main_function) return false;
    RM_EACH(call, callers)
        if (rm->calls[call].kind > RM_THREAD || !happens_once(rm, call, depth)) return false;
    return true;
}

bool rm_location_is_single(struct rm *rm, uint32_t location) {
    const struct rm_object *object = &rm->objects[rm->nodes[location].object];
    uint64_t start, element, size;
    if (object->collapsed || object->array || object->kind == RM_FUNCTION || object->kind == RM_OUTSIDE ||
        rm_array_at(rm, object, rm->nodes[location].offset, 0, &start, &element, &size))
        return false;
    if (object->kind == RM_GLOBAL) return !object->own;
    if ((object->kind != RM_STACK && object->kind != RM_HEAP) || !object->value) return false;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(object->value);
    uint32_t function = rm_map_get(&rm->functions_of, key(LLVMGetBasicBlockParent(block)), 0);
    return !rm_in_cycle(rm, block) && runs_once(rm, function, 0);
}

/* --- threads --- */

static uint32_t thread_of(struct rm *rm, struct rm_map *known, uint32_t function) {
    uint32_t *slot = rm_map_at(known, function + UINT64_C(1), 0);
    if (*slot != RM_NONE) return *slot;
    uint32_t thread = RM_ADD(rm, thread);
    rm->threads[thread].function = function;
    *slot = thread;
    return thread;
}

static void spread(struct rm *rm, uint32_t thread, uint32_t root) {
    uint32_t *list = rv_text_alloc(rm->function_count + 1, sizeof *list), count = 0, call, callee;
    if (rm_bits_add(&rm->functions[root].threads, thread)) list[count++] = root;
    while (count) {
        uint32_t function = list[--count];
        RM_EACH(call, &rm->functions[function].calls) {
            if (rm->calls[call].kind != RM_CALL && rm->calls[call].kind != RM_CALLBACK) continue;
            RM_EACH(callee, &rm->calls[call].callees)
                if (rm_bits_add(&rm->functions[callee].threads, thread)) list[count++] = callee;
        }
    }
    free(list);
}

/* Functions that an array of { priority, function, data } in the module names: run before main or after it. */
static void spread_listed(struct rm *rm, uint32_t thread, const char *list) {
    LLVMValueRef global = LLVMGetNamedGlobal(rm->module, list),
                 values = global ? LLVMGetInitializer(global) : NULL;
    if (!values || !LLVMIsAConstantArray(values)) return;
    for (int i = 0; i < LLVMGetNumOperands(values); i++) {
        LLVMValueRef entry = LLVMGetOperand(values, (unsigned)i);
        LLVMValueRef function = LLVMIsAConstantStruct(entry) ? LLVMGetOperand(entry, 1) : entry;
        uint32_t index = rm_map_get(&rm->functions_of, key(function), 0);
        if (index != RM_NONE) spread(rm, thread, index);
    }
}

static bool is_exported(LLVMValueRef function) {
    LLVMLinkage linkage = LLVMGetLinkage(function);
    return linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage;
}

void rm_find_threads(struct rm *rm) {
    struct rm_map known = {0}, started = {0};
    uint32_t first =
                 rm->main_function == RM_NONE ? RM_ADD(rm, thread) : thread_of(rm, &known, rm->main_function),
             callee;
    rm->threads[first].function = rm->main_function;
    rm->threads[first].many = rm->main_function == RM_NONE;
    for (uint32_t i = 0; i < rm->call_count; i++) {
        struct rm_call *call = &rm->calls[i];
        if (call->kind == RM_CALL) continue;
        RM_EACH(callee, &call->callees) {
            if (!rm->functions[callee].defined) continue;
            uint32_t thread = thread_of(rm, &known, callee),
                     *before = rm_map_at(&started, thread + UINT64_C(1), 0);
            if (*before != RM_NONE || call->kind != RM_THREAD || !happens_once(rm, i, 0))
                rm->threads[thread].many = true;
            *rm_map_at(&started, thread + UINT64_C(1), 0) = i;
        }
    }
    for (uint32_t i = first + 1; i < rm->thread_count; i++) spread(rm, i, rm->threads[i].function);
    if (rm->main_function != RM_NONE) {
        spread(rm, first, rm->main_function);
    } else
        for (uint32_t i = 0; i < rm->function_count; i++)
            if (rm->functions[i].defined && is_exported(rm->functions[i].value)) spread(rm, first, i);
    spread_listed(rm, first, "llvm.global_ctors");
    spread_listed(rm, first, "llvm.global_dtors");
    free(known.entries);
    free(started.entries);
}

/* --- escape --- */

struct worklist {
    struct rm *rm;
    uint32_t *objects, count, capacity;
};

static void escape_object(struct worklist *list, uint32_t object) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->objects = rv_text_realloc(list->objects, list->capacity, sizeof *list->objects);
    }
    list->rm->objects[object].escaped = true;
    list->objects[list->count++] = object;
}

static void escape_node(struct worklist *list, uint32_t node) {
    uint32_t location;
    RM_EACH(location, rm_points(list->rm, node))
        if (!list->rm->objects[list->rm->nodes[location].object].escaped)
            escape_object(list, list->rm->nodes[location].object);
}

void rm_find_escaping(struct rm *rm) {
    struct worklist list = {.rm = rm};
    for (uint32_t i = 0; i < rm->object_count; i++) {
        struct rm_object *object = &rm->objects[i];
        if (object->escaped || object->kind == RM_OUTSIDE || (object->kind == RM_GLOBAL && !object->own))
            escape_object(&list, i);
    }
    escape_node(&list, rm->joined);
    escape_node(&list, rm->specific);
    escape_node(&list, rm->thrown);
    for (uint32_t i = 0; i < rm->call_count; i++)
        for (uint32_t k = 0; rm->calls[i].kind != RM_CALL && k < rm->calls[i].argument_count; k++)
            escape_node(&list, rm->calls[i].arguments[k]);
    for (uint32_t i = 0; rm->main_function == RM_NONE && i < rm->function_count; i++) {
        LLVMValueRef function = rm->functions[i].value;
        if (!rm->functions[i].defined || !is_exported(function)) continue;
        escape_node(&list, rm->functions[i].result);
        for (unsigned p = 0; p < LLVMCountParams(function); p++)
            escape_node(&list, rm_value(rm, LLVMGetParam(function, p)));
    }
    while (list.count) {
        uint32_t object = list.objects[--list.count];
        for (uint32_t i = 0; i < rm->objects[object].field_count; i++)
            escape_node(&list, rm->objects[object].fields[i].node);
    }
    free(list.objects);
}
