/* Reading: lines are cut where they lie, in a copy of the text; strings stay there, unescaped in place. References are checked
 * when all is read, for they may go forward; until then only their line is kept. */
#include "model/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 12, RECORDS_MAX = 1 << 27 };

enum reference {
    TO_FILE,
    TO_FUNCTION,
    TO_THREAD,
    TO_VARIABLE,
    TO_BLOCK,
    TO_SITE,
    TO_SYNC,
    TO_STATEMENT,
    REFERENCES
};
static const char *const reference_names[] = {"file",  "function", "thread", "variable",
                                              "block", "site",     "sync",   "statement"};

struct rv_model_private {
    char *text;
    uint32_t *by_place; /* sites, sorted by last name of the file and line */
};

struct reader {
    struct rv_model *model;
    const char *name;
    char **error;
    uint32_t line;
    char *start, *fields[FIELDS_MAX];
    unsigned field_count;
    bool failed;
    uint32_t greatest[REFERENCES], where[REFERENCES]; /* the greatest id that is named + 1, and its line */
    uint32_t capacity[14];
};

/* --- errors --- */

static bool fail_at(struct reader *reader, const char *at, const char *expected) {
    if (reader->failed) return false;
    reader->failed = true;
    if (asprintf(reader->error, "%s:%u:%zu: expected %s", reader->name, reader->line,
                 (size_t)(at - reader->start) + 1, expected) < 0)
        *reader->error = NULL;
    return false;
}

static bool fail_field(struct reader *reader, unsigned field, const char *expected) {
    return fail_at(reader, reader->fields[field], expected);
}

/* --- fields --- */

static bool number_between(struct reader *reader, const char *at, const char *end, uint64_t most,
                           uint64_t *value, const char *expected) {
    uint64_t sum = 0;
    const char *digit = at;
    for (; digit < end && *digit >= '0' && *digit <= '9'; digit++) {
        if (sum > (UINT64_MAX - 9) / 10) return fail_at(reader, at, expected);
        sum = sum * 10 + (uint64_t)(*digit - '0');
    }
    if (digit == at || digit != end || sum > most) return fail_at(reader, digit == at ? at : digit, expected);
    *value = sum;
    return true;
}

static bool number(struct reader *reader, unsigned field, uint32_t *value, const char *expected) {
    const char *text = reader->fields[field];
    uint64_t wide = 0;
    if (!number_between(reader, text, text + strlen(text), UINT32_MAX - 1, &wide, expected)) return false;
    *value = (uint32_t)wide;
    return true;
}

static void refer(struct reader *reader, enum reference kind, uint32_t id) {
    if (id < reader->greatest[kind]) return;
    reader->greatest[kind] = id + 1;
    reader->where[kind] = reader->line;
}

static bool id_of(struct reader *reader, unsigned field, enum reference kind, bool may_miss,
                  uint32_t *value) {
    if (may_miss && strcmp(reader->fields[field], "-") == 0) {
        *value = RV_MODEL_NONE;
        return true;
    }
    char expected[64];
    snprintf(expected, sizeof expected, "the number of a %s%s", reference_names[kind],
             may_miss ? " or \"-\"" : "");
    if (!number(reader, field, value, expected)) return false;
    refer(reader, kind, *value);
    return true;
}

static bool flag(struct reader *reader, unsigned field, bool *value) {
    const char *text = reader->fields[field];
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) return fail_field(reader, field, "0 or 1");
    *value = text[0] == '1';
    return true;
}

static bool grow(void **array, uint32_t *capacity, uint32_t count, size_t size) {
    if (count < *capacity) return true;
    uint32_t wanted = *capacity ? *capacity * 2 : 64;
    void *bigger = count < RECORDS_MAX ? realloc(*array, wanted * size) : NULL;
    if (!bigger) return false;
    *array = bigger;
    *capacity = wanted;
    return true;
}

