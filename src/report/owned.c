#include "report/owned.h"

#include <stdlib.h>

#include "report/symbolise.h"
#include "report/text.h"

void rv_location_blank(struct rv_location *location) {
    *location = (struct rv_location){.function = rv_text_copy(""),
                                     .file = rv_text_copy(""),
                                     .source = rv_text_copy(""),
                                     .module = rv_text_copy("")};
}

void rv_stack_copy(struct rv_stack_text *to, const struct rv_stack_text *from) {
    *to = (struct rv_stack_text){.frames = rv_text_alloc(from->count, sizeof *to->frames),
                                 .count = from->count};
    for (unsigned i = 0; i < from->count; i++) rv_location_copy(&to->frames[i], &from->frames[i]);
}

void rv_stack_free(struct rv_stack_text *stack) {
    for (unsigned i = 0; i < stack->count; i++) rv_location_free(&stack->frames[i]);
    free(stack->frames);
}

void rv_locks_free(struct rv_lock_text *locks, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        free(locks[i].object);
        rv_stack_free(&locks[i].acquired);
    }
    free(locks);
}

void rv_block_free(struct rv_block_text *block) {
    if (!block) return;
    free(block->description);
    rv_stack_free(&block->allocated);
    rv_stack_free(&block->released);
    free(block);
}

void rv_text_complete(char **text) {
    if (!*text) *text = rv_text_copy("");
}
