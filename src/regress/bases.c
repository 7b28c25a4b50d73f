#include "regress/bases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/scan.h"
#include "report/text.h"

static const char kind_base[] = "regress-base", kind_model[] = "regress-model", kind_test[] = "regress-test";

bool rv_base_is_meant(const struct rv_base *base, const char *given) {
    size_t size = strcspn(given, "@");
    if (strlen(base->name) != size || strncmp(base->name, given, size) != 0) return false;
    const char *commit = given + size, *has = base->commit;
    if (!*commit) return true;
    for (commit++; *commit && *commit == *has; commit++) has++;
    return !*commit;
}

void rv_base_free(struct rv_base *base) {
    for (uint32_t i = 0; i < base->program_count; i++) {
        free(base->programs[i].path);
        free(base->programs[i].why);
    }
    for (uint32_t i = 0; i < base->test_count; i++) free(base->tests[i].name);
    free(base->programs);
    free(base->tests);
    free(base->name);
    free(base->commit);
    *base = (struct rv_base){0};
}

char *rv_base_id(const struct rv_base *base) { return rv_text_format("%s@%s", base->name, base->commit); }

void rv_base_add_program(struct rv_base *base, char *path, const char *key, char *why) {
    base->programs = rv_text_realloc(base->programs, base->program_count + 1, sizeof *base->programs);
    struct rv_base_program *program = &base->programs[base->program_count++];
    *program = (struct rv_base_program){.path = path, .why = why};
    snprintf(program->key, sizeof program->key, "%s", key);
}

void rv_base_add_test(struct rv_base *base, char *name, uint32_t program) {
    if ((base->test_count & (base->test_count + 1)) == 0)
        base->tests = rv_text_realloc(base->tests, base->test_count * 2 + 2, sizeof *base->tests);
    base->tests[base->test_count++] = (struct rv_base_test){name, program};
}

/* --- text --- */

static void add_quoted(struct rv_text *text, const char *before, const char *what) {
    rv_text_add(text, before);
    rv_text_add_quoted(text, what, strlen(what));
}

char *rv_base_write(const struct rv_base *base, size_t *size) {
    struct rv_text text = {0};
    add_quoted(&text, "ravel-base 1\nname ", base->name);
    add_quoted(&text, "\ncommit ", base->commit);
    rv_text_addf(&text, "\nrecorded %lld\ncomplete %d\n", (long long)base->recorded, base->complete);
    for (uint32_t i = 0; i < base->program_count; i++) {
        add_quoted(&text, "program ", base->programs[i].path);
        add_quoted(&text, " ", base->programs[i].key);
        add_quoted(&text, " ", base->programs[i].why);
        rv_text_add(&text, "\n");
    }
    for (uint32_t i = 0; i < base->test_count; i++) {
        rv_text_addf(&text, "test %u ", base->tests[i].program);
        add_quoted(&text, "", base->tests[i].name);
        rv_text_add(&text, "\n");
    }
    *size = text.size;
    return rv_text_take(&text);
}

static bool take_text(struct rv_scan *scan, const char *word, char **text) {
    return rv_scan_line_of(scan, word) && rv_scan_text(scan, text, "a text") && rv_scan_end(scan);
}

static bool take_head(struct rv_scan *scan, struct rv_base *base) {
    uint64_t version = 0, recorded = 0, complete = 0;
    if (!rv_scan_line_number(scan, "ravel-base", UINT32_MAX, &version)) return false;
    if (version != 1)
        return rv_scan_error(scan, "written by a later ravel (version %llu)", (unsigned long long)version);
    if (!take_text(scan, "name", &base->name) || !take_text(scan, "commit", &base->commit) ||
        !rv_scan_line_number(scan, "recorded", INT64_MAX, &recorded) ||
        !rv_scan_line_number(scan, "complete", 1, &complete))
        return false;
    base->recorded = (int64_t)recorded;
    base->complete = complete;
    return true;
}

static bool take_program(struct rv_scan *scan, struct rv_base *base) {
    char *path = NULL, *key = NULL, *why = NULL;
    bool good = rv_scan_text(scan, &path, "a path") && rv_scan_text(scan, &key, "a key") &&
                rv_scan_text(scan, &why, "a text") && rv_scan_end(scan);
    if (good) {
        rv_base_add_program(base, path, key, why);
    } else {
        free(path);
        free(why);
    }
    free(key);
    return good;
}

static bool take_test(struct rv_scan *scan, struct rv_base *base) {
    uint64_t program = 0;
    char *name = NULL;
    if (!rv_scan_number(scan, &program, UINT32_MAX, "the number of a program")) return false;
    if (program >= base->program_count)
        return rv_scan_error(scan, "expected a program, below %u", base->program_count);
    if (!rv_scan_text(scan, &name, "a name")) return false;
    rv_base_add_test(base, name, (uint32_t)program);
    return rv_scan_end(scan);
}

