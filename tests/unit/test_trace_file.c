/* The file of traces: what is written is what is read; what was cut is read up to there; what is damaged is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "report/text.h"
#include "trace_sample.h"

/* Two executions, the second one with a module more than the first. */
static char *sample_text(size_t *size) {
    struct trace_sample sample;
    char *error = NULL;
    trace_sample_fill(&sample);
    struct rv_trace_writer *writer = rv_trace_create_text(&sample.program);
    assert_true(rv_trace_modules(writer, sample.modules, 1, &error));
    assert_true(rv_trace_execution(writer, &sample.execution, &error));
    assert_true(rv_trace_modules(writer, sample.modules, 2, &error));
    sample.execution.number = 12;
    sample.execution.record_count = 3;
    sample.execution.no_room = true;
    assert_true(rv_trace_execution(writer, &sample.execution, &error));
    return rv_trace_close_text(writer, size);
}

static void assert_same(const struct rv_trace_execution *a, const struct rv_trace_execution *b) {
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->record_count, b->record_count);
    for (size_t i = 0; i < a->record_count; i++)
        assert_memory_equal(&a->records[i], &b->records[i], sizeof *a->records);
    assert_int_equal(a->node_count, b->node_count);
    assert_memory_equal(a->nodes, b->nodes, a->node_count * sizeof *a->nodes);
    assert_int_equal(a->no_room, b->no_room);
}

static void check_sample(struct rv_trace_reader *reader) {
    struct trace_sample sample;
    struct rv_trace_execution execution;
    char *error = NULL;
    unsigned count;
    trace_sample_fill(&sample);
    const struct rv_trace_program *program = rv_trace_reader_program(reader);
    assert_string_equal(program->program, "./queue");
    assert_string_equal(program->build_id, "00ff");
    assert_string_equal(program->args[0], sample.args[0]);
    assert_string_equal(program->args[1], sample.args[1]);
    assert_null(program->args[2]);
    rv_trace_reader_modules(reader, &count);
    assert_int_equal(count, 1);
    assert_int_equal(rv_trace_next(reader, &execution, &error), RV_TRACE_EXECUTION);
    assert_same(&execution, &sample.execution);
    assert_false(execution.cut);
    rv_trace_execution_free(&execution);
    assert_int_equal(rv_trace_next(reader, &execution, &error), RV_TRACE_EXECUTION);
    sample.execution.number = 12;
    sample.execution.record_count = 3;
    sample.execution.no_room = true;
    assert_same(&execution, &sample.execution);
    rv_trace_execution_free(&execution);
    const struct rv_module *modules = rv_trace_reader_modules(reader, &count);
    assert_int_equal(count, 2);
    assert_memory_equal(modules, sample.modules, sizeof sample.modules);
    assert_int_equal(rv_trace_next(reader, &execution, &error), RV_TRACE_END);
    assert_int_equal(rv_trace_next(reader, &execution, &error), RV_TRACE_END);
    assert_false(rv_trace_reader_cut(reader));
}

static void test_round_trip_is_exact(void **state) {
    (void)state;
    size_t size;
    char *text = sample_text(&size), *error = NULL;
    struct rv_trace_reader *reader = rv_trace_open_text(text, size, "t", &error);
    assert_non_null(reader);
    check_sample(reader);
    rv_trace_reader_free(reader);
    free(text);
}

static void test_lines_are_as_documented(void **state) {
    (void)state;
    size_t size;
    char *text = sample_text(&size);
    static const char *const lines[] = {
        "ravel-trace 1\nprogram \"./queue\"\narg \"two words\"\narg \"\\\"\\n\\\\\\x01\xff\"\nbuild-id \"00ff\"\n"
        "module 0 \"/opt/my queue\" 0 1000 9000 \"\"\nexecution 1\nread 0 fffffffffffffff8 8 - 0 0 ffffffff\n",
        "\nstack 1 0+1101 0\nwrite 7 fffffffffffffff7 8 1+1001 1 1 1\n",
        "\nover 23\nmodule 1 \"/lib/libc.so.6\" 7f0000000000 7f0000001000 7f0000009000 \"a5a5",
        "\nover 3 cut\nend\n",
    };
    assert_ptr_equal(strstr(text, lines[0]), text);
    for (size_t i = 1; i < sizeof lines / sizeof lines[0]; i++) assert_non_null(strstr(text, lines[i]));
    assert_string_equal(text + size - 4, "end\n");
    free(text);
}

