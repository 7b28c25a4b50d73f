#include "supervisor/lessons.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "supervisor/util.h"

enum {
    ARENA =
        32
        << 20, /* HaPSets at their limits, with all the arrays they have grown out of: 20 MB; touched as needed */
    VERSION = 1,
    HEADER_WORDS = 4,
    GONE_MAX =
        RV_MAX_MODULES / 4, /* modules that are no more but keep their index; with more, all begins anew */
};
#define MAGIC 0x6e6f7373654c6c72u /* "rlLesson" */

struct rv_lessons *rv_lessons_new(void) {
    struct rv_lessons *lessons = rv_allocate(sizeof *lessons);
    void *memory =
        mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED)
        rv_arena_init(&lessons->arena, memory, ARENA); /* else there is room for nothing */
    rv_hapsets_init(&lessons->sets, &lessons->arena);
    return lessons;
}

void rv_lessons_free(struct rv_lessons *lessons) {
    if (!lessons) return;
    if (lessons->arena.base) munmap(lessons->arena.base, ARENA);
    free(lessons);
}

/* ---- adding ---- */

static bool same_module(const struct rv_lesson_module *a, const struct rv_lesson_module *b) {
    return strcmp(a->path, b->path) == 0 && strcmp(a->key, b->key) == 0;
}

/* Takes the modules that `lessons` has not got yet; sets usable[i] for those whose index means the same in both. */
static void match_modules(struct rv_lessons *lessons, const struct rv_lessons *more,
                          bool usable[RV_MAX_MODULES]) {
    for (uint32_t i = 0; i < more->module_count; i++) {
        if (i == lessons->module_count) lessons->modules[lessons->module_count++] = more->modules[i];
        usable[i] = i < lessons->module_count && same_module(&lessons->modules[i], &more->modules[i]) &&
                    more->modules[i].key[0];
    }
}

static bool usable_code(rv_code code, const bool usable[RV_MAX_MODULES]) {
    return rv_code_module(code) < RV_MAX_MODULES && usable[rv_code_module(code)];
}

static bool usable_statement(const struct rv_hapset_statement *statement, const bool usable[RV_MAX_MODULES]) {
    bool good = usable_code(statement->site, usable);
    for (uint32_t i = 0; i < statement->frame_count; i++)
        good = good && usable_code(statement->frames[i], usable);
    return good;
}

void rv_lessons_add(struct rv_lessons *lessons, const struct rv_lessons *more) {
    bool usable[RV_MAX_MODULES] = {false};
    uint32_t count = more->sets.statements.count;
    uint32_t *numbers = rv_allocate(count * sizeof *numbers); /* of its statements, here */
    match_modules(lessons, more, usable);
    for (uint32_t i = 0; i < count; i++) {
        const struct rv_hapset_statement *from = rv_hapset_statement_at(&more->sets, i);
        numbers[i] = usable_statement(from, usable)
                         ? rv_hapset_statement(&lessons->sets, from->site, from->context, from->frames,
                                               from->frame_count)
                         : RV_NO_NUMBER;
    }
    for (uint32_t i = 0; i < more->sets.members.count; i++) {
        const struct rv_hapset_member *from = rv_hapset_member_at(&more->sets, i);
        (void)rv_hapset_add(&lessons->sets, numbers[from->statement], numbers[from->predecessor],
                            from->execution);
    }
    free(numbers);
}

/* ---- saved form ---- */

