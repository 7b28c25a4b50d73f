#include "regress/impact.h"

#include <stdlib.h>
#include <string.h>

#include "regress/region.h"
#include "report/text.h"

const char *const rv_reason_names[RV_REASONS] = {"not impacted",
                                                 "added",
                                                 "modified",
                                                 "in an added function",
                                                 "newly called here",
                                                 "lock changed",
                                                 "not volatile or atomic any more",
                                                 "depends on a change"};

static void impact_site(struct rv_impact *impact, uint32_t site, enum rv_reason reason, uint32_t statement,
                        bool old, rv_groups groups) {
    struct rv_impacted *impacted = &impact->sites[site];
    if (impacted->reason == RV_UNIMPACTED)
        *impacted = (struct rv_impacted){(uint8_t)reason, old, statement, 0};
    impacted->groups |= groups;
}

/* All accesses of a statement, because of the change of `origin`. */
static void impact_statement(struct rv_impact *impact, uint32_t statement, enum rv_reason reason,
                             uint32_t origin, bool old, rv_groups groups) {
    const struct rv_model *model = impact->match->new->model;
    struct rv_model_list sites = model->statements[statement].sites;
    for (uint32_t i = 0; i < sites.count; i++)
        impact_site(impact, rv_model_item(model, sites, i), reason, origin, old, groups);
}

/* --- groups --- */

/* A block with changes is a group, together with the one of the other version that it was matched with. If there are many, some
 * have one bit. */
static void find_groups(struct rv_impact *impact) {
    const struct rv_match *match = impact->match;
    uint32_t groups = 0;
    for (uint32_t s = 0; s < match->new->model->statement_count; s++) {
        uint32_t block = rv_statement_block(match->new, s);
        if (!rv_is_changed(match, s) || impact->added_in[block]) continue;
        impact->added_in[block] = (rv_groups)1 << groups++ % 63;
        if (match->block_of[block] != RV_NONE)
            impact->gone_from[match->block_of[block]] = impact->added_in[block];
    }
    for (uint32_t s = 0; s < match->old->model->statement_count; s++) {
        uint32_t block = rv_statement_block(match->old, s), to = match->block_to[block];
        if (!rv_is_gone(match, s) || impact->gone_from[block]) continue;
        impact->gone_from[block] = (rv_groups)1 << groups++ % 63;
        if (to != RV_NONE) impact->added_in[to] |= impact->gone_from[block];
    }
}

static rv_groups group_of(const struct rv_impact *impact, uint32_t statement, bool old) {
    const struct rv_version *version = old ? impact->match->old : impact->match->new;
    return (old ? impact->gone_from : impact->added_in)[rv_statement_block(version, statement)];
}

/* --- 1 --- */

static bool has_gone(const struct rv_match *match, uint32_t old_block) {
    for (RV_EACH(was, &match->old->statements, old_block))
        if (match->statement_to[*was] == RV_NONE) return true;
    return false;
}

static void added_and_modified(struct rv_impact *impact) {
    const struct rv_match *match = impact->match;
    for (uint32_t s = 0; s < match->new->model->statement_count; s++) {
        if (match->statement_of[s] != RV_NONE) continue;
        uint32_t block = rv_statement_block(match->new, s), was = match->block_of[block];
        bool old_function = match->function_of[rv_block_function(match->new, block)] != RV_NONE;
        enum rv_reason reason = !old_function                            ? RV_IMPACT_FUNCTION
                                : was != RV_NONE && has_gone(match, was) ? RV_IMPACT_MODIFIED
                                                                         : RV_IMPACT_ADDED;
        impact_statement(impact, s, reason, s, false, group_of(impact, s, false));
        impact->changed++;
    }
}

/* --- 2 --- */

static void enter(struct rv_impact *impact, uint32_t function, uint32_t origin, rv_groups groups,
                  rv_groups *entered) {
    const struct rv_version *new = impact->match->new;
    if ((entered[function] | groups) == entered[function]) return;
    entered[function] |= groups;
    for (RV_EACH(block, &new->blocks, function)) {
        for (RV_EACH(statement, &new->statements, *block)) {
            impact_statement(impact, *statement, RV_IMPACT_CALLED, origin, false, groups);
            for (RV_EACH(invoke, &new->invokes, *statement))
                enter(impact, new->model->invokes[*invoke].function, origin, groups, entered);
        }
    }
}

static void newly_called(struct rv_impact *impact) {
    const struct rv_model *model = impact->match->new->model;
    rv_groups *entered = rv_text_alloc(model->function_count, sizeof *entered);
    for (uint32_t i = 0; i < model->invoke_count; i++)
        if (impact->calls.added[i])
            enter(impact, model->invokes[i].function, model->invokes[i].statement,
                  group_of(impact, model->invokes[i].statement, false), entered);
    free(entered);
}

/* --- 3 --- */