/* All steps that can be read of the text; -1: damaged. */
static long steps_in(const char *text, size_t size, bool *cut, char **error) {
    struct rv_trace_reader *reader = rv_trace_open_text(text, size, "t", error);
    struct rv_trace_execution execution;
    enum rv_trace_next next = RV_TRACE_DAMAGED;
    bool cut_execution = false;
    long steps = 0;
    while (reader && (next = rv_trace_next(reader, &execution, error)) == RV_TRACE_EXECUTION) {
        assert_false(cut_execution);
        cut_execution = execution.cut;
        steps += (long)execution.record_count;
        rv_trace_execution_free(&execution);
    }
    *cut = next == RV_TRACE_END && rv_trace_reader_cut(reader);
    if (cut_execution) assert_true(*cut);
    rv_trace_reader_free(reader);
    return next == RV_TRACE_END ? steps : -1;
}

static void test_cut_anywhere_is_read_up_to_there(void **state) {
    (void)state;
    size_t size;
    char *text = sample_text(&size), *error = NULL;
    size_t head = (size_t)(strstr(text, "\nmodule 0") + 1 - text);
    long before = 0;
    bool cut;
    for (size_t length = 0; length < size; length++) {
        char *part = rv_text_copy_n(text, length); /* a block of its own, for sanitizers */
        long steps = steps_in(part, length, &cut, &error);
        free(part);
        if (length < head) {
            assert_int_equal(steps, -1);
            assert_non_null(strstr(error, length < 14 ? "this is no trace" : "the file is cut off before"));
            free(error);
            error = NULL;
            continue;
        }
        assert_true(cut);
        assert_in_range(steps, before, before + 1);
        before = steps;
    }
    assert_int_equal(before, RV_STEP_KINDS + 3);
    assert_int_equal(steps_in(text, size, &cut, &error), before);
    assert_false(cut);
    free(text);
}

#define HEAD "ravel-trace 1\nprogram \"p\"\nbuild-id \"\"\n"

static void refuses_n(const char *text, size_t size, const char *expected) {
    char *error = NULL;
    bool cut;
    if (steps_in(text, size, &cut, &error) >= 0) fail_msg("accepted: %s", text);
    assert_string_equal(error, expected);
    free(error);
}

static void refuses(const char *text, const char *expected) { refuses_n(text, strlen(text), expected); }

/* The sixth line, which is the second of an execution with stack 1, is this one. */
static void refuses_line(const char *line, const char *expected) {
    char *text = rv_text_format(HEAD "execution 1\nstack 1 0+10 0\n%s\nover 1\nend\n", line);
    refuses(text, expected);
    free(text);
}

static void test_damaged_head(void **state) {
    (void)state;
    refuses("", "t:1:1: expected \"ravel-trace 1\": this is no trace");
    refuses("ravel-failure 1\n", "t:1:1: expected \"ravel-trace 1\": this is no trace");
    refuses("ravel-trace 2\n", "t:1:13: version \"2\" of the format is not supported, only 1");
    refuses("ravel-trace 1\n", "t:2:1: expected \"program\": the file is cut off before its first execution");
    refuses("ravel-trace 1\narg \"x\"\n", "t:2:1: expected \"program\"");
    refuses("ravel-trace 1\nprogram p\n", "t:2:9: expected a program in double quotes");
    refuses("ravel-trace 1\nprogram \"\\q\"\n",
            "t:2:10: unknown escape in a program: expected \\\" \\\\ \\n \\t \\r or \\xHH");
    refuses("ravel-trace 1\nprogram \"p\"\nmodule 0\n", "t:3:1: expected \"arg\" or \"build-id\"");
    refuses_n("ravel-trace 1\nprogram \"p\0\"\n", 27, "t:2:11: a NUL byte, not text");
    refuses(HEAD "module 1 \"m\" 0 0 0 \"\"\n", "t:4:8: expected module 0, the next one");
    refuses(HEAD "module 128 \"m\" 0 0 0 \"\"\n",
            "t:4:8: expected the number of a module, a number up to 127");
    refuses(HEAD "module 0 \"m\" 0 2 1 \"\"\n", "t:4:18: expected an end that is not before the start");
    refuses(HEAD "module 0 \"m\" 0 0 0 \"abc\"\n",
            "t:4:20: expected a build id, up to 20 bytes in hexadecimal");
    refuses(HEAD "module 0 \"m\" 0 0 0x1 \"\"\n",
            "t:4:18: expected an end, a hexadecimal number up to ffffffffffffffff");
    refuses(HEAD "module 0 \"m\" 0 0 1 \"\" 2\n", "t:4:23: expected the end of the line");
    refuses(HEAD "over 1\n", "t:4:1: expected \"execution\", \"module\" or \"end\"");
    refuses(HEAD "execution x\n",
            "t:4:11: expected the number of an execution, a number up to 18446744073709551615");
    char *path = rv_text_format(HEAD "module 0 \"%0256d\" 0 0 0 \"\"\n", 0);
    refuses(path, "t:4:10: expected a path of less than 256 bytes");
    free(path);
}