/* Room for one more at the end of model->MEMBER, which is zeroed and counted. */
#define ADD(reader, member, which)                                                                           \
    (grow((void **)&(reader)->model->member##s, &(reader)->capacity[which], (reader)->model->member##_count, \
          sizeof *(reader)->model->member##s)                                                                \
         ? memset(&(reader)->model->member##s[(reader)->model->member##_count++], 0,                         \
                  sizeof *(reader)->model->member##s)                                                        \
         : (fail_at(reader, (reader)->start, "fewer records than memory has room for"), NULL))

static bool add_number(struct reader *reader, uint32_t value) {
    uint32_t *slot = ADD(reader, number, 0);
    if (slot) *slot = value;
    return slot;
}

/* A comma list; `kind` REFERENCES: plain numbers, which ascend. */
static bool list(struct reader *reader, unsigned field, enum reference kind, struct rv_model_list *result) {
    const char *at = reader->fields[field];
    *result = (struct rv_model_list){reader->model->number_count, 0};
    if (strcmp(at, "-") == 0) return true;
    char expected[80];
    snprintf(expected, sizeof expected, "numbers of %ss with commas between them, or \"-\"",
             kind == REFERENCES ? "line" : reference_names[kind]);
    for (;;) {
        const char *end = at + strcspn(at, ",");
        uint64_t value = 0;
        if (!number_between(reader, at, end, UINT32_MAX - 1, &value, expected)) return false;
        if (kind != REFERENCES) refer(reader, kind, (uint32_t)value);
        if (!add_number(reader, (uint32_t)value)) return false;
        result->count++;
        if (!*end) return true;
        at = end + 1;
    }
}

/* \t, \n and \\ in place. */
static bool text(struct reader *reader, unsigned field, const char **result) {
    char *to = reader->fields[field];
    *result = to;
    for (const char *from = to; *from; from++) {
        char c = *from;
        if (c == '\\') {
            char next = *++from;
            if (next != 't' && next != 'n' && next != '\\') return fail_at(reader, from, "\\t, \\n or \\\\");
            c = (char)(next == 't' ? '\t' : next == 'n' ? '\n' : '\\');
        }
        *to++ = c;
    }
    *to = '\0';
    return true;
}

static bool own_id(struct reader *reader, uint32_t expected) {
    uint32_t id = 0;
    char words[64];
    snprintf(words, sizeof words, "the next number, %u", expected);
    return number(reader, 1, &id, words) && (id == expected || fail_field(reader, 1, words));
}

static bool place(struct reader *reader, unsigned field, uint32_t *file, uint32_t *line, uint32_t *column) {
    return id_of(reader, field, TO_FILE, true, file) && number(reader, field + 1, line, "a line") &&
           number(reader, field + 2, column, "a column");
}

/* --- records --- */

static bool read_file(struct reader *reader) {
    if (!own_id(reader, reader->model->file_count)) return false;
    const char **slot = ADD(reader, file, 1);
    return slot && text(reader, 2, slot);
}

static bool read_function(struct reader *reader) {
    if (!own_id(reader, reader->model->function_count)) return false;
    struct rv_model_function *function = ADD(reader, function, 2);
    return function && text(reader, 2, &function->name) && id_of(reader, 3, TO_FILE, true, &function->file) &&
           number(reader, 4, &function->line, "a line") && list(reader, 5, TO_THREAD, &function->threads);
}

static bool read_thread(struct reader *reader) {
    if (!own_id(reader, reader->model->thread_count)) return false;
    struct rv_model_thread *thread = ADD(reader, thread, 3);
    return thread && id_of(reader, 2, TO_FUNCTION, false, &thread->function) &&
           flag(reader, 3, &thread->many);
}

static bool read_call(struct reader *reader) {
    struct rv_model_call *call = ADD(reader, call, 4);
    return call && id_of(reader, 1, TO_FUNCTION, false, &call->caller) &&
           id_of(reader, 2, TO_FUNCTION, false, &call->callee) &&
           place(reader, 3, &call->file, &call->line, &call->column);
}

static bool read_variable(struct reader *reader) {
    if (!own_id(reader, reader->model->variable_count)) return false;
    struct rv_model_variable *variable = ADD(reader, variable, 5);
    return variable && text(reader, 2, &variable->name) && flag(reader, 3, &variable->shared);
}

static bool read_kind(struct reader *reader, unsigned field, unsigned *kind) {
    const char *at = reader->fields[field];
    *kind = *at == 'r'   ? RV_MODEL_READ
            : *at == 'w' ? RV_MODEL_WRITE
            : *at == 'u' ? RV_MODEL_READ | RV_MODEL_WRITE
                         : 0;
    if (!*kind) return fail_at(reader, at, "r, w or u");
    for (at++; *at; at++) {
        unsigned bit = *at == 'a'   ? RV_MODEL_ATOMIC
                       : *at == 'v' ? RV_MODEL_VOLATILE
                       : *at == 'm' ? RV_MODEL_LIBRARY
                                    : 0;
        if (!bit || *kind & bit) return fail_at(reader, at, "each of a, v and m once at most");
        *kind |= bit;
    }
    return true;
}

static bool read_site(struct reader *reader) {
    if (!own_id(reader, reader->model->site_count)) return false;
    struct rv_model_site *site = ADD(reader, site, 6);
    if (!site || !id_of(reader, 2, TO_VARIABLE, false, &site->variable) ||
        !id_of(reader, 3, TO_FUNCTION, false, &site->function) ||
        !place(reader, 4, &site->file, &site->line, &site->column) || !read_kind(reader, 7, &site->kind))
        return false;
    const char *size = reader->fields[8];
    return number_between(reader, size, size + strlen(size), INT64_MAX, &site->size, "a number of bytes") &&
           list(reader, 9, TO_VARIABLE, &site->locks) && id_of(reader, 10, TO_BLOCK, true, &site->block);
}

static bool read_sync(struct reader *reader) {
    if (!own_id(reader, reader->model->sync_count)) return false;
    struct rv_model_sync *sync = ADD(reader, sync, 7);
    return sync && id_of(reader, 2, TO_FUNCTION, false, &sync->function) &&
           place(reader, 3, &sync->file, &sync->line, &sync->column) && text(reader, 6, &sync->kind) &&
           list(reader, 7, TO_VARIABLE, &sync->locks) && id_of(reader, 8, TO_BLOCK, true, &sync->block);
}

/* Labels are few: most blocks have none or two. */
static bool label_number(struct reader *reader, const char *label, uint32_t *result) {
    struct rv_model *model = reader->model;
    for (uint32_t i = 0; i < model->label_count && i < 64; i++)
        if (strcmp(model->labels[i], label) == 0) {
            *result = i;
            return true;
        }
    const char **slot = ADD(reader, label, 8);
    if (!slot) return false;
    *slot = label;
    *result = model->label_count - 1;
    return true;
}

static bool read_successors(struct reader *reader, struct rv_model_block *block) {
    static const char *const expected = "LABEL:BLOCK with commas between them, or \"-\"";
    char *at = reader->fields[5];
    uint32_t count = 0, first = reader->model->number_count;
    if (strcmp(at, "-") == 0) return true;
    for (char *comma = at - 1; comma; comma = strchr(comma + 1, ',')) count++;
    for (uint32_t i = 0; i < 2 * count; i++)
        if (!add_number(reader, 0)) return false;
    for (uint32_t i = 0; i < count; i++) {
        char *end = at + strcspn(at, ","), *colon = memchr(at, ':', (size_t)(end - at));
        uint64_t id = 0;
        if (!colon) return fail_at(reader, at, expected);
        if (!number_between(reader, colon + 1, end, UINT32_MAX - 1, &id, expected)) return false;
        refer(reader, TO_BLOCK, (uint32_t)id);
        *colon = '\0';
        if (!label_number(reader, at, &reader->model->numbers[first + count + i])) return false;
        reader->model->numbers[first + i] = (uint32_t)id;
        at = end + 1;
    }
    block->successors = (struct rv_model_list){first, count};
    block->labels = (struct rv_model_list){first + count, count};
    return true;
}

static bool hash_of(struct reader *reader, unsigned field, uint64_t *value) {
    const char *hash = reader->fields[field];
    if (strlen(hash) != 16 || strspn(hash, "0123456789abcdef") != 16)
        return fail_at(reader, hash, "16 hexadecimal digits");
    *value = strtoull(hash, NULL, 16);
    return true;
}

static bool read_block(struct reader *reader) {
    if (!own_id(reader, reader->model->block_count)) return false;
    struct rv_model_block *block = ADD(reader, block, 9);
    return block && id_of(reader, 2, TO_FUNCTION, false, &block->function) &&
           hash_of(reader, 3, &block->hash) && list(reader, 4, REFERENCES, &block->lines) &&
           read_successors(reader, block);
}

static bool read_statement(struct reader *reader) {
    if (!own_id(reader, reader->model->statement_count)) return false;
    struct rv_model_statement *statement = ADD(reader, statement, 11);
    return statement && id_of(reader, 2, TO_BLOCK, false, &statement->block) &&
           hash_of(reader, 3, &statement->hash) && number(reader, 4, &statement->line, "a line") &&
           list(reader, 5, TO_SITE, &statement->sites) && list(reader, 6, TO_SYNC, &statement->syncs) &&
           list(reader, 7, TO_STATEMENT, &statement->flows) &&
           list(reader, 8, TO_STATEMENT, &statement->aims) &&
           list(reader, 9, TO_SITE, &statement->pointers) && hash_of(reader, 10, &statement->loose) &&
           list(reader, 11, REFERENCES, &statement->locals);
}

static bool read_invoke(struct reader *reader) {
    struct rv_model_invoke *invoke = ADD(reader, invoke, 12);
    if (!invoke || !id_of(reader, 1, TO_STATEMENT, false, &invoke->statement) ||
        !id_of(reader, 2, TO_FUNCTION, false, &invoke->function))
        return false;
    invoke->start = strcmp(reader->fields[3], "start") == 0;
    return invoke->start || strcmp(reader->fields[3], "call") == 0 || fail_field(reader, 3, "call or start");
}

static bool read_initial(struct reader *reader) {
    struct rv_model_initial *initial = ADD(reader, initial, 13);
    return initial && text(reader, 1, &initial->name) && hash_of(reader, 2, &initial->hash);
}

static bool read_unsure(struct reader *reader) {
    struct rv_model *model = reader->model;
    if (!grow((void **)&model->unsure, &reader->capacity[10], model->unsure_count, sizeof *model->unsure))
        return fail_at(reader, reader->start, "fewer records than memory has room for");
    return text(reader, 1, &model->unsure[model->unsure_count++]);
}

static const struct {
    const char *word;
    unsigned fields; /* with the word */
    bool (*read)(struct reader *reader);
} records[] = {
    {"site", 11, read_site},        {"call", 6, read_call},
    {"block", 6, read_block},       {"file", 3, read_file},
    {"variable", 4, read_variable}, {"function", 6, read_function},
    {"sync", 9, read_sync},         {"thread", 4, read_thread},
    {"unsure", 2, read_unsure},     {"statement", 12, read_statement},
    {"invoke", 4, read_invoke},     {"initial", 3, read_initial},
};

static bool read_line(struct reader *reader) {
    reader->field_count = 0;
    for (char *at = reader->start; at;) {
        if (reader->field_count == FIELDS_MAX) return fail_at(reader, at, "the end of the line");
        reader->fields[reader->field_count++] = at;
        at = strchr(at, '\t');
        if (at) *at++ = '\0';
    }
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        if (strcmp(reader->fields[0], records[i].word) != 0) continue;
        char expected[64];
        snprintf(expected, sizeof expected, "%u fields in a record \"%s\"", records[i].fields,
                 records[i].word);
        if (reader->field_count != records[i].fields)
            return fail_at(reader,
                           reader->field_count > records[i].fields ? reader->fields[records[i].fields]
                                                                   : reader->fields[reader->field_count - 1],
                           expected);
        return records[i].read(reader);
    }
    return fail_field(
        reader, 0,
        "file, function, thread, call, variable, site, sync, block, statement, invoke, initial or "
        "unsure");
}

static bool check_references(struct reader *reader) {
    const struct rv_model *model = reader->model;
    const uint32_t counts[REFERENCES] = {model->file_count,     model->function_count, model->thread_count,
                                         model->variable_count, model->block_count,    model->site_count,
                                         model->sync_count,     model->statement_count};
    for (int kind = 0; kind < REFERENCES; kind++) {
        if (reader->greatest[kind] <= counts[kind]) continue;
        reader->line = reader->where[kind];
        char expected[80];
        snprintf(expected, sizeof expected, "numbers of %ss below %u, for there are no more",
                 reference_names[kind], counts[kind]);
        return fail_at(reader, reader->start, expected);
    }
    return true;
}

static bool read_all(struct reader *reader, char *at, size_t size) {
    char *end = at + size;
    for (reader->line = 1; at < end; reader->line++) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        reader->start = at;
        if (!newline) return fail_at(reader, end, "the line to end");
        *newline = '\0';
        if (strlen(at) != (size_t)(newline - at))
            return fail_at(reader, at + strlen(at), "text without a byte 0");
        if (reader->line == 1) {
            if (strcmp(at, RV_MODEL_HEADER) != 0) return fail_at(reader, at, "\"" RV_MODEL_HEADER "\"");
        } else if (!read_line(reader))
            return false;
        at = newline + 1;
    }
    reader->start = end;
    if (reader->line == 1) return fail_at(reader, end, "\"" RV_MODEL_HEADER "\"");
    return check_references(reader);
}

