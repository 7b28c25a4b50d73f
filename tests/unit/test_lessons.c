/* Lessons: what becomes of them when modules change, when a worker lies, and when their saved form is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/lessons.h"

static char directory[] = "/tmp/ravel-lessons-XXXXXX";
static char *library; /* a file in it */

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int setup(void **state) {
    (void)state;
    assert_non_null(mkdtemp(directory));
    assert_true(asprintf(&library, "%s/library", directory) > 0);
    write_file(library, "as it was");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    unlink(library);
    free(library);
    return rmdir(directory);
}

static rv_code code(unsigned module, uint64_t offset) { return (rv_code)module << 48 | offset; }

static void add_module(struct rv_lessons *lessons, const char *path, const char *key) {
    struct rv_lesson_module *module = &lessons->modules[lessons->module_count++];
    snprintf(module->path, sizeof module->path, "%s", path);
    snprintf(module->key, sizeof module->key, "%s", key);
}

/* Two statements in the program, one in the library, one called from the library: each after the first. */
static struct rv_lessons *example(void) {
    struct rv_lessons *lessons = rv_lessons_new();
    char key[RV_KEY_SIZE];
    rv_key_of_file(library, key);
    add_module(lessons, "/bin/program", "build-id:01");
    add_module(lessons, "kernel", "build-id:02");
    add_module(lessons, library, key);
    uint32_t first = rv_hapset_statement(&lessons->sets, code(0, 16), 1, NULL, 0);
    uint32_t second = rv_hapset_statement(&lessons->sets, code(0, 32), 1, (uint64_t[]){code(0, 48)}, 1);
    uint32_t inside = rv_hapset_statement(&lessons->sets, code(2, 64), 1, NULL, 0);
    uint32_t called = rv_hapset_statement(&lessons->sets, code(0, 80), 1, (uint64_t[]){code(2, 96)}, 1);
    assert_true(rv_hapset_add(&lessons->sets, second, first, 5));
    assert_true(rv_hapset_add(&lessons->sets, inside, first, 6));
    assert_true(rv_hapset_add(&lessons->sets, called, second, 7));
    return lessons;
}

static void assert_counts(const struct rv_lessons *lessons, unsigned statements, unsigned members) {
    assert_non_null(lessons);
    assert_int_equal(lessons->sets.statements.count, statements);
    assert_int_equal(lessons->sets.members.count, members);
}

static void written_and_read_is_the_same(void **state) {
    (void)state;
    size_t size, again;
    struct rv_lessons *lessons = example();
    char *data = rv_lessons_write(lessons, &size);
    struct rv_lessons *back = rv_lessons_read(data, size);
    assert_counts(back, 4, 3);
    assert_string_equal(back->modules[2].path, library);
    assert_int_equal(rv_hapset_member_at(&back->sets, 2)->execution, 7);
    char *second = rv_lessons_write(back, &again);
    assert_int_equal(size, again);
    assert_memory_equal(data, second, size);
    free(second);
    free(data);
    rv_lessons_free(back);
    rv_lessons_free(lessons);
}

static void cut_off_anywhere_is_refused(void **state) {
    (void)state;
    size_t size;
    struct rv_lessons *lessons = example();
    char *data = rv_lessons_write(lessons, &size);
    for (size_t cut = 0; cut < size; cut++) {
        char *exact = malloc(cut ? cut : 1); /* so that reading beyond its end is seen by the sanitizer */
        assert_non_null(exact);
        memcpy(exact, data, cut);
        assert_null(rv_lessons_read(exact, cut));
        free(exact);
    }
    free(data);
    rv_lessons_free(lessons);
}

static void any_flipped_bit_is_refused(void **state) {
    (void)state;
    size_t size;
    struct rv_lessons *lessons = example();
    char *data = rv_lessons_write(lessons, &size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
        assert_null(rv_lessons_read(data, size));
        data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
    }
    struct rv_lessons *back = rv_lessons_read(data, size);
    assert_counts(back, 4, 3);
    rv_lessons_free(back);
    free(data);
    rv_lessons_free(lessons);
}

