#include "regress/slice.h"

#include <stdlib.h>

#include "report/text.h"

void rv_slice_open(struct rv_slice *slice, const struct rv_version *version) {
    uint32_t count = version->model->statement_count;
    *slice = (struct rv_slice){.version = version,
                               .reached = rv_text_alloc(count, sizeof *slice->reached),
                               .origin = rv_text_alloc(count, sizeof *slice->origin),
                               .queue = rv_text_alloc(count, sizeof *slice->queue),
                               .queued_already = rv_text_alloc(count, sizeof *slice->queued_already)};
    for (uint32_t i = 0; i < count; i++) slice->origin[i] = RV_NONE;
}

void rv_slice_close(struct rv_slice *slice) {
    free(slice->reached);
    free(slice->origin);
    free(slice->queue);
    free(slice->queued_already);
    *slice = (struct rv_slice){0};
}

static void reach(struct rv_slice *slice, uint32_t statement, uint8_t how, uint32_t origin) {
    if ((slice->reached[statement] | how) == slice->reached[statement]) return;
    if (!slice->reached[statement]) slice->origin[statement] = origin;
    slice->reached[statement] |= how;
    if (slice->queued_already[statement]) return;
    slice->queued_already[statement] = true;
    slice->queue[slice->queued++] = statement;
}

static void reach_block(struct rv_slice *slice, uint32_t block, uint32_t origin) {
    for (RV_EACH(statement, &slice->version->statements, block))
        reach(slice, *statement, RV_SLICE_DATA | RV_SLICE_CONTROL, origin);
}

void rv_slice_variable(struct rv_slice *slice, uint32_t variable, uint32_t origin) {
    const struct rv_version *version = slice->version;
    for (RV_EACH(reader, &version->readers, variable))
        reach(slice, version->site_statement[*reader],
              version->points[*reader] ? RV_SLICE_DATA | RV_SLICE_ADDRESS : RV_SLICE_DATA, origin);
}

static void branch(struct rv_slice *slice, uint32_t statement, uint32_t origin) {
    uint32_t block = rv_statement_block(slice->version, statement);
    if (rv_last_statement(slice->version, block) != statement) return;
    for (RV_EACH(dependent, &slice->version->dependents, block)) reach_block(slice, *dependent, origin);
}

void rv_slice_branch(struct rv_slice *slice, uint32_t statement) { branch(slice, statement, statement); }

static void value(struct rv_slice *slice, uint32_t statement, uint32_t origin) {
    const struct rv_model *model = slice->version->model;
    const struct rv_model_statement *at = &model->statements[statement];
    for (uint32_t i = 0; i < at->flows.count; i++)
        reach(slice, rv_model_item(model, at->flows, i), RV_SLICE_DATA, origin);
    for (uint32_t i = 0; i < at->aims.count; i++)
        reach(slice, rv_model_item(model, at->aims, i), RV_SLICE_DATA | RV_SLICE_ADDRESS, origin);
    for (uint32_t i = 0; i < at->sites.count; i++) {
        const struct rv_model_site *site = &model->sites[rv_model_item(model, at->sites, i)];
        if (site->kind & RV_MODEL_WRITE) rv_slice_variable(slice, site->variable, origin);
    }
    branch(slice, statement, origin);
}

static void calls(struct rv_slice *slice, uint32_t statement, uint32_t origin) {
    const struct rv_version *version = slice->version;
    for (RV_EACH(invoke, &version->invokes, statement))
        for (RV_EACH(block, &version->blocks, version->model->invokes[*invoke].function))
            reach_block(slice, *block, origin);
}

void rv_slice_value(struct rv_slice *slice, uint32_t statement, uint8_t how) {
    value(slice, statement, statement);
    if (how & RV_SLICE_CONTROL) calls(slice, statement, statement);
}

void rv_slice_run(struct rv_slice *slice) {
    while (slice->queued > 0) {
        uint32_t statement = slice->queue[--slice->queued], origin = slice->origin[statement];
        slice->queued_already[statement] = false;
        value(slice, statement, origin);
        if (slice->reached[statement] & RV_SLICE_CONTROL) calls(slice, statement, origin);
    }
}
