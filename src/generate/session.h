/* The way of `ravel generate`: the header is read, the harness built, tests hunted, and each bug settled: made small, shown again
 * in a fresh process, saved as a failure that `ravel replay` knows, and written as a test to keep. */
#ifndef RV_GENERATE_SESSION_H
#define RV_GENERATE_SESSION_H

#include <stdio.h>

#include "generate/pattern.h"
#include "report/failure.h"
#include "supervisor/vault.h"

struct rv_generate_request {
    const char *ravel; /* this program: compiles, and runs tests */
    const char *header, *type, *engine, *spec, *out;
    char *const *sources, *const *flags; /* NULL-terminated */
    double time;                         /* seconds; 0: no limit */
    uint64_t tests, seed;                /* most tests; 0: no limit */
    bool keep_going;
    FILE *progress; /* where its line goes; NULL: none */
    unsigned width; /* columns of that */
    struct rv_config config;
};

/* A bug that a fresh process has shown, too. */
struct rv_settled {
    struct rv_bug bug;
    struct rv_failure failure; /* failure.file: the .ravel file */
    struct rv_bug_pattern pattern;
    char *case_file, *test_file;
    bool test_reproduces; /* test_file was built and run by `ravel test`, and failed in the same way */
};

enum rv_generate_end { RV_GENERATED, RV_GENERATE_WRONG /* the request */, RV_GENERATE_BROKEN };

struct rv_generated {
    struct rv_api api;
    struct rv_settled *bugs;
    uint32_t bug_count;
    struct rv_settled *races; /* data races: told apart */
    uint32_t race_count;
    uint64_t tests, executions, useless, misuse, unknown, unconfirmed;
    uint64_t pairs, pairs_covered; /* of methods */
    struct rv_cover_data coverage;
    double seconds;
    bool interrupted;
};

/* *message: why not; owned by the caller. The result is to be freed in any case. */
enum rv_generate_end rv_generate_run(struct rv_generated *result, const struct rv_generate_request *request,
                                     char **message);
void rv_generated_free(struct rv_generated *result);

/* tell.c: for people, and the contract's JSON object. */
void rv_generated_print(const struct rv_generated *result, FILE *out, const struct rv_print_options *options);
json_t *rv_generated_json(const struct rv_generated *result);

#endif
