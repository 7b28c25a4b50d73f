/* Calls of functions without bitcode: what comes of them for where pointers point to. */
#include <stdlib.h>
#include <string.h>

#include "modeller/foreign.h"

static uint32_t argument(struct rm *rm, LLVMValueRef call, unsigned index) {
    return index < LLVMGetNumArgOperands(call) ? rm_value(rm, LLVMGetOperand(call, index)) : RM_NONE;
}

/* Calls what the node points to, with these arguments. */
static void calls_back(struct rm *rm, LLVMValueRef call, uint32_t caller, enum rm_call_kind kind,
                       uint32_t address, uint32_t first, uint32_t second, uint32_t result) {
    if (address == RM_NONE) return;
    uint32_t index = rm_call_new(rm, call, caller, kind), *arguments = rv_text_alloc(2, sizeof *arguments);
    arguments[0] = first;
    arguments[1] = second;
    rm->calls[index].arguments = arguments;
    rm->calls[index].argument_count = 2;
    rm->calls[index].result = result;
    rm_call_through(rm, address, index);
}

/* What lies at an offset from where the node points: a node. */
static uint32_t content(struct rm *rm, uint32_t address, int64_t offset) {
    uint32_t place = rm_node_new(rm), what = rm_node_new(rm);
    rm_shift(rm, address, place, offset, 0);
    rm_load_from(rm, place, what);
    return what;
}

static void copies(struct rm *rm, LLVMValueRef call, uint32_t from, uint32_t to, uint64_t size) {
    uint32_t carried = rm_object_new(rm, RM_PASSAGE, call, NULL, "copy");
    rm_passage(rm, from, carried, size, true);
    rm_passage(rm, to, carried, size, false);
}

static bool own_code(struct rm *rm, LLVMValueRef call, uint32_t caller, const char *name) {
    uint32_t result = rm_value(rm, call);
    if (strcmp(name, "pthread_create") == 0) {
        calls_back(rm, call, caller, RM_THREAD, argument(rm, call, 2), argument(rm, call, 3), RM_NONE,
                   rm->joined);
    } else if (strcmp(name, "thrd_create") == 0) {
        calls_back(rm, call, caller, RM_THREAD, argument(rm, call, 1), argument(rm, call, 2), RM_NONE,
                   RM_NONE);
    } else if (strcmp(name, "pthread_once") == 0 || strcmp(name, "call_once") == 0) {
        calls_back(rm, call, caller, RM_CALL, argument(rm, call, 1), RM_NONE, RM_NONE, RM_NONE);
    } else if (strcmp(name, "pthread_key_create") == 0 || strcmp(name, "tss_create") == 0) {
        calls_back(rm, call, caller, RM_HANDLER, argument(rm, call, 1), rm->specific, RM_NONE, RM_NONE);
    } else if (strcmp(name, "pthread_cleanup_push") == 0 || strcmp(name, "atexit") == 0 ||
               strcmp(name, "at_quick_exit") == 0) {
        calls_back(rm, call, caller, RM_CALL, argument(rm, call, 0), argument(rm, call, 1), RM_NONE, RM_NONE);
    } else if (strcmp(name, "pthread_atfork") == 0 || strcmp(name, "register_atfork") == 0) {
        for (unsigned i = 0; i < 3; i++)
            calls_back(rm, call, caller, RM_CALL, argument(rm, call, i), RM_NONE, RM_NONE, RM_NONE);
    } else if (strcmp(name, "on_exit") == 0) {
        calls_back(rm, call, caller, RM_CALL, argument(rm, call, 0), RM_NONE, argument(rm, call, 1), RM_NONE);
    } else if (strcmp(name, "cxa_atexit") == 0 || strcmp(name, "cxa_thread_atexit") == 0) {
        calls_back(rm, call, caller, RM_CALL, argument(rm, call, 0), argument(rm, call, 1), RM_NONE, RM_NONE);
    } else if (strcmp(name, "qsort") == 0 || strcmp(name, "qsort_r") == 0) {
        calls_back(rm, call, caller, RM_CALL, argument(rm, call, 3), argument(rm, call, 0),
                   argument(rm, call, 0), RM_NONE);
    } else if (strcmp(name, "bsearch") == 0) {
        calls_back(rm, call, caller, RM_CALL, argument(rm, call, 4), argument(rm, call, 0),
                   argument(rm, call, 1), RM_NONE);
        rm_edge(rm, argument(rm, call, 1), result);
    } else if (strcmp(name, "signal") == 0 || strcmp(name, "sigset") == 0) {
        calls_back(rm, call, caller, RM_HANDLER, argument(rm, call, 1), RM_NONE, RM_NONE, RM_NONE);
        rm_edge(rm, argument(rm, call, 1), result);
    } else if (strcmp(name, "sigaction") == 0) {
        if (argument(rm, call, 1) != RM_NONE)
            calls_back(rm, call, caller, RM_HANDLER, content(rm, argument(rm, call, 1), 0), RM_NONE,
                       rm->objects[rm->outside].base, RM_NONE);
        copies(rm, call, argument(rm, call, 1), argument(rm, call, 2), 0);
    } else if (strcmp(name, "timer_create") == 0 || strcmp(name, "mq_notify") == 0) {
        if (argument(rm, call, 1) != RM_NONE)
            calls_back(rm, call, caller, RM_HANDLER, content(rm, argument(rm, call, 1), 16),
                       content(rm, argument(rm, call, 1), 0), RM_NONE, RM_NONE);
    } else if (strcmp(name, "realloc") == 0 || strcmp(name, "reallocarray") == 0) {
        rm_fresh_memory(rm, call, caller, "realloc");
        rm_edge(rm, argument(rm, call, 0), result);
        copies(rm, call, argument(rm, call, 0), result, 0);
    } else if (strcmp(name, "strtok") == 0) {
        rm_edge(rm, argument(rm, call, 0), rm->objects[rm->outside].base);
        rm_edge(rm, rm->objects[rm->outside].base, result);
    } else if (strcmp(name, "posix_memalign") == 0 || strcmp(name, "getline") == 0 ||
               strcmp(name, "getdelim") == 0 || strcmp(name, "asprintf") == 0 ||
               strcmp(name, "vasprintf") == 0) {
        uint32_t fresh = rm_node_new(rm), object = rm_object_new(rm, RM_HEAP, call, NULL, "memory");
        rm->objects[object].array = true;
        rm_point(rm, fresh, rm->objects[object].base);
        rm_store_to(rm, argument(rm, call, 0), fresh);
    } else
        return false;
    return true;
}

