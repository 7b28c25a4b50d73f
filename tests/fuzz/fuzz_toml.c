/* libFuzzer target for the TOML reader: what is accepted is a sound tree with positions inside the text, never out of room. */
#include <stdlib.h>
#include <string.h>

#include "base/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct rv_toml *value, bool in_table, unsigned depth) {
    size_t count = 0;
    if (value->type >= RV_TOML_TYPES || value->line == 0 || value->column == 0 ||
        depth > (RV_TOML_DEPTH + 2) * (RV_TOML_DEPTH + 2))
        abort();
    if (in_table != (value->key != NULL)) abort();
    if (value->type == RV_TOML_STRING && strlen(value->string) > RV_TOML_MAX) abort();
    for (const struct rv_toml *child = value->first; child; child = child->next, count++) {
        check(child, value->type == RV_TOML_TABLE, depth + 1);
        if (child->key && rv_toml_get(value, child->key) != child) abort();
    }
    if (count != value->count) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct rv_arena arena;
    struct rv_toml_error error;
    void *memory = calloc(1, RV_TOML_ROOM(size));
    char *text = malloc(size + !size); /* of its own: nothing may be read behind it */
    if (!memory || !text) abort();
    memcpy(text, data, size);
    rv_arena_init(&arena, memory, RV_TOML_ROOM(size));
    const struct rv_toml *root = rv_toml_parse(&arena, text, size, &error);
    if (root) {
        check(root, false, 0);
    } else if (error.line == 0 || error.column == 0 || !*error.message ||
               strcmp(error.message, "no room for more") == 0) {
        abort();
    }
    free(text);
    free(memory);
    return 0;
}
