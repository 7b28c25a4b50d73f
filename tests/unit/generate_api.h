/* A module's interface for tests: a cache with two functions, as header.c would have read it. */
#ifndef RV_TESTS_GENERATE_API_H
#define RV_TESTS_GENERATE_API_H

#include "generate/api.h"

/* cache_new(); cache_free(cache); cache_put(cache, int key, const char *text); cache_copy(cache, char *out, int room) */
static inline void make_api(struct rv_api *api) {
    static const struct {
        const char *name;
        enum rv_role role;
        uint32_t count;
        struct rv_parameter parameters[3];
    } methods[] = {
        {"cache_new", RV_ROLE_CONSTRUCTOR, 0, {{.name = NULL}}},
        {"cache_free", RV_ROLE_METHOD, 1, {{.name = "cache", .kind = RV_PARAMETER_OBJECT}}},
        {"cache_put",
         RV_ROLE_METHOD,
         3,
         {{.name = "cache", .kind = RV_PARAMETER_OBJECT},
          {.name = "key", .type = "int", .kind = RV_PARAMETER_INTEGER, .bytes = 4, .is_signed = true},
          {.name = "text",
           .type = "const char *",
           .item = "char",
           .kind = RV_PARAMETER_INPUT,
           .bytes = 1,
           .is_const = true}}},
        {"cache_copy",
         RV_ROLE_METHOD,
         3,
         {{.name = "cache", .kind = RV_PARAMETER_OBJECT},
          {.name = "out", .type = "char *", .item = "char", .kind = RV_PARAMETER_RESULT, .bytes = 1},
          {.name = "room", .type = "int", .kind = RV_PARAMETER_INTEGER, .bytes = 4}}},
    };
    enum { COUNT = sizeof methods / sizeof *methods };
    *api = (struct rv_api){.header = strdup("cache.h"),
                           .type = strdup("struct cache"),
                           .short_name = strdup("cache"),
                           .objects = 1};
    api->methods = calloc(COUNT, sizeof *api->methods);
    for (api->count = 0; api->count < COUNT; api->count++) {
        struct rv_method *method = &api->methods[api->count];
        *method = (struct rv_method){.name = strdup(methods[api->count].name),
                                     .result = strdup("int"),
                                     .result_kind = RV_RESULT_INTEGER,
                                     .role = methods[api->count].role,
                                     .count = methods[api->count].count,
                                     .object = methods[api->count].count ? 0 : -1};
        method->parameters = calloc(method->count + 1, sizeof *method->parameters);
        for (uint32_t i = 0; i < method->count; i++) {
            method->parameters[i] = methods[api->count].parameters[i];
            struct rv_parameter *one = &method->parameters[i];
            one->name = strdup(one->name);
            one->type = strdup(one->type ? one->type : "struct cache *");
            one->item = strdup(one->item ? one->item : "");
            one->length = -1;
        }
    }
}

#endif
