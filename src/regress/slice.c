#include "regress/slice.h"

#include <stdlib.h>

#include "report/text.h"

void rv_slice_open(struct rv_slice *slice, const struct rv_version *version) {
    uint32_t count = version->model->statement_count;
    *slice = (struct rv_slice){.version = version,
                               .reached = rv_text_alloc(count, sizeof *slice->reached),
                               .groups = rv_text_alloc(count, sizeof *slice->groups),
                               .origin = rv_text_alloc(count, sizeof *slice->origin),
                               .queue = rv_text_alloc(count, sizeof *slice->queue),
                               .queued_already = rv_text_alloc(count, sizeof *slice->queued_already)};
    for (uint32_t i = 0; i < count; i++) slice->origin[i] = RV_NONE;
}

void rv_slice_close(struct rv_slice *slice) {
    free(slice->reached);
    free(slice->groups);
    free(slice->origin);
    free(slice->queue);
    free(slice->queued_already);
    *slice = (struct rv_slice){0};
}

/* Why something is reached. */
struct cause {
    uint32_t origin;
    rv_groups groups;
};

static void reach(struct rv_slice *slice, uint32_t statement, uint8_t how, struct cause cause) {
    bool more = (slice->reached[statement] | how) != slice->reached[statement];
    for (int way = 0; way < RV_SLICE_WAYS; way++) {
        rv_groups *groups = &slice->groups[statement][way];
        if (!(how >> way & 1) || (*groups | cause.groups) == *groups) continue;
        *groups |= cause.groups;
        more = true;
    }
    if (!more) return;
    if (!slice->reached[statement]) slice->origin[statement] = cause.origin;
    slice->reached[statement] |= how;
    if (slice->queued_already[statement]) return;
    slice->queued_already[statement] = true;
    slice->queue[slice->queued++] = statement;
}

static void reach_block(struct rv_slice *slice, uint32_t block, struct cause cause) {
    for (RV_EACH(statement, &slice->version->statements, block))
        reach(slice, *statement, RV_SLICE_DATA | RV_SLICE_CONTROL, cause);
}

static void variable(struct rv_slice *slice, uint32_t number, struct cause cause) {
    const struct rv_version *version = slice->version;
    for (RV_EACH(reader, &version->readers, number))
        reach(slice, version->site_statement[*reader],
              version->points[*reader] ? RV_SLICE_DATA | RV_SLICE_ADDRESS : RV_SLICE_DATA, cause);
}

void rv_slice_variable(struct rv_slice *slice, uint32_t number, uint32_t origin, rv_groups groups) {
    variable(slice, number, (struct cause){origin, groups});
}

static void branch(struct rv_slice *slice, uint32_t statement, struct cause cause) {
    uint32_t block = rv_statement_block(slice->version, statement);
    if (rv_last_statement(slice->version, block) != statement) return;
    for (RV_EACH(dependent, &slice->version->dependents, block)) reach_block(slice, *dependent, cause);
}

void rv_slice_branch(struct rv_slice *slice, uint32_t statement, rv_groups groups) {
    branch(slice, statement, (struct cause){statement, groups});
}

static void value(struct rv_slice *slice, uint32_t statement, struct cause cause) {
    const struct rv_model *model = slice->version->model;
    const struct rv_model_statement *at = &model->statements[statement];
    for (uint32_t i = 0; i < at->flows.count; i++)
        reach(slice, rv_model_item(model, at->flows, i), RV_SLICE_DATA, cause);
    for (uint32_t i = 0; i < at->aims.count; i++)
        reach(slice, rv_model_item(model, at->aims, i), RV_SLICE_DATA | RV_SLICE_ADDRESS, cause);
    for (uint32_t i = 0; i < at->sites.count; i++) {
        const struct rv_model_site *site = &model->sites[rv_model_item(model, at->sites, i)];
        if (site->kind & RV_MODEL_WRITE) variable(slice, site->variable, cause);
    }
    branch(slice, statement, cause);
}

static void calls(struct rv_slice *slice, uint32_t statement, struct cause cause) {
    const struct rv_version *version = slice->version;
    for (RV_EACH(invoke, &version->invokes, statement))
        for (RV_EACH(block, &version->blocks, version->model->invokes[*invoke].function))
            reach_block(slice, *block, cause);
}

void rv_slice_value(struct rv_slice *slice, uint32_t statement, uint8_t how, rv_groups groups) {
    struct cause cause = {statement, groups};
    value(slice, statement, cause);
    if (how & RV_SLICE_CONTROL) calls(slice, statement, cause);
}

void rv_slice_run(struct rv_slice *slice) {
    while (slice->queued > 0) {
        uint32_t statement = slice->queue[--slice->queued], origin = slice->origin[statement];
        struct cause any = {origin, rv_slice_any(slice, statement)},
                     control = {origin, slice->groups[statement][1]};
        slice->queued_already[statement] = false;
        value(slice, statement, any);
        if (slice->reached[statement] & RV_SLICE_CONTROL) calls(slice, statement, control);
    }
}