/* What is guarded by the changed locks of one group. */
static void guarded_by(struct rv_impact *impact, rv_groups group, bool old, uint32_t *region) {
    const struct rv_match *match = impact->match;
    const struct rv_version *version = old ? match->old : match->new;
    const uint32_t *matched = old ? match->statement_to : match->statement_of;
    uint32_t count = version->model->statement_count;
    memset(region, 0, count * sizeof *region);
    for (uint32_t s = 0; s < count; s++)
        if (matched[s] == RV_NONE && (group_of(impact, s, old) & group) && rv_is_synchronising(version, s))
            rv_region_add(version, s, s + 1, region);
    for (uint32_t s = 0; s < count; s++) {
        uint32_t at = old ? match->statement_to[s] : s;
        if (region[s] && at != RV_NONE)
            impact_statement(impact, at, RV_IMPACT_GUARDED, region[s] - 1, old, group);
    }
}

static void guarded_in(struct rv_impact *impact, bool old) {
    const struct rv_version *version = old ? impact->match->old : impact->match->new;
    const uint32_t *matched = old ? impact->match->statement_to : impact->match->statement_of;
    uint32_t *region = rv_text_alloc(version->model->statement_count, sizeof *region);
    rv_groups groups = 0;
    for (uint32_t s = 0; s < version->model->statement_count; s++)
        if (matched[s] == RV_NONE && rv_is_synchronising(version, s)) groups |= group_of(impact, s, old);
    for (; groups; groups &= groups - 1) guarded_by(impact, groups & -groups, old, region);
    free(region);
}

/* --- 4 --- */

/* Names of variables, without the lines that names of heap blocks have. */
static bool same_name(const char *a, const char *b) {
    while (*a && *a == *b) {
        if (*a++ == ':')
            a += strspn(a, "0123456789"), b += 1 + strspn(b + 1, "0123456789");
        else
            b++;
    }
    return *a == *b;
}

/* Of what an unmatched statement does to the variable of this name: kinds of accesses that are (not) so. */
static uint32_t lost(const struct rv_match *match, const struct rv_model_site *site, uint32_t statement,
                     unsigned quality) {
    const struct rv_model *old = match->old->model, *new = match->new->model;
    uint32_t was = match->block_of[rv_statement_block(match->new, statement)];
    if ((site->kind & quality) || was == RV_NONE) return RV_NONE;
    for (RV_EACH(gone, &match->old->statements, was)) {
        struct rv_model_list sites = old->statements[*gone].sites;
        if (match->statement_to[*gone] != RV_NONE) continue;
        for (uint32_t i = 0; i < sites.count; i++) {
            const struct rv_model_site *other = &old->sites[rv_model_item(old, sites, i)];
            if ((other->kind & quality) &&
                same_name(old->variables[other->variable].name, new->variables[site->variable].name))
                return *gone;
        }
    }
    return RV_NONE;
}

static void lost_quality(struct rv_impact *impact) {
    const struct rv_match *match = impact->match;
    const struct rv_model *model = match->new->model;
    for (uint32_t i = 0; i < model->site_count; i++) {
        const struct rv_model_site *site = &model->sites[i];
        uint32_t statement = match->new->site_statement[i];
        if (statement == RV_NONE || match->statement_of[statement] != RV_NONE) continue;
        uint32_t was = lost(match, site, statement, RV_MODEL_ATOMIC);
        if (was == RV_NONE) was = lost(match, site, statement, RV_MODEL_VOLATILE);
        if (was == RV_NONE) continue;
        for (RV_EACH(use, &match->new->uses, site->variable))
            impact_site(impact, *use, RV_IMPACT_PLAIN, was, true, RV_GROUP_ALWAYS);
    }
}

/* --- 5 --- */

static bool same_locals(const struct rv_model *a, const struct rv_model_statement *x,
                        const struct rv_model *b, const struct rv_model_statement *y) {
    bool same = x->hash != y->hash && x->loose == y->loose &&
                x->locals.count == y->locals.count; /* else it has moved */
    for (uint32_t i = 0; i < x->locals.count && same; i++)
        same = rv_model_item(a, x->locals, i) == rv_model_item(b, y->locals, i);
    return same;
}

/* Whether a statement of the block in the other version does the same, only volatile or atomic or not so: its value is no other one. */
static bool is_requalified(const struct rv_version *version, uint32_t statement,
                           const struct rv_version *other, const uint32_t *other_matched,
                           uint32_t other_block) {
    if (other_block == RV_NONE) return false;
    for (RV_EACH(candidate, &other->statements, other_block))
        if (other_matched[*candidate] == RV_NONE &&
            same_locals(version->model, &version->model->statements[statement], other->model,
                        &other->model->statements[*candidate]))
            return true;
    return false;
}

static bool keeps_value(const struct rv_match *match, const struct rv_version *version, uint32_t statement) {
    uint32_t block = rv_statement_block(version, statement);
    return version == match->new
               ? is_requalified(version, statement, match->old, match->statement_to, match->block_of[block])
               : is_requalified(version, statement, match->new, match->statement_of, match->block_to[block]);
}

