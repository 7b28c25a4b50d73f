/* A model for people and for programs. */
#ifndef RV_MODEL_REPORT_H
#define RV_MODEL_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "model/model.h"

/* `all`: also variables that only one thread accesses. */
void rv_model_print(const struct rv_model *model, FILE *output, bool all);
/* The caller's reference. */
json_t *rv_model_json(const struct rv_model *model);

#endif
