/* A suite: the tests that are recorded and selected, each a command line. It is declared in a TOML file (ravel.toml):
 *
 *     [suite]
 *     program = "./app"                    what runs a test
 *     cases = "tests.txt"                  a file: one line, the arguments of one test; "name: arguments" names it; # comments
 *     tests = [ { name = "put", args = ["--put", "3"], stdin = "put.in", env = { MODE = "fast" }, program = "./other" } ]
 *     ctest = "build"                      or: what CTest knows of this build directory
 *     timeout = 10                         seconds for one test
 *
 * One of cases, tests, ctest. Paths are relative to the file. Arguments in a line are as in a shell: separated by blanks, with '...',
 * "..." and \ to keep them together. A test without a name has its number, from 1. Names are unique. */
#ifndef RV_REGRESS_SUITE_H
#define RV_REGRESS_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#define RV_SUITE_FILE "ravel.toml"

struct rv_suite_test {
    char *name;
    char *program;   /* a path, or a command in PATH */
    char **args;     /* NULL-terminated, without argv[0] */
    char **env;      /* NULL-terminated "NAME=value"; NULL: none */
    char *input;     /* file for standard input; NULL: none */
    char *directory; /* where it runs */
    double timeout;
};

struct rv_test_suite {
    char *file;      /* as given */
    char *directory; /* of the file: "." or a path */
    struct rv_suite_test *tests;
    size_t count;
};

enum { RV_SUITE_TESTS = 20000, RV_SUITE_TEXT = 4 << 20 };
#define RV_SUITE_TIMEOUT 10.0

/* False: *error (malloc'ed) is one line that says where and what was expected. `directory`: paths are relative to it in place of
 * the file's directory; NULL. */
bool rv_test_suite_read(struct rv_test_suite *suite, const char *file, const char *directory, char **error);
/* The same from a text, without its `cases` and `ctest`; for tests. */
bool rv_test_suite_parse(struct rv_test_suite *suite, const char *text, size_t size, const char *file,
                         const char *directory, char **error);
void rv_test_suite_free(struct rv_test_suite *suite);

/* Parts, each adding tests; `base` has what they have in common (program, directory, timeout). */
bool rv_suite_add_cases(struct rv_test_suite *suite, const char *text, size_t size, const char *name,
                        const struct rv_suite_test *base, char **error);
bool rv_suite_add_ctest(struct rv_test_suite *suite, const char *build, const struct rv_suite_test *base,
                        char **error);
bool rv_suite_add_ctest_json(struct rv_test_suite *suite, const char *text, size_t size,
                             const struct rv_suite_test *base, char **error);
/* Takes the test over. False: there are too many, or two of that name: *why, nothing to free. */
bool rv_suite_add(struct rv_test_suite *suite, struct rv_suite_test *test, const char **why);
void rv_suite_test_free(struct rv_suite_test *test);
struct rv_suite_test rv_suite_test_like(const struct rv_suite_test *base);

#endif