static void test_damaged_steps(void **state) {
    (void)state;
    refuses_line("steal 0 10 8 0+1 0 0 0", "t:6:1: expected a step, \"stack\" or \"over\"");
    refuses_line("read 10000 10 8 0+1 0 0 0", "t:6:6: expected a thread, a hexadecimal number up to ffff");
    refuses_line("read 0 11112222333344445 8 0+1 0 0 0",
                 "t:6:8: expected an address, a hexadecimal number up to ffffffffffffffff");
    refuses_line("read 0 10 100000001 0+1 0 0 0",
                 "t:6:11: expected a size, a hexadecimal number up to 100000000");
    refuses_line("atomic-rmw 0 10 0 0+1 0 0 0", "t:6:17: expected a size of at least 1");
    refuses_line("write 0 fffffffffffffff8 9 0+1 0 0 0",
                 "t:6:26: expected a size with which the address does not wrap");
    refuses_line("free 0 10 800000000001 0+1 0 0 0",
                 "t:6:11: expected a size, a hexadecimal number up to 800000000000");
    refuses_line("alloc 0 ffffffffffffff00 101 0+1 0 0 0",
                 "t:6:26: expected a size with which the address does not wrap");
    refuses_line("barrier 0 10 10001 0+1 0 0 0", "t:6:14: expected a size, a hexadecimal number up to 10000");
    refuses_line("create 0 10000 0 0+1 0 0 0",
                 "t:6:10: expected an address, a hexadecimal number up to ffff");
    refuses_line("read 0 10 8 80+1 0 0 0", "t:6:13: expected a site, as MODULE+OFFSET, or \"-\"");
    refuses_line("read 0 10 8 1234 0 0 0", "t:6:13: expected a site, as MODULE+OFFSET, or \"-\"");
    refuses_line("read 0 10 8 0+1000000000000 0 0 0", "t:6:13: expected a site, as MODULE+OFFSET, or \"-\"");
    refuses_line("read 0 10 8 0+1 6 0 0", "t:6:17: expected an order, a hexadecimal number up to 5");
    refuses_line("read 0 10 8 0+1 0 2 0",
                 "t:6:19: expected a stack that was there before, a hexadecimal number up to 1");
    refuses_line("read 0 10 8 0+1 0 0 100000000",
                 "t:6:21: expected a number, a hexadecimal number up to ffffffff");
    refuses_line("read 0 10 8 0+1 0 0", "t:6:20: expected a number, a hexadecimal number up to ffffffff");
    refuses_line("read 0 10 8 0+1 0 0 0 0", "t:6:23: expected the end of the line");
    refuses_line("read 0  10 8 0+1 0 0 0",
                 "t:6:8: expected an address, a hexadecimal number up to ffffffffffffffff");
    refuses_line("read 0 A 8 0+1 0 0 0",
                 "t:6:8: expected an address, a hexadecimal number up to ffffffffffffffff");
    refuses_line("stack 3 0+1 0", "t:6:7: expected stack 2, the next one");
    refuses_line("stack 2 0+1 2",
                 "t:6:13: expected a stack that was there before, a hexadecimal number up to 1");
    refuses_line("over 1", "t:6:6: expected 0, the number of steps");
    refuses_line("over 0 cot", "t:6:8: expected the end of the line");
    refuses_line("over 0", "t:7:1: expected \"execution\", \"module\" or \"end\"");
    refuses_line("end", "t:6:1: expected a step, \"stack\" or \"over\"");
    refuses_line("execution 2", "t:6:1: expected a step, \"stack\" or \"over\"");
    refuses(HEAD "end\nend\n", "t:5:1: expected nothing after \"end\"");
    refuses(HEAD "end\nmore", "t:5:1: expected nothing after \"end\"");
    refuses(HEAD "end now\n", "t:4:5: expected the end of the line");
}

