/* The tests that CTest knows of a build directory (ctest --show-only=json-v1). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "regress/command.h"
#include "regress/suite.h"
#include "report/text.h"

enum { OUTPUT_MAX = 64 << 20 };

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text && *text ? text : NULL;
}

static char **texts_of(const json_t *array, size_t from) {
    size_t count = 0, size = json_array_size(array);
    char **texts = rv_text_alloc(size + 1, sizeof *texts);
    for (size_t i = from; i < size; i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (text) texts[count++] = rv_text_copy(text);
    }
    return texts;
}

/* False: it is a test that cannot be run (disabled). */
static bool take_properties(const json_t *properties, struct rv_suite_test *test) {
    bool enabled = true;
    for (size_t i = 0; i < json_array_size(properties); i++) {
        const json_t *property = json_array_get(properties, i), *value = json_object_get(property, "value");
        const char *name = text_of(property, "name");
        if (!name) continue;
        if (strcmp(name, "WORKING_DIRECTORY") == 0 && json_is_string(value))
            rv_text_set(&test->directory, rv_text_copy(json_string_value(value)));
        if (strcmp(name, "TIMEOUT") == 0 && json_number_value(value) > 0)
            test->timeout = json_number_value(value);
        if (strcmp(name, "DISABLED") == 0 && json_is_true(value)) enabled = false;
        if (strcmp(name, "ENVIRONMENT") == 0 && json_is_array(value) && !test->env)
            test->env = texts_of(value, 0);
    }
    return enabled;
}

/* A test whose program was not built has no command. */
static bool take_test(struct rv_test_suite *suite, const json_t *object, const struct rv_suite_test *base,
                      char **error) {
    const json_t *command = json_object_get(object, "command");
    const char *name = text_of(object, "name"), *program = json_string_value(json_array_get(command, 0)),
               *why;
    if (!name || !program) return true;
    struct rv_suite_test test = rv_suite_test_like(base);
    free(test.args);
    test.name = rv_text_copy(name);
    test.args = texts_of(command, 1);
    rv_text_set(&test.program, rv_text_copy(program));
    bool enabled = take_properties(json_object_get(object, "properties"), &test);
    bool good = !enabled || rv_suite_add(suite, &test, &why);
    if (!good) {
        char *harmless = rv_text_harmless(name, true);
        *error = rv_text_format("CTest: %s: \"%s\"", why, harmless);
        free(harmless);
    }
    rv_suite_test_free(&test);
    return good;
}

bool rv_suite_add_ctest_json(struct rv_test_suite *suite, const char *text, size_t size,
                             const struct rv_suite_test *base, char **error) {
    json_error_t wrong;
    json_t *root = json_loadb(text, size, 0, &wrong);
    if (!root) {
        *error =
            rv_text_format("CTest: line %d, column %d of its list: %s", wrong.line, wrong.column, wrong.text);
        return false;
    }
    const json_t *tests = json_object_get(root, "tests");
    bool good = json_is_array(tests);
    if (!good) *error = rv_text_copy("CTest: expected \"tests\" in its list");
    for (size_t i = 0; i < json_array_size(tests) && good; i++)
        good = take_test(suite, json_array_get(tests, i), base, error);
    json_decref(root);
    return good;
}

bool rv_suite_add_ctest(struct rv_test_suite *suite, const char *build, const struct rv_suite_test *base,
                        char **error) {
    char *argv[] = {(char[]){"ctest"}, (char[]){"--show-only=json-v1"}, (char[]){"--test-dir"},
                    rv_text_copy(build), NULL};
    size_t size = 0;
    char *why = NULL, *text = rv_command_output(argv, OUTPUT_MAX, &size, &why);
    bool good = text && rv_suite_add_ctest_json(suite, text, size, base, error);
    if (!text) *error = rv_text_format("%s: no tests from CTest: %s", build, why);
    free(why);
    free(text);
    free(argv[3]);
    return good;
}
