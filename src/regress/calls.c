#include "regress/calls.h"

#include <stdlib.h>

#include "report/text.h"

/* Where an unmatched statement stands: between which matched ones. Equal for statements of both versions that stand in the same
 * place. */
static uint32_t gap(const struct rv_version *version, uint32_t statement, const uint32_t *matched, bool map) {
    uint32_t block = rv_statement_block(version, statement), last = RV_NONE;
    for (RV_EACH(at, &version->statements, block)) {
        if (*at == statement) break;
        if (matched[*at] != RV_NONE) last = map ? matched[*at] : *at;
    }
    return last;
}

/* Takes a call of the same function, in the same place of the old version, that nobody has taken. */
static bool take_old(const struct rv_match *match, struct rv_calls *calls, uint32_t invoke,
                     uint32_t old_block) {
    const struct rv_model *old = match->old->model, *new = match->new->model;
    uint32_t statement = new->invokes[invoke].statement;
    uint32_t place = gap(match->new, statement, match->statement_of, false);
    for (RV_EACH(was, &match->old->statements, old_block)) {
        if (match->statement_to[*was] != RV_NONE) continue;
        for (RV_EACH(candidate, &match->old->invokes, *was)) {
            const struct rv_model_invoke *other = &old->invokes[*candidate];
            uint32_t callee = match->function_to[other->function];
            if (!calls->gone[*candidate] || callee != new->invokes[invoke].function ||
                other->start != new->invokes[invoke].start ||
                gap(match->old, *was, match->statement_to, true) != place)
                continue;
            calls->gone[*candidate] = false;
            return true;
        }
    }
    return false;
}

void rv_calls_compare(struct rv_calls *calls, const struct rv_match *match) {
    const struct rv_model *old = match->old->model, *new = match->new->model;
    calls->added = rv_text_alloc(new->invoke_count, sizeof *calls->added);
    calls->gone = rv_text_alloc(old->invoke_count, sizeof *calls->gone);
    for (uint32_t i = 0; i < old->invoke_count; i++)
        calls->gone[i] = match->statement_to[old->invokes[i].statement] == RV_NONE;
    for (uint32_t i = 0; i < new->invoke_count; i++) {
        uint32_t statement = new->invokes[i].statement;
        if (match->statement_of[statement] != RV_NONE) continue;
        uint32_t was = match->block_of[rv_statement_block(match->new, statement)];
        calls->added[i] = was == RV_NONE || !take_old(match, calls, i, was);
    }
}

void rv_calls_free(struct rv_calls *calls) {
    free(calls->added);
    free(calls->gone);
    *calls = (struct rv_calls){0};
}
