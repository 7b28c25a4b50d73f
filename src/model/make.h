/* Making a model: the program ravel-model (src/modeller), run. */
#ifndef RV_MODEL_MAKE_H
#define RV_MODEL_MAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

/* The model of what these files (programs, libraries, objects, bitcode; `count` of them) are together, as text (malloc'ed). `tool` is
 * the path of ravel-model. NULL: *error (malloc'ed) is one line; *wrong says whether the files were to blame. */
char *rv_model_make_text(const char *tool, char *const *files, size_t count, size_t *size, bool *wrong,
                         char **error);
/* The same, read. */
struct rv_model *rv_model_make(const char *tool, char *const *files, size_t count, bool *wrong, char **error);

#endif
