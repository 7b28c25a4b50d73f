#include "regress/cover.h"

#include <stdlib.h>
#include <string.h>

#include "regress/region.h"
#include "report/text.h"

enum { NUMBERED = 56 };
static const rv_threads more_threads = (rv_threads)3 << 56, new_threads = (rv_threads)3 << 60;

rv_threads rv_thread_bits(uint32_t thread) {
    return thread < NUMBERED ? (rv_threads)1 << thread : more_threads;
}

/* Whether threads are created, joined or kept apart otherwise than before. */
static bool threads_changed(const struct rv_version *version, const uint32_t *matched) {
    const struct rv_model *model = version->model;
    for (uint32_t s = 0; s < model->statement_count; s++) {
        const struct rv_model_statement *at = &model->statements[s];
        if (matched[s] != RV_NONE) continue;
        for (uint32_t i = 0; i < at->syncs.count; i++) {
            const char *kind = model->syncs[rv_model_item(model, at->syncs, i)].kind;
            if (rv_sync_sort(kind) == RV_SYNC_ORDERS || strcmp(kind, "create") == 0) return true;
        }
        for (RV_EACH(invoke, &version->invokes, s))
            if (model->invokes[*invoke].start) return true;
    }
    return false;
}

void rv_coverer_open(struct rv_coverer *coverer, const struct rv_impact *impact, const bool *observable,
                     const bool *tells) {
    const struct rv_model *model = impact->match->new->model;
    uint32_t old_blocks = impact->match->old->model->block_count,
             most = model->block_count > old_blocks ? model->block_count : old_blocks;
    *coverer =
        (struct rv_coverer){.impact = impact,
                            .observable = observable,
                            .tells = tells,
                            .queue = rv_text_alloc(most, sizeof *coverer->queue),
                            .is_queued = rv_text_alloc(most, sizeof *coverer->is_queued),
                            .functions = rv_text_alloc(model->function_count, sizeof *coverer->functions)};
    coverer->together = threads_changed(impact->match->new, impact->match->statement_of) ||
                        threads_changed(impact->match->old, impact->match->statement_to);
}

void rv_coverer_close(struct rv_coverer *coverer) {
    free(coverer->queue);
    free(coverer->is_queued);
    free(coverer->functions);
    *coverer = (struct rv_coverer){0};
}

/* One closure. */
struct closing {
    struct rv_coverer *coverer;
    const struct rv_version *new;
    rv_threads *masks, *fresh; /* by block: all, and those who may not have been here in the base */
    const bool *observable;
    size_t queued;
    rv_groups possible; /* changes that are executed: branches that depend on them may lead elsewhere */
};

static void cover(struct closing *closing, uint32_t block, rv_threads threads, bool fresh) {
    rv_threads before = closing->masks[block], fresh_before = closing->fresh[block];
    closing->masks[block] |= threads;
    if (fresh) closing->fresh[block] |= threads & ~before;
    if (closing->masks[block] == before && closing->fresh[block] == fresh_before) return;
    if (closing->coverer->is_queued[block]) return;
    closing->coverer->is_queued[block] = true;
    closing->coverer->queue[closing->queued++] = block;
}

static void enter(struct closing *closing, uint32_t function, rv_threads threads) {
    rv_threads *entered = &closing->coverer->functions[function];
    if ((*entered | threads) == *entered) return;
    *entered |= threads;
    for (RV_EACH(block, &closing->new->blocks, function)) cover(closing, *block, threads, true);
}

static bool is_new(const struct closing *closing, uint32_t block) {
    return rv_list_size(&closing->coverer->impact->match->stands_for, block) == 0;
}

/* Nothing tells whether it was executed in the base. */
static bool is_unknown(const struct closing *closing, uint32_t block) {
    const struct rv_lists *stands_for = &closing->coverer->impact->match->stands_for;
    for (RV_EACH(old, stands_for, block))
        if (closing->observable[*old]) return false;
    return true;
}

static void call(struct closing *closing, uint32_t block, uint32_t invoke) {
    const struct rv_model_invoke *at = &closing->new->model->invokes[invoke];
    const struct rv_impact *impact = closing->coverer->impact;
    if (rv_list_size(&closing->new->blocks, at->function) == 0) return;
    uint32_t entry = rv_list(&closing->new->blocks, at->function)[0];
    bool added = impact->calls.added[invoke] || impact->match->function_of[at->function] == RV_NONE;
    rv_threads threads = added ? closing->masks[block] : closing->fresh[block];
    if (threads) enter(closing, at->function, at->start ? new_threads : threads);
    if (!at->start && is_unknown(closing, entry)) cover(closing, entry, closing->masks[block], false);
}

static void calls(struct closing *closing, uint32_t block) {
    for (RV_EACH(statement, &closing->new->statements, block))
        for (RV_EACH(invoke, &closing->new->invokes, *statement)) call(closing, block, *invoke);
}

static bool is_questionable(const struct closing *closing, uint32_t block) {
    uint32_t last = rv_last_statement(closing->new, block);
    return last != RV_NONE && (closing->coverer->impact->branches[last] & closing->possible);
}

