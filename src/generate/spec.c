#include "generate/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/toml.h"
#include "report/text.h"
#include "report/whole_file.h"

enum { SIZE_MAX_MB = 1, MOST_VALUES = 64, MOST_SPAN = 1 << 20 };

struct rv_spec {
    char *name;
    void *memory;
    struct rv_arena arena;
    const struct rv_toml *root;
};

/* ---- reading ---- */

struct rv_spec *rv_spec_parse(const char *text, size_t size, const char *name, char **error) {
    struct rv_toml_error wrong;
    struct rv_spec *spec = rv_text_alloc(1, sizeof *spec);
    spec->name = rv_text_copy(name);
    spec->memory = rv_text_alloc(RV_TOML_ROOM(size), 1);
    rv_arena_init(&spec->arena, spec->memory, RV_TOML_ROOM(size));
    spec->root = rv_toml_parse(&spec->arena, text, size, &wrong);
    if (spec->root) return spec;
    *error = rv_text_format("%s:%u:%u: %s", name, wrong.line, wrong.column, wrong.message);
    rv_spec_free(spec);
    return NULL;
}

struct rv_spec *rv_spec_read(const char *path, char **error) {
    size_t size;
    char *text = rv_whole_file(path, (size_t)SIZE_MAX_MB << 20, "file about a module (TOML)", &size, error);
    struct rv_spec *spec = text ? rv_spec_parse(text, size, path, error) : NULL;
    free(text);
    return spec;
}

void rv_spec_free(struct rv_spec *spec) {
    if (!spec) return;
    free(spec->memory);
    free(spec->name);
    free(spec);
}

/* ---- what is wrong ---- */

static bool wrong_at(const struct rv_spec *spec, unsigned line, unsigned column, char **error, char *what) {
    *error = rv_text_format("%s:%u:%u: %s", spec->name, line, column, what);
    free(what);
    return false;
}

static bool wrong(const struct rv_spec *spec, const struct rv_toml *value, char **error,
                  const char *expected) {
    return wrong_at(spec, value->line, value->column, error,
                    rv_text_format("'%s': expected %s, not %s", value->key ? value->key : "it", expected,
                                   rv_toml_type_names[value->type]));
}

/* An unknown word; `offer` has been given all that are known. */
static bool unknown(const struct rv_spec *spec, const struct rv_toml *at, bool key, const char *what,
                    const struct rv_suggestion *suggestion, char **error) {
    return wrong_at(spec, key ? at->key_line : at->line, key ? at->key_column : at->column, error,
                    rv_text_format("there is no %s '%s'%s%s%s", what, suggestion->typed,
                                   suggestion->best ? " (did you mean '" : "",
                                   suggestion->best ? suggestion->best : "", suggestion->best ? "'?)" : ""));
}

/* The number of the function; -1: *error. */
static int function_of(const struct rv_spec *spec, const struct rv_api *api, const char *name,
                       const struct rv_toml *at, bool key, char **error) {
    int found = rv_api_find(api, name);
    if (found >= 0) return found;
    struct rv_suggestion suggestion = {.typed = name};
    for (uint32_t i = 0; i < api->count; i++) rv_suggest_offer(&suggestion, api->methods[i].name);
    (void)unknown(spec, at, key, "function that could be called", &suggestion, error);
    return -1;
}

static bool was_skipped(const struct rv_api *api, const char *name) {
    for (uint32_t i = 0; i < api->skipped_count; i++)
        if (strcmp(api->skipped[i].name, name) == 0) return true;
    return false;
}

/* ---- lists ---- */

/* A string, or a list of strings: the n-th; NULL beyond the end. */
static const struct rv_toml *element(const struct rv_toml *value, size_t number) {
    if (value->type == RV_TOML_STRING) return number == 0 ? value : NULL;
    const struct rv_toml *each = value->first;
    while (each && number--) each = each->next;
    return each;
}

static bool is_list_of(const struct rv_toml *value, enum rv_toml_type type) {
    if (value->type != RV_TOML_ARRAY) return false;
    for (const struct rv_toml *each = value->first; each; each = each->next)
        if (each->type != type) return false;
    return true;
}

static bool is_names(const struct rv_toml *value) {
    return value->type == RV_TOML_STRING || is_list_of(value, RV_TOML_STRING);
}

/* ---- what stands at the top ---- */

