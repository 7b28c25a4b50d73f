/* Coverage between campaigns: in the store, under the program's key. A campaign adds its own to what is there when it ends,
 * in one transaction, for another one may have done so meanwhile.
 */
#ifndef RV_COVERAGE_SHELF_H
#define RV_COVERAGE_SHELF_H

#include "coverage/data.h"
#include "store/key.h"
#include "store/store.h"

#define RV_COVER_KIND "coverage" /* in the store */
#define RV_COVER_NAME "patterns"

struct rv_cover_shelf {
    char *store; /* its path */
    char key[RV_KEY_SIZE];
    char *directory;           /* where ravel runs: files below it are named relative to it */
    struct rv_cover_data data; /* what this campaign has covered */
    struct rv_cover_data all;  /* after rv_cover_shelf_save: with all that was covered before */
};

/* `program`: its file. Reads nothing. */
void rv_cover_shelf_open(struct rv_cover_shelf *shelf, const char *store, const char *program);
/* Adds shelf->data, with `run` (before, after, pairs are filled in). False: *error; the store is as it was, shelf->all is
 * shelf->data. */
bool rv_cover_shelf_save(struct rv_cover_shelf *shelf, struct rv_cover_run *run, char **error);
/* What the store has; empty if there is nothing. False: *error. */
bool rv_cover_shelf_read(struct rv_store *store, const char *key, struct rv_cover_data *data, char **error);
void rv_cover_shelf_close(struct rv_cover_shelf *shelf);

#endif
