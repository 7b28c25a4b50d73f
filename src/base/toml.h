/* TOML, as far as configuration files need it, into a tree that says where each thing stands.
 *
 *   read       comments; bare, quoted and dotted keys; [table] and [[array of tables]]; inline tables; arrays over several
 *              lines; strings of all four kinds; integers in four bases, floats, booleans
 *   refused    dates and times; NUL in a string; text that is not UTF-8; a key given twice; more than RV_TOML_KEYS keys in a
 *              table, RV_TOML_DEPTH levels
 *
 *     struct rv_arena arena;
 *     void *memory = calloc(1, RV_TOML_ROOM(size));
 *     rv_arena_init(&arena, memory, RV_TOML_ROOM(size));
 *     const struct rv_toml *root = rv_toml_parse(&arena, text, size, &error);        NULL: error says where and what
 *     const struct rv_toml *timeout = rv_toml_get(rv_toml_get(root, "suite"), "timeout");
 *
 * All of it lies in the arena and ends with it. What a schema wants of a file is its reader's business; so that it can say
 * where something is wrong, each value has its line and column (from 1, in bytes). Nothing but libc's string functions. */
#ifndef RV_BASE_TOML_H
#define RV_BASE_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum rv_toml_type {
    RV_TOML_STRING,
    RV_TOML_INTEGER,
    RV_TOML_FLOAT,
    RV_TOML_BOOLEAN,
    RV_TOML_ARRAY,
    RV_TOML_TABLE,
    RV_TOML_TYPES
};
extern const char *const rv_toml_type_names[RV_TOML_TYPES]; /* "a string", "an integer", ... */

struct rv_toml {
    enum rv_toml_type type;
    unsigned line, column;         /* of the value; of a table, of its header */
    const char *key;               /* in a table; NULL in an array and of the root */
    unsigned key_line, key_column; /* of the key */
    const char *string;            /* STRING: no NUL in it, valid UTF-8 */
    int64_t integer;               /* INTEGER */
    double number;                 /* FLOAT, and of an INTEGER, too */
    bool boolean;                  /* BOOLEAN */
    struct rv_toml *first, *last;  /* ARRAY, TABLE: in the order of the file */
    struct rv_toml *next;          /* the next one of the same array or table */
    size_t count;                  /* of first..last */
    unsigned how;                  /* the parser's: how a table was made */
};

struct rv_toml_error {
    unsigned line, column;
    char message[200]; /* "expected ..." */
};

enum {
    RV_TOML_KEYS = 4096,
    RV_TOML_DEPTH = 32,
    RV_TOML_MAX = 4 << 20 /* bytes that callers should read at most */
};
/* Bytes of arena that are enough for any text of so many bytes; only those that are used are touched. */
#define RV_TOML_ROOM(size) (((size_t)(size) + 16) * 160)

/* The root table; NULL: *error. */
const struct rv_toml *rv_toml_parse(struct rv_arena *arena, const char *text, size_t size,
                                    struct rv_toml_error *error);
/* NULL: there is none, or `table` is NULL or no table. */
const struct rv_toml *rv_toml_get(const struct rv_toml *table, const char *key);

#endif
