/* Locals under other names. */
#include <stdlib.h>
#include <string.h>

#include "regress/match_private.h"
#include "report/text.h"

/* Names of locals of a function, sorted, each once. */
struct names {
    uint32_t *list;
    uint32_t count;
};

static int by_number(const void *a, const void *b) {
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

static struct names names_of(const struct rv_version *version, uint32_t function) {
    const struct rv_model *model = version->model;
    struct names names = {0};
    uint32_t size = 0, kept = 0;
    for (RV_EACH(block, &version->blocks, function))
        for (RV_EACH(statement, &version->statements, *block))
            size += model->statements[*statement].locals.count;
    names.list = rv_text_alloc(size, sizeof *names.list);
    for (RV_EACH(block, &version->blocks, function))
        for (RV_EACH(statement, &version->statements, *block)) {
            struct rv_model_list locals = model->statements[*statement].locals;
            for (uint32_t i = 0; i < locals.count; i++)
                names.list[names.count++] = rv_model_item(model, locals, i);
        }
    if (names.count) qsort(names.list, names.count, sizeof *names.list, by_number);
    for (uint32_t i = 0; i < names.count; i++)
        if (kept == 0 || names.list[kept - 1] != names.list[i]) names.list[kept++] = names.list[i];
    names.count = kept;
    return names;
}

static bool has(const struct names *names, uint32_t name) {
    return names->count && bsearch(&name, names->list, names->count, sizeof *names->list, by_number);
}

/* What the local is called now; itself if nothing is known. */
static uint32_t renamed(const struct rv_renaming *renaming, uint32_t old) {
    for (uint32_t i = 0; i < renaming->count; i++)
        if (renaming->pairs[i][0] == old) return renaming->pairs[i][1];
    return old;
}

static bool is_taken(const struct rv_renaming *renaming, uint32_t old, uint32_t new) {
    for (uint32_t i = 0; i < renaming->count; i++)
        if (renaming->pairs[i][0] == old || renaming->pairs[i][1] == new) return true;
    return false;
}

bool rv_do_the_same(const struct rv_match *match, uint32_t old, uint32_t new) {
    const struct rv_model *before = match->old->model, *after = match->new->model;
    const struct rv_model_statement *a = &before->statements[old], *b = &after->statements[new];
    if (a->hash == b->hash) return true;
    if (!match->renaming.count || a->loose != b->loose || a->locals.count != b->locals.count ||
        a->locals.count == 0)
        return false;
    for (uint32_t i = 0; i < a->locals.count; i++)
        if (renamed(&match->renaming, rv_model_item(before, a->locals, i)) !=
            rv_model_item(after, b->locals, i))
            return false;
    return true;
}

/* Takes over what these two statements say of names, if that agrees with what is known. */
static bool learn(struct rv_match *match, const struct names *olds, const struct names *news, uint32_t old,
                  uint32_t new) {
    const struct rv_model *before = match->old->model, *after = match->new->model;
    struct rv_model_list a = before->statements[old].locals, b = after->statements[new].locals;
    struct rv_renaming *renaming = &match->renaming;
    uint32_t known = renaming->count;
    if (before->statements[old].loose != after->statements[new].loose || a.count != b.count) return false;
    for (uint32_t i = 0; i < a.count; i++) {
        uint32_t from = rv_model_item(before, a, i), to = rv_model_item(after, b, i);
        if (renamed(renaming, from) == to) continue;
        if (is_taken(renaming, from, to) || has(news, from) || has(olds, to)) {
            renaming->count = known; /* a contradiction: nothing of it counts */
            return false;
        }
        renaming->pairs = rv_text_realloc(renaming->pairs, renaming->count + 1, sizeof *renaming->pairs);
        renaming->pairs[renaming->count][0] = from;
        renaming->pairs[renaming->count++][1] = to;
    }
    return true;
}

static bool mentions_gone(const struct rv_match *match, uint32_t old, const struct names *news) {
    const struct rv_model *model = match->old->model;
    struct rv_model_list locals = model->statements[old].locals;
    for (uint32_t i = 0; i < locals.count; i++)
        if (!has(news, rv_model_item(model, locals, i))) return true;
    return false;
}

static void learn_from(struct rv_match *match, const struct names *olds, const struct names *news,
                       uint32_t statement, uint32_t new, bool *used) {
    for (RV_EACH(block, &match->new->blocks, new))
        for (RV_EACH(candidate, &match->new->statements, *block)) {
            if (used[*candidate] || !learn(match, olds, news, statement, *candidate)) continue;
            used[*candidate] = true;
            return;
        }
}

void rv_match_names(struct rv_match *match, uint32_t old, uint32_t new) {
    struct names olds = names_of(match->old, old), news = names_of(match->new, new);
    match->renaming.count = 0;
    bool gone = false;
    for (uint32_t i = 0; i < olds.count; i++) gone |= !has(&news, olds.list[i]);
    bool *used = gone ? rv_text_alloc(match->new->model->statement_count, sizeof *used) : NULL;
    for (RV_EACH(block, &match->old->blocks, old))
        for (RV_EACH(statement, &match->old->statements, *block))
            if (gone && mentions_gone(match, *statement, &news))
                learn_from(match, &olds, &news, *statement, new, used);
    free(used);
    free(olds.list);
    free(news.list);
}
