#include "generate/aim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum { DRAWS = 60, TRIES = 1 << 16, MOST_TRIES = 4 };

void rv_aim_open(struct rv_aim *aim) {
    *aim = (struct rv_aim){0};
    aim->tries = rv_text_alloc(TRIES, 1);
}

static void forget(struct rv_aim *aim) {
    for (uint32_t i = 0; i < aim->count; i++) {
        free(aim->variables[i].uses[0]);
        free(aim->variables[i].uses[1]);
    }
    free(aim->variables);
    aim->variables = NULL;
    aim->count = 0;
}

void rv_aim_close(struct rv_aim *aim) {
    forget(aim);
    free(aim->tries);
}

static struct rv_aim_variable *variable_of(struct rv_aim *aim, uint32_t number) {
    for (uint32_t i = 0; i < aim->count; i++)
        if (aim->variables[i].number == number) return &aim->variables[i];
    aim->variables = rv_text_realloc(aim->variables, aim->count + 1, sizeof *aim->variables);
    aim->variables[aim->count] = (struct rv_aim_variable){.number = number};
    return &aim->variables[aim->count++];
}

void rv_aim_learn(struct rv_aim *aim, const struct rv_area *area) {
    const struct rv_coverage *coverage = &area->coverage;
    if (coverage->use_count == aim->known) return;
    forget(aim);
    aim->known = coverage->use_count;
    for (uint32_t i = 0; i < RV_COVER_USES; i++) {
        const struct rv_cover_use *use = &coverage->uses[i];
        uint32_t statement = use->statement >> 1, write = use->statement & 1;
        if (!use->variable || use->variable > RV_COVER_VARIABLES || statement >= RV_COVER_NUMBERS) continue;
        struct rv_aim_variable *variable = variable_of(aim, use->variable - 1);
        uint32_t *count = &variable->count[write];
        variable->uses[write] = rv_text_realloc(variable->uses[write], *count + 1, sizeof(uint32_t));
        variable->uses[write][(*count)++] = statement;
    }
    /* What is never written, or never used by anybody else, is in no instance. */
    for (uint32_t i = 0; i < aim->count;) {
        if (aim->variables[i].count[1] > 0) {
            i++;
            continue;
        }
        free(aim->variables[i].uses[0]);
        aim->variables[i] = aim->variables[--aim->count];
    }
}

uint64_t rv_aim_methods(const struct rv_area *area, uint32_t statement, uint64_t callable) {
    return statement < RV_CASE_STATEMENTS ? area->cases.used_by[statement] & callable : 0;
}

static uint8_t *tries_of(struct rv_aim *aim, const struct rv_instance *instance) {
    uint64_t hash = instance->pattern;
    for (unsigned i = 0; i < 2; i++) hash = (hash ^ instance->variables[i]) * 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < RV_PATTERN_STEPS; i++)
        hash = (hash ^ instance->statements[i]) * 0x9e3779b97f4a7c15u;
    return &aim->tries[hash >> 48 & (TRIES - 1)];
}

void rv_aim_tried(struct rv_aim *aim, const struct rv_instance *instance) {
    uint8_t *tries = tries_of(aim, instance);
    if (*tries < UINT8_MAX) ++*tries;
}

/* A statement of the variable that does this, in one of these methods. */
static bool draw_use(const struct rv_area *area, struct rv_rng *rng, const struct rv_aim_variable *variable,
                     bool write, uint64_t methods, uint32_t *statement) {
    uint32_t count = variable->count[write];
    if (!count) return false;
    uint32_t start = (uint32_t)rv_rng_below(rng, count);
    for (uint32_t i = 0; i < count; i++) {
        *statement = variable->uses[write][(start + i) % count];
        if (rv_aim_methods(area, *statement, methods)) return true;
    }
    return false;
}

static bool draw(struct rv_aim *aim, const struct rv_area *area, struct rv_rng *rng,
                 const uint64_t methods[2], struct rv_instance *instance) {
    /* Small patterns more often: there are fewer of them, and they are parts of the others. */
    uint32_t which = (uint32_t)rv_rng_below(rng, RV_PATTERNS + 8);
    *instance = (struct rv_instance){.pattern = which < RV_PATTERNS ? which + 1 : which - RV_PATTERNS + 1};
    const struct rv_pattern *pattern = &rv_pattern_table[instance->pattern];
    const struct rv_aim_variable *x = &aim->variables[rv_rng_below(rng, aim->count)];
    const struct rv_aim_variable *y = &aim->variables[rv_rng_below(rng, aim->count)];
    bool wide = rv_pattern_is_wide(instance->pattern);
    if (wide && x == y) return false;
    instance->variables[0] = x->number;
    instance->variables[1] = wide ? y->number : 0;
    for (unsigned i = 0; i < pattern->steps; i++) {
        const struct rv_pattern_step *step = &pattern->step[i];
        if (!draw_use(area, rng, step->other ? y : x, step->write, methods[step->second],
                      &instance->statements[i]))
            return false;
    }
    return true;
}

bool rv_aim_draw(struct rv_aim *aim, const struct rv_area *area, struct rv_rng *rng,
                 const uint64_t methods[2], struct rv_instance *instance) {
    for (unsigned i = 0; i < DRAWS && aim->count; i++)
        if (draw(aim, area, rng, methods, instance) && *tries_of(aim, instance) < MOST_TRIES &&
            !rv_coverage_has(&area->coverage, instance))
            return true;
    return false;
}

void rv_aim_strategy(const struct rv_area *area, const struct rv_instance *instance, char *text,
                     size_t size) {
    int used = snprintf(text, size, "map:%u", instance->pattern);
    for (unsigned i = 0; i < rv_pattern_table[instance->pattern].steps && used > 0 && (size_t)used < size;
         i++) {
        uint32_t statement = instance->statements[i] & (RV_MAX_SITES - 1);
        used += snprintf(text + used, size - (size_t)used, ",%llx",
                         (unsigned long long)area->sites[statement].code);
    }
}
