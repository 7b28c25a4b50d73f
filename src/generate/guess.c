/* What functions and parameters are for, guessed from their names and types. A guess that is wrong costs tests, or makes tests
 * that fail in any order, which are not reported; it gives no false report. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "generate/api.h"
#include "report/text.h"

/* ---- words in names ---- */

/* Whether one of the words of the name (lower_case, camelCase) is in the list, which is ended by NULL: its index, or -1. */
static int word_in(const char *name, const char *const *list) {
    char word[64];
    int best = -1;
    for (const char *at = name; *at;) {
        size_t length = 0;
        while (*at && !isalnum((unsigned char)*at)) at++;
        while (isalnum((unsigned char)*at)) {
            if (length > 0 && isupper((unsigned char)*at) && !isupper((unsigned char)at[-1])) break;
            if (length < sizeof word - 1) word[length++] = (char)tolower((unsigned char)*at);
            at++;
        }
        word[length] = 0;
        for (int i = 0; list[i]; i++)
            if (strcmp(list[i], word) == 0 && (best < 0 || i < best)) best = i;
    }
    return best;
}

/* The part of the name that is not the type's: "lru_get" gives "get". */
static const char *own_name(const struct rv_api *api, const char *name) {
    size_t length = strlen(api->short_name);
    if (length > 2 && strcmp(api->short_name + length - 2, "_t") == 0) length -= 2;
    if (strncasecmp(name, api->short_name, length) != 0) return name;
    const char *rest = name + length;
    return *rest == '_' ? rest + 1 : *rest ? rest : name;
}

static const char *const destructors[] = {"free",    "destroy", "delete", "dispose", "fini",
                                          "deinit",  "uninit",  "term",   "cleanup", "close",
                                          "release", "unref",   "drop",   "del",     NULL};
static const char *const initialisers[] = {"init",      "initialise", "initialize", "setup",
                                           "construct", "create",     "new",        NULL};
static const char *const lengths[] = {"size",     "len",   "length", "count", "n",    "num",   "max", "cap",
                                      "capacity", "bytes", "nbytes", "nmemb", "room", "limit", NULL};
static const char *const changers[] = {
    "add",      "put",     "push",    "pop",      "take",   "set",     "remove",  "delete",  "insert",
    "append",   "clear",   "reset",   "write",    "read",   "send",    "recv",    "receive", "lock",
    "unlock",   "wait",    "await",   "open",     "close",  "start",   "stop",    "inc",     "dec",
    "incr",     "decr",    "update",  "borrow",   "return", "release", "retain",  "intern",  "log",
    "fire",     "cancel",  "tick",    "truncate", "erase",  "evict",   "expire",  "touch",   "flush",
    "discard",  "drain",   "skip",    "mark",     "pan",    "load",    "store",   "swap",    "rename",
    "register", "merge",   "replace", "try",      "submit", "enqueue", "dequeue", "destroy", "free",
    "init",     "acquire", "signal",  "restart",  "enter",  "leave",   "resize",  "grow",    "shrink",
    "sort",     "process", "run",     "join",     "notify", NULL};

/* ---- parameters ---- */

static bool is_number(const struct rv_parameter *parameter) {
    return parameter->kind == RV_PARAMETER_INTEGER && parameter->bytes >= 2;
}

static bool is_char(const struct rv_parameter *parameter) { return strcmp(parameter->item, "char") == 0; }

/* The parameter beside it that may say how much there is. */
static int length_beside(const struct rv_method *method, uint32_t at) {
    const struct rv_parameter *all = method->parameters;
    if (at + 1 < method->count && is_number(&all[at + 1]) && word_in(all[at + 1].name, lengths) >= 0)
        return (int)at + 1;
    bool nameless =
        at + 1 < method->count && !*all[at + 1].name && strcmp(all[at + 1].type, "unsigned long") == 0;
    if (nameless && is_number(&all[at + 1])) return (int)at + 1;
    if (at > 0 && is_number(&all[at - 1]) && word_in(all[at - 1].name, lengths) >= 0) return (int)at - 1;
    return -1;
}