/* --- looking up --- */

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int compare_places(const char *name, uint32_t line, const struct rv_model *model,
                          const struct rv_model_site *site) {
    int order = strcmp(name, site->file == RV_MODEL_NONE ? "" : last_name(model->files[site->file]));
    return order ? order : line < site->line ? -1 : line > site->line;
}

static int order_sites(const void *a, const void *b, void *context) {
    const struct rv_model *model = context;
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const struct rv_model_site *site = &model->sites[first];
    const char *name = site->file == RV_MODEL_NONE ? "" : last_name(model->files[site->file]);
    int order = compare_places(name, site->line, model, &model->sites[second]);
    return order ? order : first < second ? -1 : 1;
}

static bool sort_sites(struct reader *reader) {
    struct rv_model *model = reader->model;
    model->own->by_place = malloc((model->site_count + (size_t)1) * sizeof *model->own->by_place);
    if (!model->own->by_place) return fail_at(reader, reader->start, "less than memory has room for");
    for (uint32_t i = 0; i < model->site_count; i++) model->own->by_place[i] = i;
    qsort_r(model->own->by_place, model->site_count, sizeof *model->own->by_place, order_sites, model);
    return true;
}

bool rv_model_same_file(const char *a, const char *b) {
    while (strncmp(a, "./", 2) == 0) a += 2;
    while (strncmp(b, "./", 2) == 0) b += 2;
    size_t first = strlen(a), second = strlen(b);
    if (first > second) return rv_model_same_file(b, a);
    return strcmp(a, b + (second - first)) == 0 &&
           (first == second || (a[0] != '/' && b[second - first - 1] == '/'));
}

