/* The harness: a C program for one module, compiled once, that does what a case (base/cases.h) says. */
#ifndef RV_GENERATE_HARNESS_H
#define RV_GENERATE_HARNESS_H

#include "generate/api.h"

enum {
    RV_POINTERS = 8,
    RV_MOST_ROOM = 256,
    RV_CALLBACKS = 2
}; /* addresses to pass on; of a buffer; of each type */

/* The program's text; malloc'ed. `header`: absolute path. *hash tells harnesses apart. */
char *rv_harness_text(const struct rv_api *api, const char *header, uint64_t *hash);

struct rv_build {
    const char *ravel;    /* the program that `ravel cc` is */
    char *const *sources; /* NULL-terminated */
    char *const *flags;   /* NULL-terminated */
    const char *include;  /* directory of the header */
    const char *log;      /* file for what the compiler says */
};
/* False: *error has what the compiler said. */
bool rv_harness_build(const struct rv_build *build, const char *text_file, const char *program, char **error);

/* What the callback with this number is called in the text; malloc'ed. */
char *rv_harness_callback(uint32_t type, uint32_t number);
/* Text of the callbacks and of nothing else; `object`: C expression for an object to call into. */
void rv_harness_callbacks(const struct rv_api *api, const char *object,
                          bool (*wanted)(void *, uint32_t, uint32_t), void *user, void *text);

#endif