enum top { TOP_CONSTRUCTOR, TOP_DESTRUCTOR, TOP_OBJECTS, TOP_STRINGS, TOP_SKIP, TOP_UNSAFE, TOP_COUNT };
static const char *const tops[TOP_COUNT] = {"constructor", "destructor", "objects",
                                            "strings",     "skip",       "unsafe"};

static bool apply_constructor(const struct rv_spec *spec, struct rv_api *api, const struct rv_toml *value,
                              char **error) {
    for (uint32_t i = 0; i < api->count; i++)
        if (api->methods[i].role == RV_ROLE_CONSTRUCTOR) api->methods[i].role = RV_ROLE_UNUSED;
    for (size_t i = 0; element(value, i); i++) {
        const struct rv_toml *each = element(value, i);
        int number = function_of(spec, api, each->string, each, false, error);
        if (number < 0) return false;
        struct rv_method *method = &api->methods[number];
        if (method->object > 0 || (method->object == 0 && !api->complete))
            return wrong_at(
                spec, each->line, each->column, error,
                rv_text_format("'%s' cannot make objects: expected a function that returns a %s *%s",
                               each->string, api->type, api->complete ? ", or takes one first" : ""));
        method->role = RV_ROLE_CONSTRUCTOR;
        method->initialises = method->object == 0;
    }
    return true;
}

static bool apply_destructor(const struct rv_spec *spec, struct rv_api *api, const struct rv_toml *value,
                             char **error) {
    int old = rv_api_destructor(api);
    int number = *value->string ? function_of(spec, api, value->string, value, false, error) : -1;
    if (*value->string && number < 0) return false;
    if (old >= 0) api->methods[old].role = RV_ROLE_METHOD;
    if (number < 0) return true;
    if (api->methods[number].object != 0 || api->methods[number].count != 1)
        return wrong_at(
            spec, value->line, value->column, error,
            rv_text_format("'%s' cannot free objects: expected a function that takes a %s * and nothing else",
                           value->string, api->type));
    api->methods[number].role = RV_ROLE_DESTRUCTOR;
    return true;
}

static bool apply_strings(struct rv_api *api, const struct rv_toml *value) {
    for (size_t i = 0; element(value, i) && api->string_count < MOST_VALUES; i++) {
        api->strings = rv_text_realloc(api->strings, api->string_count + 1, sizeof *api->strings);
        api->strings[api->string_count++] = rv_text_copy(element(value, i)->string);
    }
    return true;
}

static bool apply_functions(const struct rv_spec *spec, struct rv_api *api, const struct rv_toml *value,
                            enum top top, char **error) {
    for (size_t i = 0; element(value, i); i++) {
        const struct rv_toml *each = element(value, i);
        if (was_skipped(api, each->string)) continue;
        int number = function_of(spec, api, each->string, each, false, error);
        if (number < 0) return false;
        if (top == TOP_UNSAFE)
            api->methods[number].unsafe = true;
        else
            rv_api_skip(api, (uint32_t)number, rv_text_copy("the specification says so"));
    }
    return true;
}

static bool apply_top(const struct rv_spec *spec, struct rv_api *api, const struct rv_toml *value,
                      char **error) {
    enum top top = 0;
    struct rv_suggestion suggestion = {.typed = value->key};
    while (top < TOP_COUNT && strcmp(tops[top], value->key) != 0) rv_suggest_offer(&suggestion, tops[top++]);
    if (top == TOP_COUNT) return unknown(spec, value, true, "setting", &suggestion, error);
    if (top == TOP_OBJECTS) {
        if (value->type != RV_TOML_INTEGER || value->integer < 1 || value->integer > 4)
            return wrong(spec, value, error, "a number from 1 to 4");
        api->objects = (uint32_t)value->integer;
        return true;
    }
    if (top == TOP_DESTRUCTOR && value->type != RV_TOML_STRING) return wrong(spec, value, error, "a string");
    if (!is_names(value)) return wrong(spec, value, error, "a list of strings");
    switch (top) {
    case TOP_CONSTRUCTOR: return apply_constructor(spec, api, value, error);
    case TOP_DESTRUCTOR: return apply_destructor(spec, api, value, error);
    case TOP_STRINGS: return apply_strings(api, value);
    default: return apply_functions(spec, api, value, top, error);
    }
}

/* ---- a function ---- */