static void texts_without_an_end_are_refused(void **state) {
    (void)state;
    struct rv_lessons *lessons = example();
    char *texts[] = {lessons->modules[1].path, lessons->modules[2].key};
    size_t sizes[] = {RV_LESSON_PATH, RV_KEY_SIZE}, size;
    for (unsigned i = 0; i < 2; i++) {
        texts[i][sizes[i] - 1] = 'x'; /* something behind the end */
        char *data = rv_lessons_write(lessons, &size);
        assert_null(rv_lessons_read(data, size));
        free(data);
        memset(texts[i], 'x', sizes[i]); /* no end */
        data = rv_lessons_write(lessons, &size);
        assert_null(rv_lessons_read(data, size));
        free(data);
        memset(texts[i], 0, sizes[i]);
    }
    rv_lessons_free(lessons);
}

static void unchanged_modules_lose_nothing(void **state) {
    (void)state;
    struct rv_lessons *lessons = example(), *now = rv_lessons_renew(lessons, "/bin/program", "build-id:01");
    assert_counts(now, 4, 3);
    rv_lessons_free(now);
    now = rv_lessons_renew(lessons, "/home/copy", "build-id:01"); /* the same build, copied */
    assert_counts(now, 4, 3);
    assert_string_equal(now->modules[0].path, "/home/copy");
    rv_lessons_free(now);
    rv_lessons_free(lessons);
}

static void a_library_built_anew_loses_its_statements_only(void **state) {
    (void)state;
    struct rv_lessons *lessons = example();
    write_file(library, "built anew");
    struct rv_lessons *now = rv_lessons_renew(lessons, "/bin/program", "build-id:01");
    assert_counts(now, 2, 1);
    assert_int_equal(now->module_count, 3); /* it keeps its index */
    assert_string_not_equal(now->modules[2].key, lessons->modules[2].key);
    rv_lessons_free(now);
    unlink(library);
    now = rv_lessons_renew(lessons, "/bin/program", "build-id:01");
    assert_counts(now, 2, 1);
    rv_lessons_free(now);
    write_file(library, "as it was");
    rv_lessons_free(lessons);
}

static void another_program_shares_nothing(void **state) {
    (void)state;
    struct rv_lessons *lessons = example(), *now = rv_lessons_renew(lessons, "/bin/program", "build-id:ff");
    assert_counts(now, 1, 0); /* what is in the library alone */
    rv_lessons_free(now);
    rv_lessons_free(lessons);
}

static void too_many_modules_that_are_gone_begin_anew(void **state) {
    (void)state;
    struct rv_lessons *lessons = example();
    while (lessons->module_count < RV_MAX_MODULES) add_module(lessons, "/nonexistent/plug-in", "build-id:03");
    struct rv_lessons *now = rv_lessons_renew(lessons, "/bin/program", "build-id:01");
    assert_counts(now, 0, 0);
    assert_int_equal(now->module_count, 0);
    rv_lessons_free(now);
    rv_lessons_free(lessons);
}

static void other_numbers_of_modules_are_dropped(void **state) {
    (void)state;
    struct rv_lessons *one = example(), *other = example();
    struct rv_lesson_module swapped = other->modules[1];
    other->modules[1] = other->modules[2];
    other->modules[2] = swapped;
    struct rv_lessons *both = rv_lessons_new();
    rv_lessons_add(both, one);
    assert_counts(both, 4, 3);
    (void)rv_hapset_statement(&other->sets, code(0, 1000), 1, NULL, 0); /* usable */
    (void)rv_hapset_statement(&other->sets, code(1, 1000), 1, NULL, 0); /* not: 1 is the kernel's in `both` */
    (void)rv_hapset_statement(&other->sets, code(77, 1000), 1, NULL, 0); /* no such module */
    (void)rv_hapset_statement(&other->sets, RV_CODE_UNKNOWN, 1, NULL, 0);
    rv_lessons_add(both, other);
    assert_counts(both, 5, 3);
    rv_lessons_free(both);
    rv_lessons_free(one);
    rv_lessons_free(other);
}

/* ---- areas ---- */

