#include "regress/region.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static bool ends_in(const char *word, const char *end) {
    size_t size = strlen(word), end_size = strlen(end);
    return size >= end_size && strcmp(word + size - end_size, end) == 0;
}

enum rv_sync_sort rv_sync_sort(const char *kind) {
    if (strstr(kind, "unlock") || ends_in(kind, "post")) return RV_SYNC_RELEASES;
    if (ends_in(kind, "lock") || strncmp(kind, "sem", 3) == 0 || strcmp(kind, "trywait") == 0 ||
        ends_in(kind, "down"))
        return RV_SYNC_TAKES;
    if (ends_in(kind, "join") || ends_in(kind, "barrier") || ends_in(kind, "once")) return RV_SYNC_ORDERS;
    return RV_SYNC_OTHER;
}

/* Locks of which nothing is known (in functions that nobody calls) are taken for one. */
static bool overlap(const struct rv_model *model, struct rv_model_list a, struct rv_model_list b) {
    for (uint32_t i = 0; i < a.count; i++)
        for (uint32_t k = 0; k < b.count; k++)
            if (rv_model_item(model, a, i) == rv_model_item(model, b, k)) return true;
    return a.count == 0 && b.count == 0;
}

/* --- what a statement, or a function it calls, does to a lock --- */

/* A bit for each sort, of synchronisation about these locks; NULL: about any. */
static unsigned sorts_of(const struct rv_version *version, uint32_t statement,
                         const struct rv_model_list *locks) {
    const struct rv_model *model = version->model;
    const struct rv_model_statement *at = &model->statements[statement];
    unsigned sorts = 0;
    for (uint32_t i = 0; i < at->syncs.count; i++) {
        const struct rv_model_sync *sync = &model->syncs[rv_model_item(model, at->syncs, i)];
        if (!locks || overlap(model, *locks, sync->locks)) sorts |= 1u << rv_sync_sort(sync->kind);
    }
    return sorts;
}

static unsigned sorts_in(const struct rv_version *version, uint32_t function,
                         const struct rv_model_list *locks) {
    unsigned sorts = 0;
    for (RV_EACH(block, &version->blocks, function))
        for (RV_EACH(statement, &version->statements, *block)) sorts |= sorts_of(version, *statement, locks);
    return sorts;
}

static bool just(unsigned sorts, enum rv_sync_sort one, enum rv_sync_sort not ) {
    return (sorts >> one & 1) && !(sorts >> not &1);
}

/* Of a function that takes and does not release, or the other way round, its call does that, too. */
static bool does(const struct rv_version *version, uint32_t statement, enum rv_sync_sort one,
                 enum rv_sync_sort other, const struct rv_model_list *locks) {
    if (sorts_of(version, statement, locks) >> one & 1) return true;
    for (RV_EACH(invoke, &version->invokes, statement))
        if (!version->model->invokes[*invoke].start &&
            just(sorts_in(version, version->model->invokes[*invoke].function, locks), one, other))
            return true;
    return false;
}

bool rv_is_synchronising(const struct rv_version *version, uint32_t statement) {
    return does(version, statement, RV_SYNC_TAKES, RV_SYNC_RELEASES, NULL) ||
           does(version, statement, RV_SYNC_RELEASES, RV_SYNC_TAKES, NULL) ||
           does(version, statement, RV_SYNC_ORDERS, RV_SYNC_OTHER, NULL);
}

/* --- the walk --- */

struct region {
    const struct rv_version *version;
    const struct rv_model_list *locks; /* NULL: no lock; nothing ends it */
    bool forwards;
    uint32_t mark, *marks;
    bool *walked;    /* blocks, from their first (or last) statement on */
    bool *left;      /* functions whose callers have been gone on with */
    uint32_t *queue; /* blocks */
    size_t queued;
    bool *called; /* functions that are in it as a whole */
};

static void take_function(struct region *region, uint32_t function) {
    const struct rv_version *version = region->version;
    if (region->called[function]) return;
    region->called[function] = true;
    for (RV_EACH(block, &version->blocks, function)) {
        for (RV_EACH(statement, &version->statements, *block)) {
            if (!region->marks[*statement]) region->marks[*statement] = region->mark;
            for (RV_EACH(invoke, &version->invokes, *statement))
                take_function(region, version->model->invokes[*invoke].function);
        }
    }
}

static void push(struct region *region, uint32_t block) {
    if (region->walked[block]) return;
    region->walked[block] = true;
    region->queue[region->queued++] = block;
}