size_t rv_model_sites_at(const struct rv_model *model, const char *file, uint32_t line, unsigned kinds,
                         uint32_t *sites, size_t capacity) {
    const uint32_t *order = model->own->by_place;
    const char *name = last_name(file);
    size_t low = 0, high = model->site_count, found = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(name, line, model, &model->sites[order[middle]]) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < model->site_count; low++) {
        const struct rv_model_site *site = &model->sites[order[low]];
        if (compare_places(name, line, model, site) != 0) break;
        if (!(site->kind & kinds) || site->file == RV_MODEL_NONE) continue;
        if (!rv_model_same_file(model->files[site->file], file)) continue;
        if (found < capacity) sites[found] = order[low];
        found++;
    }
    return found;
}

size_t rv_model_sites_near(const struct rv_model *model, const char *file, uint32_t line, unsigned kinds,
                           uint32_t *sites, size_t capacity) {
    size_t found = rv_model_sites_at(model, file, line, kinds, sites, capacity);
    for (uint32_t away = 1; !found && away <= RV_MODEL_NEAR; away++) {
        found = rv_model_sites_at(model, file, line + away, kinds, sites, capacity);
        if (!found && line > away)
            found = rv_model_sites_at(model, file, line - away, kinds, sites, capacity);
    }
    return found;
}

