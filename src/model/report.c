#include "model/report.h"

#include <stdlib.h>
#include <string.h>

#include "report/json_parts.h"
#include "report/text.h"

static const char *base_name(const struct rv_model *model, uint32_t file) {
    if (file == RV_MODEL_NONE) return "?";
    const char *slash = strrchr(model->files[file], '/');
    return slash ? slash + 1 : model->files[file];
}

static const char *counted(uint32_t count, const char *word, char text[64]) {
    snprintf(text, 64, "%u %s%s", count, word, count == 1 ? "" : "s");
    return text;
}

/* --- sites by variable, and those of a line together --- */

struct order {
    const struct rv_model *model;
    uint32_t *sites; /* by variable, then file, line, column */
};

static int compare(const void *a, const void *b, void *context) {
    const struct rv_model *model = context;
    const struct rv_model_site *first = &model->sites[*(const uint32_t *)a],
                               *second = &model->sites[*(const uint32_t *)b];
    if (first->variable != second->variable) return first->variable < second->variable ? -1 : 1;
    if (first->file != second->file) return first->file < second->file ? -1 : 1;
    if (first->line != second->line) return first->line < second->line ? -1 : 1;
    if (first->column != second->column) return first->column < second->column ? -1 : 1;
    return first->kind < second->kind ? -1 : first->kind > second->kind;
}

static uint32_t *sort_sites(const struct rv_model *model) {
    uint32_t *order = rv_text_alloc(model->site_count, sizeof *order);
    for (uint32_t i = 0; i < model->site_count; i++) order[i] = i;
    qsort_r(order, model->site_count, sizeof *order, compare, (void *)model);
    return order;
}

static void print_name(FILE *output, const char *name) {
    char *harmless = rv_text_harmless(name, false);
    fputs(harmless, output);
    free(harmless);
}

static const char *kind_words(unsigned kind, char text[48]) {
    bool reads = kind & RV_MODEL_READ, writes = kind & RV_MODEL_WRITE;
    snprintf(text, 48, "%s%s%s",
             kind & RV_MODEL_ATOMIC     ? "atomic "
             : kind & RV_MODEL_VOLATILE ? "volatile "
                                        : "",
             reads && writes ? "update"
             : reads         ? "read"
                             : "write",
             kind & RV_MODEL_LIBRARY ? " by a call" : "");
    return text;
}

static void print_site(const struct rv_model *model, const struct rv_model_site *site, FILE *output) {
    char words[48];
    int length = fprintf(output, "  %s:%u:%u", base_name(model, site->file), site->line, site->column);
    fprintf(output, "%*s %-6s in ", length < 26 ? 26 - length : 0, "", kind_words(site->kind, words));
    print_name(output, model->functions[site->function].name);
    for (uint32_t i = 0; i < site->locks.count; i++) {
        fputs(i ? ", " : ", holding ", output);
        print_name(output, model->variables[model->numbers[site->locks.first + i]].name);
    }
    fputc('\n', output);
}

static void print_threads(const struct rv_model *model, FILE *output) {
    fputs("Threads\n", output);
    for (uint32_t i = 0; i < model->thread_count; i++) {
        const struct rv_model_function *function = &model->functions[model->threads[i].function];
        fputs("  ", output);
        print_name(output, function->name);
        if (function->file != RV_MODEL_NONE)
            fprintf(output, " (%s:%u)", base_name(model, function->file), function->line);
        fputs(model->threads[i].many ? ", several at once\n" : "\n", output);
    }
}

static void print_variables(const struct rv_model *model, FILE *output, bool shared) {
    uint32_t *order = sort_sites(model), shown = RV_MODEL_NONE;
    fputs(shared ? "\nShared variables\n" : "\nVariables of one thread, or that nobody writes\n", output);
    for (uint32_t i = 0; i < model->site_count; i++) {
        const struct rv_model_site *site = &model->sites[order[i]];
        if (model->variables[site->variable].shared != shared) continue;
        if (site->variable != shown) {
            fputs(" ", output);
            print_name(output, model->variables[site->variable].name);
            fputc('\n', output);
        }
        shown = site->variable;
        print_site(model, site, output);
    }
    if (shown == RV_MODEL_NONE) fputs(" none\n", output);
    free(order);
}

