/* Objects and their fields. An offset is brought into normal form by the object's type: on the way down to a scalar, an offset
 * in an array becomes the one in its first element. On the heap, a block of which the program says the type
 * is an array of it. Without a type offsets stay as they are, up to FIELDS_MAX of them. */
#include <stdio.h>
#include <string.h>

#include "modeller/modeller.h"

enum { FIELDS_MAX = 200 };

void rm_list_add(struct rm_list *list, uint32_t item) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 4;
        list->items = rv_text_realloc(list->items, list->capacity, sizeof *list->items);
    }
    list->items[list->count++] = item;
}

uint64_t rm_size_of(struct rm *rm, LLVMTypeRef type) {
    return type && LLVMTypeIsSized(type) ? LLVMABISizeOfType(rm->layout, type) : 0;
}

static uint32_t add_field(struct rm *rm, uint32_t index, uint64_t offset) {
    uint32_t node = rm_node_new(rm);
    struct rm_object *object = &rm->objects[index];
    rm->nodes[node].object = index;
    rm->nodes[node].offset = offset;
    if (object->field_count == object->field_capacity) {
        object->field_capacity = object->field_capacity ? object->field_capacity * 2 : 2;
        object->fields = rv_text_realloc(object->fields, object->field_capacity, sizeof *object->fields);
    }
    object->fields[object->field_count++] = (struct rm_field){offset, node};
    return node;
}

uint32_t rm_object_new(struct rm *rm, enum rm_object_kind kind, LLVMValueRef value, LLVMTypeRef type,
                       const char *what) {
    uint32_t index = RM_ADD(rm, object);
    struct rm_object *object = &rm->objects[index];
    object->kind = kind;
    object->value = value;
    object->type = type;
    object->size = rm_size_of(rm, type);
    object->what = what;
    uint32_t base = add_field(rm, index, 0);
    rm->objects[index].base = base;
    *rm_map_at(&rm->fields, index + UINT64_C(1), 0) = base;
    return index;
}

/* --- layout --- */

static bool is_flexible(LLVMTypeRef type) { /* ends in an array of no length that is meant to be longer */
    while (LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMCountStructElementTypes(type))
        type = LLVMStructGetTypeAtIndex(type, LLVMCountStructElementTypes(type) - 1);
    return LLVMGetTypeKind(type) == LLVMArrayTypeKind && LLVMGetArrayLength(type) <= 1;
}

static uint64_t within(const struct rm_object *object, int64_t offset) {
    uint64_t size = object->size;
    if (size == 0 || (offset >= 0 && (uint64_t)offset < size)) return (uint64_t)offset;
    if (offset >= 0 && object->type && is_flexible(object->type)) return (uint64_t)offset;
    int64_t rest = offset % (int64_t)size;
    return (uint64_t)(rest < 0 ? rest + (int64_t)size : rest);
}

/* Goes down to the scalar at the offset; calls for each array on the way. Returns the normal offset. */
static uint64_t descend(struct rm *rm, LLVMTypeRef type, uint64_t offset,
                        bool (*array)(void *context, uint64_t start, uint64_t element, uint64_t size),
                        void *context) {
    uint64_t start = 0;
    for (;;) {
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (kind == LLVMStructTypeKind && LLVMCountStructElementTypes(type) > 0) {
            unsigned count = LLVMCountStructElementTypes(type);
            uint64_t size = rm_size_of(rm, type);
            unsigned element = offset < size ? LLVMElementAtOffset(rm->layout, type, offset) : count - 1;
            uint64_t before = LLVMOffsetOfElement(rm->layout, type, element);
            if (offset < before) return start + offset;
            start += before;
            offset -= before;
            type = LLVMStructGetTypeAtIndex(type, element);
            if (offset >= rm_size_of(rm, type) && !is_flexible(type)) return start + offset; /* padding */
        } else if (kind == LLVMArrayTypeKind) {
            LLVMTypeRef inner = LLVMGetElementType(type);
            uint64_t size = rm_size_of(rm, inner), length = LLVMGetArrayLength(type);
            if (!size) return start + offset;
            if (array && array(context, start, size, length <= 1 ? UINT64_MAX : size * length)) return start;
            offset %= size;
            type = inner;
        } else
            return start + offset;
    }
}