static bool take_rest(struct rv_scan *scan, struct rv_base *base) {
    const char *word;
    size_t size;
    while (rv_scan_line(scan)) {
        if (!rv_scan_word(scan, &word, &size, "program or test")) return false;
        if (rv_scan_is(word, size, "program") ? !take_program(scan, base)
            : rv_scan_is(word, size, "test")  ? !take_test(scan, base)
                                              : !rv_scan_error_at(scan, word, "expected program or test"))
            return false;
    }
    return !scan->error;
}

bool rv_base_read(struct rv_base *base, const char *text, size_t size, const char *name, char **error) {
    struct rv_scan scan = {.name = name, .next = text, .end = text + size, .columns = true};
    *base = (struct rv_base){0};
    if (take_head(&scan, base) && take_rest(&scan, base)) return true;
    rv_base_free(base);
    *error = scan.error;
    return false;
}

/* --- the store --- */

static int latest_first(const void *a, const void *b) {
    const struct rv_base *first = a, *second = b;
    if (first->recorded != second->recorded) return first->recorded > second->recorded ? -1 : 1;
    int order = strcmp(first->name, second->name);
    return order ? order : strcmp(first->commit, second->commit);
}

struct rv_base *rv_bases_list(struct rv_store *store, size_t *count, size_t *damaged, char **error) {
    char **names = rv_store_names(store, kind_base, "all", error);
    struct rv_base *bases = rv_text_alloc(1, sizeof *bases);
    *count = *damaged = 0;
    for (char **name = names; name && *name; name++) {
        struct rv_blob blob;
        char *wrong = NULL;
        if (!rv_store_get(store, kind_base, "all", *name, &blob, error)) {
            rv_store_names_free(names);
            names = NULL;
            break;
        }
        bases = rv_text_realloc(bases, *count + 1, sizeof *bases);
        if (blob.data && rv_base_read(&bases[*count], blob.data, blob.size, *name, &wrong))
            (*count)++;
        else
            (*damaged)++;
        free(wrong);
        free(blob.data);
    }
    if (!names) {
        for (size_t i = 0; i < *count; i++) rv_base_free(&bases[i]);
        free(bases);
        return NULL;
    }
    if (*count) qsort(bases, *count, sizeof *bases, latest_first);
    rv_store_names_free(names);
    return bases;
}

static bool put(struct rv_store *store, const char *kind, const char *program, const char *name,
                const void *data, size_t size, char **error) {
    return rv_store_begin(store, error) && rv_store_put(store, kind, program, name, data, size, error) &&
           rv_store_commit(store, error);
}

bool rv_bases_put(struct rv_store *store, const struct rv_base *base, char **error) {
    size_t size;
    char *text = rv_base_write(base, &size), *id = rv_base_id(base);
    bool good = put(store, kind_base, "all", id, text, size, error);
    free(text);
    free(id);
    return good;
}

static char *number_name(uint32_t number) { return rv_text_format("%u", number); }

bool rv_bases_put_model(struct rv_store *store, const struct rv_base *base, uint32_t program,
                        const char *text, size_t size, char **error) {
    char *id = rv_base_id(base), *name = number_name(program);
    bool good = put(store, kind_model, id, name, text, size, error);
    free(id);
    free(name);
    return good;
}

bool rv_bases_put_test(struct rv_store *store, const struct rv_base *base, const char *test,
                       const struct rv_trial *trial, char **error) {
    size_t size;
    char *text = rv_trial_write(trial, &size), *id = rv_base_id(base);
    bool good = put(store, kind_test, id, test, text, size, error);
    free(text);
    free(id);
    return good;
}

bool rv_bases_get_model(struct rv_store *store, const struct rv_base *base, uint32_t program,
                        struct rv_blob *blob, char **error) {
    char *id = rv_base_id(base), *name = number_name(program);
    bool good = rv_store_get(store, kind_model, id, name, blob, error);
    free(id);
    free(name);
    return good;
}

bool rv_bases_get_test(struct rv_store *store, const struct rv_base *base, const char *test,
                       struct rv_trial *trial, bool *found, char **error) {
    char *id = rv_base_id(base);
    struct rv_blob blob;
    *found = false;
    bool good = rv_store_get(store, kind_test, id, test, &blob, error);
    if (good && blob.data) {
        char *harmless = rv_text_harmless(test, true),
             *name = rv_text_format("%s: test \"%s\"", rv_store_path(store), harmless);
        good = *found = rv_trial_read(trial, blob.data, blob.size, name, error);
        free(name);
        free(harmless);
    }
    free(blob.data);
    free(id);
    return good;
}

bool rv_bases_forget(struct rv_store *store, const struct rv_base *base, char **error) {
    char *id = rv_base_id(base);
    bool good = rv_store_begin(store, error) && rv_store_remove(store, kind_model, id, NULL, error) &&
                rv_store_remove(store, kind_test, id, NULL, error) &&
                rv_store_remove(store, kind_base, "all", id, error) && rv_store_commit(store, error);
    free(id);
    return good;
}
