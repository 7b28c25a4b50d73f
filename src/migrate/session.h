/* One `ravel migrate`, from the request to what was found; what is done with it is the command's (cli/cmd_migrate.c). */
#ifndef RV_MIGRATE_SESSION_H
#define RV_MIGRATE_SESSION_H

#include "migrate/infer.h"

struct rv_migrate_request {
    const char *file;
    char *const *command; /* NULL-terminated */
    uint32_t runs;
    double scale, confidence, limit;
    const char *test;             /* NULL: all */
    const char *compile_commands; /* NULL: `command` compiles with ravel cc, too, and says how */
    const char *ravel;            /* path of this program */
};

/* What was found out about one test. */
struct rv_test_found {
    uint32_t function;
    struct rv_inference inference;
    char *schedule; /* "": nothing to order */
    char *skipped;  /* why it is not rewritten; NULL */
    bool *passed;   /* places */
};

struct rv_migration {
    struct rv_migrate_request request;
    struct rv_source source;
    struct rv_test_found *tests;
    uint32_t test_count;
    uint32_t runs;                  /* that passed */
    char *program;                  /* of the tests */
    char *directory;                /* temporary */
    char *file;                     /* real path */
    char *shown;                    /* as the compiler was told */
    bool touched;                   /* the file looks changed, and has not been */
    bool instrumented;              /* the build has the copy in it */
    long long seconds, nanoseconds; /* when the file was changed last, before us */
};

enum rv_migrate_end { RV_MIGRATE_FINE, RV_MIGRATE_WRONG, RV_MIGRATE_BROKEN };

/* WRONG: the request; BROKEN: it could not be done; *message (malloc'ed) is one line for both. */
enum rv_migrate_end rv_migration_run(struct rv_migration *migration, const struct rv_migrate_request *request,
                                     char **message);
/* Builds once more without the copy, if it was built with it, and lets the file look as old as it was; if that fails, as new, so that
 * the next build does not keep the copy. `changed`: the file has another text now, and keeps
 * its new time. False: the build failed; *message. Nothing to do is fine. */
bool rv_migration_rebuild(struct rv_migration *migration, bool changed, char **message);
void rv_migration_free(struct rv_migration *migration);

#endif