static char *guess_pointer(struct rv_method *method, uint32_t at) {
    struct rv_parameter *parameter = &method->parameters[at];
    bool bytes = is_char(parameter) || parameter->kind == RV_PARAMETER_POINTER;
    int length = length_beside(method, at);
    bool written = at + 1 < method->count && method->parameters[at + 1].kind == RV_PARAMETER_RESULT &&
                   word_in(method->parameters[at + 1].name, lengths) >= 0;
    if (parameter->kind == RV_PARAMETER_POINTER && at > 0 &&
        method->parameters[at - 1].kind == RV_PARAMETER_CALLBACK)
        return NULL; /* its context */
    if (length >= 0) {
        parameter->kind = parameter->is_const ? RV_PARAMETER_INPUT : RV_PARAMETER_OUTPUT;
        parameter->length = length;
        method->parameters[length].kind = RV_PARAMETER_LENGTH;
        method->parameters[length].length = (int)at;
        return NULL;
    }
    if (parameter->kind == RV_PARAMETER_POINTER) return NULL;
    if (is_char(parameter) && parameter->is_const) {
        parameter->kind = RV_PARAMETER_STRING;
        return NULL;
    }
    if (bytes || written)
        return rv_text_format("how much room '%s' must have is not known; --spec can say so",
                              parameter->name);
    if (parameter->kind == RV_PARAMETER_INPUT) return NULL; /* one thing, to be read */
    return NULL;
}

static char *guess_parameters(struct rv_method *method) {
    for (uint32_t i = 0; i < method->count; i++) {
        enum rv_parameter_kind kind = method->parameters[i].kind;
        if (kind != RV_PARAMETER_RESULT && kind != RV_PARAMETER_INPUT && kind != RV_PARAMETER_POINTER)
            continue;
        if (method->parameters[i].length >= 0) continue; /* the specification says so */
        char *why = guess_pointer(method, i);
        if (why) return why;
    }
    return NULL;
}

/* ---- roles ---- */

static bool takes_object_only(const struct rv_method *method) {
    return method->count == 1 && method->object == 0;
}

static void find_destructor(struct rv_api *api) {
    int best = -1, best_rank = 1000;
    for (uint32_t i = 0; i < api->count; i++) {
        const struct rv_method *method = &api->methods[i];
        int rank = word_in(own_name(api, method->name), destructors);
        if (rank < 0 || rank >= best_rank || !takes_object_only(method) || method->role != RV_ROLE_METHOD)
            continue;
        best = (int)i;
        best_rank = rank;
    }
    if (best >= 0) api->methods[best].role = RV_ROLE_DESTRUCTOR;
}

static void find_initialisers(struct rv_api *api) {
    for (uint32_t i = 0; i < api->count; i++) {
        struct rv_method *method = &api->methods[i];
        if (method->object != 0 || method->role != RV_ROLE_METHOD || !api->complete) continue;
        if (word_in(own_name(api, method->name), initialisers) < 0) continue;
        method->role = RV_ROLE_CONSTRUCTOR;
        method->initialises = true;
    }
}

static bool gives_something(const struct rv_method *method) {
    if (method->result_kind != RV_RESULT_NONE) return true;
    for (uint32_t i = 0; i < method->count; i++)
        if (method->parameters[i].kind == RV_PARAMETER_RESULT ||
            method->parameters[i].kind == RV_PARAMETER_OUTPUT)
            return true;
    return false;
}

static bool looks_only(const struct rv_api *api, const struct rv_method *method) {
    if (!gives_something(method)) return false;
    if (method->parameters[method->object].is_const) return true;
    return word_in(own_name(api, method->name), changers) < 0;
}

void rv_api_guess(struct rv_api *api) {
    for (uint32_t i = 0; i < api->count;) {
        char *why = guess_parameters(&api->methods[i]);
        if (why)
            rv_api_skip(api, i, why);
        else
            i++;
    }
    find_initialisers(api);
    find_destructor(api);
    bool two = false;
    for (uint32_t i = 0; i < api->count; i++) {
        struct rv_method *method = &api->methods[i];
        if (method->role != RV_ROLE_METHOD) continue;
        method->observes = looks_only(api, method);
        for (uint32_t p = 0; p < method->count; p++)
            two |= method->parameters[p].kind == RV_PARAMETER_OBJECT && (int)p != method->object;
    }
    api->objects = two ? 2 : 1;
}
