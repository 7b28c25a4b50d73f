#include "coverage/model.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

struct matching {
    struct rv_cover_data *data;
    const struct rv_model *model;
    uint32_t *statements[2]; /* of each site, as a read and a write: 1 + number */
    uint32_t *variables;     /* of the model's: 1 + number */
};

static unsigned kinds_of(bool write) { return write ? RV_MODEL_WRITE : RV_MODEL_READ; }

/* Where the data's statements are among the sites. */
static void find_statements(struct matching *matching) {
    const struct rv_cover_data *data = matching->data;
    uint32_t *sites = rv_text_alloc(matching->model->site_count, sizeof *sites);
    for (uint32_t i = 0; i < data->statement_names.count; i++) {
        const struct rv_cover_statement *it = &data->statements[i];
        size_t count = rv_model_sites_at(matching->model, it->file, it->line, kinds_of(it->write), sites,
                                         matching->model->site_count);
        for (size_t k = 0; k < count && k < matching->model->site_count; k++)
            matching->statements[it->write][sites[k]] = i + 1;
    }
    free(sites);
}

/* votes: a pair of a variable of the model and one of the data, for each use of the one at a site of the other. */
static void find_variables(struct matching *matching) {
    struct rv_cover_data *data = matching->data;
    const struct rv_model *model = matching->model;
    struct rv_table pairs = {0};
    uint32_t *votes = NULL, *best = rv_text_alloc(model->variable_count, sizeof *best);
    struct {
        uint32_t *uses;
        uint32_t count;
    } *of = rv_text_alloc(data->statement_names.count, sizeof *of);
    for (uint32_t i = 0; i < data->use_keys.count; i++) {
        uint32_t statement = data->uses[i].statement;
        of[statement].uses = rv_text_realloc(of[statement].uses, of[statement].count + 1, sizeof(uint32_t));
        of[statement].uses[of[statement].count++] = i;
    }
    for (uint32_t i = 0; i < model->site_count * 2; i++) {
        uint32_t site = i / 2, statement = matching->statements[i % 2][site];
        for (uint32_t k = 0; statement && k < of[statement - 1].count; k++) {
            uint32_t key[2] = {model->sites[site].variable, data->uses[of[statement - 1].uses[k]].variable};
            bool fresh;
            uint32_t number = rv_table_add(&pairs, key, sizeof key, &fresh);
            if (fresh) votes = rv_text_realloc(votes, pairs.count, sizeof *votes);
            if (fresh)
                votes[number] =
                    strcmp(model->variables[key[0]].name, rv_cover_variable_name(data, key[1])) == 0 ? 1000
                                                                                                     : 0;
            if (++votes[number] <= best[key[0]]) continue;
            best[key[0]] = votes[number];
            matching->variables[key[0]] = key[1] + 1;
        }
    }
    for (uint32_t i = 0; i < data->statement_names.count; i++) free(of[i].uses);
    rv_table_free(&pairs);
    free(of);
    free(votes);
    free(best);
}

/* A run knows of a stack only where in it something lies: there the model's name is better. */
static void take_names(struct matching *matching) {
    static const char local[] = "local variable of ";
    struct rv_cover_data *data = matching->data;
    for (uint32_t i = 0; i < matching->model->variable_count; i++) {
        uint32_t number = matching->variables[i];
        const char *name = matching->model->variables[i].name;
        if (!number || strncmp(rv_cover_variable_name(data, number - 1), local, sizeof local - 1) != 0)
            continue;
        if (strlen(name) < RV_COVER_TEXT_MAX)
            (void)rv_table_rename(&data->variable_names, number - 1, name, strlen(name));
    }
}

static char *cut_name(const char *name) { return rv_text_copy_n(name, RV_COVER_TEXT_MAX - 1); }

static uint32_t variable_of(struct matching *matching, uint32_t variable) {
    uint32_t *known = &matching->variables[variable];
    if (!*known) {
        char *name = cut_name(matching->model->variables[variable].name);
        *known = rv_cover_add_variable(matching->data, name) + 1;
        free(name);
    }
    return *known - 1;
}

static uint32_t statement_of(struct matching *matching, uint32_t number, bool write) {
    uint32_t *known = &matching->statements[write][number];
    if (*known) return *known - 1;
    const struct rv_model *model = matching->model;
    const struct rv_model_site *site = &model->sites[number];
    char *function = cut_name(model->functions[site->function].name);
    char *file = cut_name(site->file != RV_MODEL_NONE ? model->files[site->file] : "");
    struct rv_cover_statement statement = {.function = function,
                                           .file = file,
                                           .outer = function,
                                           .line = site->line <= RV_COVER_LINE_MAX ? site->line : 0,
                                           .write = write,
                                           .module = ""};
    *known = rv_cover_add_statement(matching->data, &statement) + 1;
    free(function);
    free(file);
    return *known - 1;
}

/* 1 + the thread that is the only one to execute the site's function, and is one only; 0: there is none. */
static uint32_t only_thread(const struct rv_model *model, const struct rv_model_site *site) {
    struct rv_model_list threads = model->functions[site->function].threads;
    if (threads.count != 1) return 0;
    uint32_t thread = model->numbers[threads.first];
    return model->threads[thread].many ? 0 : thread + 1;
}

static void add_use(struct matching *matching, uint32_t number, bool write) {
    struct rv_cover_data *data = matching->data;
    const struct rv_model_site *site = &matching->model->sites[number];
    struct rv_cover_use_text use = {.variable = variable_of(matching, site->variable),
                                    .statement = statement_of(matching, number, write),
                                    .epoch_max = UINT32_MAX};
    uint32_t key[2] = {use.variable, use.statement};
    if (rv_table_find(&data->use_keys, key, sizeof key) == RV_TABLE_NONE) {
        for (uint32_t i = 0; i < site->locks.count; i++) {
            uint32_t lock = matching->model->numbers[site->locks.first + i];
            use.locks |= rv_cover_add_lock(data, variable_of(matching, lock));
        }
        use.exclusive = use.locks;
        rv_cover_add_use(data, &use);
    }
    data->uses[rv_table_find(&data->use_keys, key, sizeof key)].only = only_thread(matching->model, site);
}

void rv_cover_add_model(struct rv_cover_data *data, const struct rv_model *model) {
    struct matching matching = {.data = data, .model = model};
    for (unsigned i = 0; i < 2; i++)
        matching.statements[i] = rv_text_alloc(model->site_count, sizeof(uint32_t));
    matching.variables = rv_text_alloc(model->variable_count, sizeof(uint32_t));
    find_statements(&matching);
    find_variables(&matching);
    take_names(&matching);
    for (uint32_t i = 0; i < model->site_count; i++) {
        const struct rv_model_site *site = &model->sites[i];
        if (!model->variables[site->variable].shared || !site->line) continue;
        if (site->kind & RV_MODEL_READ) add_use(&matching, i, false);
        if (site->kind & RV_MODEL_WRITE) add_use(&matching, i, true);
    }
    free(matching.statements[0]);
    free(matching.statements[1]);
    free(matching.variables);
}