/* True: the lock ends (or begins) here. */
static bool take_statement(struct region *region, uint32_t statement) {
    const struct rv_version *version = region->version;
    if (!region->marks[statement]) region->marks[statement] = region->mark;
    if (region->locks &&
        (region->forwards ? does(version, statement, RV_SYNC_RELEASES, RV_SYNC_TAKES, region->locks)
                          : does(version, statement, RV_SYNC_TAKES, RV_SYNC_RELEASES, region->locks)))
        return true;
    for (RV_EACH(invoke, &version->invokes, statement))
        take_function(region, version->model->invokes[*invoke].function);
    return false;
}

static void go_on_from(struct region *region, uint32_t statement);

static void leave_function(struct region *region, uint32_t function) {
    const struct rv_version *version = region->version;
    if (region->left[function]) return;
    region->left[function] = true;
    for (RV_EACH(statement, &version->invoked, function)) go_on_from(region, *statement);
}

/* Past the end of a block. */
static void leave_block(struct region *region, uint32_t block) {
    const struct rv_version *version = region->version;
    const struct rv_model_block *at = &version->model->blocks[block];
    if (!region->forwards) {
        for (RV_EACH(before, &version->predecessors, block)) push(region, *before);
        if (rv_list(&version->blocks, at->function)[0] == block) leave_function(region, at->function);
        return;
    }
    for (uint32_t i = 0; i < at->successors.count; i++)
        push(region, rv_model_item(version->model, at->successors, i));
    if (at->successors.count == 0) leave_function(region, at->function);
}

/* The statements of a block, from behind (or before) the one at `from` on; RV_NONE: all of them. */
static void walk_block(struct region *region, uint32_t block, uint32_t from) {
    const struct rv_lists *lists = &region->version->statements;
    const uint32_t *statements = rv_list(lists, block);
    uint32_t count = rv_list_size(lists, block), i = 0;
    if (region->forwards) {
        for (i = from == RV_NONE ? 0 : from + 1; i < count; i++)
            if (take_statement(region, statements[i])) return;
    } else {
        for (i = from == RV_NONE ? count : from; i > 0; i--)
            if (take_statement(region, statements[i - 1])) return;
    }
    leave_block(region, block);
}

static void go_on_from(struct region *region, uint32_t statement) {
    uint32_t block = rv_statement_block(region->version, statement), at = 0;
    const uint32_t *statements = rv_list(&region->version->statements, block);
    while (statements[at] != statement) at++;
    if (!region->marks[statement]) region->marks[statement] = region->mark;
    walk_block(region, block, at);
}

static void walk(struct region *region, uint32_t statement) {
    const struct rv_model *model = region->version->model;
    region->walked = rv_text_alloc(model->block_count, sizeof *region->walked);
    region->left = rv_text_alloc(model->function_count, sizeof *region->left);
    region->called = rv_text_alloc(model->function_count, sizeof *region->called);
    region->queue = rv_text_alloc(model->block_count, sizeof *region->queue);
    go_on_from(region, statement);
    while (region->queued > 0) {
        uint32_t block = region->queue[--region->queued];
        walk_block(region, block, RV_NONE);
    }
    free(region->walked);
    free(region->left);
    free(region->called);
    free(region->queue);
}

static void walk_sync(const struct rv_version *version, uint32_t statement, const struct rv_model_sync *sync,
                      uint32_t mark, uint32_t *marks) {
    enum rv_sync_sort sort = rv_sync_sort(sync->kind);
    struct region region = {.version = version,
                            .locks = sort == RV_SYNC_ORDERS ? NULL : &sync->locks,
                            .forwards = sort != RV_SYNC_RELEASES,
                            .mark = mark,
                            .marks = marks};
    if (sort != RV_SYNC_OTHER) walk(&region, statement);
}

void rv_region_add(const struct rv_version *version, uint32_t statement, uint32_t mark, uint32_t *region) {
    const struct rv_model *model = version->model;
    const struct rv_model_statement *at = &model->statements[statement];
    for (uint32_t i = 0; i < at->syncs.count; i++)
        walk_sync(version, statement, &model->syncs[rv_model_item(model, at->syncs, i)], mark, region);
    for (RV_EACH(invoke, &version->invokes, statement)) {
        uint32_t function = model->invokes[*invoke].function;
        unsigned sorts = sorts_in(version, function, NULL);
        if (model->invokes[*invoke].start ||
            (!just(sorts, RV_SYNC_TAKES, RV_SYNC_RELEASES) && !just(sorts, RV_SYNC_RELEASES, RV_SYNC_TAKES) &&
             !(sorts >> RV_SYNC_ORDERS & 1)))
            continue;
        for (RV_EACH(block, &version->blocks, function))
            for (RV_EACH(inner, &version->statements, *block))
                for (uint32_t i = 0; i < model->statements[*inner].syncs.count; i++)
                    walk_sync(version, statement,
                              &model->syncs[rv_model_item(model, model->statements[*inner].syncs, i)], mark,
                              region);
    }
}