const char *rv_model_kind_text(unsigned kind, char result[8]) {
    char *to = result;
    *to++ =
        (kind & RV_MODEL_READ) && (kind & RV_MODEL_WRITE) ? 'u' : (char)(kind & RV_MODEL_WRITE ? 'w' : 'r');
    if (kind & RV_MODEL_ATOMIC) *to++ = 'a';
    if (kind & RV_MODEL_VOLATILE) *to++ = 'v';
    if (kind & RV_MODEL_LIBRARY) *to++ = 'm';
    *to = '\0';
    return result;
}

/* --- the model as a whole --- */

struct rv_model *rv_model_read(const char *source, size_t size, const char *name, char **error) {
    struct rv_model *model = calloc(1, sizeof *model);
    struct rv_model_private *own = calloc(1, sizeof *own);
    if (!model || !own) abort();
    model->own = own;
    own->text = malloc(size + 1);
    struct reader reader = {.model = model, .name = name, .error = error, .start = own->text, .line = 1};
    uint32_t zero;
    bool good = own->text != NULL || fail_at(&reader, reader.start, "less than memory has room for");
    if (good) {
        memcpy(own->text, source, size);
        own->text[size] = '\0';
        good = label_number(&reader, "", &zero) && read_all(&reader, own->text, size) && sort_sites(&reader);
    }
    if (good) return model;
    rv_model_free(model);
    return NULL;
}