static int parameter_of(const struct rv_spec *spec, const struct rv_method *method, const char *name,
                        const struct rv_toml *at, bool key, char **error) {
    struct rv_suggestion suggestion = {.typed = name};
    for (uint32_t i = 0; i < method->count; i++) {
        char number[16];
        (void)snprintf(number, sizeof number, "%u", i + 1);
        if (strcmp(name, number) == 0 || strcmp(name, method->parameters[i].name) == 0) return (int)i;
        rv_suggest_offer(&suggestion, method->parameters[i].name);
    }
    char *what = rv_text_format("parameter of %s()", method->name);
    (void)unknown(spec, at, key, what, &suggestion, error);
    free(what);
    return -1;
}

static void add_value(struct rv_parameter *parameter, int64_t value) {
    parameter->values =
        rv_text_realloc(parameter->values, parameter->value_count + 1, sizeof *parameter->values);
    parameter->values[parameter->value_count++] = value;
}

static int64_t string_number(struct rv_api *api, const char *text) {
    for (uint32_t i = 0; i < api->string_count; i++)
        if (strcmp(api->strings[i], text) == 0) return i;
    api->strings = rv_text_realloc(api->strings, api->string_count + 1, sizeof *api->strings);
    api->strings[api->string_count] = rv_text_copy(text);
    return api->string_count++;
}

static bool is_counted(const struct rv_parameter *parameter) {
    return parameter->kind == RV_PARAMETER_INTEGER || parameter->kind == RV_PARAMETER_ENUM ||
           parameter->kind == RV_PARAMETER_INPUT || parameter->kind == RV_PARAMETER_OUTPUT;
}

static bool apply_range(const struct rv_spec *spec, struct rv_parameter *parameter,
                        const struct rv_toml *value, char **error) {
    const struct rv_toml *min = rv_toml_get(value, "min"), *max = rv_toml_get(value, "max");
    if (!min && !max) return true;
    if (!min || !max || min->type != RV_TOML_INTEGER || max->type != RV_TOML_INTEGER ||
        min->integer > max->integer)
        return wrong_at(
            spec, value->line, value->column, error,
            rv_text_format("'%s': expected {min = N, max = M}, the smaller one first", value->key));
    if (!is_counted(parameter))
        return wrong_at(spec, value->key_line, value->key_column, error,
                        rv_text_format("'%s' is no number: it cannot have a range", value->key));
    parameter->value_count = 0;
    /* All of a small range; of a large one its ends, and some in between. */
    uint64_t span = (uint64_t)max->integer - (uint64_t)min->integer,
             step = span < MOST_VALUES ? 1 : span / (MOST_VALUES - 1);
    for (uint64_t at = 0; at <= span && parameter->value_count < MOST_VALUES - 1; at += step) {
        add_value(parameter, (int64_t)((uint64_t)min->integer + at));
        if (span - at < step) break;
    }
    if (parameter->values[parameter->value_count - 1] != max->integer) add_value(parameter, max->integer);
    return true;
}

static bool apply_table(const struct rv_spec *spec, struct rv_parameter *parameter,
                        const struct rv_toml *value, char **error) {
    static const char *const known[] = {"min", "max", "length", "null"};
    for (const struct rv_toml *each = value->first; each; each = each->next) {
        struct rv_suggestion suggestion = {.typed = each->key};
        bool found = false;
        for (size_t i = 0; i < 4; i++) {
            found |= strcmp(known[i], each->key) == 0;
            rv_suggest_offer(&suggestion, known[i]);
        }
        if (!found) return unknown(spec, each, true, "setting of a parameter", &suggestion, error);
    }
    const struct rv_toml *null = rv_toml_get(value, "null");
    if (null && null->type != RV_TOML_BOOLEAN) return wrong(spec, null, error, "true or false");
    if (null) parameter->may_be_null = null->boolean;
    return apply_range(spec, parameter, value, error);
}

static bool apply_values(const struct rv_spec *spec, struct rv_api *api, struct rv_parameter *parameter,
                         const struct rv_toml *value, char **error) {
    if (value->type == RV_TOML_TABLE) return apply_table(spec, parameter, value, error);
    bool strings = parameter->kind == RV_PARAMETER_STRING;
    if (value->count > MOST_VALUES || value->type != RV_TOML_ARRAY || !value->count ||
        !is_list_of(value, strings ? RV_TOML_STRING : RV_TOML_INTEGER) ||
        (!strings && !is_counted(parameter)))
        return wrong(spec, value, error,
                     strings ? "a list of strings, or a table"
                     : is_counted(parameter)
                         ? "a list of whole numbers, or {min = N, max = M}"
                         : "a table such as {null = true}: no values can be given for it");
    parameter->value_count = 0;
    for (const struct rv_toml *each = value->first; each; each = each->next)
        add_value(parameter, strings ? string_number(api, each->string) : each->integer);
    return true;
}

