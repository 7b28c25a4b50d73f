/* libFuzzer target for what `ravel record` and its followers read of others: histories and bases from the store, suites, files of tests,
 * lists of CTest, differences of git. What is accepted is written as it was read. */
#include <stdlib.h>
#include <string.h>

#include "regress/bases.h"
#include "regress/git.h"
#include "regress/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void wrong(char *error) {
    if (!error || !*error) abort();
    free(error);
}

static void history(const char *text, size_t size) {
    struct rv_trial trial, again;
    char *error = NULL;
    if (!rv_trial_read(&trial, text, size, "h", &error)) {
        wrong(error);
        return;
    }
    size_t first, second;
    char *one = rv_trial_write(&trial, &first);
    if (!rv_trial_read(&again, one, first, "h", &error)) abort();
    char *two = rv_trial_write(&again, &second);
    if (first != second || memcmp(one, two, first) != 0) abort();
    free(one);
    free(two);
    rv_trial_free(&trial);
    rv_trial_free(&again);
}

static void base(const char *text, size_t size) {
    struct rv_base read;
    char *error = NULL;
    if (!rv_base_read(&read, text, size, "b", &error)) {
        wrong(error);
        return;
    }
    for (uint32_t i = 0; i < read.test_count; i++)
        if (read.tests[i].program >= read.program_count) abort();
    size_t written;
    free(rv_base_write(&read, &written));
    rv_base_free(&read);
}

static void cases(const char *text, size_t size, bool json) {
    struct rv_test_suite suite = {0};
    struct rv_suite_test like = {.program = (char[]){"p"}, .directory = (char[]){"."}, .timeout = 1};
    char *error = NULL;
    bool good = json ? rv_suite_add_ctest_json(&suite, text, size, &like, &error)
                     : rv_suite_add_cases(&suite, text, size, "c", &like, &error);
    if (!good) wrong(error);
    for (size_t i = 0; i < suite.count; i++)
        if (!suite.tests[i].name || !suite.tests[i].args || !suite.tests[i].program) abort();
    rv_test_suite_free(&suite);
}

static void suite_file(const char *text, size_t size) {
    struct rv_test_suite suite;
    char *error = NULL;
    if (memmem(text, size, "cases", 5) || memmem(text, size, "ctest", 5))
        return; /* would read files, run programs */
    if (rv_test_suite_parse(&suite, text, size, "s", NULL, &error))
        rv_test_suite_free(&suite);
    else
        wrong(error);
}

static void hunks(const char *text, size_t size) {
    char *copy = strndup(text, size);
    uint32_t count;
    struct rv_hunk *found = rv_git_read_hunks(copy, &count);
    (void)rv_git_hunk_at(found, count, "a.c", 3, true);
    rv_git_hunks_free(found, count);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const char *text = (const char *)data + 1;
    switch (data[0] % 6) {
    case 0: history(text, size - 1); break;
    case 1: base(text, size - 1); break;
    case 2: cases(text, size - 1, false); break;
    case 3: cases(text, size - 1, true); break;
    case 4: suite_file(text, size - 1); break;
    default: hunks(text, size - 1);
    }
    return 0;
}
