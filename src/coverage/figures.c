#include "coverage/figures.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum { WORK_MOST = 30000000 }; /* instances looked at one by one: some seconds */

/* Statements of a variable. */
struct users {
    uint32_t *reads, *writes; /* uses */
    uint32_t read_count, write_count;
    uint32_t latest_first, earliest_last; /* of the epochs */
    bool lonely;                          /* some use is in one epoch of one thread only */
};

struct counting {
    const struct rv_cover_data *data;
    struct rv_cover_figures *figures;
    struct users *users; /* by variable */
    uint64_t work;
};

double rv_cover_percent(uint64_t covered, uint64_t of) {
    return of ? 100.0 * (double)covered / (double)of : 100.0;
}

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
static uint64_t times(uint64_t a, uint64_t b) { return b && a > UINT64_MAX / b ? UINT64_MAX : a * b; }

/* ---- what is impossible ---- */

static const struct rv_cover_use_text *use_of(const struct rv_cover_data *data, uint32_t variable,
                                              uint32_t statement) {
    uint32_t key[2] = {variable, statement};
    uint32_t number = rv_table_find(&data->use_keys, key, sizeof key);
    return number == RV_TABLE_NONE ? NULL : &data->uses[number];
}

/* Epochs 0, 2, 4 ... have one thread. */
static bool is_lonely(const struct rv_cover_use_text *use) {
    return use->epoch_min == use->epoch_max && use->epoch_min % 2 == 0;
}

static bool against_epochs(const struct rv_pattern *pattern, const struct rv_cover_use_text *const *uses) {
    for (unsigned i = 0; i < pattern->steps; i++)
        for (unsigned k = i + 1; k < pattern->steps; k++) {
            if (uses[i]->epoch_min > uses[k]->epoch_max) return true;
            bool same_thread = pattern->step[i].second == pattern->step[k].second;
            if (!same_thread && uses[i]->only && uses[i]->only == uses[k]->only) return true;
            if (!same_thread && is_lonely(uses[i]) && is_lonely(uses[k]) &&
                uses[i]->epoch_min == uses[k]->epoch_min)
                return true;
        }
    return false;
}

static bool against_locks(const struct rv_cover_data *data, const struct rv_instance *instance,
                          const struct rv_cover_use_text *between) {
    uint32_t key[3] = {instance->variables[0], instance->statements[0], instance->statements[2]};
    uint32_t number = rv_table_find(&data->step_keys, key, sizeof key);
    if (number == RV_TABLE_NONE) return false;
    const struct rv_cover_step_text *step = &data->steps[number];
    return (step->locks & between->exclusive) || (step->exclusive & between->locks);
}

static bool is_covered(const struct rv_cover_data *data, const struct rv_instance *instance) {
    return rv_table_find(&data->instance_keys, instance, sizeof *instance) != RV_TABLE_NONE;
}

bool rv_cover_impossible(const struct rv_cover_data *data, const struct rv_instance *instance) {
    const struct rv_pattern *pattern = &rv_pattern_table[instance->pattern];
    const struct rv_cover_use_text *uses[RV_PATTERN_STEPS];
    for (unsigned i = 0; i < pattern->steps; i++) {
        uses[i] = use_of(data, instance->variables[pattern->step[i].other], instance->statements[i]);
        if (!uses[i]) return false;
    }
    bool against =
        against_epochs(pattern, uses) || (pattern->steps == 3 && against_locks(data, instance, uses[1]));
    return against && !is_covered(data, instance);
}

/* ---- targets ---- */

/* Which patterns show bugs most: the paper's order, W-W first, then what splits an update. */
static const uint8_t weights[RV_PATTERNS + 1] = {0,  30, 32, 60, 44, 42, 46, 52, 40,
                                                 20, 20, 20, 18, 18, 18, 18, 16, 16};

static void offer(struct counting *counting, const struct rv_instance *instance) {
    struct rv_cover_figures *figures = counting->figures;
    unsigned weight = weights[instance->pattern];
    uint32_t key[3] = {instance->variables[0], instance->statements[0], instance->statements[2]};
    if (rv_pattern_table[instance->pattern].steps == 3 && /* a thread is known to do this after that */
        rv_table_find(&counting->data->step_keys, key, sizeof key) != RV_TABLE_NONE)
        weight += 10;
    unsigned at = figures->target_count, of_variable = 0, weakest = at;
    for (unsigned i = 0; i < figures->target_count; i++) {
        if (figures->targets[i].instance.variables[0] != instance->variables[0]) continue;
        of_variable++;
        if (weakest == at || figures->targets[i].weight <= figures->targets[weakest].weight) weakest = i;
    }
    if (of_variable >= 3) { /* others shall have a turn */
        if (figures->targets[weakest].weight >= weight) return;
        memmove(&figures->targets[weakest], &figures->targets[weakest + 1],
                (figures->target_count - weakest - 1) * sizeof figures->targets[0]);
        at = --figures->target_count;
    }
    while (at > 0 && figures->targets[at - 1].weight < weight) at--;
    if (at >= RV_COVER_TARGETS) return;
    if (figures->target_count < RV_COVER_TARGETS) figures->target_count++;
    memmove(&figures->targets[at + 1], &figures->targets[at],
            (figures->target_count - at - 1) * sizeof figures->targets[0]);
    figures->targets[at] = (struct rv_cover_target){*instance, weight};
}

