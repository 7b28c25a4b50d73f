/* The store: what goes in comes out, all or nothing, and files that are not what they should be are left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store/store.h"

static char directory[] = "/tmp/ravel-store-XXXXXX";
static char path[64];

static int make_directory(void **state) {
    (void)state;
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

static int setup(void **state) {
    (void)state;
    snprintf(path, sizeof path, "%s", "sub/store.db");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    (void)unlink("sub/store.db");
    (void)unlink("sub/store.db-journal");
    (void)rmdir("sub");
    return 0;
}

static struct rv_store *open_store(enum rv_store_mode mode) {
    char *error = NULL;
    struct rv_store *store = rv_store_open(path, mode, &error);
    if (!store) fail_msg("%s", error);
    return store;
}

static void put_all(const char *name, const void *data, size_t size) {
    char *error = NULL;
    struct rv_store *store = open_store(RV_STORE_WRITE);
    assert_true(rv_store_begin(store, &error));
    assert_true(rv_store_put(store, "kind", "program", name, data, size, &error));
    assert_true(rv_store_commit(store, &error));
    rv_store_close(store);
}

static struct rv_blob get(struct rv_store *store, const char *kind, const char *program, const char *name) {
    char *error = NULL;
    struct rv_blob blob;
    if (!rv_store_get(store, kind, program, name, &blob, &error)) fail_msg("%s", error);
    return blob;
}

/* Opening it fails with this line. */
static void refused(enum rv_store_mode mode, const char *line) {
    char *error = NULL;
    struct rv_store *store = rv_store_open(path, mode, &error);
    assert_null(store);
    assert_string_equal(error, line);
    free(error);
}

static void write_file(const char *data, size_t size) {
    (void)mkdir("sub", 0777);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static char *read_file(size_t *size) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *data = malloc(1 << 20);
    *size = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

/* Runs SQL on the file, as somebody else. */
static void sql(const char *text) {
    sqlite3 *other;
    (void)mkdir("sub", 0777);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
}

static void what_was_put_is_got(void **state) {
    (void)state;
    put_all("a", "hello", 5);
    put_all("empty", NULL, 0);
    struct rv_store *store = open_store(RV_STORE_READ);
    struct rv_blob blob = get(store, "kind", "program", "a");
    assert_int_equal(blob.size, 5);
    assert_memory_equal(blob.data, "hello", 6); /* ended */
    free(blob.data);
    blob = get(store, "kind", "program", "empty");
    assert_non_null(blob.data);
    assert_int_equal(blob.size, 0);
    free(blob.data);
    assert_null(get(store, "other", "program", "a").data);
    assert_null(get(store, "kind", "other", "a").data);
    assert_null(get(store, "kind", "program", "b").data);
    rv_store_close(store);
    put_all("a", "changed", 7);
    store = open_store(RV_STORE_READ);
    blob = get(store, "kind", "program", "a");
    assert_string_equal(blob.data, "changed");
    free(blob.data);
    rv_store_close(store);
}

static void names_are_listed_in_order(void **state) {
    (void)state;
    char *error = NULL;
    put_all("b", "", 0);
    put_all("a", "", 0);
    struct rv_store *store = open_store(RV_STORE_READ);
    char **names = rv_store_names(store, "kind", "program", &error);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[1], "b");
    assert_null(names[2]);
    rv_store_names_free(names);
    names = rv_store_names(store, "kind", "other", &error);
    assert_null(names[0]);
    rv_store_names_free(names);
    rv_store_close(store);
}

static void reading_makes_nothing(void **state) {
    (void)state;
    char *error = NULL;
    struct rv_store *store = open_store(RV_STORE_READ);
    assert_null(get(store, "kind", "program", "a").data);
    char **names = rv_store_names(store, "kind", "program", &error);
    assert_null(names[0]);
    rv_store_names_free(names);
    rv_store_close(store);
    assert_int_equal(access("sub", F_OK), -1);
    write_file("", 0); /* a file that is empty, too */
    store = open_store(RV_STORE_READ);
    assert_null(get(store, "kind", "program", "a").data);
    rv_store_close(store);
    size_t size;
    free(read_file(&size));
    assert_int_equal(size, 0);
    put_all("a", "in the empty file", 17);
}

static void without_commit_nothing_has_happened(void **state) {
    (void)state;
    char *error = NULL;
    put_all("a", "before", 6);
    struct rv_store *store = open_store(RV_STORE_WRITE);
    assert_true(rv_store_begin(store, &error));
    assert_true(rv_store_put(store, "kind", "program", "a", "after", 5, &error));
    assert_true(rv_store_put(store, "kind", "program", "b", "after", 5, &error));
    rv_store_close(store);
    store = open_store(RV_STORE_READ);
    struct rv_blob blob = get(store, "kind", "program", "a");
    assert_string_equal(blob.data, "before");
    free(blob.data);
    assert_null(get(store, "kind", "program", "b").data);
    rv_store_close(store);
}