static struct rv_area *new_area(void) {
    void *area = mmap(NULL, sizeof(struct rv_area), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(area, MAP_FAILED);
    return area;
}

/* What the worker would do: its modules, and the sets in the other place. */
static void as_worker(struct rv_area *area, const struct rv_lessons *lessons, uint32_t place) {
    static const uint8_t ids[2] = {1, 2};
    area->module_count = lessons->module_count;
    for (uint32_t i = 0; i < lessons->module_count; i++) {
        snprintf(area->modules[i].path, sizeof area->modules[i].path, "%s", lessons->modules[i].path);
        if (i < 2) area->modules[i].build_id[0] = ids[i];
        area->modules[i].build_id_size = i < 2;
    }
    area->saved.size[place] =
        rv_hapset_save(&lessons->sets, area->saved.data[place], sizeof area->saved.data[place]);
    area->saved.current = place;
}

static unsigned taken_from(const struct rv_area *area) {
    struct rv_lessons *lessons = rv_lessons_new();
    rv_lessons_take(lessons, area);
    unsigned count = lessons->sets.statements.count;
    rv_lessons_free(lessons);
    return count;
}

static void given_and_taken_is_the_same(void **state) {
    (void)state;
    struct rv_area *area = new_area();
    struct rv_lessons *lessons = example();
    rv_lessons_give(lessons, area);
    assert_int_equal(area->module_count, 3);
    assert_string_equal(area->modules[2].path, library);
    as_worker(area, lessons, 1);
    struct rv_lessons *back = rv_lessons_new();
    rv_lessons_take(back, area);
    assert_counts(back, 4, 3);
    assert_string_equal(back->modules[0].key, "build-id:01");
    assert_string_equal(back->modules[2].key, lessons->modules[2].key);
    rv_lessons_free(back);
    rv_lessons_free(lessons);
    munmap(area, sizeof *area);
}

static void a_worker_that_died_while_writing_loses_the_last_only(void **state) {
    (void)state;
    struct rv_area *area = new_area();
    struct rv_lessons *lessons = example();
    as_worker(area, lessons, 0);
    (void)rv_hapset_statement(&lessons->sets, code(0, 1000), 1, NULL, 0);
    as_worker(area, lessons, 1);
    assert_int_equal(taken_from(area), 5);
    area->saved.data[1][100] ^= 1;
    assert_int_equal(taken_from(area), 4);
    area->saved.data[0][100] ^= 1;
    assert_int_equal(taken_from(area), 0);
    rv_lessons_free(lessons);
    munmap(area, sizeof *area);
}

static void what_a_worker_says_is_not_believed(void **state) {
    (void)state;
    struct rv_area *area = new_area();
    struct rv_lessons *lessons = example();
    as_worker(area, lessons, 1);
    area->saved.current = 0xffffffff; /* 1 */
    area->module_count = UINT32_MAX;
    memset(area->modules[2].path, 'x', sizeof area->modules[2].path);
    area->modules[0].build_id_size = UINT32_MAX; /* then by its path, where there is nothing */
    assert_int_equal(taken_from(area), 0);
    area->modules[0].build_id_size = 1;
    assert_int_equal(taken_from(area), 2);
    area->saved.size[1] = UINT64_MAX;
    assert_int_equal(taken_from(area), 0);
    area->saved.size[1] = sizeof area->saved.data[1];
    assert_int_equal(taken_from(area), 0);
    rv_lessons_free(lessons);
    munmap(area, sizeof *area);
}

static void keys_tell_builds_apart(void **state) {
    (void)state;
    char key[RV_KEY_SIZE], other[RV_KEY_SIZE];
    uint8_t id[40] = {0xab, 0x01};
    rv_key_of_build(id, 2, key);
    assert_string_equal(key, "build-id:ab01");
    rv_key_of_build(id, 0, key);
    assert_string_equal(key, "");
    rv_key_of_build(id, sizeof id, key); /* cut */
    assert_int_equal(strlen(key), strlen("build-id:") + 2 * RV_KEY_ID_MAX);
    rv_key_of_file(library, key);
    assert_memory_equal(key, "content:", 8);
    rv_key_of_file("/proc/self/exe", other);
    assert_memory_equal(other, "build-id:", 9);
    rv_key_of_file(directory, key);
    assert_string_equal(key, "");
    rv_key_of_file("/nonexistent", key);
    assert_string_equal(key, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read_is_the_same),
        cmocka_unit_test(cut_off_anywhere_is_refused),
        cmocka_unit_test(any_flipped_bit_is_refused),
        cmocka_unit_test(texts_without_an_end_are_refused),
        cmocka_unit_test(unchanged_modules_lose_nothing),
        cmocka_unit_test(a_library_built_anew_loses_its_statements_only),
        cmocka_unit_test(another_program_shares_nothing),
        cmocka_unit_test(too_many_modules_that_are_gone_begin_anew),
        cmocka_unit_test(other_numbers_of_modules_are_dropped),
        cmocka_unit_test(given_and_taken_is_the_same),
        cmocka_unit_test(a_worker_that_died_while_writing_loses_the_last_only),
        cmocka_unit_test(what_a_worker_says_is_not_believed),
        cmocka_unit_test(keys_tell_builds_apart),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
