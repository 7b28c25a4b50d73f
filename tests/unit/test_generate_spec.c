/* Specifications of modules: what is taken over, and what is said where one is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "generate/spec.h"
#include "generate_api.h"

/* The error; "" if it was accepted. Static. */
static const char *apply(struct rv_api *api, const char *text) {
    static char said[400];
    char *error = NULL;
    make_api(api);
    struct rv_spec *spec = rv_spec_parse(text, strlen(text), "s", &error);
    bool good = spec && rv_spec_lengths(spec, api, &error);
    if (good) {
        rv_api_guess(api);
        good = rv_spec_apply(spec, api, &error);
    }
    assert_int_equal(good, error == NULL);
    (void)snprintf(said, sizeof said, "%s", error ? error : "");
    free(error);
    rv_spec_free(spec);
    return said;
}

static void says(const char *text, const char *expected) {
    struct rv_api api;
    assert_string_equal(apply(&api, text), expected);
    rv_api_free(&api);
}

static void takes_values_and_ranges(void **state) {
    (void)state;
    struct rv_api api;
    assert_string_equal(
        apply(&api, "[cache_put]\nkey = [3, -1]\ntext = [\"x\", \"y\"]\nneeds = \"cache_copy\"\n"), "");
    const struct rv_method *put = &api.methods[rv_api_find(&api, "cache_put")];
    assert_int_equal(put->parameters[1].value_count, 2);
    assert_int_equal(put->parameters[1].values[1], -1);
    assert_string_equal(api.strings[put->parameters[2].values[1]], "y");
    assert_int_equal(put->need_count, 1);
    rv_api_free(&api);

    assert_string_equal(apply(&api, "[cache_put]\nkey = {min = -2, max = 1000000}\n"), "");
    put = &api.methods[rv_api_find(&api, "cache_put")];
    assert_in_range(put->parameters[1].value_count, 2, 64);
    assert_int_equal(put->parameters[1].values[0], -2);
    assert_int_equal(put->parameters[1].values[put->parameters[1].value_count - 1], 1000000);
    rv_api_free(&api);
}

static void takes_extreme_ranges(void **state) {
    (void)state;
    struct rv_api api;
    assert_string_equal(
        apply(&api, "[cache_put]\nkey = {min = -9223372036854775808, max = 9223372036854775807}\n"), "");
    rv_api_free(&api);
}

static void takes_roles(void **state) {
    (void)state;
    struct rv_api api;
    assert_string_equal(apply(&api, "destructor = \"\"\nunsafe = [\"cache_put\"]\nskip = \"cache_copy\"\n"),
                        "");
    assert_int_equal(rv_api_destructor(&api), -1);
    assert_true(api.methods[rv_api_find(&api, "cache_put")].unsafe);
    assert_int_equal(rv_api_find(&api, "cache_copy"), -1);
    assert_int_equal(api.skipped_count, 1);
    rv_api_free(&api);
}

static void pairs_a_buffer_with_its_length(void **state) {
    (void)state;
    struct rv_api api;
    assert_string_equal(apply(&api, "[cache_copy]\nout = {length = \"room\"}\n"), "");
    const struct rv_method *copy = &api.methods[rv_api_find(&api, "cache_copy")];
    assert_int_equal(copy->parameters[1].kind, RV_PARAMETER_OUTPUT);
    assert_int_equal(copy->parameters[1].length, 2);
    assert_int_equal(copy->parameters[2].kind, RV_PARAMETER_LENGTH);
    rv_api_free(&api);
}

static void says_where_it_is_wrong(void **state) {
    (void)state;
    says("\nconstuctor = \"a\"\n", "s:2:1: there is no setting 'constuctor' (did you mean 'constructor'?)");
    says("objects = 5\n", "s:1:11: 'objects': expected a number from 1 to 4, not an integer");
    says("skip = [1]\n", "s:1:8: 'skip': expected a list of strings, not an array");
    says("unsafe = [\"cache_pt\"]\n",
         "s:1:11: there is no function that could be called 'cache_pt' (did you mean 'cache_put'?)");
    says("[cache_put]\nkex = [1]\n",
         "s:2:1: there is no parameter of cache_put() 'kex' (did you mean 'key'?)");
    says("[cache_put]\nkey = {min = 2, max = 1}\n",
         "s:2:7: 'key': expected {min = N, max = M}, the smaller one first");
    says(
        "[cache_put]\ncache = [1]\n",
        "s:2:9: 'cache': expected a table such as {null = true}: no values can be given for it, not an array");
    says("[cache_copy]\nout = {length = \"rom\"}\n",
         "s:2:17: there is no parameter of cache_copy() 'rom' (did you mean 'room'?)");
    says("constructor = \"cache_put\"\n",
         "s:1:15: 'cache_put' cannot make objects: expected a function that returns a struct cache *");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_values_and_ranges),
        cmocka_unit_test(takes_extreme_ranges),
        cmocka_unit_test(takes_roles),
        cmocka_unit_test(pairs_a_buffer_with_its_length),
        cmocka_unit_test(says_where_it_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