static void test_writer_refuses_what_the_reader_would(void **state) {
    (void)state;
    struct trace_sample sample;
    for (unsigned fault = 0; fault < 10; fault++) {
        trace_sample_fill(&sample);
        struct rv_record *record = &sample.records[2];
        switch (fault) {
        case 0: record->step.kind = RV_STEP_KINDS; break;
        case 1: record->step.thread = RV_TRACE_FILE_THREADS; break;
        case 2: record->step.size = 0; break;
        case 3: record->step.size = 0x100; break;
        case 4: record->step.site = (uint64_t)RV_MAX_MODULES << 48; break;
        case 5: record->step.order = 6; break;
        case 6: record->stack = SAMPLE_NODES; break;
        case 7: sample.nodes[2].parent = 2; break;
        case 8: sample.nodes[3].code = (uint64_t)RV_MAX_MODULES << 48; break;
        case 9: sample.execution.node_count = RV_MAX_STACK_NODES + 1; break;
        }
        static const char *const expected[] = {
            "step 2: its kind",  "step 2: its thread",       "step 2: its size",  "step 2: its size",
            "step 2: its site",  "step 2: its order",        "step 2: its stack", "stack 2: its parent",
            "stack 3: its code", "stack 1048577: its number"};
        struct rv_trace_writer *writer = rv_trace_create_text(&sample.program);
        char *error = NULL,
             *whole =
                 rv_text_format("the record of execution 1 is damaged: %s is out of bounds", expected[fault]);
        assert_false(rv_trace_execution(writer, &sample.execution, &error));
        assert_string_equal(error, whole);
        free(whole);
        free(error);
        rv_trace_discard(writer);
    }
}

/* --- files --- */

static char directory[64];

static int make_directory(void **state) {
    (void)state;
    strcpy(directory, "/tmp/ravel_trace_XXXXXX");
    return mkdtemp(directory) ? 0 : 1;
}

static int remove_directory(void **state) {
    (void)state;
    char *path = rv_text_format("%s/t.trace", directory);
    unlink(path);
    free(path);
    return rmdir(directory); /* fails if anything else was left */
}

static void write_file(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

/* More than the buffers of writer and reader hold, by far. */
static void test_long_files(void **state) {
    (void)state;
    enum { STEPS = 60000 };
    struct trace_sample sample;
    struct rv_trace_execution execution, back;
    char *error = NULL, *path = rv_text_format("%s/t.trace", directory);
    trace_sample_fill(&sample);
    struct rv_rng rng = rv_rng_stream(1, 0);
    execution = (struct rv_trace_execution){.records = rv_text_alloc(STEPS, sizeof *execution.records),
                                            .nodes = rv_text_alloc(STEPS, sizeof *execution.nodes),
                                            .record_count = STEPS,
                                            .node_count = STEPS};
    for (unsigned i = 0; i < STEPS; i++) {
        execution.records[i].step = (struct rv_step){.address = rv_rng_next(&rng) >> (rv_rng_next(&rng) & 63),
                                                     .thread = i & 15,
                                                     .site = rv_rng_next(&rng) >> 17,
                                                     .kind = RV_STEP_SEND};
        execution.records[i].stack = (uint32_t)rv_rng_below(&rng, i + 1);
        if (i) execution.nodes[i].parent = (uint32_t)rv_rng_below(&rng, i);
        if (i) execution.nodes[i].code = rv_rng_next(&rng) >> 17;
    }
    write_file(path, "before", 6);
    struct rv_trace_writer *writer = rv_trace_create(path, &sample.program, &error);
    for (execution.number = 1; execution.number <= 3; execution.number++)
        assert_true(rv_trace_execution(writer, &execution, &error));
    FILE *old = fopen(path, "r"); /* it is not there yet */
    assert_int_equal(getc(old), 'b');
    fclose(old);
    assert_true(rv_trace_close(writer, &error));
    struct rv_trace_reader *reader = rv_trace_open(path, &error);
    for (execution.number = 1; execution.number <= 3; execution.number++) {
        assert_int_equal(rv_trace_next(reader, &back, &error), RV_TRACE_EXECUTION);
        assert_same(&back, &execution);
        rv_trace_execution_free(&back);
    }
    assert_int_equal(rv_trace_next(reader, &back, &error), RV_TRACE_END);
    assert_false(rv_trace_reader_cut(reader));
    rv_trace_reader_free(reader);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size > 3 * RV_TRACE_LINE);
    assert_int_equal(truncate(path, status.st_size - 7), 0); /* in the middle of "over 60000" */
    reader = rv_trace_open(path, &error);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(rv_trace_next(reader, &back, &error), RV_TRACE_EXECUTION);
        assert_int_equal(back.record_count, STEPS);
        assert_int_equal(back.cut, i == 3);
        rv_trace_execution_free(&back);
    }
    assert_int_equal(rv_trace_next(reader, &back, &error), RV_TRACE_END);
    assert_true(rv_trace_reader_cut(reader));
    rv_trace_reader_free(reader);
    rv_trace_execution_free(&execution);
    free(path);
}

