#include "coverage/collect.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum { LEVELS = 16 };

struct collector {
    struct rv_cover_data *data;
    const struct rv_area *area;
    struct rv_symboliser *symbols;
    uint32_t *variables;     /* 1 + number, by the worker's */
    uint32_t *statements[2]; /* by reads, writes; 1 + number */
    uint32_t *functions;
    uint64_t locks[RV_COVER_LOCKS];
};

/* ---- names ---- */

/* "queue.items[3].next" -> "queue.items[].next" */
static void forget_indices(char *name) {
    char *to = name;
    for (const char *at = name; *at; at++) {
        *to++ = *at;
        if (*at != '[') continue;
        const char *end = at + 1;
        while (isdigit((unsigned char)*end)) end++;
        if (*end == ']') at = end - 1;
    }
    *to = '\0';
}

static char *name_heap(const struct collector *collector, const struct rv_cover_variable *variable) {
    struct rv_block_report block = {.size = variable->size};
    for (unsigned i = 0; i < RV_COVER_FRAMES; i++) block.alloc_frames[i] = variable->frames[i];
    uint64_t offset = variable->offset;
    return rv_symbolise_block(collector->symbols, &block, offset < UINT32_MAX ? (unsigned)offset : 0);
}

static char *name_data(const struct collector *collector, const struct rv_cover_variable *variable) {
    unsigned module = rv_code_module(variable->place);
    if (module >= RV_MAX_MODULES) return NULL;
    uint64_t address = collector->area->modules[module].base + rv_code_offset(variable->place);
    return rv_symbolise_data(collector->symbols, address, variable->access <= 16 ? variable->access : 0);
}

static char *name_stack(const struct collector *collector, const struct rv_cover_variable *variable) {
    struct rv_location levels[LEVELS];
    unsigned count = rv_symbolise_code(collector->symbols, variable->place, true, levels, LEVELS);
    char *name = rv_text_format("local variable of %s(), +%llu", levels[count - 1].function,
                                (unsigned long long)variable->offset);
    for (unsigned i = 0; i < count; i++) rv_location_free(&levels[i]);
    return name;
}

static uint32_t variable_of(struct collector *collector, uint32_t number) {
    if (number >= RV_COVER_VARIABLES) return RV_TABLE_NONE;
    uint32_t *known = &collector->variables[number];
    if (*known) return *known - 1;
    struct rv_cover_variable variable = collector->area->coverage.variables[number];
    char *name = NULL;
    if (variable.kind == RV_COVER_NOTHING || variable.kind > RV_COVER_OTHER) return RV_TABLE_NONE;
    if (variable.kind == RV_COVER_HEAP) name = name_heap(collector, &variable);
    if (variable.kind == RV_COVER_DATA) name = name_data(collector, &variable);
    if (variable.kind == RV_COVER_STACK) name = name_stack(collector, &variable);
    if (!name) name = rv_text_copy("other memory");
    forget_indices(name);
    if (strlen(name) >= RV_COVER_TEXT_MAX) name[RV_COVER_TEXT_MAX - 1] = '\0';
    *known = rv_cover_add_variable(collector->data, name) + 1;
    free(name);
    return *known - 1;
}

static void cut(char *text) {
    if (strlen(text) >= RV_COVER_TEXT_MAX) text[RV_COVER_TEXT_MAX - 1] = '\0';
}

static uint32_t statement_of(struct collector *collector, uint32_t number, bool write) {
    if (number >= RV_MAX_SITES) return RV_TABLE_NONE;
    uint32_t *known = &collector->statements[write][number];
    if (*known) return *known - 1;
    rv_code code = collector->area->sites[number].code;
    if (!code) return RV_TABLE_NONE;
    struct rv_location levels[LEVELS];
    unsigned count = rv_symbolise_code(collector->symbols, code, true, levels, LEVELS);
    struct rv_location *at = &levels[0];
    cut(at->function);
    cut(at->file);
    cut(at->module);
    cut(levels[count - 1].function);
    if (!*at->file) { /* no debug information: by its place */
        rv_text_set(&at->file, rv_text_format("%s+0x%llx", at->module, (unsigned long long)at->offset));
        cut(at->file);
    }
    struct rv_cover_statement statement = {.function = at->function,
                                           .file = at->file,
                                           .line = at->line <= RV_COVER_LINE_MAX ? at->line : 0,
                                           .write = write,
                                           .outer = levels[count - 1].function,
                                           .module = at->module,
                                           .offset = rv_code_offset(code)};
    *known = rv_cover_add_statement(collector->data, &statement) + 1;
    for (unsigned i = 0; i < count; i++) rv_location_free(&levels[i]);
    return *known - 1;
}

static uint32_t function_of(struct collector *collector, uint32_t number) {
    if (number >= RV_MAX_SITES) return RV_TABLE_NONE;
    uint32_t *known = &collector->functions[number];
    if (*known) return *known - 1;
    rv_code code = collector->area->sites[number].code;
    if (!code) return RV_TABLE_NONE;
    struct rv_location levels[LEVELS];
    unsigned count = rv_symbolise_code(collector->symbols, code, true, levels, LEVELS);
    struct rv_location *at =
        &levels[count - 1]; /* the one that was called; inlined ones begin with no call */
    cut(at->function);
    cut(at->file);
    if (*at->function) *known = rv_cover_add_function(collector->data, at->function, at->file) + 1;
    for (unsigned i = 0; i < count; i++) rv_location_free(&levels[i]);
    return *known ? *known - 1 : RV_TABLE_NONE;
}