static uint64_t sum_of(const void *data, size_t size) { /* FNV-1a */
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

void *rv_lessons_write(const struct rv_lessons *lessons, size_t *size) {
    size_t table = lessons->module_count * sizeof lessons->modules[0];
    size_t sets = rv_hapset_save(&lessons->sets, NULL, 0);
    uint64_t header[HEADER_WORDS] = {MAGIC, VERSION, lessons->module_count, sum_of(lessons->modules, table)};
    *size = sizeof header + table + sets;
    char *data = rv_allocate(*size);
    memcpy(data, header, sizeof header);
    memcpy(data + sizeof header, lessons->modules, table);
    (void)rv_hapset_save(&lessons->sets, data + sizeof header + table, sets);
    return data;
}

/* A text that ends in its array, with nothing behind its end. */
static bool is_text(const char *text, size_t size) {
    size_t length = strnlen(text, size);
    for (size_t i = length; i < size; i++)
        if (text[i]) return false;
    return length < size;
}

static bool modules_are_right(const struct rv_lessons *lessons) {
    for (uint32_t i = 0; i < lessons->module_count; i++) {
        const struct rv_lesson_module *module = &lessons->modules[i];
        if (!is_text(module->path, sizeof module->path) || !is_text(module->key, sizeof module->key))
            return false;
    }
    return true;
}

/* The number of bytes of the table behind the header; SIZE_MAX: it is no saved form. */
static size_t table_of(const char *data, size_t size) {
    uint64_t header[HEADER_WORDS];
    if (size < sizeof header) return SIZE_MAX;
    memcpy(header, data, sizeof header);
    if (header[0] != MAGIC || header[1] != VERSION || header[2] > RV_MAX_MODULES) return SIZE_MAX;
    size_t table = header[2] * sizeof(struct rv_lesson_module);
    bool whole = size - sizeof header >= table && sum_of(data + sizeof header, table) == header[3];
    return whole ? table : SIZE_MAX;
}

struct rv_lessons *rv_lessons_read(const void *data, size_t size) {
    size_t table = table_of(data, size);
    if (table == SIZE_MAX) return NULL;
    const char *modules = (const char *)data + HEADER_WORDS * sizeof(uint64_t);
    struct rv_lessons *lessons = rv_lessons_new();
    lessons->module_count = (uint32_t)(table / sizeof lessons->modules[0]);
    memcpy(lessons->modules, modules, table);
    if (modules_are_right(lessons) &&
        rv_hapset_load(&lessons->sets, modules + table, size - HEADER_WORDS * sizeof(uint64_t) - table))
        return lessons;
    rv_lessons_free(lessons);
    return NULL;
}

/* ---- as things are now ---- */

static void set_path(struct rv_lesson_module *module, const char *path, size_t size) {
    size_t length = strnlen(path, size);
    if (length > sizeof module->path - 1) length = sizeof module->path - 1;
    memset(module->path, 0, sizeof module->path);
    memcpy(module->path, path, length);
}

struct rv_lessons *rv_lessons_renew(const struct rv_lessons *lessons, const char *path, const char *key) {
    struct rv_lessons *now = rv_lessons_new(), *then = rv_lessons_new();
    then->module_count = now->module_count = lessons->module_count;
    memcpy(then->modules, lessons->modules, sizeof then->modules);
    then->sets = lessons->sets; /* read only */
    uint32_t gone = 0;
    if (then->module_count > 0) set_path(&then->modules[0], path, strlen(path)); /* it may have been copied */
    for (uint32_t i = 0; i < now->module_count; i++) {
        now->modules[i] = then->modules[i];
        bool is_file = strchr(now->modules[i].path, '/'); /* the kernel's own has no slash: as it is */
        if (i == 0)
            snprintf(now->modules[i].key, sizeof now->modules[i].key, "%s", key);
        else if (is_file)
            rv_key_of_file(now->modules[i].path, now->modules[i].key);
        gone += now->modules[i].key[0] == '\0';
    }
    if (gone > GONE_MAX)
        now->module_count = 0;
    else
        rv_lessons_add(now, then);
    rv_lessons_free(then);
    return now;
}

/* ---- areas ---- */

void rv_lessons_give(const struct rv_lessons *lessons, struct rv_area *area) {
    for (uint32_t i = 0; i < lessons->module_count; i++)
        memcpy(area->modules[i].path, lessons->modules[i].path, sizeof area->modules[i].path);
    area->module_count = lessons->module_count;
    area->saved.size[0] = rv_hapset_save(&lessons->sets, area->saved.data[0], sizeof area->saved.data[0]);
}

static void take_modules(struct rv_lessons *lessons, const struct rv_area *area) {
    uint32_t count = rv_load32(&area->module_count);
    lessons->module_count = count < RV_MAX_MODULES ? count : RV_MAX_MODULES;
    for (uint32_t i = 0; i < lessons->module_count; i++) {
        struct rv_lesson_module *module = &lessons->modules[i];
        struct rv_module from = area->modules[i]; /* once, for it may change */
        set_path(module, from.path, sizeof from.path);
        if (from.build_id_size > 0 && from.build_id_size <= sizeof from.build_id)
            rv_key_of_build(from.build_id, from.build_id_size, module->key);
        else
            rv_key_of_file(module->path, module->key);
    }
}

/* What lies in one of the two places, if it is whole. Copied first, for what was checked must not change. */
static bool take_place(struct rv_lessons *lessons, const struct rv_saved *saved, uint32_t place) {
    uint64_t size = rv_load64(&saved->size[place]);
    if (size == 0 || size > sizeof saved->data[place]) return false;
    void *copy = rv_copy(saved->data[place], size);
    bool whole = rv_hapset_load(&lessons->sets, copy, size);
    free(copy);
    return whole;
}

void rv_lessons_take(struct rv_lessons *lessons, const struct rv_area *area) {
    struct rv_lessons *taken = rv_lessons_new();
    uint32_t current = rv_load32(&area->saved.current) & 1;
    take_modules(taken, area);
    if (take_place(taken, &area->saved, current) || take_place(taken, &area->saved, current ^ 1))
        rv_lessons_add(lessons, taken);
    rv_lessons_free(taken);
}
