#include "regress/select.h"

#include <stdlib.h>
#include <string.h>

#include "regress/select_private.h"
#include "report/text.h"

struct selector {
    const struct rv_impact *impact;
    const struct rv_isvps *isvps;
    const struct rv_history_test *tests;
    const struct rv_select_options *options;
    bool *observable;  /* by block of the base: who comes there is seen */
    bool *tells;       /* ... even before the first thread */
    bool *dangerous;   /* by block of the base: not the same any more */
    uint32_t **blocks; /* of a test: blocks of the base, each once */
    uint32_t *block_count;
};

/* --- blocks of the base --- */

static void list_blocks(struct selector *selector, uint32_t test) {
    const struct rv_history_test *at = &selector->tests[test];
    uint32_t blocks = selector->impact->match->old->model->block_count, count = 0;
    bool *seen = rv_text_alloc(blocks, sizeof *seen);
    uint32_t *list = rv_text_alloc(at->observed_count, sizeof *list);
    for (size_t i = 0; i < at->observed_count; i++) {
        uint32_t block = at->observed[i].block;
        selector->observable[block] = true;
        if (!seen[block]) list[count++] = block;
        seen[block] = true;
    }
    selector->blocks[test] = list;
    selector->block_count[test] = count;
    free(seen);
}

/* What would have been seen if a thread had come there: accesses of the program's own code, synchronisation. (What comes before the first
 * thread is created is not seen, and makes no race.) */
static void find_observable(struct selector *selector) {
    const struct rv_version *old = selector->impact->match->old;
    const struct rv_model *model = old->model;
    for (uint32_t s = 0; s < model->statement_count; s++) {
        struct rv_model_list sites = model->statements[s].sites;
        bool shows = model->statements[s].syncs.count > 0;
        for (uint32_t i = 0; i < sites.count; i++)
            shows |= !(model->sites[rv_model_item(model, sites, i)].kind & RV_MODEL_LIBRARY);
        selector->observable[rv_statement_block(old, s)] |= shows;
        selector->tells[rv_statement_block(old, s)] |= shows;
    }
}

/* A block with a statement that is gone or turns elsewhere; one that something new stands in or after. */
static void find_dangerous(struct selector *selector) {
    const struct rv_match *match = selector->impact->match;
    const struct rv_version *new = match->new;
    for (uint32_t s = 0; s < match->old->model->statement_count; s++)
        if (rv_is_gone(match, s)) selector->dangerous[rv_statement_block(match->old, s)] = true;
    for (uint32_t s = 0; s < new->model->statement_count; s++) {
        uint32_t block = rv_statement_block(new, s);
        if (!rv_is_changed(match, s)) continue;
        for (RV_EACH(old, &match->stands_for, block)) selector->dangerous[*old] = true;
        if (rv_list_size(&match->stands_for, block)) continue;
        for (RV_EACH(before, &new->predecessors, block))
            for (RV_EACH(old, &match->stands_for, *before)) selector->dangerous[*old] = true;
    }
}

/* Where nothing can be observed in a changed block, what comes before it counts. */
static void widen_dangerous(struct selector *selector) {
    const struct rv_version *old = selector->impact->match->old;
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t b = 0; b < old->model->block_count; b++) {
            if (!selector->dangerous[b] || selector->observable[b]) continue;
            for (RV_EACH(before, &old->predecessors, b)) {
                more |= !selector->dangerous[*before];
                selector->dangerous[*before] = true;
            }
        }
    }
}

/* --- one test --- */

static bool covers(const struct selector *selector, const struct rv_target *target, const rv_threads *masks) {
    rv_threads a = masks[target->first], b = masks[target->second];
    return selector->options->technique == RV_BY_SIMRT_NOTHREADS ? a && b : rv_by_two(a, b);
}

