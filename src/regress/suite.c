#include "regress/suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/toml.h"
#include "report/text.h"
#include "report/whole_file.h"

struct reader {
    struct rv_test_suite *suite;
    const char *file;
    char *error;
};

static bool fail(struct reader *reader, unsigned line, unsigned column, char *what) {
    if (!reader->error) reader->error = rv_text_format("%s:%u:%u: %s", reader->file, line, column, what);
    free(what);
    return false;
}

static bool fail_value(struct reader *reader, const struct rv_toml *value, const char *expected) {
    return fail(reader, value->line, value->column,
                rv_text_format("expected %s for \"%s\", not %s", expected, value->key ? value->key : "this",
                               rv_toml_type_names[value->type]));
}

/* Keys that nobody knows are misspelt. */
static bool check_keys(struct reader *reader, const struct rv_toml *table, const char *const *known) {
    for (const struct rv_toml *member = table->first; member; member = member->next) {
        struct rv_suggestion near = {.typed = member->key};
        bool found = false;
        for (const char *const *key = known; *key; key++) {
            found |= strcmp(*key, member->key) == 0;
            rv_suggest_offer(&near, *key);
        }
        char *harmless = rv_text_harmless(member->key, true);
        if (!found)
            fail(reader, member->key_line, member->key_column,
                 near.best ? rv_text_format("unknown key \"%s\" (did you mean \"%s\"?)", harmless, near.best)
                           : rv_text_format("unknown key \"%s\"", harmless));
        free(harmless);
        if (!found) return false;
    }
    return true;
}

/* Of a key that need not be there: true and *text stays if it is not. */
static bool take_text(struct reader *reader, const struct rv_toml *table, const char *key,
                      const char **text) {
    const struct rv_toml *value = rv_toml_get(table, key);
    if (!value) return true;
    if (value->type != RV_TOML_STRING || !*value->string) return fail_value(reader, value, "a text");
    *text = value->string;
    return true;
}

static char *path_in(const char *directory, const char *path) {
    if (path[0] == '/' || !strchr(path, '/') || strcmp(directory, ".") == 0) return rv_text_copy(path);
    while (strncmp(path, "./", 2) == 0) path += 2;
    return rv_text_format("%s/%s", directory, path);
}

static char *file_in(const char *directory, const char *path) {
    if (path[0] == '/' || strcmp(directory, ".") == 0) return rv_text_copy(path);
    return rv_text_format("%s/%s", directory, path);
}

/* --- tests of their own --- */

static bool take_args(struct reader *reader, const struct rv_toml *table, struct rv_suite_test *test) {
    const struct rv_toml *args = rv_toml_get(table, "args");
    if (!args) return true;
    if (args->type != RV_TOML_ARRAY) return fail_value(reader, args, "an array of texts");
    free(test->args);
    test->args = rv_text_alloc(args->count + 1, sizeof *test->args);
    size_t count = 0;
    for (const struct rv_toml *arg = args->first; arg; arg = arg->next) {
        if (arg->type != RV_TOML_STRING) return fail_value(reader, arg, "a text");
        test->args[count++] = rv_text_copy(arg->string);
    }
    return true;
}

static bool take_env(struct reader *reader, const struct rv_toml *table, struct rv_suite_test *test) {
    const struct rv_toml *env = rv_toml_get(table, "env");
    if (!env) return true;
    if (env->type != RV_TOML_TABLE) return fail_value(reader, env, "a table of texts");
    test->env = rv_text_alloc(env->count + 1, sizeof *test->env);
    size_t count = 0;
    for (const struct rv_toml *one = env->first; one; one = one->next) {
        if (one->type != RV_TOML_STRING) return fail_value(reader, one, "a text");
        if (!*one->key || strchr(one->key, '='))
            return fail(reader, one->key_line, one->key_column,
                        rv_text_copy("expected the name of a variable"));
        test->env[count++] = rv_text_format("%s=%s", one->key, one->string);
    }
    return true;
}

