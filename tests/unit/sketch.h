/* A program in a few lines, as a static model: for tests of src/regress.
 *
 *     function clear                 starts a function; "function clear in map.c" its file
 *     block c1 -> 1:c2 0:c3          a block and where it leads to; the first one of a function is its entry
 *     tab = table  r:table           a statement: what it does, then what it means:
 *                                      r:VAR w:VAR u:VAR, ra:VAR (atomic), rv:VAR (volatile), and so on    its sites
 *                                      p:VAR: a read of what an address in the statement depends on
 *                                      lock:M unlock:M wait:C signal:C sem_wait:S ...                      synchronisation
 *                                      call:F start:F                                                      calls
 *                                      =NAME flow:NAME aim:NAME it has a name; what it computes goes to the statement of a name,
 *                                                               into an address there
 *                                      $NAME                                                               a local
 *     variable x private             no thread shares it (others are shared)
 *     initial x 5                    what a global begins with
 *     thread worker many             may be executed by several threads; without "thread" nothing is known
 *
 * The words before the annotations, and they themselves but for =NAME, flow: and aim:, are what counts as its content. A line
 * that is empty or begins with # moves the line numbers on. */
#ifndef RV_TESTS_SKETCH_H
#define RV_TESTS_SKETCH_H

#include "regress/version.h"

struct sketch {
    char *text; /* of the model */
    struct rv_model *model;
    struct rv_version version;
};

void sketch_make(struct sketch *sketch, const char *source);
void sketch_free(struct sketch *sketch);
/* The number of the block, or of the statement =NAME, with this name. */
uint32_t sketch_block(const struct sketch *sketch, const char *name);
/* The n-th site (from 0) in the line of the sketch with this text in it. */
uint32_t sketch_site(const char *source, const struct sketch *sketch, const char *line, unsigned n);

#endif
