/* What the checkers of ravel's JSON share. */
#ifndef TESTS_CHECK_JSON_H
#define TESTS_CHECK_JSON_H

#include <jansson.h>
#include <stdio.h>

/* Always 1: not as expected. */
static inline int complain(const char *what, const char *detail) {
    fprintf(stderr, "%s%s%s\n", what, *detail ? ": " : "", detail);
    return 1;
}

/* "" if there is none. */
static inline const char *string_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* A key that the contract promises, with its type. */
struct promised_key {
    const char *key;
    json_type type; /* JSON_TRUE: a boolean */
};

static inline int check_keys(const json_t *object, const struct promised_key *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, keys[i].key);
        if (!value || (json_typeof(value) != keys[i].type &&
                       !(keys[i].type == JSON_TRUE && json_typeof(value) == JSON_FALSE)))
            return complain("key missing or of wrong type", keys[i].key);
    }
    return 0;
}

#endif
