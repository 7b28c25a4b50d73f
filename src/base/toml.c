#include "base/toml.h"

#include <string.h>

#include "base/toml_scan.h"

const char *const rv_toml_type_names[RV_TOML_TYPES] = {"a string",  "an integer", "a float",
                                                       "a boolean", "an array",   "a table"};

/* How a table or array came to be, which says how it may grow. */
enum {
    IMPLIED, /* by [a.b]: a; may get a header of its own */
    HEADER,  /* [a] */
    DOTTED,  /* by a.b = ...: grows by keys of the same table only, which is not checked */
    INLINE,  /* {...}, [...]: closed */
    TABLES,  /* [[a]] */
};

static const char expected_key[] = "expected a key: letters, digits, _ and -, or a text in quotes";

static bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static struct rv_toml *find(const struct rv_toml *table, const char *key) {
    for (struct rv_toml *child = table->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

const struct rv_toml *rv_toml_get(const struct rv_toml *table, const char *key) {
    return table && table->type == RV_TOML_TABLE ? find(table, key) : NULL;
}

static void append(struct rv_toml *parent, struct rv_toml *child) {
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

static unsigned column_of(const struct rv_toml_scan *scan, const char *at) {
    return (unsigned)(at - scan->line_start) + 1;
}

static struct rv_toml *make(struct rv_toml_scan *scan, enum rv_toml_type type, unsigned how) {
    struct rv_toml *value = rv_toml_new(scan, sizeof *value);
    if (!value) return NULL;
    value->type = type;
    value->how = how;
    value->line = scan->line;
    value->column = column_of(scan, scan->at);
    return value;
}

/* One part of a key. */
static const char *read_key(struct rv_toml_scan *scan) {
    rv_toml_skip_blanks(scan);
    const char *begin = scan->at;
    if (rv_toml_is(scan, '"') || rv_toml_is(scan, '\'')) return rv_toml_string(scan, true);
    while (scan->at < scan->end && is_bare(*scan->at)) scan->at++;
    if (scan->at == begin) {
        rv_toml_fail(scan, begin, "%s", expected_key);
        return NULL;
    }
    char *key = rv_toml_new(scan, (size_t)(scan->at - begin) + 1);
    if (key) memcpy(key, begin, (size_t)(scan->at - begin));
    return key;
}

/* A new member; its type is the caller's to set. */
static struct rv_toml *add(struct rv_toml_scan *scan, struct rv_toml *table, const char *key, const char *at,
                           struct rv_toml *child) {
    if (!child) return NULL;
    if (table->count == RV_TOML_KEYS) {
        rv_toml_fail(scan, at, "more than %d keys in one table", RV_TOML_KEYS);
        return NULL;
    }
    child->key = key;
    child->key_line = scan->line;
    child->key_column = child->column = column_of(scan, at);
    append(table, child);
    return child;
}

/* The table that a part of a key before the last one leads to. */
static struct rv_toml *descend(struct rv_toml_scan *scan, struct rv_toml *table, const char *key,
                               const char *at, unsigned how) {
    struct rv_toml *child = find(table, key);
    if (!child) return add(scan, table, key, at, make(scan, RV_TOML_TABLE, how));
    if (child->type == RV_TOML_ARRAY && child->how == TABLES && how == IMPLIED) return child->last;
    if (child->type == RV_TOML_TABLE && child->how != INLINE && (how == IMPLIED || child->how != HEADER))
        return child;
    rv_toml_fail(scan, at, "\"%.60s\" is %s already, in line %u", key, rv_toml_type_names[child->type],
                 child->line);
    return NULL;
}

static bool given_twice(struct rv_toml_scan *scan, const char *key, const char *at,
                        const struct rv_toml *old) {
    return rv_toml_fail(scan, at, "\"%.60s\" has been given already, in line %u", key, old->line);
}

/* A key with its dots, up to the last part. The table that the last part belongs into; NULL: failed. */
static struct rv_toml *read_path(struct rv_toml_scan *scan, struct rv_toml *table, unsigned how,
                                 const char **key, const char **at) {
    for (unsigned depth = 0; table; depth++) {
        rv_toml_skip_blanks(scan);
        *at = scan->at;
        *key = read_key(scan);
        if (!*key) return NULL;
        rv_toml_skip_blanks(scan);
        if (!rv_toml_is(scan, '.')) return table;
        if (depth == RV_TOML_DEPTH) {
            rv_toml_fail(scan, scan->at, "more than %d levels", RV_TOML_DEPTH);
            return NULL;
        }
        table = descend(scan, table, *key, *at, how);
        scan->at++;
    }
    return NULL;
}

static bool read_value(struct rv_toml_scan *scan, struct rv_toml *value, unsigned depth);

static bool read_pair(struct rv_toml_scan *scan, struct rv_toml *table, unsigned depth) {
    const char *key, *at;
    struct rv_toml *old;
    table = read_path(scan, table, DOTTED, &key, &at);
    if (!table) return false;
    if ((old = find(table, key))) return given_twice(scan, key, at, old);
    if (!rv_toml_is(scan, '=')) return rv_toml_fail(scan, scan->at, "expected = after the key");
    struct rv_toml *value = add(scan, table, key, at, make(scan, RV_TOML_TABLE, INLINE));
    scan->at++;
    return value && read_value(scan, value, depth);
}

static bool read_inline_table(struct rv_toml_scan *scan, struct rv_toml *table, unsigned depth) {
    table->type = RV_TOML_TABLE;
    scan->at++;
    rv_toml_skip_blanks(scan);
    while (!rv_toml_is(scan, '}')) {
        if (!read_pair(scan, table, depth + 1)) return false;
        rv_toml_skip_blanks(scan);
        if (rv_toml_is(scan, '}')) break;
        if (!rv_toml_is(scan, ','))
            return rv_toml_fail(scan, scan->at, "expected , or } in the inline table");
        scan->at++;
    }
    scan->at++;
    return true;
}

static bool read_array(struct rv_toml_scan *scan, struct rv_toml *array, unsigned depth) {
    array->type = RV_TOML_ARRAY;
    scan->at++;
    rv_toml_skip_lines(scan);
    while (!rv_toml_is(scan, ']')) {
        struct rv_toml *value = make(scan, RV_TOML_TABLE, INLINE);
        if (!value) return false;
        append(array, value);
        if (!read_value(scan, value, depth + 1)) return false;
        rv_toml_skip_lines(scan);
        if (rv_toml_is(scan, ']')) break;
        if (!rv_toml_is(scan, ',')) return rv_toml_fail(scan, scan->at, "expected , or ] in the array");
        scan->at++;
        rv_toml_skip_lines(scan);
    }
    scan->at++;
    return true;
}

static bool read_value(struct rv_toml_scan *scan, struct rv_toml *value, unsigned depth) {
    if (depth == RV_TOML_DEPTH) return rv_toml_fail(scan, scan->at, "more than %d levels", RV_TOML_DEPTH);
    rv_toml_skip_blanks(scan);
    value->line = scan->line;
    value->column = column_of(scan, scan->at);
    if (rv_toml_is(scan, '{')) return read_inline_table(scan, value, depth);
    if (rv_toml_is(scan, '[')) return read_array(scan, value, depth);
    if (!rv_toml_is(scan, '"') && !rv_toml_is(scan, '\'')) return rv_toml_scalar(scan, value);
    value->type = RV_TOML_STRING;
    value->string = rv_toml_string(scan, false);
    return value->string != NULL;
}

/* --- headers --- */

static struct rv_toml *open_table(struct rv_toml_scan *scan, struct rv_toml *parent, const char *key,
                                  const char *at) {
    struct rv_toml *table = find(parent, key);
    if (!table) return add(scan, parent, key, at, make(scan, RV_TOML_TABLE, HEADER));
    if (table->type != RV_TOML_TABLE || table->how != IMPLIED) {
        given_twice(scan, key, at, table);
        return NULL;
    }
    table->how = HEADER;
    return table;
}

static struct rv_toml *open_element(struct rv_toml_scan *scan, struct rv_toml *parent, const char *key,
                                    const char *at) {
    struct rv_toml *array = find(parent, key), *table;
    if (array && (array->type != RV_TOML_ARRAY || array->how != TABLES)) {
        given_twice(scan, key, at, array);
        return NULL;
    }
    if (!array) array = add(scan, parent, key, at, make(scan, RV_TOML_ARRAY, TABLES));
    table = array ? make(scan, RV_TOML_TABLE, HEADER) : NULL;
    if (table) append(array, table);
    return table;
}

/* [a.b] or [[a.b]]; the table that the following pairs belong to. */
static struct rv_toml *read_header(struct rv_toml_scan *scan, struct rv_toml *root) {
    const char *key, *at;
    bool element = scan->end - scan->at > 1 && scan->at[1] == '[';
    scan->at += element ? 2 : 1;
    struct rv_toml *parent = read_path(scan, root, IMPLIED, &key, &at);
    if (!parent) return NULL;
    struct rv_toml *table = element ? open_element(scan, parent, key, at) : open_table(scan, parent, key, at);
    for (int i = 0; i < (element ? 2 : 1); i++, scan->at++)
        if (table && !rv_toml_is(scan, ']')) {
            rv_toml_fail(scan, scan->at, "expected %s after the name of the table", element ? "]]" : "]");
            return NULL;
        }
    return table;
}

const struct rv_toml *rv_toml_parse(struct rv_arena *arena, const char *text, size_t size,
                                    struct rv_toml_error *error) {
    struct rv_toml_scan scan = {
        .arena = arena, .at = text, .end = text + size, .line_start = text, .line = 1, .error = error};
    *error = (struct rv_toml_error){0};
    struct rv_toml *root = make(&scan, RV_TOML_TABLE, HEADER), *table = root;
    while (table && !scan.failed) {
        rv_toml_skip_lines(&scan);
        if (scan.at == scan.end) return root;
        if (rv_toml_is(&scan, '['))
            table = read_header(&scan, root);
        else
            read_pair(&scan, table, 0);
        if (!scan.failed && !rv_toml_skip_newline(&scan) && scan.at < scan.end)
            rv_toml_fail(&scan, scan.at, "expected the end of the line");
    }
    return NULL;
}