/* ---- totals ---- */

static uint64_t total_of(unsigned pattern, const struct users *x, const struct users *y) {
    uint64_t total = 1;
    for (unsigned i = 0; i < rv_pattern_table[pattern].steps; i++) {
        const struct rv_pattern_step *step = &rv_pattern_table[pattern].step[i];
        const struct users *users = step->other ? y : x;
        total = times(total, step->write ? users->write_count : users->read_count);
    }
    return total;
}

/* Goes through all instances of a pattern on x and y: how many are impossible. */
static uint64_t impossible_of(struct counting *counting, struct rv_instance *instance, unsigned step) {
    const struct rv_pattern *pattern = &rv_pattern_table[instance->pattern];
    if (step == pattern->steps) {
        if (rv_cover_impossible(counting->data, instance)) return 1;
        if (!is_covered(counting->data, instance)) offer(counting, instance);
        return 0;
    }
    const struct users *users = &counting->users[instance->variables[pattern->step[step].other]];
    bool write = pattern->step[step].write;
    const uint32_t *uses = write ? users->writes : users->reads;
    uint64_t impossible = 0;
    for (uint32_t i = 0; i < (write ? users->write_count : users->read_count); i++) {
        instance->statements[step] = counting->data->uses[uses[i]].statement;
        impossible += impossible_of(counting, instance, step + 1);
    }
    instance->statements[step] = 0;
    return impossible;
}

static void count_pattern(struct counting *counting, unsigned pattern, uint32_t x, uint32_t y, bool look,
                          struct rv_cover_figure *of_variable) {
    struct rv_cover_figure *figure = &counting->figures->pattern[pattern];
    uint64_t total = total_of(pattern, &counting->users[x], &counting->users[y]), impossible = 0;
    bool wide = rv_pattern_is_wide(pattern);
    if (!total) return;
    if (look && counting->work < total) {
        counting->figures->rough = true;
        look = false;
    }
    if (look) {
        struct rv_instance instance = {.pattern = pattern, .variables = {x, wide ? y : 0}};
        counting->work -= total;
        impossible = impossible_of(counting, &instance, 0);
    }
    figure->total = add(figure->total, total);
    figure->feasible = add(figure->feasible, total - impossible);
    of_variable->total = add(of_variable->total, total);
    of_variable->feasible = add(of_variable->feasible, total - impossible);
}

/* Whether epochs can speak against anything on these two variables. */
static bool epochs_matter(const struct users *x, const struct users *y) {
    uint32_t first = x->latest_first > y->latest_first ? x->latest_first : y->latest_first;
    uint32_t last = x->earliest_last < y->earliest_last ? x->earliest_last : y->earliest_last;
    return first > last || (x->lonely && y->lonely);
}

static bool is_shared(const struct users *users) { return users->write_count > 0; }

static void count_all(struct counting *counting) {
    struct rv_cover_figures *figures = counting->figures;
    uint32_t count = counting->data->variable_names.count;
    for (uint32_t i = 0; i < figures->variable_count; i++) {
        struct rv_cover_variable_figure *it = &figures->variables[i];
        for (unsigned p = 1; p <= RV_PATTERNS && !rv_pattern_is_wide(p); p++)
            count_pattern(counting, p, it->variable, it->variable, true, &it->single);
    }
    for (uint32_t i = 0; i < figures->variable_count; i++) {
        struct rv_cover_variable_figure *it = &figures->variables[i];
        for (uint32_t y = 0; y < count; y++) {
            if (y == it->variable || !is_shared(&counting->users[y])) continue;
            bool few = figures->target_count < RV_COVER_TARGETS;
            bool look = few || epochs_matter(&counting->users[it->variable], &counting->users[y]);
            for (unsigned p = 9; p <= RV_PATTERNS; p++)
                count_pattern(counting, p, it->variable, y, look, &it->wide);
        }
    }
}

/* ---- what is there ---- */

static void list_users(struct counting *counting) {
    const struct rv_cover_data *data = counting->data;
    for (uint32_t i = 0; i < data->variable_names.count; i++) counting->users[i].earliest_last = UINT32_MAX;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < data->use_keys.count; i++) {
            const struct rv_cover_use_text *use = &data->uses[i];
            struct users *users = &counting->users[use->variable];
            bool write = data->statements[use->statement].write;
            uint32_t *number = write ? &users->write_count : &users->read_count;
            if (pass) (write ? users->writes : users->reads)[*number] = i;
            ++*number;
            if (use->epoch_min > users->latest_first) users->latest_first = use->epoch_min;
            if (use->epoch_max < users->earliest_last) users->earliest_last = use->epoch_max;
            users->lonely |= is_lonely(use) || use->only;
        }
        for (uint32_t i = 0; !pass && i < data->variable_names.count; i++) {
            struct users *users = &counting->users[i];
            users->reads = rv_text_alloc(users->read_count, sizeof(uint32_t));
            users->writes = rv_text_alloc(users->write_count, sizeof(uint32_t));
            users->read_count = users->write_count = 0;
        }
    }
}

