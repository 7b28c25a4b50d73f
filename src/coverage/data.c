#include "coverage/data.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static void *room_for(void *items, uint32_t number, uint32_t count, size_t size) {
    /* `count` things are there after this one was added; arrays grow by powers of two. */
    if (number + 1 < count || (number & (number - 1)) != 0) return items;
    return rv_text_realloc(items, number ? (size_t)number * 2 : 1, size);
}

uint32_t rv_cover_add_variable(struct rv_cover_data *data, const char *name) {
    return rv_table_add(&data->variable_names, name, strlen(name), NULL);
}

static char *statement_key(const struct rv_cover_statement *statement, size_t *size) {
    struct rv_text text = {0};
    rv_text_addf(&text, "%c%u", statement->write ? 'W' : 'R', statement->line);
    rv_text_add_n(&text, "\0", 1);
    rv_text_add(&text, statement->file);
    rv_text_add_n(&text, "\0", 1);
    rv_text_add(&text, statement->function);
    *size = text.size;
    return rv_text_take(&text);
}

uint32_t rv_cover_add_statement(struct rv_cover_data *data, const struct rv_cover_statement *statement) {
    size_t size;
    bool fresh;
    char *key = statement_key(statement, &size);
    uint32_t number = rv_table_add(&data->statement_names, key, size, &fresh);
    free(key);
    if (!fresh) return number;
    data->statements =
        room_for(data->statements, number, data->statement_names.count, sizeof *data->statements);
    data->statements[number] = *statement;
    data->statements[number].function = rv_text_copy(statement->function);
    data->statements[number].file = rv_text_copy(statement->file);
    data->statements[number].outer = rv_text_copy(statement->outer);
    data->statements[number].module = rv_text_copy(statement->module);
    return number;
}

uint32_t rv_cover_add_function(struct rv_cover_data *data, const char *name, const char *file) {
    struct rv_text text = {0};
    bool fresh;
    rv_text_add(&text, name);
    rv_text_add_n(&text, "\0", 1);
    rv_text_add(&text, file);
    uint32_t number = rv_table_add(&data->function_names, text.data, text.size, &fresh);
    free(rv_text_take(&text));
    if (!fresh) return number;
    data->functions = room_for(data->functions, number, data->function_names.count, sizeof *data->functions);
    data->functions[number] = (struct rv_cover_function){rv_text_copy(name), rv_text_copy(file)};
    return number;
}

bool rv_cover_add_instance(struct rv_cover_data *data, const struct rv_instance *instance) {
    if (rv_pattern_is_wide(instance->pattern) && instance->variables[0] == instance->variables[1])
        return false;
    (void)rv_table_add(&data->instance_keys, instance, sizeof *instance, NULL);
    return true;
}

void rv_cover_add_use(struct rv_cover_data *data, const struct rv_cover_use_text *use) {
    uint32_t key[2] = {use->variable, use->statement};
    bool fresh;
    uint32_t number = rv_table_add(&data->use_keys, key, sizeof key, &fresh);
    if (fresh) {
        data->uses = room_for(data->uses, number, data->use_keys.count, sizeof *data->uses);
        data->uses[number] = *use;
        return;
    }
    struct rv_cover_use_text *known = &data->uses[number];
    known->locks &= use->locks;
    known->exclusive &= use->exclusive;
    if (use->epoch_min < known->epoch_min) known->epoch_min = use->epoch_min;
    if (use->epoch_max > known->epoch_max) known->epoch_max = use->epoch_max;
}

void rv_cover_add_step(struct rv_cover_data *data, const struct rv_cover_step_text *step) {
    uint32_t key[3] = {step->variable, step->first, step->second};
    bool fresh;
    uint32_t number = rv_table_add(&data->step_keys, key, sizeof key, &fresh);
    if (fresh) {
        data->steps = room_for(data->steps, number, data->step_keys.count, sizeof *data->steps);
        data->steps[number] = *step;
        return;
    }
    data->steps[number].locks &= step->locks;
    data->steps[number].exclusive &= step->exclusive;
}

static void order_pair(uint32_t key[2], uint32_t one, uint32_t other) {
    key[0] = one < other ? one : other;
    key[1] = one < other ? other : one;
}

void rv_cover_add_pair(struct rv_cover_data *data, uint32_t one, uint32_t other) {
    uint32_t key[2];
    order_pair(key, one, other);
    (void)rv_table_add(&data->pair_keys, key, sizeof key, NULL);
}

bool rv_cover_has_pair(const struct rv_cover_data *data, uint32_t one, uint32_t other) {
    uint32_t key[2];
    order_pair(key, one, other);
    return rv_table_find(&data->pair_keys, key, sizeof key) != RV_TABLE_NONE;
}

uint64_t rv_cover_add_lock(struct rv_cover_data *data, uint32_t variable) {
    for (uint32_t i = 0; i < data->lock_count; i++)
        if (data->locks[i] == variable) return UINT64_C(1) << i;
    if (data->lock_count == RV_COVER_LOCKS) return 0;
    data->locks[data->lock_count] = variable;
    return UINT64_C(1) << data->lock_count++;
}

