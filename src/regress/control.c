#include "regress/control.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

/* One function. Its blocks are numbered from 0 in the order of a walk backwards from its end, the end itself is 0. */
struct walk {
    const struct rv_version *version;
    uint32_t *number;    /* of a block of the program; 0: not walked yet */
    uint32_t *blocks;    /* by number; [0] is the end */
    uint32_t *dominator; /* by number: the nearest post-dominator */
    uint32_t *finished;  /* numbers in the order in which the walk left them */
    uint32_t count, finished_count;
    bool *is_exit; /* by number */
};

static void visit(struct walk *walk, uint32_t *stack, uint32_t *cursor, uint32_t start) {
    const struct rv_lists *predecessors = &walk->version->predecessors;
    uint32_t depth = 0;
    stack[depth] = start;
    cursor[depth++] = 0;
    walk->number[start] = walk->count;
    walk->blocks[walk->count++] = start;
    while (depth > 0) {
        uint32_t block = stack[depth - 1];
        if (cursor[depth - 1] == rv_list_size(predecessors, block)) {
            walk->finished[walk->finished_count++] = walk->number[block];
            depth--;
            continue;
        }
        uint32_t next = rv_list(predecessors, block)[cursor[depth - 1]++];
        if (walk->number[next]) continue;
        walk->number[next] = walk->count;
        walk->blocks[walk->count++] = next;
        stack[depth] = next;
        cursor[depth++] = 0;
    }
}

/* From the blocks that have no successor, then from the last ones of what cannot be left. */
static void number_blocks(struct walk *walk, uint32_t function) {
    const struct rv_lists *blocks = &walk->version->blocks;
    uint32_t size = rv_list_size(blocks, function);
    uint32_t *stack = rv_text_alloc(size, sizeof *stack), *cursor = rv_text_alloc(size, sizeof *cursor);
    walk->count = 1;
    walk->finished_count = 0;
    for (RV_EACH(block, blocks, function)) {
        if (walk->version->model->blocks[*block].successors.count || walk->number[*block]) continue;
        walk->is_exit[walk->count] = true;
        visit(walk, stack, cursor, *block);
    }
    for (uint32_t i = size; i > 0; i--) {
        uint32_t block = rv_list(blocks, function)[i - 1];
        if (walk->number[block]) continue;
        walk->is_exit[walk->count] = true;
        visit(walk, stack, cursor, block);
    }
    free(stack);
    free(cursor);
}

/* The order in which the walk left them, later ones nearer to the end; the end is the last of all. */
static uint32_t meet(const struct walk *walk, const uint32_t *rank, uint32_t a, uint32_t b) {
    while (a != b) {
        while (rank[a] < rank[b]) a = walk->dominator[a];
        while (rank[b] < rank[a]) b = walk->dominator[b];
    }
    return a;
}

static uint32_t dominator_of(const struct walk *walk, const uint32_t *rank, uint32_t number) {
    const struct rv_model *model = walk->version->model;
    const struct rv_model_block *block = &model->blocks[walk->blocks[number]];
    uint32_t result = walk->is_exit[number] ? 0 : RV_NONE;
    for (uint32_t i = 0; i < block->successors.count; i++) {
        uint32_t next = walk->number[rv_model_item(model, block->successors, i)];
        if (!next || walk->dominator[next] == RV_NONE) continue;
        result = result == RV_NONE ? next : meet(walk, rank, result, next);
    }
    return result;
}

static void find_dominators(struct walk *walk) {
    uint32_t *rank = rv_text_alloc(walk->count, sizeof *rank);
    bool changed = true;
    for (uint32_t i = 0; i < walk->finished_count; i++) rank[walk->finished[i]] = i;
    rank[0] = walk->finished_count;
    for (uint32_t i = 1; i < walk->count; i++) walk->dominator[i] = RV_NONE;
    walk->dominator[0] = 0;
    while (changed) {
        changed = false;
        for (uint32_t i = walk->finished_count; i > 0; i--) {
            uint32_t number = walk->finished[i - 1], found = dominator_of(walk, rank, number);
            changed |= found != walk->dominator[number];
            walk->dominator[number] = found;
        }
    }
    free(rank);
}

/* Along each edge of a branch, up the tree of post-dominators to that of the branch: all on the way depend on it. */
static void add_dependents(const struct walk *walk, struct rv_links *links, uint32_t *marks) {
    const struct rv_model *model = walk->version->model;
    for (uint32_t number = 1; number < walk->count; number++) {
        const struct rv_model_block *block = &model->blocks[walk->blocks[number]];
        if (block->successors.count < 2 && !walk->is_exit[number]) continue;
        for (uint32_t i = 0; i < block->successors.count; i++) {
            uint32_t at = walk->number[rv_model_item(model, block->successors, i)];
            while (at && at != RV_NONE && at != walk->dominator[number] && marks[at] != number) {
                marks[at] = number;
                rv_links_add(links, walk->blocks[number], walk->blocks[at]);
                at = walk->dominator[at];
            }
        }
    }
}

void rv_control_dependents(struct rv_version *version) {
    const struct rv_model *model = version->model;
    size_t most = 1;
    for (uint32_t f = 0; f < model->function_count; f++)
        if (rv_list_size(&version->blocks, f) + 1 > most) most = rv_list_size(&version->blocks, f) + 1;
    struct walk walk = {.version = version,
                        .number = rv_text_alloc(model->block_count, sizeof(uint32_t)),
                        .blocks = rv_text_alloc(most, sizeof(uint32_t)),
                        .dominator = rv_text_alloc(most, sizeof(uint32_t)),
                        .finished = rv_text_alloc(most, sizeof(uint32_t)),
                        .is_exit = rv_text_alloc(most, sizeof(bool))};
    uint32_t *marks = rv_text_alloc(most, sizeof *marks);
    struct rv_links links = {0};
    for (uint32_t f = 0; f < model->function_count; f++) {
        if (rv_list_size(&version->blocks, f) == 0) continue;
        memset(walk.is_exit, 0, (rv_list_size(&version->blocks, f) + 1) * sizeof *walk.is_exit);
        memset(marks, 0, (rv_list_size(&version->blocks, f) + 1) * sizeof *marks);
        number_blocks(&walk, f);
        find_dominators(&walk);
        add_dependents(&walk, &links, marks);
    }
    version->dependents = rv_lists_make(model->block_count, &links);
    free(walk.number);
    free(walk.blocks);
    free(walk.dominator);
    free(walk.finished);
    free(walk.is_exit);
    free(marks);
}
