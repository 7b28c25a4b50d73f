/* libFuzzer target for the reader of coverage (coverage/data.h): what is accepted has all its numbers within bounds, comes back
 * the same, and goes through all that is told of it. Every input is read as it is, and once more behind two lines that are right.
 * Build: clang -fsanitize=fuzzer,address,undefined -Isrc tests/fuzz/fuzz_coverage.c src/coverage/text.c ... */
#include <stdlib.h>
#include <string.h>

#include "coverage/figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int truth) {
    if (!truth) abort();
}

static void look(const struct rv_cover_data *data) {
    struct rv_cover_figures figures;
    struct rv_cover_functions functions;
    rv_cover_figures(&figures, data);
    for (unsigned i = 0; i < figures.target_count; i++)
        need(figures.targets[i].instance.statements[0] < data->statement_names.count);
    for (uint32_t i = 0; i < figures.variable_count; i++)
        need(figures.variables[i].single.feasible <= figures.variables[i].single.total);
    rv_cover_figures_free(&figures);
    rv_cover_functions(&functions, data);
    need(functions.covered <= functions.total);
    free(functions.list);
}

static void check(const char *text, size_t size) {
    struct rv_cover_data data, back, sum = {0};
    char *error = NULL;
    bool good = rv_cover_read(&data, text, size, "coverage", &error);
    need(good == !error);
    free(error);
    if (!good) return;
    size_t written, again;
    char *saved = rv_cover_write(&data, &written);
    need(rv_cover_read(&back, saved, written, "again", &error));
    char *second = rv_cover_write(&back, &again);
    need(again == written && memcmp(saved, second, written) == 0);
    look(&data);
    rv_cover_add(&sum, &back);
    need(sum.instance_keys.count == data.instance_keys.count);
    rv_cover_add(&sum, &data);
    need(sum.instance_keys.count == data.instance_keys.count);
    rv_cover_data_free(&data);
    rv_cover_data_free(&back);
    rv_cover_data_free(&sum);
    free(saved);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char head[] = "ravel-coverage 1\ntotals\t1\t0\t0\t0\nvariable\tx\nvariable\ty\n"
                               "statement\tR\t1\tf\tf.c\tf\tm\t0\nstatement\tW\t2\tf\tf.c\tf\tm\t0\n"
                               "function\tf\tf.c\nlock\t1\n";
    check((const char *)data, size);
    char *copy = malloc(sizeof head + size);
    need(copy != NULL);
    memcpy(copy, head, sizeof head - 1);
    if (size) memcpy(copy + sizeof head - 1, data, size);
    check(copy, sizeof head - 1 + size);
    free(copy);
    return 0;
}
