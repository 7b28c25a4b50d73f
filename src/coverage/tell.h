/* Coverage for people and for machines. Names come from the program: whoever prints them makes them harmless. */
#ifndef RV_COVERAGE_TELL_H
#define RV_COVERAGE_TELL_H

#include <jansson.h>
#include <stdio.h>

#include "coverage/figures.h"
#include "report/failure.h"

/* What is not in the data. */
struct rv_cover_about {
    const char *program;
    const char *model;    /* where the sites come from: a model's name; NULL: only what was executed */
    const char *no_model; /* why there is none; NULL: nobody asked */
    const struct rv_hapsets *hapsets; /* NULL: there are none */
    const char *directory;            /* where the program's sources are named from; for the page */
};

enum rv_cover_json_size {
    RV_COVER_JSON_SHORT, /* of `ravel run`: the figures */
    RV_COVER_JSON_LONG,  /* of `ravel cover`: variables, targets, functions, runs */
};

void rv_cover_print(const struct rv_cover_data *data, const struct rv_cover_about *about, FILE *out,
                    const struct rv_print_options *options);
/* A new reference. */
json_t *rv_cover_json(const struct rv_cover_data *data, enum rv_cover_json_size size);
json_t *rv_cover_json_about(const struct rv_cover_data *data, const struct rv_cover_about *about);
/* One page that needs nothing else; malloc'ed. */
char *rv_cover_html(const struct rv_cover_data *data, const struct rv_cover_about *about);

/* "deposit() bank.c:12"; malloc'ed. */
char *rv_cover_place(const struct rv_cover_data *data, uint32_t statement);
/* "3  a:W(x) b:W(x)  x = balance  deposit() bank.c:12, withdraw() bank.c:20"; malloc'ed. */
char *rv_cover_describe(const struct rv_cover_data *data, const struct rv_instance *instance);
/* Predecessors after 2^i executions into growth[]; how many i there are. */
unsigned rv_cover_hapset_growth(const struct rv_hapsets *sets, uint32_t growth[RV_COVER_GROWTH]);

#endif