static void huge_data_comes_back_and_more_is_refused(void **state) {
    (void)state;
    enum { HUGE_SIZE = 48 << 20 };
    char *error = NULL, *data = malloc(HUGE_SIZE);
    for (size_t i = 0; i < HUGE_SIZE; i++) data[i] = (char)(i * 2654435761u >> 24);
    put_all("huge", data, HUGE_SIZE);
    struct rv_store *store = open_store(RV_STORE_WRITE);
    struct rv_blob blob = get(store, "kind", "program", "huge");
    assert_int_equal(blob.size, HUGE_SIZE);
    assert_int_equal(memcmp(blob.data, data, HUGE_SIZE), 0);
    free(blob.data);
    assert_true(rv_store_begin(store, &error));
    assert_false(rv_store_put(store, "kind", "program", "huge", data, (size_t)RV_STORE_DATA_MAX + 1, &error));
    assert_string_equal(error, "sub/store.db: 268435457 bytes are more than it takes at once (268435456)");
    free(error);
    rv_store_close(store);
    free(data);
}

static void a_locked_store_is_named_and_kept(void **state) {
    (void)state;
    sqlite3 *other;
    char *error = NULL;
    put_all("a", "kept", 4);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    struct rv_store *store = open_store(RV_STORE_WRITE); /* who only reads may */
    assert_false(rv_store_begin(store, &error));
    assert_string_equal(error, "sub/store.db: in use by another process");
    free(error);
    rv_store_close(store);
    assert_int_equal(sqlite3_exec(other, "COMMIT; BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    refused(RV_STORE_READ, "sub/store.db: in use by another process");
    sqlite3_close(other);
    store = open_store(RV_STORE_READ);
    struct rv_blob blob = get(store, "kind", "program", "a");
    assert_string_equal(blob.data, "kept");
    free(blob.data);
    rv_store_close(store);
}

/* Both ways of opening refuse it with this line, and it is byte for byte as it was. */
static void refused_and_kept(const char *line) {
    size_t before, after;
    char *old = read_file(&before);
    refused(RV_STORE_READ, line);
    refused(RV_STORE_WRITE, line);
    char *now = read_file(&after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    free(old);
    free(now);
}

static void what_is_no_database_is_refused(void **state) {
    (void)state;
    static const char text[] =
        "This is somebody's diary, and not at all a database; it is longer than a header, though.";
    write_file(text, sizeof text);
    refused_and_kept("sub/store.db: not a store of ravel, or damaged");
}

static void a_damaged_database_is_refused(void **state) {
    (void)state;
    size_t size;
    put_all("a", "data", 4);
    char *data = read_file(&size);
    memset(data + 100, 0x5a, 200); /* the root page behind the file's header */
    write_file(data, size);
    refused_and_kept("sub/store.db: not a store of ravel, or damaged");
    free(data);
}

static void a_truncated_database_is_refused(void **state) {
    (void)state;
    size_t size;
    char *error = NULL;
    struct rv_blob blob;
    char *large = calloc(1, 100000);
    put_all("a", large, 100000);
    char *data = read_file(&size);
    write_file(data, size / 2);
    struct rv_store *store = rv_store_open(path, RV_STORE_READ, &error);
    assert_true(!store || !rv_store_get(store, "kind", "program", "a", &blob, &error));
    assert_string_equal(error, "sub/store.db: not a store of ravel, or damaged");
    rv_store_close(store);
    free(error);
    free(data);
    free(large);
}

static void a_newer_schema_is_refused(void **state) {
    (void)state;
    put_all("a", "data", 4);
    sql("PRAGMA user_version = 2");
    refused_and_kept("sub/store.db: written by a newer ravel (schema 2, this one knows 1)");
    sql("PRAGMA user_version = 0");
    refused_and_kept("sub/store.db: of schema 0, which is unknown");
}

static void somebody_elses_database_is_refused(void **state) {
    (void)state;
    sql("CREATE TABLE diary (day, text)");
    refused_and_kept("sub/store.db: a database, but not a store of ravel");
}

static void places_where_no_file_can_be(void **state) {
    (void)state;
    snprintf(path, sizeof path, "none/above/store.db");
    refused(RV_STORE_WRITE, "none/above/store.db: No such file or directory");
    snprintf(path, sizeof path, ".");
    refused(RV_STORE_WRITE, ".: not a file");
    refused(RV_STORE_READ, ".: not a file");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_was_put_is_got),
        TEST(names_are_listed_in_order),
        TEST(reading_makes_nothing),
        TEST(without_commit_nothing_has_happened),
        TEST(huge_data_comes_back_and_more_is_refused),
        TEST(a_locked_store_is_named_and_kept),
        TEST(what_is_no_database_is_refused),
        TEST(a_damaged_database_is_refused),
        TEST(a_truncated_database_is_refused),
        TEST(a_newer_schema_is_refused),
        TEST(somebody_elses_database_is_refused),
        TEST(places_where_no_file_can_be),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
