#include "regress/version.h"

#include <stdlib.h>
#include <string.h>

#include "regress/control.h"
#include "report/text.h"

uint32_t rv_last_statement(const struct rv_version *version, uint32_t block) {
    uint32_t count = rv_list_size(&version->statements, block);
    return count ? rv_list(&version->statements, block)[count - 1] : RV_NONE;
}

const char *rv_function_file(const struct rv_model *model, uint32_t function) {
    uint32_t file = model->functions[function].file;
    return file == RV_MODEL_NONE ? "" : model->files[file];
}

static void index_blocks(struct rv_version *version) {
    const struct rv_model *model = version->model;
    struct rv_links blocks = {0}, predecessors = {0};
    for (uint32_t b = 0; b < model->block_count; b++) {
        const struct rv_model_block *block = &model->blocks[b];
        rv_links_add(&blocks, block->function, b);
        for (uint32_t i = 0; i < block->successors.count; i++)
            rv_links_add(&predecessors, rv_model_item(model, block->successors, i), b);
    }
    version->blocks = rv_lists_make(model->function_count, &blocks);
    version->predecessors = rv_lists_make(model->block_count, &predecessors);
}

static uint32_t *none(uint32_t count) {
    uint32_t *numbers = rv_text_alloc(count, sizeof *numbers);
    for (uint32_t i = 0; i < count; i++) numbers[i] = RV_NONE;
    return numbers;
}

static void index_statements(struct rv_version *version) {
    const struct rv_model *model = version->model;
    struct rv_links statements = {0}, invokes = {0}, invoked = {0};
    version->site_statement = none(model->site_count);
    version->sync_statement = none(model->sync_count);
    version->points = rv_text_alloc(model->site_count, sizeof *version->points);
    for (uint32_t s = 0; s < model->statement_count; s++) {
        const struct rv_model_statement *statement = &model->statements[s];
        rv_links_add(&statements, statement->block, s);
        for (uint32_t i = 0; i < statement->sites.count; i++)
            version->site_statement[rv_model_item(model, statement->sites, i)] = s;
        for (uint32_t i = 0; i < statement->pointers.count; i++)
            version->points[rv_model_item(model, statement->pointers, i)] = true;
        for (uint32_t i = 0; i < statement->syncs.count; i++)
            version->sync_statement[rv_model_item(model, statement->syncs, i)] = s;
    }
    for (uint32_t i = 0; i < model->invoke_count; i++) {
        rv_links_add(&invokes, model->invokes[i].statement, i);
        rv_links_add(&invoked, model->invokes[i].function, model->invokes[i].statement);
    }
    version->statements = rv_lists_make(model->block_count, &statements);
    version->invokes = rv_lists_make(model->statement_count, &invokes);
    version->invoked = rv_lists_make(model->function_count, &invoked);
}

static void index_variables(struct rv_version *version) {
    const struct rv_model *model = version->model;
    struct rv_links readers = {0}, uses = {0};
    for (uint32_t i = 0; i < model->site_count; i++) {
        uint32_t statement = version->site_statement[i];
        rv_links_add(&uses, model->sites[i].variable, i);
        if (statement != RV_NONE && (model->sites[i].kind & RV_MODEL_READ))
            rv_links_add(&readers, model->sites[i].variable, i);
    }
    version->readers = rv_lists_make(model->variable_count, &readers);
    version->uses = rv_lists_make(model->variable_count, &uses);
}

static bool check(const struct rv_model *model, char **error) {
    if (model->block_count && !model->statement_count) *error = rv_text_copy("the model has no statements");
    for (uint32_t b = 0; b < model->block_count && !*error; b++) {
        struct rv_model_list next = model->blocks[b].successors;
        for (uint32_t i = 0; i < next.count && !*error; i++)
            if (model->blocks[rv_model_item(model, next, i)].function != model->blocks[b].function)
                *error = rv_text_format("in the model, block %u is followed by one of another function", b);
    }
    return !*error;
}

bool rv_version_open(struct rv_version *version, const struct rv_model *model, char **error) {
    *version = (struct rv_version){.model = model};
    *error = NULL;
    if (!check(model, error)) return false;
    index_blocks(version);
    index_statements(version);
    index_variables(version);
    rv_control_dependents(version);
    return true;
}

void rv_version_close(struct rv_version *version) {
    rv_lists_free(&version->blocks);
    rv_lists_free(&version->predecessors);
    rv_lists_free(&version->statements);
    rv_lists_free(&version->invokes);
    rv_lists_free(&version->invoked);
    rv_lists_free(&version->readers);
    rv_lists_free(&version->uses);
    rv_lists_free(&version->dependents);
    free(version->site_statement);
    free(version->sync_statement);
    free(version->points);
    *version = (struct rv_version){0};
}