void rv_cover_add_run(struct rv_cover_data *data, const struct rv_cover_run *run) {
    if (data->run_count == RV_COVER_RUNS_MAX) { /* the oldest give way, two for one: their span stays */
        free(data->runs[1].strategy);
        memmove(&data->runs[1], &data->runs[2], (data->run_count - 2) * sizeof *data->runs);
        data->run_count--;
    }
    data->runs = rv_text_realloc(data->runs, data->run_count + 1, sizeof *data->runs);
    data->runs[data->run_count] = *run;
    data->runs[data->run_count++].strategy = rv_text_copy(run->strategy);
}

/* ---- the union ---- */

struct numbers {
    uint32_t *variables, *statements, *functions;
    uint64_t locks[RV_COVER_LOCKS];
};

static uint64_t locks_of(const struct numbers *numbers, uint64_t locks) {
    uint64_t mapped = 0;
    for (; locks; locks &= locks - 1) mapped |= numbers->locks[__builtin_ctzll(locks)];
    return mapped;
}

static void number_names(struct rv_cover_data *data, const struct rv_cover_data *more,
                         struct numbers *numbers) {
    numbers->variables = rv_text_alloc(more->variable_names.count, sizeof *numbers->variables);
    numbers->statements = rv_text_alloc(more->statement_names.count, sizeof *numbers->statements);
    numbers->functions = rv_text_alloc(more->function_names.count, sizeof *numbers->functions);
    for (uint32_t i = 0; i < more->variable_names.count; i++)
        numbers->variables[i] = rv_cover_add_variable(data, rv_cover_variable_name(more, i));
    for (uint32_t i = 0; i < more->statement_names.count; i++)
        numbers->statements[i] = rv_cover_add_statement(data, &more->statements[i]);
    for (uint32_t i = 0; i < more->function_names.count; i++)
        numbers->functions[i] = rv_cover_add_function(data, more->functions[i].name, more->functions[i].file);
    for (uint32_t i = 0; i < more->lock_count; i++)
        numbers->locks[i] = rv_cover_add_lock(data, numbers->variables[more->locks[i]]);
}

static struct rv_instance renumber(const struct rv_instance *from, const struct numbers *numbers) {
    struct rv_instance instance = {.pattern = from->pattern};
    instance.variables[0] = numbers->variables[from->variables[0]];
    if (rv_pattern_is_wide(from->pattern)) instance.variables[1] = numbers->variables[from->variables[1]];
    for (unsigned i = 0; i < rv_pattern_table[from->pattern].steps; i++)
        instance.statements[i] = numbers->statements[from->statements[i]];
    return instance;
}

void rv_cover_add(struct rv_cover_data *data, const struct rv_cover_data *more) {
    struct numbers numbers = {0};
    number_names(data, more, &numbers);
    for (uint32_t i = 0; i < more->instance_keys.count; i++) {
        struct rv_instance instance = renumber(rv_cover_instance_at(more, i), &numbers);
        (void)rv_cover_add_instance(data, &instance);
    }
    for (uint32_t i = 0; i < more->use_keys.count; i++) {
        struct rv_cover_use_text use = more->uses[i];
        use.variable = numbers.variables[use.variable];
        use.statement = numbers.statements[use.statement];
        use.locks = locks_of(&numbers, use.locks);
        use.exclusive = locks_of(&numbers, use.exclusive);
        rv_cover_add_use(data, &use);
    }
    for (uint32_t i = 0; i < more->step_keys.count; i++) {
        struct rv_cover_step_text step = more->steps[i];
        step.variable = numbers.variables[step.variable];
        step.first = numbers.statements[step.first];
        step.second = numbers.statements[step.second];
        step.locks = locks_of(&numbers, step.locks);
        step.exclusive = locks_of(&numbers, step.exclusive);
        rv_cover_add_step(data, &step);
    }
    for (uint32_t i = 0; i < more->pair_keys.count; i++) {
        const uint32_t *pair = (const uint32_t *)(const void *)more->pair_keys.entries[i].bytes;
        rv_cover_add_pair(data, numbers.functions[pair[0]], numbers.functions[pair[1]]);
    }
    for (uint32_t i = 0; i < more->run_count; i++) rv_cover_add_run(data, &more->runs[i]);
    if (more->program) rv_text_set(&data->program, rv_text_copy(more->program));
    data->executions += more->executions;
    data->cut += more->cut;
    data->missed |= more->missed;
    data->dropped += more->dropped;
    free(numbers.variables);
    free(numbers.statements);
    free(numbers.functions);
}

void rv_cover_data_free(struct rv_cover_data *data) {
    for (uint32_t i = 0; i < data->statement_names.count; i++) {
        free(data->statements[i].function);
        free(data->statements[i].file);
        free(data->statements[i].outer);
        free(data->statements[i].module);
    }
    for (uint32_t i = 0; i < data->function_names.count; i++) {
        free(data->functions[i].name);
        free(data->functions[i].file);
    }
    for (uint32_t i = 0; i < data->run_count; i++) free(data->runs[i].strategy);
    free(data->program);
    free(data->statements);
    free(data->functions);
    free(data->uses);
    free(data->steps);
    free(data->runs);
    struct rv_table *const tables[] = {&data->variable_names, &data->statement_names, &data->function_names,
                                       &data->instance_keys,  &data->use_keys,        &data->step_keys,
                                       &data->pair_keys};
    for (unsigned i = 0; i < sizeof tables / sizeof tables[0]; i++) rv_table_free(tables[i]);
    *data = (struct rv_cover_data){0};
}