static void spread(struct closing *closing, uint32_t block) {
    const struct rv_model *model = closing->new->model;
    struct rv_model_list next = model->blocks[block].successors;
    bool questionable = next.count > 1 && is_questionable(closing, block);
    for (uint32_t i = 0; i < next.count; i++) {
        uint32_t to = rv_model_item(model, next, i);
        if (is_unknown(closing, to)) cover(closing, to, closing->masks[block], is_new(closing, to));
        if (questionable)
            cover(closing, to, closing->masks[block], true);
        else if (closing->possible && closing->fresh[block])
            cover(closing, to, closing->fresh[block], true);
    }
    calls(closing, block);
}

static void close_over(struct rv_coverer *coverer, rv_threads *masks, const bool *observable,
                       rv_groups possible) {
    const struct rv_version *new = coverer->impact->match->new;
    struct closing closing = {.coverer = coverer,
                              .new = new,
                              .masks = masks,
                              .fresh = rv_text_alloc(new->model->block_count, sizeof(rv_threads)),
                              .observable = observable,
                              .possible = possible};
    memset(coverer->functions, 0, new->model->function_count * sizeof *coverer->functions);
    /* Who was in a function was at its entry. */
    for (uint32_t b = 0; b < new->model->block_count; b++)
        masks[rv_list(&new->blocks, rv_block_function(new, b))[0]] |= masks[b];
    for (uint32_t b = 0; b < new->model->block_count; b++) {
        coverer->is_queued[b] = masks[b] != 0;
        if (masks[b]) coverer->queue[closing.queued++] = b;
    }
    while (closing.queued > 0) {
        uint32_t block = coverer->queue[--closing.queued];
        coverer->is_queued[block] = false;
        spread(&closing, block);
    }
    free(closing.fresh);
}

/* --- changes --- */

static void come_to(struct rv_coverer *coverer, uint32_t block, bool *seen, size_t *queued) {
    const struct rv_version *old = coverer->impact->match->old;
    uint32_t entry = rv_list(&old->blocks, rv_block_function(old, block))[0];
    if (!seen[block]) coverer->queue[(*queued)++] = block;
    seen[block] = true;
    if (!seen[entry]) coverer->queue[(*queued)++] = entry;
    seen[entry] = true;
}

/* Blocks of the base: those observed, and those after them about which nothing tells. */
static void close_over_base(struct rv_coverer *coverer, const struct rv_observed *observed, size_t count,
                            bool *seen) {
    const struct rv_version *old = coverer->impact->match->old;
    const struct rv_model *model = old->model;
    size_t queued = 0;
    for (size_t i = 0; i < count; i++) come_to(coverer, observed[i].block, seen, &queued);
    while (queued > 0) {
        uint32_t block = coverer->queue[--queued];
        struct rv_model_list next = model->blocks[block].successors;
        for (uint32_t i = 0; i < next.count; i++)
            if (!coverer->tells[rv_model_item(model, next, i)])
                come_to(coverer, rv_model_item(model, next, i), seen, &queued);
        for (RV_EACH(statement, &old->statements, block))
            for (RV_EACH(invoke, &old->invokes, *statement)) {
                uint32_t function = model->invokes[*invoke].function;
                if (rv_list_size(&old->blocks, function) == 0) continue;
                uint32_t entry = rv_list(&old->blocks, function)[0];
                if (!coverer->tells[entry]) come_to(coverer, entry, seen, &queued);
            }
    }
}

/* The groups that the test may execute: on the base what is gone, on the new version what was added. `masks` is by block of the
 * new version. */
static rv_groups changes_of(struct rv_coverer *coverer, const struct rv_observed *observed, size_t count,
                            rv_threads *masks) {
    const struct rv_match *match = coverer->impact->match;
    uint32_t old_blocks = match->old->model->block_count, blocks = match->new->model->block_count;
    bool *seen = rv_text_alloc(old_blocks, sizeof *seen);
    rv_groups groups = RV_GROUP_ALWAYS;
    close_over_base(coverer, observed, count, seen);
    for (uint32_t b = 0; b < old_blocks; b++)
        if (seen[b]) groups |= coverer->impact->gone_from[b];
    for (uint32_t b = 0; b < blocks; b++) {
        masks[b] = 0;
        for (RV_EACH(was, &match->stands_for, b)) masks[b] |= seen[*was];
    }
    for (rv_groups before = 0; before != groups;) {
        before = groups;
        close_over(coverer, masks, coverer->tells, groups);
        for (uint32_t b = 0; b < blocks; b++)
            if (masks[b]) groups |= coverer->impact->added_in[b];
    }
    free(seen);
    return groups;
}

void rv_cover_test(struct rv_coverer *coverer, const struct rv_observed *observed, size_t count,
                   struct rv_cover *cover) {
    const struct rv_match *match = coverer->impact->match;
    uint32_t blocks = match->new->model->block_count;
    cover->changes = changes_of(coverer, observed, count, cover->sure);
    rv_threads *old = rv_text_alloc(match->old->model->block_count, sizeof *old);
    for (size_t i = 0; i < count; i++)
        if (!observed[i].alone || coverer->together)
            old[observed[i].block] |= rv_thread_bits(observed[i].thread);
    for (uint32_t b = 0; b < blocks; b++) {
        cover->sure[b] = 0;
        for (RV_EACH(was, &match->stands_for, b)) cover->sure[b] |= old[*was];
    }
    free(old);
    close_over(coverer, cover->sure, coverer->observable, 0);
    memcpy(cover->possible, cover->sure, blocks * sizeof *cover->possible);
    close_over(coverer, cover->possible, coverer->observable, cover->changes);
}