uint64_t rm_normal_offset(struct rm *rm, const struct rm_object *object, int64_t offset) {
    uint64_t inside = within(object, offset);
    return object->type ? descend(rm, object->type, inside, NULL, NULL) : inside;
}

struct array_question {
    uint64_t stride, start, element, size;
    bool found;
};

static bool answer_array(void *context, uint64_t start, uint64_t element, uint64_t size) {
    struct array_question *question = context;
    if (question->stride && question->stride % element != 0) return false;
    question->start = start;
    question->element = element;
    question->size = size;
    return question->found = true;
}

bool rm_array_at(struct rm *rm, const struct rm_object *object, uint64_t offset, uint64_t stride,
                 uint64_t *start, uint64_t *element, uint64_t *size) {
    struct array_question question = {.stride = stride};
    if (object->type) descend(rm, object->type, within(object, (int64_t)offset), answer_array, &question);
    if (!question.found && object->size && stride && stride % object->size == 0)
        question = (struct array_question){stride, 0, object->size, object->size, true};
    *start = question.start;
    *element = question.element;
    *size = question.size;
    return question.found;
}

uint64_t rm_text_at(struct rm *rm, const struct rm_object *object, uint64_t offset, bool first) {
    LLVMTypeRef type = object->type;
    bool member = first; /* or not the first one: an address here is not that of the struct */
    offset = type ? within(object, (int64_t)offset) : 0;
    while (type) {
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (kind == LLVMStructTypeKind && LLVMCountStructElementTypes(type) > 0 &&
            offset < rm_size_of(rm, type)) {
            unsigned element = LLVMElementAtOffset(rm->layout, type, offset);
            uint64_t before = LLVMOffsetOfElement(rm->layout, type, element);
            if (offset < before) return 0;
            member = first || before > 0;
            offset -= before;
            type = LLVMStructGetTypeAtIndex(type, element);
        } else if (kind == LLVMArrayTypeKind) {
            uint64_t size = rm_size_of(rm, LLVMGetElementType(type)), length = LLVMGetArrayLength(type);
            if (size == 1) return member && length > 1 && offset < length ? length : 0;
            if (!size) return 0;
            offset %= size;
            type = LLVMGetElementType(type);
        } else
            return 0;
    }
    return 0;
}

/* --- copies --- */

/* How far behind the copy's beginning the field comes; false: it is not copied. */
static bool is_copied(struct rm *rm, const struct rm_copy *copy, uint64_t offset, uint64_t *relative) {
    if (offset >= copy->from_offset) {
        *relative = offset - copy->from_offset;
    } else {
        uint64_t start, element, size; /* an array from its middle on */
        if (!rm_array_at(rm, &rm->objects[copy->from], offset, 0, &start, &element, &size) ||
            copy->from_offset < start || copy->from_offset - start >= element)
            return false;
        *relative = offset + element - copy->from_offset;
    }
    return *relative < copy->size;
}

static void link_field(struct rm *rm, const struct rm_copy *copy, uint64_t offset, uint32_t node) {
    struct rm_object *from = &rm->objects[copy->from], *to = &rm->objects[copy->to];
    uint64_t relative = 0;
    if (!from->collapsed && !is_copied(rm, copy, offset, &relative)) return;
    if (to->collapsed) {
        rm_edge(rm, node, to->base);
        return;
    }
    if (from->collapsed) {
        for (uint32_t i = 0; i < to->field_count; i++)
            if (to->fields[i].offset >= copy->to_offset &&
                to->fields[i].offset - copy->to_offset < copy->size)
                rm_edge(rm, node, to->fields[i].node);
        return;
    }
    uint32_t target = rm_field(rm, copy->to, (int64_t)(copy->to_offset + relative));
    rm_edge(rm, node, target);
}