static void find_targets(const struct selector *selector, const struct rv_cover *cover,
                         struct rv_choice *choice) {
    const struct rv_isvps *isvps = selector->isvps;
    choice->targets = rv_text_alloc(isvps->target_count, sizeof *choice->targets);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < isvps->target_count; i++) {
            if (!(isvps->targets[i].groups & cover->changes)) continue;
            bool sure = covers(selector, &isvps->targets[i], cover->sure);
            if (round == 0 ? !sure : sure || !covers(selector, &isvps->targets[i], cover->possible)) continue;
            choice->targets[choice->target_count++] = i;
            choice->pairs += isvps->targets[i].pairs;
        }
        if (round == 0) choice->sure_count = choice->target_count;
    }
    if (choice->target_count)
        choice->targets = rv_text_realloc(choice->targets, choice->target_count, sizeof *choice->targets);
}

static void count_accesses(const struct selector *selector, const struct rv_cover *cover,
                           struct rv_choice *choice) {
    const struct rv_version *new = selector->impact->match->new;
    const struct rv_model *model = new->model;
    for (uint32_t i = 0; i < model->site_count; i++) {
        uint32_t statement = new->site_statement[i];
        if (!model->variables[model->sites[i].variable].shared || statement == RV_NONE ||
            !cover->sure[rv_statement_block(new, statement)])
            continue;
        if (selector->impact->sites[i].reason)
            choice->impacted++;
        else
            choice->others++;
    }
}

static bool is_selected(const struct selector *selector, const struct rv_choice *choice) {
    if (selector->tests[choice->test].always || selector->options->technique == RV_BY_ALL) return true;
    if (selector->options->technique != RV_BY_DEJAVU) return choice->target_count > 0;
    for (uint32_t i = 0; i < selector->block_count[choice->test]; i++)
        if (selector->dangerous[selector->blocks[choice->test][i]]) return true;
    return false;
}

static void look_at_tests(struct selector *selector, struct rv_choice *choices, uint32_t count) {
    uint32_t blocks = selector->impact->match->new->model->block_count;
    struct rv_cover cover = {rv_text_alloc(blocks, sizeof(rv_threads)),
                             rv_text_alloc(blocks, sizeof(rv_threads)), 0};
    struct rv_coverer coverer;
    rv_coverer_open(&coverer, selector->impact, selector->observable, selector->tells);
    for (uint32_t i = 0; i < count; i++) {
        choices[i].test = i;
        rv_cover_test(&coverer, selector->tests[i].observed, selector->tests[i].observed_count, &cover);
        find_targets(selector, &cover, &choices[i]);
        count_accesses(selector, &cover, &choices[i]);
        choices[i].selected = is_selected(selector, &choices[i]);
    }
    rv_coverer_close(&coverer);
    free(cover.sure);
    free(cover.possible);
}

/* --- the order --- */

static void by_pairs(const struct selector *selector, const struct rv_choice *choices, uint32_t count,
                     struct rv_rng *rng, uint32_t *order) {
    struct rv_rank_item *items = rv_text_alloc(count, sizeof *items);
    uint32_t *weights = rv_text_alloc(selector->isvps->target_count, sizeof *weights);
    for (uint32_t i = 0; i < selector->isvps->target_count; i++)
        weights[i] = selector->isvps->targets[i].pairs;
    for (uint32_t i = 0; i < count; i++)
        items[i] = (struct rv_rank_item){choices[i].targets, choices[i].target_count, choices[i].sure_count};
    rv_rank(items, count, weights, selector->isvps->target_count, rng, order);
    free(items);
    free(weights);
}

static void by_blocks(const struct selector *selector, const struct rv_choice *choices, uint32_t count,
                      struct rv_rng *rng, uint32_t *order) {
    struct rv_rank_item *items = rv_text_alloc(count, sizeof *items);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t test = choices[i].test;
        items[i] = (struct rv_rank_item){selector->blocks[test], selector->block_count[test],
                                         selector->block_count[test]};
    }
    rv_rank(items, count, NULL, selector->impact->match->old->model->block_count, rng, order);
    free(items);
}

