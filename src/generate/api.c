#include "generate/api.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static void free_method(struct rv_method *method) {
    for (uint32_t i = 0; i < method->count; i++) {
        struct rv_parameter *parameter = &method->parameters[i];
        free(parameter->values);
        free(parameter->name);
        free(parameter->type);
        free(parameter->item);
    }
    free(method->parameters);
    free(method->needs);
    free(method->name);
    free(method->result);
}

void rv_api_skip(struct rv_api *api, uint32_t method, char *why) {
    api->skipped = rv_text_realloc(api->skipped, api->skipped_count + 1, sizeof *api->skipped);
    api->skipped[api->skipped_count++] = (struct rv_skipped){
        .name = rv_text_copy(api->methods[method].name), .line = api->methods[method].line, .why = why};
    free_method(&api->methods[method]);
    memmove(api->methods + method, api->methods + method + 1,
            (api->count - method - 1) * sizeof *api->methods);
    api->count--;
}

void rv_api_free(struct rv_api *api) {
    for (uint32_t i = 0; i < api->count; i++) free_method(&api->methods[i]);
    for (uint32_t i = 0; i < api->skipped_count; i++) {
        free(api->skipped[i].name);
        free(api->skipped[i].why);
    }
    for (uint32_t i = 0; i < api->callback_count; i++) {
        struct rv_callback *callback = &api->callbacks[i];
        for (uint32_t t = 0; t < callback->count; t++) free(callback->types[t]);
        free(callback->types);
        free(callback->type);
        free(callback->result);
    }
    for (uint32_t i = 0; i < api->string_count; i++) free(api->strings[i]);
    free(api->strings);
    free(api->methods);
    free(api->skipped);
    free(api->callbacks);
    free(api->constants);
    free(api->header);
    free(api->type);
    free(api->short_name);
    *api = (struct rv_api){0};
}

int rv_api_find(const struct rv_api *api, const char *name) {
    for (uint32_t i = 0; i < api->count; i++)
        if (strcmp(api->methods[i].name, name) == 0) return (int)i;
    return -1;
}

int rv_api_destructor(const struct rv_api *api) {
    for (uint32_t i = 0; i < api->count; i++)
        if (api->methods[i].role == RV_ROLE_DESTRUCTOR) return (int)i;
    return -1;
}

bool rv_api_callable(const struct rv_method *method) { return method->role == RV_ROLE_METHOD; }
