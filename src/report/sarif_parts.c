#include "report/sarif_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/json_parts.h"
#include "report/printer.h"

static void set(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }

/* --- messages --- */

/* Of a message, "[text](target)" is a link and "{0}" a placeholder: braces are doubled, and what could end a link's text
 * is taken apart. */
void rv_sarif_add(struct rv_text *message, const char *text) {
    char *harmless = rv_text_harmless(text, false);
    for (const char *c = harmless; *c; c++) {
        rv_text_add_n(message, c, 1);
        if (*c == '{' || *c == '}') rv_text_add_n(message, c, 1);
        if (*c == ']' && c[1] == '(') rv_text_add(message, " ");
    }
    free(harmless);
}

json_t *rv_sarif_message(struct rv_text *message) {
    char *text = rv_text_take(message);
    json_t *object = json_object();
    set(object, "text", rv_json_text(*text ? text : "(no text)"));
    free(text);
    return object;
}

json_t *rv_sarif_words(const char *words) {
    struct rv_text text = {0};
    rv_sarif_add(&text, words);
    return rv_sarif_message(&text);
}

/* --- places --- */

/* An absolute path without ".", ".." and empty parts. */
static char *normalise(const char *path) {
    struct rv_text out = {0};
    rv_text_add(&out, "");
    while (*path) {
        size_t size = strcspn(path, "/");
        if (size == 2 && strncmp(path, "..", 2) == 0) {
            while (out.size > 0 && out.data[--out.size] != '/') continue;
            out.data[out.size] = '\0';
        } else if (size > 0 && !(size == 1 && *path == '.')) {
            rv_text_add(&out, "/");
            rv_text_add_n(&out, path, size);
        }
        path += size;
        if (*path) path++;
    }
    if (out.size == 0) rv_text_add(&out, "/");
    return rv_text_take(&out);
}

/* Whether the first `size` bytes of the path are this directory or one below it. */
static bool is_within(const char *path, size_t size, const char *directory) {
    size_t length = strlen(directory);
    if (length > 0 && directory[length - 1] == '/') length--;
    return size >= length && strncmp(path, directory, length) == 0 && (size == length || path[length] == '/');
}

static char *joined(const char *directory, size_t size, const char *path) {
    char *text = rv_text_format("%.*s/%s", (int)size, directory, path), *whole = normalise(text);
    free(text);
    return whole;
}

/* A compiler that was given a relative path tells it relative to where it ran, which is not known any more: mostly that is
 * where the program runs, else somewhere between there and the root. NULL: nobody knows. */
static char *absolute(const struct rv_sarif_roots *roots, const char *path) {
    if (*path == '/') return normalise(path);
    if (!roots->directory) return NULL;
    size_t whole = strlen(roots->directory), size = whole;
    while (size > 0 && roots->root && is_within(roots->directory, size, roots->root)) {
        char *there = joined(roots->directory, size, path);
        if (access(there, F_OK) == 0) return there;
        free(there);
        while (--size > 0 && roots->directory[size] != '/') continue;
    }
    return joined(roots->directory, whole, path);
}

/* The rest of the path, or NULL. */
static const char *below(const char *path, const char *root) {
    size_t size = root ? strlen(root) : 0;
    if (size == 1) size = 0; /* the root of all files */
    if (!root || strncmp(path, root, size) != 0 || path[size] != '/' || !path[size + 1]) return NULL;
    return path + size + 1;
}

/* Also makes valid UTF-8 of names that are not: a URI has bytes. */
static void add_encoded(struct rv_text *uri, const char *path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/";
    for (; *path; path++) {
        if (strchr(plain, *path))
            rv_text_add_n(uri, path, 1);
        else
            rv_text_addf(uri, "%%%02X", (unsigned char)*path);
    }
}

/* The compiler may have been told a path through a symbolic link, which the root is without. */
static void follow_links(const struct rv_sarif_roots *roots, char **whole) {
    if (!*whole || !roots->root || below(*whole, roots->root)) return;
    char *real = realpath(*whole, NULL);
    if (real && below(real, roots->root))
        rv_text_set(whole, real);
    else
        free(real);
}

json_t *rv_sarif_artifact(const struct rv_sarif_roots *roots, const char *path) {
    char *whole = absolute(roots, path);
    follow_links(roots, &whole);
    const char *rest = whole ? below(whole, roots->root) : NULL;
    struct rv_text uri = {0};
    json_t *object = json_object();
    if (whole && !rest) rv_text_add(&uri, "file://");
    add_encoded(&uri, rest ? rest : whole ? whole : path);
    set(object, "uri", json_string(uri.data));
    if (rest) set(object, "uriBaseId", json_string("SRCROOT"));
    free(uri.data);
    free(whole);
    return object;
}

/* The file, else the module; NULL: neither is known. */
static json_t *physical(const struct rv_sarif_roots *roots, const struct rv_location *at) {
    const char *path = *at->file ? at->file : at->module;
    if (!*path) return NULL;
    json_t *object = json_object();
    set(object, "artifactLocation", rv_sarif_artifact(roots, path));
    if (*at->file && at->line) {
        json_t *region = json_object();
        set(region, "startLine", json_integer(at->line));
        set(object, "region", region);
    }
    return object;
}