/* What a table cannot say of functions that are in it. */
static void keeps(struct rm *rm, LLVMValueRef call, const char *name) {
    if (strcmp(name, "pthread_setspecific") == 0 || strcmp(name, "tss_set") == 0)
        rm_edge(rm, argument(rm, call, 1), rm->specific);
    else if (strcmp(name, "pthread_getspecific") == 0 || strcmp(name, "tss_get") == 0)
        rm_edge(rm, rm->specific, rm_value(rm, call));
    else if (strcmp(name, "pthread_exit") == 0)
        rm_edge(rm, argument(rm, call, 0), rm->joined);
    else if (strcmp(name, "pthread_join") == 0)
        rm_store_to(rm, argument(rm, call, 1), rm->joined);
    else if (strcmp(name, "cxa_throw") == 0)
        rm_edge(rm, argument(rm, call, 0), rm->thrown);
    else if (strcmp(name, "cxa_begin_catch") == 0)
        rm_edge(rm, rm->thrown, rm_value(rm, call));
    else if (strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0 || strcmp(name, "mempcpy") == 0)
        copies(rm, call, argument(rm, call, 1), argument(rm, call, 0), 0);
    else if (strcmp(name, "bcopy") == 0)
        copies(rm, call, argument(rm, call, 0), argument(rm, call, 1), 0);
    else if (strcmp(name, "strtok_r") == 0) {
        rm_store_to(rm, argument(rm, call, 2), argument(rm, call, 0));
        rm_load_from(rm, argument(rm, call, 2), rm_value(rm, call));
    } else if (strcmp(name, "mmap") == 0)
        rm_edge(rm, rm_value(rm, call), rm->mapped);
    else if (strncmp(name, "strto", 5) == 0) /* where the number ends */
        rm_store_to(rm, argument(rm, call, 1), argument(rm, call, 0));
}

static void anything(struct rm *rm, LLVMValueRef call, LLVMValueRef function, uint32_t caller) {
    uint32_t outside = rm->objects[rm->outside].base;
    bool points = rm_value(rm, call) != RM_NONE;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) points |= argument(rm, call, i) != RM_NONE;
    if (!points) return;
    uint32_t *known = rm_map_at(&rm->foreign_known, (uint64_t)(uintptr_t)function, 0);
    if (*known == RM_NONE) {
        *known = 0;
        char *where = rm_where(call);
        rm_unsure(rm, "no bitcode of %s, which is called at %s: it may do anything with what it is given",
                  LLVMGetValueName(function), where);
        free(where);
    }
    rm_edge(rm, outside, rm_value(rm, call));
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        uint32_t node = argument(rm, call, i);
        rm_edge(rm, node, outside);
        rm_store_to(rm, node, outside);
    }
    calls_back(rm, call, caller, RM_CALLBACK, outside, outside, outside, outside);
}

void rm_foreign_call(struct rm *rm, LLVMValueRef call, LLVMValueRef function, uint32_t caller) {
    char room[256];
    const char *name = rm_foreign_name(LLVMGetValueName(function), room, sizeof room);
    if (own_code(rm, call, caller, name)) return;
    if (rm_begins(
            name,
            "_ZNSt6thread15_M_start_thread")) { /* the third function of the class of what a pointer points to */
        uint32_t state = content(rm, argument(rm, call, 1), 0);
        calls_back(rm, call, caller, RM_THREAD, content(rm, content(rm, state, 0), 16), state, RM_NONE,
                   RM_NONE);
        return;
    }
    LLVMValueRef once =
        strcmp(name, "once_proxy") == 0 ? LLVMGetNamedGlobal(rm->module, "_ZSt11__once_call") : NULL;
    if (once) { /* std::call_once leaves there what libstdc++ shall call */
        uint32_t what = rm_node_new(rm);
        rm_load_from(rm, rm_value(rm, once), what);
        calls_back(rm, call, caller, RM_CALL, what, RM_NONE, RM_NONE, RM_NONE);
        return;
    }
    const struct foreign *foreign = rm_foreign_find(name);
    if (!foreign && rm_foreign_is_harmless(name)) return;
    if (!foreign) {
        anything(rm, call, function, caller);
        return;
    }
    keeps(rm, call, name);
    uint32_t result = rm_value(rm, call);
    if (result == RM_NONE) return;
    char what = foreign->result[0];
    if (what >= '0' && what <= '9')
        rm_shift(rm, argument(rm, call, (unsigned)(what - '0')), result, 0, 0);
    else if (what == 'm')
        rm_fresh_memory(rm, call, caller, foreign->name);
    else if (what == 's')
        rm_point(rm, result, rm->objects[rm->outside].base);
}
