/* Names of variables, the same from one build to the next: "queue.head", "table[].next", "malloc at cache.c:41 .refs",
 * "arg in main". Objects of the same name in several files say which one is meant. */
#include "modeller/modeller.h"

char *rm_function_name(LLVMValueRef function) {
    const char *name = rm_debug_of_function(function);
    return rv_text_copy(name ? name : LLVMGetValueName(function));
}

static const char *without_kind(const char *name) { /* "struct.queue", "class.ns::queue" */
    static const char *const kinds[] = {"struct.", "union.", "class.", NULL};
    for (const char *const *kind = kinds; *kind; kind++)
        if (strncmp(name, *kind, strlen(*kind)) == 0) return name + strlen(*kind);
    return name;
}

/* The name before the path, and the one behind it. */
static char *front_name(struct rm *rm, const struct rm_object *object, LLVMMetadataRef *type, char **behind) {
    const char *name = object->what ? object->what : "memory", *ir_name;
    *behind = NULL;
    *type = NULL;
    switch (object->kind) {
    case RM_GLOBAL: {
        ir_name = name;
        *type = rm_debug_of_global(object->value, &name);
        const char *at = strstr(ir_name, name);
        LLVMLinkage linkage = LLVMGetLinkage(object->value);
        if (at && at > ir_name && at[-1] == '.') { /* of a function: "work.count" */
            *behind = rv_text_format(" in %.*s", (int)(at - ir_name - 1), ir_name);
        } else if (at && at[strlen(name)] == '.' &&
                   linkage == LLVMInternalLinkage) { /* one of that name was there: "count.3" */
            char *where;
            uint32_t line, column;
            if ((where = rm_debug_place(object->value, &line, &column))) {
                const char *slash = strrchr(where, '/');
                *behind = rv_text_format(" of %s", slash ? slash + 1 : where);
                free(where);
            }
        }
        return rv_text_copy(name);
    }
    case RM_STACK: {
        LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(object->value));
        *type = rm_debug_of_local(object->value, &name);
        char *own = rm_function_name(function);
        *behind = rv_text_format(" in %s", own);
        free(own);
        return rv_text_copy(*name ? name : "a value");
    }
    case RM_HEAP: {
        const char *struct_name = object->type && LLVMGetTypeKind(object->type) == LLVMStructTypeKind
                                      ? LLVMGetStructName(object->type)
                                      : NULL;
        *type = rm_debug_of_struct(struct_name, object->size);
        if (!object->value || object->named) return rv_text_copy(without_kind(name));
        char *where = rm_where(object->value), *result = rv_text_format("%s at %s", name, where);
        free(where);
        return result;
    }
    default: (void)rm; return rv_text_copy(name);
    }
}

char *rm_variable_name(struct rm *rm, const struct rm_variable *variable) {
    const struct rm_object *object = &rm->objects[variable->object];
    LLVMMetadataRef type;
    char *behind, *front = front_name(rm, object, &type, &behind), *path = NULL;
    uint64_t size = variable->end - variable->start;
    if (object->collapsed)
        path = rv_text_copy("");
    else if (type)
        path = rm_debug_path(type, variable->start, size);
    else if (variable->start)
        path = rv_text_format("+%llu", (unsigned long long)variable->start);
    else
        path = rv_text_copy("");
    bool apart = object->kind == RM_HEAP && object->value && !object->named && *path;
    char *result = rv_text_format("%s%s%s%s", front, apart ? " " : "", path, behind ? behind : "");
    free(front);
    free(behind);
    free(path);
    return result;
}
