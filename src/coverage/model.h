/* What there is to cover, by the static model: also statements and variables that no execution has come to. */
#ifndef RV_COVERAGE_MODEL_H
#define RV_COVERAGE_MODEL_H

#include "coverage/data.h"
#include "model/model.h"

/* Adds the sites of all variables that the model calls shared, under the names that the data has for them where they were
 * seen (a variable of the model is the one that was used at most of its sites), else under the model's. What is known of a
 * use from executions stays; others get the locks that the model is sure of, and any epoch. */
void rv_cover_add_model(struct rv_cover_data *data, const struct rv_model *model);

#endif