void rv_model_print(const struct rv_model *model, FILE *output, bool all) {
    uint32_t shared = 0, sites = 0;
    char text[4][64];
    for (uint32_t i = 0; i < model->variable_count; i++) shared += model->variables[i].shared;
    for (uint32_t i = 0; i < model->site_count; i++)
        sites += model->variables[model->sites[i].variable].shared;
    fprintf(output, "%s, %s of threads, %s with %s\n\n", counted(model->function_count, "function", text[0]),
            counted(model->thread_count, "root", text[1]), counted(shared, "shared variable", text[2]),
            counted(sites, "access site", text[3]));
    print_threads(model, output);
    print_variables(model, output, true);
    if (all) print_variables(model, output, false);
    if (model->unsure_count) fputs("\nUnsure\n", output);
    for (uint32_t i = 0; i < model->unsure_count; i++) {
        fputs("  ", output);
        print_name(output, model->unsure[i]);
        fputc('\n', output);
    }
}

/* --- JSON --- */

static void set_place(const struct rv_model *model, json_t *object, uint32_t file, uint32_t line) {
    json_object_set_new(object, "file",
                        file == RV_MODEL_NONE ? json_null() : rv_json_text(model->files[file]));
    json_object_set_new(object, "line", json_integer(line));
}

static json_t *site_json(const struct rv_model *model, const struct rv_model_site *site) {
    json_t *object = json_object(), *locks = json_array();
    json_object_set_new(object, "function", rv_json_text(model->functions[site->function].name));
    set_place(model, object, site->file, site->line);
    json_object_set_new(object, "column", json_integer(site->column));
    json_object_set_new(object, "reads", json_boolean(site->kind & RV_MODEL_READ));
    json_object_set_new(object, "writes", json_boolean(site->kind & RV_MODEL_WRITE));
    json_object_set_new(object, "atomic", json_boolean(site->kind & RV_MODEL_ATOMIC));
    json_object_set_new(object, "volatile", json_boolean(site->kind & RV_MODEL_VOLATILE));
    json_object_set_new(object, "call", json_boolean(site->kind & RV_MODEL_LIBRARY));
    json_object_set_new(object, "size", json_integer((json_int_t)site->size));
    for (uint32_t i = 0; i < site->locks.count; i++)
        json_array_append_new(locks,
                              rv_json_text(model->variables[model->numbers[site->locks.first + i]].name));
    json_object_set_new(object, "locks", locks);
    return object;
}

static json_t *threads_json(const struct rv_model *model) {
    json_t *threads = json_array();
    for (uint32_t i = 0; i < model->thread_count; i++) {
        const struct rv_model_function *function = &model->functions[model->threads[i].function];
        json_t *object = json_object();
        json_object_set_new(object, "function", rv_json_text(function->name));
        set_place(model, object, function->file, function->line);
        json_object_set_new(object, "many", json_boolean(model->threads[i].many));
        json_array_append_new(threads, object);
    }
    return threads;
}

static json_t *functions_json(const struct rv_model *model) {
    json_t *functions = json_array();
    for (uint32_t i = 0; i < model->function_count; i++) {
        const struct rv_model_function *function = &model->functions[i];
        json_t *object = json_object(), *threads = json_array();
        json_object_set_new(object, "function", rv_json_text(function->name));
        set_place(model, object, function->file, function->line);
        for (uint32_t k = 0; k < function->threads.count; k++)
            json_array_append_new(threads, json_integer(model->numbers[function->threads.first + k]));
        json_object_set_new(object, "threads", threads);
        json_array_append_new(functions, object);
    }
    return functions;
}

json_t *rv_model_json(const struct rv_model *model) {
    json_t *object = json_object(), *variables = json_array(), *unsure = json_array();
    uint32_t *order = sort_sites(model), at = 0;
    for (uint32_t i = 0; i < model->variable_count; i++) {
        json_t *variable = json_object(), *sites = json_array();
        json_object_set_new(variable, "name", rv_json_text(model->variables[i].name));
        json_object_set_new(variable, "shared", json_boolean(model->variables[i].shared));
        for (; at < model->site_count && model->sites[order[at]].variable == i; at++)
            json_array_append_new(sites, site_json(model, &model->sites[order[at]]));
        json_object_set_new(variable, "sites", sites);
        json_array_append_new(variables, variable);
    }
    free(order);
    for (uint32_t i = 0; i < model->unsure_count; i++)
        json_array_append_new(unsure, rv_json_text(model->unsure[i]));
    json_object_set_new(object, "threads", threads_json(model));
    json_object_set_new(object, "functions", functions_json(model));
    json_object_set_new(object, "variables", variables);
    json_object_set_new(object, "unsure", unsure);
    return object;
}
