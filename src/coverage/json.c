/* Coverage for machines. */
#include <stdlib.h>

#include "base/protocol.h"
#include "coverage/tell.h"
#include "report/json_parts.h"
#include "report/text.h"

static void set(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }

static json_t *figure_json(const struct rv_cover_figure *figure) {
    json_t *object = json_object();
    set(object, "covered", rv_json_number(figure->covered));
    set(object, "feasible", rv_json_number(figure->feasible));
    set(object, "total", rv_json_number(figure->total));
    set(object, "percent", json_real(rv_cover_percent(figure->covered, figure->feasible)));
    return object;
}

static json_t *statement_json(const struct rv_cover_statement *it) {
    json_t *object = json_object();
    set(object, "function", rv_json_text(it->function));
    set(object, "file", rv_json_text(it->file));
    set(object, "line", rv_json_number(it->line));
    set(object, "access", rv_json_text(it->write ? "write" : "read"));
    if (*it->module) {
        set(object, "module", rv_json_text(it->module));
        set(object, "offset", rv_json_number(it->offset));
    }
    return object;
}

static json_t *targets_json(const struct rv_cover_data *data, const struct rv_cover_figures *figures) {
    json_t *array = json_array();
    for (unsigned i = 0; i < figures->target_count; i++) {
        const struct rv_instance *it = &figures->targets[i].instance;
        json_t *object = json_object(), *statements = json_array();
        set(object, "pattern", rv_json_number(it->pattern));
        set(object, "x", rv_json_text(rv_cover_variable_name(data, it->variables[0])));
        if (rv_pattern_is_wide(it->pattern))
            set(object, "y", rv_json_text(rv_cover_variable_name(data, it->variables[1])));
        for (unsigned k = 0; k < rv_pattern_table[it->pattern].steps; k++)
            json_array_append_new(statements, statement_json(&data->statements[it->statements[k]]));
        set(object, "statements", statements);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *variables_json(const struct rv_cover_data *data, const struct rv_cover_figures *figures) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < figures->variable_count; i++) {
        const struct rv_cover_variable_figure *it = &figures->variables[i];
        json_t *object = json_object();
        set(object, "name", rv_json_text(rv_cover_variable_name(data, it->variable)));
        set(object, "reads", rv_json_number(it->reads));
        set(object, "writes", rv_json_number(it->writes));
        set(object, "single", figure_json(&it->single));
        set(object, "wide", figure_json(&it->wide));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *functions_json(const struct rv_cover_data *data) {
    struct rv_cover_functions functions;
    json_t *object = json_object(), *names = json_array(), *pairs = json_array();
    rv_cover_functions(&functions, data);
    for (uint32_t i = 0; i < functions.count; i++) {
        json_array_append_new(names, rv_json_text(data->functions[functions.list[i]].name));
        for (uint32_t k = i; k < functions.count; k++) {
            if (!rv_cover_has_pair(data, functions.list[i], functions.list[k])) continue;
            json_t *pair = json_array();
            json_array_append_new(pair, rv_json_number(i));
            json_array_append_new(pair, rv_json_number(k));
            json_array_append_new(pairs, pair);
        }
    }
    set(object, "covered", rv_json_number(functions.covered));
    set(object, "total", rv_json_number(functions.total));
    set(object, "functions", names);
    set(object, "pairs", pairs);
    free(functions.list);
    return object;
}

static json_t *runs_json(const struct rv_cover_data *data) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < data->run_count; i++) {
        const struct rv_cover_run *it = &data->runs[i];
        json_t *object = json_object();
        set(object, "time", json_integer(it->time));
        set(object, "seconds", json_real(it->seconds));
        set(object, "strategy", rv_json_text(it->strategy));
        set(object, "executions", rv_json_number(it->executions));
        set(object, "before", rv_json_number(it->before));
        set(object, "after", rv_json_number(it->after));
        json_array_append_new(array, object);
    }
    return array;
}

json_t *rv_cover_json(const struct rv_cover_data *data, enum rv_cover_json_size size) {
    struct rv_cover_figures figures;
    rv_cover_figures(&figures, data);
    json_t *object = figure_json(&figures.all), *patterns = json_object();
    char name[16];
    for (unsigned p = 1; p <= RV_PATTERNS; p++) {
        snprintf(name, sizeof name, "%u", p);
        set(patterns, name, figure_json(&figures.pattern[p]));
    }
    set(object, "by_pattern", patterns);
    set(object, "executions", rv_json_number(data->executions));
    set(object, "executions_cut", rv_json_number(data->cut));
    set(object, "dropped", rv_json_number(data->dropped));
    if (size == RV_COVER_JSON_LONG) {
        set(object, "rough", json_boolean(figures.rough));
        set(object, "variables", variables_json(data, &figures));
        set(object, "targets", targets_json(data, &figures));
        set(object, "runs", runs_json(data));
        set(object, "method_pairs", functions_json(data));
    } else {
        struct rv_cover_functions functions;
        rv_cover_functions(&functions, data);
        set(object, "method_pairs",
            json_pack("{s:I, s:I}", "covered", (json_int_t)functions.covered, "total",
                      (json_int_t)functions.total));
        free(functions.list);
    }
    rv_cover_figures_free(&figures);
    return object;
}

json_t *rv_cover_json_about(const struct rv_cover_data *data, const struct rv_cover_about *about) {
    json_t *object = json_object(), *coverage = rv_cover_json(data, RV_COVER_JSON_LONG);
    set(object, "version", rv_json_text(RV_VERSION));
    set(object, "program", rv_json_text(about->program));
    set(object, "model", about->model ? rv_json_text(about->model) : json_null());
    if (about->hapsets) {
        uint32_t growth[RV_COVER_GROWTH];
        unsigned count = rv_cover_hapset_growth(about->hapsets, growth);
        json_t *hapsets = json_object(), *list = json_array();
        set(hapsets, "statements", rv_json_number(about->hapsets->statements.count));
        set(hapsets, "predecessors", rv_json_number(about->hapsets->members.count));
        for (unsigned i = 0; i < count; i++) json_array_append_new(list, rv_json_number(growth[i]));
        set(hapsets, "growth", list);
        set(object, "hapsets", hapsets);
    }
    json_object_update(object, coverage);
    json_decref(coverage);
    return object;
}
