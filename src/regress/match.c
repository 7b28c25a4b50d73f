#include "regress/match.h"

#include <stdlib.h>
#include <string.h>

#include "regress/match_private.h"
#include "report/text.h"

static const char *label_of(const struct rv_model *model, const struct rv_model_block *block, uint32_t i) {
    return model->labels[rv_model_item(model, block->labels, i)];
}

/* Where the edge with this label leads to; RV_NONE: there is none. */
static uint32_t along(const struct rv_model *model, uint32_t block, const char *label) {
    const struct rv_model_block *from = &model->blocks[block];
    for (uint32_t i = 0; i < from->successors.count; i++)
        if (strcmp(label_of(model, from, i), label) == 0) return rv_model_item(model, from->successors, i);
    return RV_NONE;
}

static void match_statements(struct rv_match *match, uint32_t old, uint32_t new) {
    const struct rv_lists *a = &match->old->statements, *b = &match->new->statements;
    rv_match_in_order(match, rv_list(a, old), rv_list_size(a, old), rv_list(b, new), rv_list_size(b, new));
}

/* --- the walk --- */

static void walk(struct rv_match *match, uint32_t old_entry, uint32_t new_entry, uint32_t *stack) {
    const struct rv_model *old = match->old->model, *new = match->new->model;
    uint32_t depth = 0;
    match->block_to[old_entry] = new_entry;
    match->block_of[new_entry] = old_entry;
    stack[depth++] = new_entry;
    while (depth > 0) {
        uint32_t at = stack[--depth], was = match->block_of[at];
        match_statements(match, was, at);
        const struct rv_model_block *block = &old->blocks[was];
        for (uint32_t i = 0; i < block->successors.count; i++) {
            uint32_t from = rv_model_item(old, block->successors, i),
                     to = along(new, at, label_of(old, block, i));
            if (to == RV_NONE || match->block_to[from] != RV_NONE || match->block_of[to] != RV_NONE) continue;
            match->block_to[from] = to;
            match->block_of[to] = from;
            stack[depth++] = to;
        }
    }
}

/* --- what the walk has not matched --- */

static uint32_t all_statements(const struct rv_version *version, uint32_t function, uint32_t **statements) {
    uint32_t count = 0, size = 0;
    for (RV_EACH(block, &version->blocks, function)) size += rv_list_size(&version->statements, *block);
    *statements = rv_text_alloc(size, sizeof **statements);
    for (RV_EACH(block, &version->blocks, function))
        for (RV_EACH(statement, &version->statements, *block)) (*statements)[count++] = *statement;
    return count;
}

/* So many from here on are not matched. */
static uint32_t run_length(const uint32_t *statements, uint32_t count, uint32_t from,
                           const uint32_t *matched) {
    uint32_t length = 0;
    while (from + length < count && matched[statements[from + length]] == RV_NONE) length++;
    return length;
}

static uint32_t place_of(const uint32_t *statements, uint32_t count, uint32_t statement) {
    for (uint32_t i = 0; i < count; i++)
        if (statements[i] == statement) return i;
    return count;
}

/* What stands between the same matched statements in both, in the order of the source: what has changed places with one that is
 * matched is not the same any more. */
static void match_rest(struct rv_match *match, uint32_t old, uint32_t new) {
    uint32_t *olds, *news;
    uint32_t old_count = all_statements(match->old, old, &olds),
             new_count = all_statements(match->new, new, &news);
    for (uint32_t i = 0, from; i <= old_count; i++) {
        uint32_t anchor = i == 0 ? RV_NONE : match->statement_to[olds[i - 1]];
        uint32_t length = run_length(olds, old_count, i, match->statement_to);
        if (length == 0 || (i > 0 && anchor == RV_NONE)) continue;
        from = i == 0 ? 0 : place_of(news, new_count, anchor) + 1;
        uint32_t new_length = from < new_count ? run_length(news, new_count, from, match->statement_of) : 0;
        if (new_length) rv_match_in_order(match, olds + i, length, news + from, new_length);
        i += length - 1;
    }
    free(olds);
    free(news);
}