static void count_covered(struct counting *counting, const uint32_t *place_of) {
    struct rv_cover_figures *figures = counting->figures;
    for (uint32_t i = 0; i < counting->data->instance_keys.count; i++) {
        const struct rv_instance *it = rv_cover_instance_at(counting->data, i);
        uint32_t place = place_of[it->variables[0]];
        figures->pattern[it->pattern].covered++;
        if (place == RV_TABLE_NONE) continue;
        struct rv_cover_variable_figure *of = &figures->variables[place];
        (rv_pattern_is_wide(it->pattern) ? &of->wide : &of->single)->covered++;
    }
}

static int by_gap(const void *one, const void *other) {
    const struct rv_cover_variable_figure *a = one, *b = other;
    uint64_t gap_a = a->single.feasible - a->single.covered, gap_b = b->single.feasible - b->single.covered;
    if (gap_a != gap_b) return gap_a > gap_b ? -1 : 1;
    return a->variable < b->variable ? -1 : a->variable > b->variable;
}

static void sum_up(struct rv_cover_figures *figures) {
    for (unsigned p = 1; p <= RV_PATTERNS; p++) {
        const struct rv_cover_figure *from = &figures->pattern[p];
        figures->all.covered = add(figures->all.covered, from->covered);
        figures->all.feasible = add(figures->all.feasible, from->feasible);
        figures->all.total = add(figures->all.total, from->total);
    }
}

void rv_cover_figures(struct rv_cover_figures *figures, const struct rv_cover_data *data) {
    uint32_t count = data->variable_names.count;
    *figures = (struct rv_cover_figures){0};
    struct counting counting = {.data = data, .figures = figures, .work = WORK_MOST};
    counting.users = rv_text_alloc(count, sizeof *counting.users);
    uint32_t *place_of = rv_text_alloc(count, sizeof *place_of);
    figures->variables = rv_text_alloc(count, sizeof *figures->variables);
    list_users(&counting);
    for (uint32_t i = 0; i < count; i++) {
        const struct users *users = &counting.users[i];
        place_of[i] = is_shared(users) ? figures->variable_count : RV_TABLE_NONE;
        if (place_of[i] == RV_TABLE_NONE) continue;
        figures->variables[figures->variable_count++] = (struct rv_cover_variable_figure){
            .variable = i, .reads = users->read_count, .writes = users->write_count};
    }
    count_all(&counting);
    count_covered(&counting, place_of);
    sum_up(figures);
    if (figures->variable_count)
        qsort(figures->variables, figures->variable_count, sizeof *figures->variables, by_gap);
    for (uint32_t i = 0; i < count; i++) {
        free(counting.users[i].reads);
        free(counting.users[i].writes);
    }
    free(counting.users);
    free(place_of);
}

void rv_cover_figures_free(struct rv_cover_figures *figures) {
    free(figures->variables);
    *figures = (struct rv_cover_figures){0};
}

/* ---- functions ---- */

static void sort_names(struct rv_cover_functions *functions, const struct rv_cover_data *data) {
    for (uint32_t i = 1; i < functions->count; i++) {
        uint32_t it = functions->list[i], k = i;
        for (; k > 0 && strcmp(data->functions[functions->list[k - 1]].name, data->functions[it].name) > 0;
             k--)
            functions->list[k] = functions->list[k - 1];
        functions->list[k] = it;
    }
}

void rv_cover_functions(struct rv_cover_functions *functions, const struct rv_cover_data *data) {
    *functions =
        (struct rv_cover_functions){.list = rv_text_alloc(data->function_names.count, sizeof(uint32_t))};
    for (uint32_t i = 0; i < data->function_names.count; i++) {
        bool uses = false;
        for (uint32_t k = 0; k < data->statement_names.count && !uses; k++)
            uses = strcmp(data->statements[k].outer, data->functions[i].name) == 0 ||
                   (strcmp(data->statements[k].function, data->functions[i].name) == 0 &&
                    strcmp(data->statements[k].file, data->functions[i].file) == 0);
        if (uses) functions->list[functions->count++] = i;
    }
    sort_names(functions, data);
    functions->total = (uint64_t)functions->count * (functions->count + 1) / 2;
    for (uint32_t i = 0; i < functions->count; i++)
        for (uint32_t k = i; k < functions->count; k++)
            functions->covered += rv_cover_has_pair(data, functions->list[i], functions->list[k]);
}
