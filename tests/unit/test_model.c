/* The static model as text: what is read, what is refused and where, and how sites are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

#define H RV_MODEL_HEADER "\n"

static const char sample[] = H "file\t0\t/home/u/src/queue.c\n"
                               "file\t1\tlib/queue.c\n"
                               "function\t0\tmain\t0\t10\t0\n"
                               "function\t1\twork\t0\t3\t0,1\n"
                               "thread\t0\t0\t0\n"
                               "thread\t1\t1\t1\n"
                               "call\t0\t1\t0\t12\t5\n"
                               "variable\t0\tqueue.head\t1\n"
                               "variable\t1\todd\\tname\\\\\t0\n"
                               "site\t0\t0\t1\t0\t4\t7\tuav\t8\t1\t1\n"
                               "site\t1\t0\t1\t0\t4\t7\tr\t8\t-\t-\n"
                               "site\t2\t1\t0\t1\t4\t0\twm\t0\t0,1\t0\n"
                               "sync\t0\t1\t0\t5\t1\tlock\t1\t1\n"
                               "block\t0\t1\t0123456789abcdef\t3,4\t1:1,0:0,:1\n"
                               "block\t1\t1\t00000000000000ff\t-\t-\n"
                               "unsure\tinline assembly in work\n";

static void test_reads(void **state) {
    (void)state;
    char *error = NULL;
    struct rv_model *model = rv_model_read(sample, sizeof sample - 1, "m", &error);
    assert_non_null(model);
    assert_int_equal(model->file_count, 2);
    assert_int_equal(model->functions[1].threads.count, 2);
    assert_int_equal(model->numbers[model->functions[1].threads.first + 1], 1);
    assert_true(model->threads[1].many);
    assert_string_equal(model->variables[1].name, "odd\tname\\");
    assert_int_equal(model->sites[0].kind,
                     RV_MODEL_READ | RV_MODEL_WRITE | RV_MODEL_ATOMIC | RV_MODEL_VOLATILE);
    assert_int_equal(model->sites[1].block, RV_MODEL_NONE);
    assert_int_equal(model->sites[2].locks.count, 2);
    assert_string_equal(model->syncs[0].kind, "lock");
    assert_int_equal(model->blocks[0].hash, 0x0123456789abcdefu);
    const struct rv_model_block *block = &model->blocks[0];
    assert_int_equal(block->successors.count, 3);
    assert_int_equal(model->numbers[block->successors.first + 1], 0);
    assert_string_equal(model->labels[model->numbers[block->labels.first]], "1");
    assert_string_equal(model->labels[model->numbers[block->labels.first + 2]], "");
    assert_string_equal(model->unsure[0], "inline assembly in work");
    rv_model_free(model);
}

static size_t at(const struct rv_model *model, const char *file, uint32_t line, unsigned kinds,
                 uint32_t *sites) {
    return rv_model_sites_at(model, file, line, kinds, sites, 4);
}

static void test_finds(void **state) {
    (void)state;
    char *error = NULL;
    uint32_t sites[4];
    struct rv_model *model = rv_model_read(sample, sizeof sample - 1, "m", &error);
    assert_int_equal(at(model, "queue.c", 4, RV_MODEL_READ | RV_MODEL_WRITE, sites), 3);
    assert_int_equal(at(model, "src/queue.c", 4, RV_MODEL_READ, sites), 2);
    assert_int_equal(sites[0], 0);
    assert_int_equal(sites[1], 1);
    assert_int_equal(at(model, "./src/queue.c", 4, RV_MODEL_WRITE, sites), 1);
    assert_int_equal(at(model, "/opt/lib/queue.c", 4, RV_MODEL_WRITE, sites), 1);
    assert_int_equal(sites[0], 2);
    assert_int_equal(at(model, "c/queue.c", 4, RV_MODEL_READ, sites), 0);
    assert_int_equal(at(model, "queue.c", 5, RV_MODEL_READ, sites), 0);
    assert_int_equal(rv_model_sites_at(model, "queue.c", 4, RV_MODEL_READ, sites, 1), 2);
    assert_int_equal(rv_model_sites_near(model, "src/queue.c", 6, RV_MODEL_READ, sites, 4), 2);
    assert_int_equal(rv_model_sites_near(model, "src/queue.c", 2, RV_MODEL_READ, sites, 4), 2);
    assert_int_equal(rv_model_sites_near(model, "src/queue.c", 7, RV_MODEL_READ, sites, 4), 0);
    assert_int_equal(rv_model_sites_near(model, "src/queue.c", 1, RV_MODEL_READ, sites, 4), 0);
    rv_model_free(model);
}

static void refuses(const char *text, const char *expected) {
    char *error = NULL;
    assert_null(rv_model_read(text, strlen(text), "m", &error));
    assert_string_equal(error, expected);
    free(error);
}

static void test_refuses(void **state) {
    (void)state;
    refuses("", "m:1:1: expected \"ravel-model 1\"");
    refuses("ravel-model 2\n", "m:1:1: expected \"ravel-model 1\"");
    refuses(H "file\t0\ta.c", "m:2:11: expected the line to end");
    refuses(H "file\t1\ta.c\n", "m:2:6: expected the next number, 0");
    refuses(H "file\t0\ta\\x\n", "m:2:10: expected \\t, \\n or \\\\");
    refuses(H "file\t0\n", "m:2:6: expected 3 fields in a record \"file\"");
    refuses(H "file\t0\ta\tb\n", "m:2:10: expected 3 fields in a record \"file\"");
    refuses(
        H "fi\t0\n",
        "m:2:1: expected file, function, thread, call, variable, site, sync, block, statement, invoke, initial or unsure");
    refuses(H "thread\t0\t0\t2\n", "m:2:12: expected 0 or 1");
    refuses(H "thread\t0\t0\t1\nunsure\tx\n",
            "m:2:1: expected numbers of functions below 0, for there are no more");
    refuses(H "thread\t0\t4294967295\t1\n", "m:2:20: expected the number of a function");
    refuses(H "function\t0\tf\tx\t1\t-\n", "m:2:14: expected the number of a file or \"-\"");
    refuses(H "function\t0\tf\t-\t1\t1,,2\n",
            "m:2:20: expected numbers of threads with commas between them, or \"-\"");
    refuses(H "block\t0\t0\t12\t-\t-\n", "m:2:11: expected 16 hexadecimal digits");
    refuses(H "block\t0\t0\t0123456789abcdef\t-\t1\n",
            "m:2:30: expected LABEL:BLOCK with commas between them, or \"-\"");
    refuses(H "site\t0\t0\t0\t-\t4\t7\tx\t8\t1\t1\n", "m:2:18: expected r, w or u");
    refuses(H "site\t0\t0\t0\t-\t4\t7\traa\t8\t1\t1\n", "m:2:20: expected each of a, v and m once at most");
}

/* Every cut of it is refused at the cut, or is a whole number of lines whose references are not all there. */
static void test_cuts(void **state) {
    (void)state;
    for (size_t size = 0; size < sizeof sample - 1; size++) {
        char *error = NULL;
        struct rv_model *model = rv_model_read(sample, size, "m", &error);
        if (model)
            assert_int_equal(sample[size - 1], '\n');
        else
            assert_non_null(error);
        rv_model_free(model);
        free(error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_finds),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
