/* One version of a program as the comparison sees it: the static model (model/model.h), and what is where in it.
 *
 * A *statement* is what a block does of one line of the source; it is the smallest thing that is compared. Numbers of blocks,
 * statements, sites and so on are those of the model. */
#ifndef RV_REGRESS_VERSION_H
#define RV_REGRESS_VERSION_H

#include "model/model.h"
#include "regress/lists.h"

struct rv_version {
    const struct rv_model *model; /* borrowed */
    struct rv_lists blocks;       /* of a function, its entry first; none: only declared */
    struct rv_lists predecessors; /* of a block */
    struct rv_lists statements;   /* of a block, in order */
    struct rv_lists invokes;      /* of a statement: numbers of rv_model_invoke */
    struct rv_lists invoked;      /* of a function: statements that call it or start threads with it */
    struct rv_lists readers;      /* of a variable: sites that read it */
    struct rv_lists uses;         /* of a variable: its sites */
    struct rv_lists dependents;   /* of a block: those whose execution its branch decides */
    uint32_t *site_statement;     /* of a site; RV_NONE: in none */
    uint32_t *sync_statement;
    bool *points; /* of a site: an address in its statement depends on what it reads */
};

/* False: the model is not sound (an edge from one function to another), or has no statements: *error (malloc'ed) says so, and
 * there is nothing to close. */
bool rv_version_open(struct rv_version *version, const struct rv_model *model, char **error);
void rv_version_close(struct rv_version *version);

static inline uint32_t rv_statement_block(const struct rv_version *version, uint32_t statement) {
    return version->model->statements[statement].block;
}
static inline uint32_t rv_block_function(const struct rv_version *version, uint32_t block) {
    return version->model->blocks[block].function;
}
static inline uint32_t rv_statement_function(const struct rv_version *version, uint32_t statement) {
    return rv_block_function(version, rv_statement_block(version, statement));
}
/* A list of the model's own: for (uint32_t i = 0; i < list.count; i++) rv_model_item(model, list, i) */
static inline uint32_t rv_model_item(const struct rv_model *model, struct rv_model_list list, uint32_t i) {
    return model->numbers[list.first + i];
}
/* The last statement of a block, where its branch is; RV_NONE: it has none. */
uint32_t rv_last_statement(const struct rv_version *version, uint32_t block);
/* "file.c" of a statement's function, "" if it is unknown. */
const char *rv_function_file(const struct rv_model *model, uint32_t function);

#endif
