/* libFuzzer target for specifications of modules (generate/spec.h): what is accepted leaves an interface whose references are
 * within bounds. */
#include <stdlib.h>
#include <string.h>

#include "generate/spec.h"
#include "generate_api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int truth) {
    if (!truth) abort();
}

static void check(const struct rv_api *api) {
    need(api->objects >= 1 && api->objects <= 4);
    for (uint32_t m = 0; m < api->count; m++) {
        const struct rv_method *method = &api->methods[m];
        for (uint32_t i = 0; i < method->count; i++) {
            const struct rv_parameter *one = &method->parameters[i];
            need(one->length < (int)method->count && one->value_count <= 64);
            for (uint32_t v = 0; one->kind == RV_PARAMETER_STRING && v < one->value_count; v++)
                need(one->values[v] >= 0 && one->values[v] < api->string_count);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct rv_api api;
    char *error = NULL;
    make_api(&api);
    struct rv_spec *spec = rv_spec_parse((const char *)data, size, "spec", &error);
    bool good = spec && rv_spec_lengths(spec, &api, &error);
    if (good) {
        rv_api_guess(&api);
        good = rv_spec_apply(spec, &api, &error);
    }
    need(good == (error == NULL));
    check(&api);
    free(error);
    rv_spec_free(spec);
    rv_api_free(&api);
    return 0;
}