static uint64_t locks_of(const struct collector *collector, uint64_t locks) {
    uint64_t mapped = 0;
    for (; locks; locks &= locks - 1) mapped |= collector->locks[__builtin_ctzll(locks)];
    return mapped;
}

/* ---- the tables ---- */

static void collect_locks(struct collector *collector) {
    const struct rv_coverage *from = &collector->area->coverage;
    for (uint32_t i = 0; i < from->lock_count && i < RV_COVER_LOCKS; i++) {
        uint32_t variable = variable_of(collector, from->locks[i]);
        if (variable != RV_TABLE_NONE) collector->locks[i] = rv_cover_add_lock(collector->data, variable);
    }
}

static void collect_uses(struct collector *collector) {
    const struct rv_coverage *from = &collector->area->coverage;
    for (uint32_t i = 0; i < RV_COVER_USES; i++) {
        const struct rv_cover_use *it = &from->uses[i];
        if (!it->variable) continue;
        struct rv_cover_use_text use = {.variable = variable_of(collector, it->variable - 1),
                                        .statement =
                                            statement_of(collector, it->statement >> 1, it->statement & 1),
                                        .locks = locks_of(collector, it->locks),
                                        .exclusive = locks_of(collector, it->exclusive),
                                        .epoch_min = it->epoch_min,
                                        .epoch_max = it->epoch_max};
        if (use.variable != RV_TABLE_NONE && use.statement != RV_TABLE_NONE)
            rv_cover_add_use(collector->data, &use);
    }
    for (uint32_t i = 0; i < RV_COVER_STEPS; i++) {
        const struct rv_cover_step *it = &from->steps[i];
        if (!it->variable) continue;
        struct rv_cover_step_text step = {.variable = variable_of(collector, it->variable - 1),
                                          .first = statement_of(collector, it->first >> 1, it->first & 1),
                                          .second = statement_of(collector, it->second >> 1, it->second & 1),
                                          .locks = locks_of(collector, it->locks),
                                          .exclusive = locks_of(collector, it->exclusive)};
        if (step.variable != RV_TABLE_NONE && step.first != RV_TABLE_NONE && step.second != RV_TABLE_NONE)
            rv_cover_add_step(collector->data, &step);
    }
}

static void collect_instances(struct collector *collector) {
    for (uint32_t i = 0; i < RV_COVER_INSTANCES; i++) {
        struct rv_instance from, to = {0};
        if (!rv_coverage_instance(&collector->area->coverage.instances[i], &from)) continue;
        const struct rv_pattern *pattern = &rv_pattern_table[from.pattern];
        bool wide = rv_pattern_is_wide(from.pattern);
        to.pattern = from.pattern;
        to.variables[0] = variable_of(collector, from.variables[0]);
        if (wide) to.variables[1] = variable_of(collector, from.variables[1]);
        bool good = to.variables[0] != RV_TABLE_NONE && to.variables[1] != RV_TABLE_NONE;
        for (unsigned k = 0; good && k < pattern->steps; k++) {
            to.statements[k] = statement_of(collector, from.statements[k], pattern->step[k].write);
            good = to.statements[k] != RV_TABLE_NONE;
        }
        if (good) (void)rv_cover_add_instance(collector->data, &to);
    }
}

static void collect_pairs(struct collector *collector) {
    for (uint32_t i = 0; i < RV_COVER_PAIRS; i++) {
        const struct rv_cover_pair *it = &collector->area->coverage.pairs[i];
        if (!it->first || !it->second) continue;
        if (it->second == UINT32_MAX) { /* only that there is such a function */
            (void)function_of(collector, it->first - 1);
            continue;
        }
        uint32_t one = function_of(collector, it->first - 1), other = function_of(collector, it->second - 1);
        if (one != RV_TABLE_NONE && other != RV_TABLE_NONE) rv_cover_add_pair(collector->data, one, other);
    }
}

void rv_coverage_collect(struct rv_cover_data *data, struct rv_area *area, struct rv_symboliser *symbols) {
    rv_coverage_settle(&area->coverage);
    struct collector collector = {.data = data, .area = area, .symbols = symbols};
    collector.variables = rv_text_alloc(RV_COVER_VARIABLES, sizeof(uint32_t));
    collector.functions = rv_text_alloc(RV_MAX_SITES, sizeof(uint32_t));
    for (unsigned i = 0; i < 2; i++) collector.statements[i] = rv_text_alloc(RV_MAX_SITES, sizeof(uint32_t));
    collect_locks(&collector);
    collect_uses(&collector);
    collect_instances(&collector);
    collect_pairs(&collector);
    const struct rv_coverage *from = &area->coverage;
    data->executions += from->executions <= UINT32_MAX ? from->executions : 0;
    data->cut += from->cut <= from->executions ? from->cut : from->executions;
    data->missed |= from->missed & 15;
    data->dropped += from->dropped <= UINT32_MAX ? from->dropped : UINT32_MAX;
    free(collector.variables);
    free(collector.functions);
    free(collector.statements[0]);
    free(collector.statements[1]);
}