struct rv_model *rv_model_read_file(const char *path, char **error) {
    FILE *file = fopen(path, "re");
    char *content = NULL;
    size_t size = 0, got;
    char part[1 << 16];
    FILE *memory = file ? open_memstream(&content, &size) : NULL;
    if (!memory) {
        if (asprintf(error, "%s: cannot be read: %s", path, strerror(errno)) < 0) *error = NULL;
        if (file) fclose(file);
        return NULL;
    }
    while ((got = fread(part, 1, sizeof part, file)) > 0) fwrite(part, 1, got, memory);
    bool good = !ferror(file);
    int reason = errno;
    good &= fclose(memory) == 0;
    fclose(file);
    struct rv_model *model = NULL;
    if (good)
        model = rv_model_read(content, size, path, error);
    else if (asprintf(error, "%s: cannot be read: %s", path, strerror(reason)) < 0)
        *error = NULL;
    free(content);
    return model;
}

void rv_model_free(struct rv_model *model) {
    if (!model) return;
    free(model->own->text);
    free(model->own->by_place);
    free(model->own);
    free(model->files);
    free(model->functions);
    free(model->threads);
    free(model->calls);
    free(model->variables);
    free(model->sites);
    free(model->syncs);
    free(model->blocks);
    free(model->statements);
    free(model->invokes);
    free(model->initials);
    free(model->unsure);
    free(model->labels);
    free(model->numbers);
    free(model);
}
