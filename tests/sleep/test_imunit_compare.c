/* The comparer of bench/imunit: answer keys are read as they are meant, and differences from them counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "apply.h"
#include "score.h"

static const char source[] = "#include <unistd.h>\n"                           /* 1 */
                             "//@ sleep nap\n"                                 /* 2 */
                             "static void nap(int ms) {\n"                     /* 3 */
                             "    usleep(ms * 1000); //@ keep\n"               /* 4 */
                             "}\n"                                             /* 5 */
                             "static void *taker(void *arg) {\n"               /* 6 */
                             "    (void)arg;\n"                                /* 7 */
                             "    //@ event startingTake\n"                    /* 8 */
                             "    take(queue,\n"                               /* 9 */
                             "         first);\n"                              /* 10 */
                             "    //@ event finishedTake\n"                    /* 11 */
                             "    return NULL;\n"                              /* 12 */
                             "}\n"                                             /* 13 */
                             "//@ schedule [startingTake#1] -> startingPut,\n" /* 14: see below */
                             "static void test_take(void) {\n"                 /* 15 */
                             "    pthread_t t;\n"                              /* 16 */
                             "    if (x) {\n"                                  /* 17 */
                             "        a();\n"                                  /* 18 */
                             "    }\n"                                         /* 19 */
                             "    nap(20); /* ; */\n"                          /* 20 */
                             "    //@ event startingPut\n"                     /* 21 */
                             "    put(queue);\n"                               /* 22 */
                             "    nap(20);\n"                                  /* 23 */
                             "    //@ event startingCheck\n"                   /* 24 */
                             "    int y = f(\"{//\");\n"                       /* 25 */
                             "    //@ also startingTake\n"                     /* 26 */
                             "    while (y) nap(1); //@ polling\n"             /* 27 */
                             "}\n"                                             /* 28 */
                             "//@ schedule\n"                                  /* 29 */
                             "START_TEST(test_none)\n"                         /* 30 */
                             "{\n"                                             /* 31 */
                             "    put(queue);\n"                               /* 32 */
                             "}\n";

/* The schedule of the source, given here to keep its line short. */
static const char schedule[] = "[startingTake#1] -> startingPut, finishedTake -> startingCheck";

static struct key *parse(void) {
    static char text[4096];
    char error[200];
    const char *line = strstr(source, "[startingTake#1]");
    const char *rest = strchr(line, '\n');
    snprintf(text, sizeof text, "%.*s%s%s", (int)(line - source), source, schedule, rest);
    struct key *key = key_parse(text, error, sizeof error);
    if (!key) fail_msg("%s", error);
    return key;
}

static void reads_key(void **state) {
    (void)state;
    struct key *key = parse();
    assert_int_equal(key->event_count, 4);
    assert_int_equal(key->test_count, 2);
    assert_string_equal(key->tests[0].name, "test_take");
    assert_string_equal(key->tests[1].name, "test_none");
    assert_int_equal(key->tests[0].ordering_count, 2);
    assert_int_equal(key->tests[1].ordering_count, 0);
    assert_true(key->tests[0].orderings[0].block);
    assert_false(key->tests[0].orderings[1].block);
    assert_int_equal(key->sleep_count, 4);
    assert_int_equal(key->sleeps[0].fate, KEY_KEPT);
    assert_int_equal(key->sleeps[1].fate, KEY_REMOVED);
    assert_int_equal(key->sleeps[3].fate, KEY_POLLING);
    key_free(key);
}

static void places(void **state) {
    (void)state;
    struct key *key = parse();
    assert_int_equal(key_event(key, "startingTake")->place, 9);
    assert_int_equal(key_event(key, "finishedTake")->place, 12);
    assert_int_equal(key_place(key, 9, true), 9);
    assert_int_equal(key_place(key, 9, false), 12);  /* its end is on the next line */
    assert_int_equal(key_place(key, 10, true), 9);   /* amid a statement */
    assert_int_equal(key_place(key, 7, true), 9);    /* (void)arg; is none */
    assert_int_equal(key_place(key, 16, false), 17); /* nor is a declaration without a call */
    assert_int_equal(key_place(key, 17, false), 20); /* after the block */
    assert_int_equal(key_place(key, 18, false), 19); /* within the block */
    assert_int_equal(key_place(key, 20, true), 20);  /* a sleep is a statement */
    assert_int_equal(key_place(key, 20, false), 22);
    assert_int_equal(key_place(key, 25, true), 25); /* one with a call is */
    assert_int_equal(key_place(key, 27, true), 9);  /* the second place of startingTake */
    assert_int_equal(key_place(key, 99, true), 0);
    assert_int_equal(key_place(key, -1, true), 0);
    key_free(key);
}

static void refuses(const char *text) {
    char error[200] = "";
    assert_null(key_parse(text, error, sizeof error));
    assert_int_not_equal(error[0], 0);
}