static json_t *logical(const struct rv_location *at) {
    json_t *object = json_object(), *array = json_array();
    set(object, "fullyQualifiedName", rv_json_text(at->function));
    set(object, "kind", json_string("function"));
    json_array_append_new(array, object);
    return array;
}

json_t *rv_sarif_location(const struct rv_sarif_roots *roots, const struct rv_location *at) {
    json_t *file = physical(roots, at);
    if (!file && !*at->function) return NULL;
    json_t *object = json_object();
    if (file) set(object, "physicalLocation", file);
    if (*at->function) set(object, "logicalLocations", logical(at));
    return object;
}

/* --- stacks and flows --- */

static void set_module(json_t *object, const struct rv_location *at) {
    if (*at->module) set(object, "module", rv_json_text(rv_base_name(at->module)));
}

json_t *rv_sarif_stack(const struct rv_sarif_roots *roots, const struct rv_stack_text *stack, uint32_t thread,
                       const char *words) {
    json_t *object = json_object(), *frames = json_array();
    set(object, "message", rv_sarif_words(words));
    for (unsigned i = 0; i < stack->count; i++) {
        json_t *frame = json_object(), *location = rv_sarif_location(roots, &stack->frames[i]);
        if (location) set(frame, "location", location);
        set_module(frame, &stack->frames[i]);
        set(frame, "threadId", json_integer(thread));
        json_array_append_new(frames, frame);
    }
    set(object, "frames", frames);
    return object;
}

/* `words`: taken over. */
static json_t *step(const struct rv_sarif_roots *roots, const struct rv_location *at, const char *kind,
                    unsigned level, struct rv_text *words) {
    json_t *object = json_object(), *location = rv_sarif_location(roots, at), *kinds = json_array();
    if (!location) location = json_object();
    set(location, "message", rv_sarif_message(words));
    set(object, "location", location);
    json_array_append_new(kinds, json_string(kind));
    set(object, "kinds", kinds);
    set_module(object, at);
    set(object, "nestingLevel", json_integer(level));
    return object;
}

static json_t *call_step(const struct rv_sarif_roots *roots, const struct rv_location *at, unsigned level) {
    struct rv_text words = {0};
    rv_text_add(&words, "calls ");
    rv_sarif_add(&words, *at[-1].function ? at[-1].function : "a function without a name");
    return step(roots, at, "call", level, &words);
}

static json_t *lock_step(const struct rv_sarif_roots *roots, const struct rv_lock_text *lock,
                         unsigned level) {
    struct rv_text words = {0};
    rv_text_add(&words, "takes ");
    rv_sarif_add(&words, *lock->object ? lock->object : "a lock");
    return step(roots, rv_stack_place(&lock->acquired), "acquire", level, &words);
}

static bool same_place(const struct rv_location *a, const struct rv_location *b) {
    return a->line == b->line && a->offset == b->offset && strcmp(a->function, b->function) == 0 &&
           strcmp(a->file, b->file) == 0;
}

/* How many of the outermost calls of one stack are those of the other: a lock was taken before the calls that
 * followed. */
static unsigned common(const struct rv_stack_text *a, const struct rv_stack_text *b) {
    unsigned count = 0;
    while (count < a->count && count < b->count &&
           same_place(&a->frames[a->count - 1 - count], &b->frames[b->count - 1 - count]))
        count++;
    return count;
}

/* The locks that were taken at this depth; at the last one, all that were not taken before. */
static void add_locks(json_t *steps, const struct rv_sarif_roots *roots, const struct rv_sarif_walk *walk,
                      unsigned depth) {
    unsigned last = walk->stack->count - 1;
    for (unsigned i = 0; i < walk->lock_count; i++) {
        const struct rv_lock_text *lock = &walk->locks[i];
        unsigned taken = common(&lock->acquired, walk->stack);
        if (lock->acquired.count && (taken == depth || (depth == last && taken > last)))
            json_array_append_new(steps, lock_step(roots, lock, depth));
    }
}

json_t *rv_sarif_flow(const struct rv_sarif_roots *roots, const struct rv_sarif_walk *walk) {
    if (walk->stack->count == 0) return NULL;
    json_t *flow = json_object(), *steps = json_array();
    unsigned last = walk->stack->count - 1;
    for (unsigned depth = 0; depth < last; depth++) {
        add_locks(steps, roots, walk, depth);
        json_array_append_new(steps, call_step(roots, &walk->stack->frames[last - depth], depth));
    }
    add_locks(steps, roots, walk, last);
    struct rv_text words = {0};
    rv_sarif_add(&words, walk->end);
    json_t *end = step(roots, walk->stack->frames, walk->kind, last, &words);
    set(end, "importance", json_string("essential"));
    json_array_append_new(steps, end);
    set(flow, "id", json_string(walk->id));
    set(flow, "message", rv_sarif_words(walk->name));
    set(flow, "locations", steps);
    return flow;
}