static void shuffle(uint32_t *order, uint32_t count, struct rv_rng *rng) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = (uint32_t)rv_rng_below(rng, i), held = order[i - 1];
        order[i - 1] = order[k];
        order[k] = held;
    }
}

static void sort_choices(const struct selector *selector, struct rv_choice *choices, uint32_t count,
                         struct rv_rng *rng) {
    uint32_t *order = rv_text_alloc(count, sizeof *order);
    struct rv_choice *copy = rv_text_alloc(count, sizeof *copy);
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    switch (selector->options->order) {
    case RV_RANK_SIMRT: by_pairs(selector, choices, count, rng, order); break;
    case RV_RANK_ABC: by_blocks(selector, choices, count, rng, order); break;
    case RV_RANK_RANDOM: shuffle(order, count, rng); break;
    default: break;
    }
    memcpy(copy, choices, count * sizeof *copy);
    for (uint32_t i = 0; i < count; i++) choices[i] = copy[order[i]];
    free(order);
    free(copy);
}

static int by_accesses(const void *a, const void *b) {
    const struct rv_choice *first = a, *second = b;
    if (first->impacted != second->impacted) return first->impacted > second->impacted ? -1 : 1;
    if (first->others != second->others) return first->others > second->others ? -1 : 1;
    return (first->test > second->test) - (first->test < second->test);
}

static uint32_t selected_first(struct rv_choice *choices, uint32_t count) {
    struct rv_choice *rest = rv_text_alloc(count, sizeof *rest);
    uint32_t selected = 0, left = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (choices[i].selected)
            choices[selected++] = choices[i];
        else
            rest[left++] = choices[i];
    }
    memcpy(choices + selected, rest, left * sizeof *rest);
    free(rest);
    return selected;
}

static void free_choices(struct rv_choice *choices, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) free(choices[i].targets);
}

void rv_select(struct rv_selection *selection, const struct rv_impact *impact, const struct rv_isvps *isvps,
               const struct rv_history_test *tests, uint32_t test_count,
               const struct rv_select_options *options) {
    uint32_t blocks = impact->match->old->model->block_count;
    struct rv_rng rng = rv_rng_stream(options->seed, 0);
    struct selector selector = {.impact = impact,
                                .isvps = isvps,
                                .tests = tests,
                                .options = options,
                                .observable = rv_text_alloc(blocks, sizeof(bool)),
                                .tells = rv_text_alloc(blocks, sizeof(bool)),
                                .dangerous = rv_text_alloc(blocks, sizeof(bool)),
                                .blocks = rv_text_alloc(test_count, sizeof(uint32_t *)),
                                .block_count = rv_text_alloc(test_count, sizeof(uint32_t))};
    for (uint32_t i = 0; i < test_count; i++) list_blocks(&selector, i);
    find_observable(&selector);
    find_dangerous(&selector);
    widen_dangerous(&selector);
    *selection = (struct rv_selection){.choices = rv_text_alloc(test_count, sizeof *selection->choices)};
    look_at_tests(&selector, selection->choices, test_count);
    selection->selected = selected_first(selection->choices, test_count);
    sort_choices(&selector, selection->choices, selection->selected, &rng);
    uint32_t rest = test_count - selection->selected;
    if (rest && options->order == RV_RANK_SIMRT)
        qsort(selection->choices + selection->selected, rest, sizeof *selection->choices, by_accesses);
    else
        sort_choices(&selector, selection->choices + selection->selected, rest, &rng);
    if (!options->rest) free_choices(selection->choices + selection->selected, rest);
    selection->count = options->rest ? test_count : selection->selected;
    for (uint32_t i = 0; i < test_count; i++) free(selector.blocks[i]);
    free(selector.blocks);
    free(selector.block_count);
    free(selector.observable);
    free(selector.tells);
    free(selector.dangerous);
}

void rv_selection_free(struct rv_selection *selection) {
    free_choices(selection->choices, selection->count);
    free(selection->choices);
    *selection = (struct rv_selection){0};
}
