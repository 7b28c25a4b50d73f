/* Code that is in a program and not in its model: objects and archives that were not built with ravel cc. What changes there,
 * a comparison of models does not see. */
#ifndef RV_REGRESS_UNMODELLED_H
#define RV_REGRESS_UNMODELLED_H

#include "model/model.h"

/* The name of a function that the program defines and the model does not have, malloc'ed; NULL: there is none, or the file does
 * not tell (stripped). What compilers and the C library add does not count, nor what C++ names. */
char *rv_unmodelled_function(const char *path, const struct rv_model *model);

#endif