static bool apply_needs(const struct rv_spec *spec, const struct rv_api *api, struct rv_method *method,
                        const struct rv_toml *value, char **error) {
    if (!is_names(value)) return wrong(spec, value, error, "a list of functions");
    for (size_t i = 0; element(value, i); i++) {
        int number = function_of(spec, api, element(value, i)->string, element(value, i), false, error);
        if (number < 0) return false;
        method->needs = rv_text_realloc(method->needs, method->need_count + 1, sizeof *method->needs);
        method->needs[method->need_count++] = (uint32_t)number;
    }
    return true;
}

static bool apply_function(const struct rv_spec *spec, struct rv_api *api, const struct rv_toml *table,
                           char **error) {
    int number = function_of(spec, api, table->key, table, true, error);
    if (number < 0) return false;
    struct rv_method *method = &api->methods[number];
    for (const struct rv_toml *each = table->first; each; each = each->next) {
        if (strcmp(each->key, "needs") == 0) {
            if (!apply_needs(spec, api, method, each, error)) return false;
            continue;
        }
        if (strcmp(each->key, "observes") == 0 || strcmp(each->key, "unsafe") == 0) {
            if (each->type != RV_TOML_BOOLEAN) return wrong(spec, each, error, "true or false");
            *(each->key[0] == 'o' ? &method->observes : &method->unsafe) = each->boolean;
            continue;
        }
        int parameter = parameter_of(spec, method, each->key, each, true, error);
        if (parameter < 0 || !apply_values(spec, api, &method->parameters[parameter], each, error))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

bool rv_spec_apply(const struct rv_spec *spec, struct rv_api *api, char **error) {
    for (const struct rv_toml *each = spec->root->first; each; each = each->next)
        if (each->type != RV_TOML_TABLE && strcmp(each->key, "skip") == 0 &&
            !apply_top(spec, api, each, error))
            return false;
    for (const struct rv_toml *each = spec->root->first; each; each = each->next) {
        if (each->type != RV_TOML_TABLE && strcmp(each->key, "skip") == 0) continue;
        if (!(each->type == RV_TOML_TABLE ? apply_function : apply_top)(spec, api, each, error)) return false;
    }
    return true;
}

bool rv_spec_lengths(const struct rv_spec *spec, struct rv_api *api, char **error) {
    for (const struct rv_toml *table = spec->root->first; table; table = table->next) {
        int number = table->type == RV_TOML_TABLE ? rv_api_find(api, table->key) : -1;
        if (number < 0) continue;
        struct rv_method *method = &api->methods[number];
        for (const struct rv_toml *each = table->first; each; each = each->next) {
            const struct rv_toml *length = each->type == RV_TOML_TABLE ? rv_toml_get(each, "length") : NULL;
            if (!length) continue;
            if (length->type != RV_TOML_STRING) return wrong(spec, length, error, "the name of a parameter");
            int buffer = parameter_of(spec, method, each->key, each, true, error);
            int size = buffer < 0 ? -1 : parameter_of(spec, method, length->string, length, false, error);
            if (size < 0) return false;
            struct rv_parameter *parameter = &method->parameters[buffer];
            if (!*parameter->item || method->parameters[size].kind != RV_PARAMETER_INTEGER ||
                parameter->kind == RV_PARAMETER_OBJECT || parameter->kind == RV_PARAMETER_CALLBACK)
                return wrong_at(
                    spec, each->line, each->column, error,
                    rv_text_format(
                        "expected a pointer to bytes or items, and a number of them: '%s' is a %s, '%s' a %s",
                        parameter->name, parameter->type, length->string, method->parameters[size].type));
            parameter->kind = parameter->is_const ? RV_PARAMETER_INPUT : RV_PARAMETER_OUTPUT;
            parameter->length = size;
            method->parameters[size].kind = RV_PARAMETER_LENGTH;
            method->parameters[size].length = buffer;
        }
    }
    return true;
}
