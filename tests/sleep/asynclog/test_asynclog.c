#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "asynclog.h"

struct memory {
    char text[256];
    atomic_int lines;
};

static void remember(const char *line, void *context)
{
    struct memory *memory = context;
    strcat(memory->text, line);
    memory->lines++;
    //@ event finishedRemember
}

//@ schedule finishedRemember -> startingCheckLines
static void line_arrives(void **state)
{
    (void)state;
    struct memory memory = {0};
    asynclog *log = asynclog_open(remember, &memory);
    usleep(20 * 1000); /* the writer waits by now */ //@ keep
    asynclog_line(log, "hello");
    usleep(60 * 1000);
    //@ event startingCheckLines
    assert_int_equal(memory.lines, 1);
    assert_string_equal(memory.text, "hello");
    asynclog_close(log);
}

//@ schedule
static void lines_keep_their_order(void **state)
{
    (void)state;
    struct memory memory = {0};
    asynclog *log = asynclog_open(remember, &memory);
    for (int i = 0; i < 6; i++) {
        char line[8];
        snprintf(line, sizeof line, "%d", i);
        asynclog_line(log, line);
    }
    asynclog_flush(log);
    assert_string_equal(memory.text, "012345");
    asynclog_close(log);
}

struct author {
    asynclog *log;
    atomic_int written;
};

static void *write_five(void *arg)
{
    struct author *author = arg;
    for (int i = 0; i < ASYNCLOG_LINES; i++)
        asynclog_line(author->log, "x");
    //@ event startingFifth
    asynclog_line(author->log, "y");
    author->written = 1;
    return NULL;
}

/* While the log is paused a fifth line has to wait. */
//@ schedule [startingFifth] -> startingResume
static void full_buffer_blocks(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct author author = {0};
    pthread_t t;
    author.log = asynclog_open(remember, &memory);
    asynclog_pause(author.log);
    pthread_create(&t, NULL, write_five, &author);
    usleep(80 * 1000);
    //@ event startingResume
    assert_int_equal(author.written, 0);
    assert_int_equal(asynclog_buffered(author.log), ASYNCLOG_LINES);
    asynclog_resume(author.log);
    pthread_join(t, NULL);
    asynclog_flush(author.log);
    assert_string_equal(memory.text, "xxxxy");
    asynclog_close(author.log);
}

static void *flusher(void *arg)
{
    struct author *author = arg;
    //@ event startingFlush
    asynclog_flush(author->log);
    author->written = 1;
    return NULL;
}

//@ schedule [startingFlush] -> startingResumeFlush
static void flush_waits_for_the_sink(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct author author = {0};
    pthread_t t;
    author.log = asynclog_open(remember, &memory);
    asynclog_pause(author.log);
    asynclog_line(author.log, "a");
    asynclog_line(author.log, "b");
    pthread_create(&t, NULL, flusher, &author);
    usleep(60 * 1000);
    //@ event startingResumeFlush
    assert_int_equal(author.written, 0);
    assert_int_equal(memory.lines, 0);
    asynclog_resume(author.log);
    pthread_join(t, NULL);
    assert_string_equal(memory.text, "ab");
    asynclog_close(author.log);
}

//@ schedule
static void pause_holds_lines_back(void **state)
{
    (void)state;
    struct memory memory = {0};
    asynclog *log = asynclog_open(remember, &memory);
    asynclog_pause(log);
    asynclog_line(log, "later");
    usleep(30 * 1000); /* time enough for the writer, if it does not care */ //@ keep
    assert_int_equal(memory.lines, 0);
    asynclog_resume(log);
    while (memory.lines == 0)
        usleep(1000); //@ polling
    assert_string_equal(memory.text, "later");
    asynclog_close(log);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_arrives),
        cmocka_unit_test(lines_keep_their_order),
        cmocka_unit_test(full_buffer_blocks),
        cmocka_unit_test(flush_waits_for_the_sink),
        cmocka_unit_test(pause_holds_lines_back),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