/* --- branches --- */

/* Whether what follows here in the new version is what followed in the old one: its first matched statement is from there; without
 * any, the blocks were walked together. */
static bool follows(const struct rv_match *match, uint32_t old, uint32_t new) {
    for (RV_EACH(statement, &match->new->statements, new)) {
        uint32_t was = match->statement_of[*statement];
        if (was != RV_NONE) return rv_statement_block(match->old, was) == old;
    }
    return match->block_of[new] == old;
}

static void check_branch(struct rv_match *match, uint32_t statement) {
    uint32_t was = match->statement_of[statement];
    uint32_t new = rv_statement_block(match->new, statement), old = rv_statement_block(match->old, was);
    if (rv_last_statement(match->new, new) != statement || rv_last_statement(match->old, old) != was) return;
    const struct rv_model *model = match->new->model;
    const struct rv_model_block *block = &model->blocks[new];
    bool same = block->successors.count == match->old->model->blocks[old].successors.count;
    for (uint32_t i = 0; i < block->successors.count && same; i++) {
        uint32_t from = along(match->old->model, old, label_of(model, block, i));
        same = from != RV_NONE && follows(match, from, rv_model_item(model, block->successors, i));
    }
    if (same || block->successors.count < 2) return;
    match->turned[statement] = true;
    match->old_turned[was] = true;
}

/* --- the whole --- */

static void find_stands_for(struct rv_match *match) {
    struct rv_links links = {0};
    for (uint32_t b = 0; b < match->new->model->block_count; b++) {
        uint32_t last = match->block_of[b];
        if (last != RV_NONE) rv_links_add(&links, b, last);
        for (RV_EACH(statement, &match->new->statements, b)) {
            uint32_t was = match->statement_of[*statement];
            uint32_t block = was == RV_NONE ? RV_NONE : rv_statement_block(match->old, was);
            if (block != RV_NONE && block != match->block_of[b] && block != last)
                rv_links_add(&links, b, block);
            if (block != RV_NONE) last = block;
        }
    }
    match->stands_for = rv_lists_make(match->new->model->block_count, &links);
}

static uint32_t *none(uint32_t count) {
    uint32_t *numbers = rv_text_alloc(count, sizeof *numbers);
    for (uint32_t i = 0; i < count; i++) numbers[i] = RV_NONE;
    return numbers;
}

void rv_match_make(struct rv_match *match, const struct rv_version *old, const struct rv_version *new) {
    const struct rv_model *a = old->model, *b = new->model;
    *match = (struct rv_match){.old = old,
                               .new = new,
                               .function_of = none(b->function_count),
                               .function_to = none(a->function_count),
                               .block_of = none(b->block_count),
                               .block_to = none(a->block_count),
                               .statement_of = none(b->statement_count),
                               .statement_to = none(a->statement_count),
                               .turned = rv_text_alloc(b->statement_count, sizeof(bool)),
                               .old_turned = rv_text_alloc(a->statement_count, sizeof(bool))};
    uint32_t *stack = rv_text_alloc(b->block_count, sizeof *stack);
    rv_match_functions(match);
    for (uint32_t f = 0; f < b->function_count; f++) {
        uint32_t was = match->function_of[f];
        if (was == RV_NONE) continue;
        rv_match_names(match, was, f);
        walk(match, rv_list(&old->blocks, was)[0], rv_list(&new->blocks, f)[0], stack);
        match_rest(match, was, f);
    }
    free(stack);
    free(match->renaming.pairs);
    match->renaming = (struct rv_renaming){0};
    for (uint32_t s = 0; s < b->statement_count; s++)
        if (match->statement_of[s] != RV_NONE) check_branch(match, s);
    find_stands_for(match);
}

void rv_match_free(struct rv_match *match) {
    free(match->function_of);
    free(match->function_to);
    free(match->block_of);
    free(match->block_to);
    free(match->statement_of);
    free(match->statement_to);
    free(match->turned);
    free(match->old_turned);
    rv_lists_free(&match->stands_for);
    *match = (struct rv_match){0};
}