static void refuses_wrong_keys(void **state) {
    (void)state;
    refuses("//@ evnt a\n");
    refuses("//@ event a\n//@ event a\n");
    refuses("//@ schedule a -> b\nvoid t(void) {\n//@ event a\n}\n");
    refuses("//@ schedule a ->\nvoid t(void) {\n//@ event a\n}\n");
    refuses("//@ schedule a -> [b]\nvoid t(void) {\n//@ event a\n//@ event b\n}\n");
    refuses("//@ schedule\n");
    refuses("//@ also a\n");
}

static struct score score_of(const char *json, double confidence) {
    json_error_t error;
    struct score score = {0};
    struct key *key = parse();
    json_t *result = json_loads(json, 0, &error);
    if (!result) fail_msg("%s", error.text);
    score_file(&score, key, result, confidence, NULL);
    json_decref(result);
    key_free(key);
    return score;
}

static const char all_right[] =
    "{'tests':[{'name':'test_take','events':["
    "{'name':'s','line':9,'before':true,'confidence':1.0},{'name':'f','line':9,'before':false,'confidence':0.6},"
    "{'name':'p','line':22,'before':true,'confidence':1},{'name':'c','line':23,'before':false,'confidence':1}],"
    "'orderings':[{'text':'[s@taker] -> p','confidence':0.9},{'text':'f#2 -> c','confidence':0.4}],"
    "'removed':[{'line':20,'ms':20},{'line':23,'ms':20}],'kept':[{'line':4}],'polling':[{'line':27}]},"
    "{'name':'test_none','events':[],'orderings':[]}]}";

/* JSON with single quotes, which read better in C. */
static struct score score_quoted(const char *text, double confidence) {
    char json[4096];
    snprintf(json, sizeof json, "%s", text);
    for (char *at = json; *at; at++)
        if (*at == '\'') *at = '"';
    return score_of(json, confidence);
}

static void full_marks(void **state) {
    (void)state;
    struct score score = score_quoted(all_right, 0.1);
    assert_int_equal(score.events.right, 4);
    assert_int_equal(score.events.wrong + score.events.missed, 0);
    assert_int_equal(score.orderings.right, 2);
    assert_int_equal(score.orderings.wrong + score.orderings.missed, 0);
    assert_int_equal(score.exact, 2);
    assert_int_equal(score.absent, 0);
    assert_int_equal(score.removed, 2);
    assert_int_equal(score.kept, 2);
    assert_int_equal(score.lost + score.left, 0);
    assert_int_equal(score.polling, 1);
}

static void confidence_leaves_out(void **state) {
    (void)state;
    struct score score = score_quoted(all_right, 0.5);
    assert_int_equal(score.events.right, 4);
    assert_int_equal(score.orderings.right, 1);
    assert_int_equal(score.orderings.missed, 1);
    score = score_quoted(all_right, 0.7);
    assert_int_equal(score.events.right, 3);
    assert_int_equal(score.events.missed, 1);
}

static void differences_count(void **state) {
    (void)state;
    struct score score = score_quoted(
        "{'tests':[{'name':'test_take','events':[{'name':'s','line':9,'before':true},"
        "{'name':'p','line':20,'before':true}],"
        "'orderings':[{'text':'s -> p'},{'text':'what is this'},{'text':'start@t && [s] -> p'}]}],"
        "'removed':[{'line':27},{'line':20}]}",
        0.1);
    assert_int_equal(score.events.right, 1);
    assert_int_equal(score.events.wrong, 1); /* before the sleep, not after it */
    assert_int_equal(score.events.missed, 3);
    assert_int_equal(score.orderings.right, 0);
    assert_int_equal(score.orderings.wrong,
                     4); /* no block is not a block; start@t is no event of the list; p is elsewhere */
    assert_int_equal(score.orderings.missed, 2);
    assert_int_equal(score.exact, 1); /* test_none */
    assert_int_equal(score.absent, 1);
    assert_int_equal(score.removed, 1);
    assert_int_equal(score.left, 1);
    assert_int_equal(score.lost, 1);
    assert_int_equal(score.kept, 1);
    assert_int_equal(score.polling, 0);
}

static void applies_key(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct key *key = parse();
    apply_key(key, file);
    fclose(file);
    assert_non_null(strstr(text, "RAVEL_SCHEDULE(test_take, \"key\", \"[startingTake#1] -> startingPut, "));
    assert_non_null(strstr(text, "static void test_take(void) {\n    RAVEL_TEST_SCOPE(test_take);\n"));
    assert_non_null(strstr(text, "    ; /* ; */\n    RAVEL_EVENT(startingPut);\n    put(queue);\n    ;\n"));
    assert_non_null(strstr(text, "{\n    RAVEL_TEST_SCOPE(test_none);\n"));
    assert_non_null(strstr(text, "usleep(ms * 1000); //@ keep"));
    assert_non_null(strstr(text, "while (y) nap(1); //@ polling"));
    free(text);
    key_free(key);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_key),
        cmocka_unit_test(places),
        cmocka_unit_test(refuses_wrong_keys),
        cmocka_unit_test(full_marks),
        cmocka_unit_test(confidence_leaves_out),
        cmocka_unit_test(differences_count),
        cmocka_unit_test(applies_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
