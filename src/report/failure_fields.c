#include "report/failure_fields.h"

#include <stdlib.h>
#include <string.h>

#include "report/failure_format.h"
#include "report/owned.h"

void rv_field_add_quoted(struct rv_text *out, const char *text) {
    rv_text_add_quoted(out, text, strlen(text));
}

void rv_field_add_thread(struct rv_text *out, uint32_t thread) {
    if (thread == RV_NO_THREAD)
        rv_text_addf(out, "%d", RV_FILE_NONE);
    else
        rv_text_addf(out, "%u", thread);
}

void rv_field_add_location(struct rv_text *out, const char *keyword, const struct rv_location *at) {
    rv_text_addf(out, "%s ", keyword);
    rv_field_add_quoted(out, at->function);
    rv_text_add(out, " ");
    rv_field_add_quoted(out, at->file);
    rv_text_addf(out, " %u ", at->line);
    rv_field_add_quoted(out, at->source);
    rv_text_add(out, " ");
    rv_field_add_quoted(out, at->module);
    rv_text_addf(out, " 0x%llx\n", (unsigned long long)at->offset);
}

void rv_field_add_stack(struct rv_text *out, const char *keyword, const struct rv_stack_text *stack) {
    for (unsigned i = 0; i < stack->count; i++) rv_field_add_location(out, keyword, &stack->frames[i]);
}

void rv_field_add_block(struct rv_text *out, const char *prefix, const struct rv_block_text *block) {
    rv_text_addf(out, "%sblock ", prefix);
    rv_field_add_quoted(out, block->description);
    rv_text_addf(out, " %llu %u %d ", (unsigned long long)block->size, block->offset, block->freed);
    rv_field_add_thread(out, block->alloc_thread);
    rv_text_add(out, " ");
    rv_field_add_thread(out, block->free_thread);
    rv_text_add(out, "\n");
    char *allocated = rv_text_format("  %sallocated", prefix),
         *released = rv_text_format("  %sreleased", prefix);
    rv_field_add_stack(out, allocated, &block->allocated);
    rv_field_add_stack(out, released, &block->released);
    free(allocated);
    free(released);
}

bool rv_field_u32(struct rv_scan *scan, uint32_t *value, uint32_t max, const char *expected) {
    uint64_t wide;
    if (!rv_scan_number(scan, &wide, max, expected)) return false;
    *value = (uint32_t)wide;
    return true;
}

bool rv_field_u16(struct rv_scan *scan, uint16_t *value, const char *expected) {
    uint64_t wide;
    if (!rv_scan_number(scan, &wide, UINT16_MAX, expected)) return false;
    *value = (uint16_t)wide;
    return true;
}

bool rv_field_thread(struct rv_scan *scan, uint32_t *thread) {
    int64_t value;
    if (!rv_scan_signed(scan, &value, RV_FILE_NONE, UINT32_MAX - 1, "a thread")) return false;
    *thread = value == RV_FILE_NONE ? RV_NO_THREAD : (uint32_t)value;
    return true;
}

bool rv_field_text(struct rv_scan *scan, char **text, const char *expected) {
    char *fresh;
    if (!rv_scan_text(scan, &fresh, expected)) return false;
    rv_text_set(text, fresh);
    return true;
}

bool rv_field_location(struct rv_scan *scan, struct rv_location *location) {
    char **texts[] = {&location->function, &location->file, &location->source, &location->module};
    const char *names[] = {"a function", "a file", "a source line", "a module"};
    for (int i = 0; i < 4; i++) {
        if (!rv_field_text(scan, texts[i], names[i])) return false;
        if (i == 1 && !rv_field_u32(scan, &location->line, UINT32_MAX, "a line number")) return false;
    }
    return rv_scan_number(scan, &location->offset, UINT64_MAX, "an offset");
}

bool rv_field_frame(struct rv_scan *scan, struct rv_stack_text *stack) {
    void *bigger =
        rv_field_grow(scan, stack->frames, stack->count, sizeof *stack->frames, RV_FILE_FRAMES, "frames");
    if (!bigger) return false;
    stack->frames = bigger;
    rv_location_blank(&stack->frames[stack->count]);
    return rv_field_location(scan, &stack->frames[stack->count++]);
}

bool rv_field_block(struct rv_scan *scan, struct rv_block_text **block) {
    uint64_t freed = 0;
    struct rv_block_text *fresh = *block = rv_text_alloc(1, sizeof *fresh);
    fresh->description = rv_text_copy("");
    bool good = rv_field_text(scan, &fresh->description, "a description") &&
                rv_scan_number(scan, &fresh->size, UINT64_MAX, "a size") &&
                rv_field_u32(scan, &fresh->offset, UINT32_MAX, "an offset") &&
                rv_scan_number(scan, &freed, 1, "0 or 1") && rv_field_thread(scan, &fresh->alloc_thread) &&
                rv_field_thread(scan, &fresh->free_thread);
    fresh->freed = freed != 0;
    return good;
}

void *rv_field_grow(struct rv_scan *scan, void *list, unsigned count, size_t size, unsigned max,
                    const char *what) {
    if (count >= max) {
        rv_scan_error(scan, "more than %u %s", max, what);
        return NULL;
    }
    if ((count & (count + 1)) == 0) list = rv_text_realloc(list, (size_t)count * 2 + 2, size);
    memset((char *)list + count * size, 0, size);
    return list;
}
