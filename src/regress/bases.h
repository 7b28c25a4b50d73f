/* Recorded bases in the store: what `ravel record` leaves for `ravel select` and `ravel regress`. A base is the suite as it was run
 * on one version: its programs with their models, its tests with their histories (history.h). Its id is NAME@COMMIT; several of one
 * name can be there, one for each commit. Pieces, by kind, program, name:
 *
 *     regress-base    all     ID          what it is; written first (incomplete) and last (complete)
 *     regress-model   ID      number      the static model of a program, as text (model/model.h)
 *     regress-test    ID      test        its history
 *
 * The text of the first:
 *     ravel-base 1
 *     name "main"
 *     commit "5b84b58..."               "" outside git
 *     recorded 1767225600              seconds since 1970
 *     complete 1
 *     program "./app" "build-id:..." "why there is no model"
 *     test 0 "name"                    number of its program; in the order of the suite
 */
#ifndef RV_REGRESS_BASES_H
#define RV_REGRESS_BASES_H

#include "regress/history.h"
#include "store/key.h"
#include "store/store.h"

struct rv_base_program {
    char *path; /* as the suite names it */
    char key[RV_KEY_SIZE];
    char *why; /* there is no model; "": there is one */
};

struct rv_base_test {
    char *name;
    uint32_t program;
};

struct rv_base {
    char *name, *commit;
    int64_t recorded;
    bool complete;
    struct rv_base_program *programs;
    uint32_t program_count;
    struct rv_base_test *tests;
    uint32_t test_count;
};

enum { RV_BASE_MAX = 64 << 20 };

/* malloc'ed: "main@5b84b58". */
char *rv_base_id(const struct rv_base *base);
/* Whether it is "NAME", or "NAME@COMMIT" with the commit's beginning. */
bool rv_base_is_meant(const struct rv_base *base, const char *given);
char *rv_base_write(const struct rv_base *base, size_t *size);
bool rv_base_read(struct rv_base *base, const char *text, size_t size, const char *name, char **error);
void rv_base_free(struct rv_base *base);
void rv_base_add_program(struct rv_base *base, char *path, const char *key, char *why);
void rv_base_add_test(struct rv_base *base, char *name, uint32_t program);

/* All of them, the latest first; *count. NULL: *error. Those that cannot be read are left out, and *damaged counts them. */
struct rv_base *rv_bases_list(struct rv_store *store, size_t *count, size_t *damaged, char **error);
/* Each in a transaction of its own. False: *error. */
bool rv_bases_put(struct rv_store *store, const struct rv_base *base, char **error);
bool rv_bases_put_model(struct rv_store *store, const struct rv_base *base, uint32_t program,
                        const char *text, size_t size, char **error);
bool rv_bases_put_test(struct rv_store *store, const struct rv_base *base, const char *test,
                       const struct rv_trial *trial, char **error);
/* The text of a model; blob->data NULL: there is none. */
bool rv_bases_get_model(struct rv_store *store, const struct rv_base *base, uint32_t program,
                        struct rv_blob *blob, char **error);
/* *found false: it has not been recorded. */
bool rv_bases_get_test(struct rv_store *store, const struct rv_base *base, const char *test,
                       struct rv_trial *trial, bool *found, char **error);
bool rv_bases_forget(struct rv_store *store, const struct rv_base *base, char **error);

#endif