static void seed(struct rv_slice *slice, const struct rv_impact *impact, const uint32_t *matched,
                 const bool *turned, const bool *calls) {
    const struct rv_match *match = impact->match;
    const struct rv_version *version = slice->version;
    for (uint32_t s = 0; s < version->model->statement_count; s++) {
        rv_groups groups = group_of(impact, s, version == match->old);
        if (turned[s]) rv_slice_branch(slice, s, groups);
        if (matched[s] != RV_NONE || keeps_value(match, version, s)) continue;
        bool called = false;
        for (RV_EACH(invoke, &version->invokes, s)) called |= calls[*invoke];
        rv_slice_value(slice, s, called ? RV_SLICE_DATA | RV_SLICE_CONTROL : RV_SLICE_DATA, groups);
    }
}

static uint64_t initial_of(const struct rv_model *model, const char *name, bool *known) {
    *known = false;
    for (uint32_t i = 0; i < model->initial_count; i++) {
        if (strcmp(model->initials[i].name, name) != 0) continue;
        *known = true;
        return model->initials[i].hash;
    }
    return 0;
}

/* Variables of the base that begin with another value. */
static void seed_initials(struct rv_slice *slice, const struct rv_match *match) {
    const struct rv_model *old = match->old->model, *new = match->new->model;
    for (uint32_t i = 0; i < new->initial_count; i++) {
        bool known;
        const char *name = new->initials[i].name;
        if (initial_of(old, name, &known) == new->initials[i].hash || !known) continue;
        size_t size = strlen(name);
        for (uint32_t v = 0; v < new->variable_count; v++) {
            const char *variable = new->variables[v].name;
            if (strncmp(variable, name, size) == 0 && strchr(".[", variable[size]))
                rv_slice_variable(slice, v, RV_NONE, RV_GROUP_ALWAYS);
        }
    }
}

static void note_branches(struct rv_impact *impact, const struct rv_slice *slice) {
    const struct rv_match *match = impact->match;
    for (uint32_t s = 0; s < match->new->model->statement_count; s++) {
        impact->branches[s] = rv_slice_any(slice, s);
        if (rv_is_changed(match, s) && (match->turned[s] || !keeps_value(match, match->new, s)))
            impact->branches[s] |= group_of(impact, s, false);
    }
}

static void sliced(struct rv_impact *impact) {
    const struct rv_match *match = impact->match;
    struct rv_slice new, old;
    rv_slice_open(&new, match->new);
    seed(&new, impact, match->statement_of, match->turned, impact->calls.added);
    seed_initials(&new, match);
    rv_slice_run(&new);
    rv_slice_open(&old, match->old);
    seed(&old, impact, match->statement_to, match->old_turned, impact->calls.gone);
    rv_slice_run(&old);
    for (uint32_t s = 0; s < match->new->model->statement_count; s++)
        if (new.reached[s] & (RV_SLICE_ADDRESS | RV_SLICE_CONTROL))
            impact_statement(impact, s, RV_IMPACT_SLICE, new.origin[s], false, rv_slice_groups(&new, s));
    note_branches(impact, &new);
    for (uint32_t s = 0; s < match->old->model->statement_count; s++) {
        uint32_t at = match->statement_to[s];
        impact->gone += at == RV_NONE;
        if (at == RV_NONE || !old.reached[s]) continue;
        if (old.reached[s] & (RV_SLICE_ADDRESS | RV_SLICE_CONTROL))
            impact_statement(impact, at, RV_IMPACT_SLICE, old.origin[s], true, rv_slice_groups(&old, s));
        impact->branches[at] |= rv_slice_any(&old, s);
    }
    rv_slice_close(&new);
    rv_slice_close(&old);
}

void rv_impact_make(struct rv_impact *impact, const struct rv_match *match) {
    const struct rv_model *model = match->new->model;
    *impact =
        (struct rv_impact){.match = match,
                           .sites = rv_text_alloc(model->site_count, sizeof *impact->sites),
                           .branches = rv_text_alloc(model->statement_count, sizeof(rv_groups)),
                           .added_in = rv_text_alloc(model->block_count, sizeof(rv_groups)),
                           .gone_from = rv_text_alloc(match->old->model->block_count, sizeof(rv_groups))};
    find_groups(impact);
    rv_calls_compare(&impact->calls, match);
    added_and_modified(impact);
    newly_called(impact);
    guarded_in(impact, false);
    guarded_in(impact, true);
    lost_quality(impact);
    sliced(impact);
}

void rv_impact_free(struct rv_impact *impact) {
    free(impact->sites);
    free(impact->branches);
    free(impact->added_in);
    free(impact->gone_from);
    rv_calls_free(&impact->calls);
    *impact = (struct rv_impact){0};
}