static bool take_test(struct reader *reader, const struct rv_toml *table, const struct rv_suite_test *base) {
    static const char *const known[] = {"name", "args", "stdin", "env", "program", "timeout", NULL};
    if (table->type != RV_TOML_TABLE) return fail_value(reader, table, "a table { name, args, stdin, env }");
    struct rv_suite_test test = rv_suite_test_like(base);
    const char *name = NULL, *input = NULL, *program = NULL, *why = NULL;
    const struct rv_toml *timeout = rv_toml_get(table, "timeout");
    bool good = check_keys(reader, table, known) && take_text(reader, table, "name", &name) &&
                take_text(reader, table, "stdin", &input) && take_text(reader, table, "program", &program) &&
                take_args(reader, table, &test) && take_env(reader, table, &test);
    if (name) test.name = rv_text_copy(name);
    if (input) test.input = file_in(reader->suite->directory, input);
    if (program) rv_text_set(&test.program, path_in(reader->suite->directory, program));
    if (good && timeout && !(timeout->number > 0)) good = fail_value(reader, timeout, "a number of seconds");
    if (timeout) test.timeout = timeout->number;
    if (good && !test.program)
        good = fail(reader, table->line, table->column, rv_text_copy("expected a program for this test"));
    if (good && !rv_suite_add(reader->suite, &test, &why))
        good = fail(reader, table->line, table->column, rv_text_format("%s: \"%s\"", why, test.name));
    if (!good) rv_suite_test_free(&test);
    return good;
}

static bool take_tests(struct reader *reader, const struct rv_toml *tests, const struct rv_suite_test *base) {
    if (tests->type != RV_TOML_ARRAY) return fail_value(reader, tests, "an array of tables");
    for (const struct rv_toml *test = tests->first; test; test = test->next)
        if (!take_test(reader, test, base)) return false;
    return true;
}

/* --- the file --- */

static bool take_cases(struct reader *reader, const char *path, const struct rv_suite_test *base) {
    char *file = file_in(reader->suite->directory, path);
    size_t size = 0;
    char *text = rv_whole_file(file, RV_SUITE_TEXT, "file of tests", &size, &reader->error);
    bool good = text && rv_suite_add_cases(reader->suite, text, size, file, base, &reader->error);
    free(text);
    free(file);
    return good;
}

static bool take_ctest(struct reader *reader, const char *path, const struct rv_suite_test *base) {
    char *build = file_in(reader->suite->directory, path);
    bool good = rv_suite_add_ctest(reader->suite, build, base, &reader->error);
    free(build);
    return good;
}

static bool take_suite(struct reader *reader, const struct rv_toml *table) {
    static const char *const known[] = {"program", "cases", "tests", "ctest", "timeout", "directory", NULL};
    const char *program = NULL, *cases = NULL, *ctest = NULL, *directory = NULL;
    const struct rv_toml *tests = rv_toml_get(table, "tests"), *timeout = rv_toml_get(table, "timeout");
    if (!check_keys(reader, table, known) || !take_text(reader, table, "program", &program) ||
        !take_text(reader, table, "cases", &cases) || !take_text(reader, table, "ctest", &ctest) ||
        !take_text(reader, table, "directory", &directory))
        return false;
    if ((cases != NULL) + (ctest != NULL) + (tests != NULL) != 1)
        return fail(reader, table->line, table->column,
                    rv_text_copy("expected one of cases, tests, ctest in [suite]"));
    if (timeout && !(timeout->number > 0)) return fail_value(reader, timeout, "a number of seconds");
    if (cases && !program)
        return fail(reader, table->line, table->column,
                    rv_text_copy("expected program in [suite], which runs the cases"));
    struct rv_suite_test base = {.program = program ? path_in(reader->suite->directory, program) : NULL,
                                 .directory = file_in(reader->suite->directory, directory ? directory : "."),
                                 .timeout = timeout ? timeout->number : RV_SUITE_TIMEOUT};
    if (!directory) rv_text_set(&base.directory, rv_text_copy(reader->suite->directory));
    bool good = cases   ? take_cases(reader, cases, &base)
                : ctest ? take_ctest(reader, ctest, &base)
                        : take_tests(reader, tests, &base);
    rv_suite_test_free(&base);
    if (good && reader->suite->count == 0)
        return fail(reader, table->line, table->column, rv_text_copy("there is no test in this suite"));
    return good;
}