static void link_all(struct rm *rm, uint32_t index) {
    struct rm_copy copy = rm->transfers[index];
    for (uint32_t i = 0; i < rm->objects[copy.from].field_count; i++) {
        struct rm_field field = rm->objects[copy.from].fields[i];
        link_field(rm, &copy, field.offset, field.node);
    }
    if (rm->objects[copy.from].kind == RM_PASSAGE || rm->objects[copy.to].kind != RM_PASSAGE) return;
    if (rm->objects[copy.from].collapsed)
        rm_collapse(rm, copy.to); /* it carries what may have been anywhere */
}

void rm_copy_object(struct rm *rm, uint32_t from, uint64_t from_offset, uint32_t to, uint64_t to_offset,
                    uint64_t size) {
    uint32_t *known =
        rm_map_at(&rm->copies_of, rm_mix(from + 1, from_offset) ^ size << 40, rm_mix(to + 1, to_offset));
    if (*known != RM_NONE) return;
    uint32_t index = RM_ADD(rm, transfer);
    *known = index;
    rm->transfers[index] = (struct rm_copy){from, to, from_offset, to_offset, size};
    rm_list_add(&rm->objects[from].copies_out, index);
    rm_list_add(&rm->objects[to].copies_in, index);
    link_all(rm, index);
}

void rm_collapse(struct rm *rm, uint32_t index) {
    struct rm_object *object = &rm->objects[index];
    if (object->collapsed || object->kind == RM_FUNCTION) return;
    object->collapsed = true;
    rm->changed = true;
    for (uint32_t i = 1; i < object->field_count; i++) rm_merge(rm, object->base, object->fields[i].node);
    for (uint32_t i = 0; i < rm->objects[index].copies_in.count; i++)
        link_all(rm, rm->objects[index].copies_in.items[i]);
    for (uint32_t i = 0; i < rm->objects[index].copies_out.count; i++)
        link_all(rm, rm->objects[index].copies_out.items[i]);
}

uint32_t rm_field(struct rm *rm, uint32_t index, int64_t offset) {
    if (rm->objects[index].collapsed || rm->objects[index].kind == RM_FUNCTION)
        return rm->objects[index].base;
    uint32_t *asked = rm_map_at(&rm->fields, index + UINT64_C(1), (uint64_t)offset);
    if (*asked != RM_NONE) return *asked;
    uint64_t normal = rm_normal_offset(rm, &rm->objects[index], offset);
    if (normal != (uint64_t)offset) {
        uint32_t node = rm_field(rm, index, (int64_t)normal);
        *rm_map_at(&rm->fields, index + UINT64_C(1), (uint64_t)offset) = node; /* the table may have moved */
        return node;
    }
    if (rm->objects[index].field_count >= FIELDS_MAX && !rm->objects[index].type) {
        rm_collapse(rm, index);
        return rm->objects[index].base;
    }
    uint32_t node = add_field(rm, index, normal);
    *rm_map_at(&rm->fields, index + UINT64_C(1), (uint64_t)offset) = node;
    for (uint32_t i = 0; i < rm->objects[index].copies_out.count; i++) {
        struct rm_copy copy = rm->transfers[rm->objects[index].copies_out.items[i]];
        link_field(rm, &copy, normal, node);
    }
    for (uint32_t i = 0; i < rm->objects[index].copies_in.count; i++) {
        struct rm_copy copy = rm->transfers[rm->objects[index].copies_in.items[i]];
        if (rm->objects[copy.from].collapsed && normal >= copy.to_offset &&
            normal - copy.to_offset < copy.size)
            rm_edge(rm, rm->objects[copy.from].base, node);
    }
    return node;
}
