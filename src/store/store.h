/* What ravel knows from one command to the next, in a SQLite file (.ravel/store.db): pieces of data, each under
 *
 *     kind      what it is ("hapset"); whoever writes a kind decides its format, and versions it
 *     program   which program and build it is about (key.h), so that a program built anew starts anew
 *     name      which one of that kind, e.g. for other options
 *
 * The store does not look into the data, and does not trust the file: it may be another program's, damaged, of a later
 * ravel, or locked. That is an error with one line, and the file is as it was.
 *
 *   call                  | does                                              | may wait
 *   rv_store_open         | opens; RV_STORE_WRITE makes what is missing       | RV_STORE_PATIENCE_MS
 *   rv_store_get          | a copy of the data, or that there is none         | the same
 *   rv_store_names        | the names there are of a kind, sorted             | the same
 *   rv_store_programs     | the programs there are of a kind, sorted           | the same
 *   rv_store_begin        | nobody else writes until commit or close          | the same
 *   rv_store_put          | adds or replaces; after begin                     | no
 *   rv_store_remove       | takes one away; after begin                       | no
 *   rv_store_commit       | all puts since begin, or with false none of them  | the same
 *   rv_store_close        | without commit: no put since begin has happened   | no
 *
 * Processes may share a store. One process uses it from one thread. Errors are malloc'ed.
 */
#ifndef RV_STORE_STORE_H
#define RV_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#define RV_STORE_DEFAULT ".ravel/store.db"

enum {
    RV_STORE_SCHEMA = 1, /* of the file; an older ravel refuses a newer one */
    RV_STORE_PATIENCE_MS = 2000,
    RV_STORE_DATA_MAX = 256 << 20, /* bytes of one piece */
};

enum rv_store_mode {
    RV_STORE_READ,  /* nothing is made or changed; a file that is not there is an empty store */
    RV_STORE_WRITE, /* the file is made if missing, and its directory (not those above) */
};

struct rv_store;

struct rv_blob {
    void *data; /* malloc'ed; NULL: there is none */
    size_t size;
};

/* NULL: *error. */
struct rv_store *rv_store_open(const char *path, enum rv_store_mode mode, char **error);
void rv_store_close(struct rv_store *store);             /* NULL is fine */
const char *rv_store_path(const struct rv_store *store); /* as it was opened */

/* False: *error, and blob->data is NULL. */
bool rv_store_get(struct rv_store *store, const char *kind, const char *program, const char *name,
                  struct rv_blob *blob, char **error);
/* NULL-terminated, all malloc'ed: rv_store_names_free. NULL: *error. */
char **rv_store_names(struct rv_store *store, const char *kind, const char *program, char **error);
/* The programs that there is something of this kind about; the same. */
char **rv_store_programs(struct rv_store *store, const char *kind, char **error);
void rv_store_names_free(char **names);

bool rv_store_begin(struct rv_store *store, char **error);
bool rv_store_put(struct rv_store *store, const char *kind, const char *program, const char *name,
                  const void *data, size_t size, char **error);
/* Whether it was there does not matter. `name` NULL: all of that kind and program. */
bool rv_store_remove(struct rv_store *store, const char *kind, const char *program, const char *name,
                     char **error);
bool rv_store_commit(struct rv_store *store, char **error);

#endif