static bool take_root(struct reader *reader, const struct rv_toml *root) {
    const struct rv_toml *table = rv_toml_get(root, "suite");
    if (!table) return fail(reader, 1, 1, rv_text_copy("expected a table [suite]"));
    if (table->type != RV_TOML_TABLE) return fail_value(reader, table, "a table");
    return take_suite(reader, table);
}

static char *directory_of(const char *file) {
    const char *slash = strrchr(file, '/');
    if (!slash) return rv_text_copy(".");
    return slash == file ? rv_text_copy("/") : rv_text_copy_n(file, (size_t)(slash - file));
}

bool rv_test_suite_parse(struct rv_test_suite *suite, const char *text, size_t size, const char *file,
                         const char *directory, char **error) {
    struct reader reader = {.suite = suite, .file = file};
    struct rv_toml_error wrong;
    struct rv_arena arena;
    void *memory = rv_text_alloc(RV_TOML_ROOM(size), 1);
    *suite = (struct rv_test_suite){.file = rv_text_copy(file),
                                    .directory = directory ? rv_text_copy(directory) : directory_of(file)};
    rv_arena_init(&arena, memory, RV_TOML_ROOM(size));
    const struct rv_toml *root = rv_toml_parse(&arena, text, size, &wrong);
    bool good = root ? take_root(&reader, root)
                     : fail(&reader, wrong.line, wrong.column, rv_text_harmless(wrong.message, true));
    free(memory);
    if (good) return true;
    rv_test_suite_free(suite);
    *error = reader.error;
    return false;
}

bool rv_test_suite_read(struct rv_test_suite *suite, const char *file, const char *directory, char **error) {
    size_t size = 0;
    *suite = (struct rv_test_suite){0};
    char *text = rv_whole_file(file, RV_SUITE_TEXT, "suite", &size, error);
    bool good = text && rv_test_suite_parse(suite, text, size, file, directory, error);
    free(text);
    return good;
}

/* --- tests --- */

static void free_texts(char **texts) {
    for (char **text = texts; text && *text; text++) free(*text);
    free(texts);
}

void rv_suite_test_free(struct rv_suite_test *test) {
    free(test->name);
    free(test->program);
    free_texts(test->args);
    free_texts(test->env);
    free(test->input);
    free(test->directory);
    *test = (struct rv_suite_test){0};
}

void rv_test_suite_free(struct rv_test_suite *suite) {
    for (size_t i = 0; i < suite->count; i++) rv_suite_test_free(&suite->tests[i]);
    free(suite->tests);
    free(suite->file);
    free(suite->directory);
    *suite = (struct rv_test_suite){0};
}

struct rv_suite_test rv_suite_test_like(const struct rv_suite_test *base) {
    return (struct rv_suite_test){.program = base->program ? rv_text_copy(base->program) : NULL,
                                  .args = rv_text_alloc(1, sizeof(char *)),
                                  .directory = rv_text_copy(base->directory),
                                  .timeout = base->timeout};
}

static bool is_named(const struct rv_test_suite *suite, const char *name) {
    for (size_t i = 0; i < suite->count; i++)
        if (strcmp(suite->tests[i].name, name) == 0) return true;
    return false;
}

bool rv_suite_add(struct rv_test_suite *suite, struct rv_suite_test *test, const char **why) {
    if (!test->name) test->name = rv_text_format("%zu", suite->count + 1);
    *why = suite->count == RV_SUITE_TESTS ? "too many tests"
           : is_named(suite, test->name)  ? "a second test of this name"
                                          : NULL;
    if (*why) return false;
    if ((suite->count & (suite->count + 1)) == 0)
        suite->tests = rv_text_realloc(suite->tests, suite->count * 2 + 2, sizeof *suite->tests);
    suite->tests[suite->count++] = *test;
    *test = (struct rv_suite_test){0};
    return true;
}