static void test_a_file_is_read_as_its_text_is(void **state) {
    (void)state;
    size_t size;
    char *text = sample_text(&size), *error = NULL, *path = rv_text_format("%s/t.trace", directory);
    write_file(path, text, size);
    struct rv_trace_reader *reader = rv_trace_open(path, &error);
    check_sample(reader);
    rv_trace_reader_free(reader);
    free(path);
    free(text);
}

static void test_a_line_that_does_not_end(void **state) {
    (void)state;
    char *path = rv_text_format("%s/t.trace", directory), *error = NULL;
    char *text = rv_text_alloc(2 * RV_TRACE_LINE, 1);
    memset(text, 'x', 2 * RV_TRACE_LINE);
    memcpy(text, HEAD, strlen(HEAD));
    write_file(path, text, 2 * RV_TRACE_LINE);
    assert_null(rv_trace_open(path, &error));
    char *expected = rv_text_format("%s:4:1: expected the end of the line within 1048576 bytes", path);
    assert_string_equal(error, expected);
    free(expected);
    free(error);
    free(text);
    free(path);
}

static void test_what_cannot_be_opened(void **state) {
    (void)state;
    struct trace_sample sample;
    char *error = NULL;
    trace_sample_fill(&sample);
    assert_null(rv_trace_open("/nowhere/t", &error));
    assert_string_equal(error, "/nowhere/t: cannot be read: No such file or directory");
    free(error);
    assert_null(rv_trace_open("/", &error));
    assert_string_equal(error, "/: is a directory, expected a trace");
    free(error);
    assert_null(rv_trace_create("/nowhere/t", &sample.program, &error));
    assert_string_equal(error, "/nowhere/t: cannot be written: No such file or directory");
    free(error);
}

static void test_discarded_leaves_nothing(void **state) {
    (void)state;
    struct trace_sample sample;
    char *error = NULL, *path = rv_text_format("%s/u.trace", directory);
    char *pattern = rv_text_format("%s/u*", directory);
    glob_t found;
    trace_sample_fill(&sample);
    struct rv_trace_writer *writer = rv_trace_create(path, &sample.program, &error);
    assert_true(rv_trace_execution(writer, &sample.execution, &error));
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    globfree(&found);
    rv_trace_discard(writer);
    assert_int_equal(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
    free(pattern);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_is_exact),
        cmocka_unit_test(test_lines_are_as_documented),
        cmocka_unit_test(test_cut_anywhere_is_read_up_to_there),
        cmocka_unit_test(test_damaged_head),
        cmocka_unit_test(test_damaged_steps),
        cmocka_unit_test(test_writer_refuses_what_the_reader_would),
        cmocka_unit_test(test_long_files),
        cmocka_unit_test(test_a_file_is_read_as_its_text_is),
        cmocka_unit_test(test_a_line_that_does_not_end),
        cmocka_unit_test(test_what_cannot_be_opened),
        cmocka_unit_test(test_discarded_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
