/* The static model of a program that is built with ravel cc: asked of ravel-model, which is a program of its own. */
#ifndef RV_REGRESS_MODELLING_H
#define RV_REGRESS_MODELLING_H

#include <stddef.h>

/* The model's text, malloc'ed; NULL: *error says why there is none. */
char *rv_model_of_program(const char *path, size_t *size, char **error);

#endif
