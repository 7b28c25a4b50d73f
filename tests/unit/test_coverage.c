/* Coverage as data: figures by definition, what is pruned and what never is, the text form, the page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coverage/figures.h"
#include "coverage/tell.h"
#include "base/protocol.h"

static uint32_t statement(struct rv_cover_data *data, const char *function, uint32_t line, bool write) {
    struct rv_cover_statement it = {.function = (char *)function,
                                    .file = (char *)"unit.c",
                                    .outer = (char *)function,
                                    .line = line,
                                    .write = write,
                                    .module = (char *)"unit",
                                    .offset = line * 16};
    return rv_cover_add_statement(data, &it);
}

static void use(struct rv_cover_data *data, uint32_t variable, uint32_t number, uint32_t epoch,
                uint64_t locks) {
    rv_cover_add_use(data, &(struct rv_cover_use_text){.variable = variable,
                                                       .statement = number,
                                                       .locks = locks,
                                                       .exclusive = locks,
                                                       .epoch_min = epoch,
                                                       .epoch_max = epoch});
}

/* The paper's example: two reads, one write, s4 s9 s5 seen. */
static void example(struct rv_cover_data *data, uint64_t locks) {
    *data = (struct rv_cover_data){0};
    uint32_t x = rv_cover_add_variable(data, "threshold");
    uint32_t s4 = statement(data, "isAsSevereAsThreshold", 4, false),
             s5 = statement(data, "isAsSevereAsThreshold", 5, false),
             s9 = statement(data, "setThreshold", 9, true);
    use(data, x, s4, 1, locks);
    use(data, x, s5, 1, locks);
    use(data, x, s9, 1, locks);
    rv_cover_add_instance(data, &(struct rv_instance){1, {x, 0}, {s4, s9}});
    rv_cover_add_instance(data, &(struct rv_instance){2, {x, 0}, {s9, s5}});
    rv_cover_add_instance(data, &(struct rv_instance){4, {x, 0}, {s4, s9, s5}});
    data->executions = 1;
}

static void totals_of_the_example(void **state) {
    (void)state;
    struct rv_cover_data data;
    struct rv_cover_figures figures;
    example(&data, 0);
    rv_cover_figures(&figures, &data);
    assert_int_equal(figures.all.total, 16);
    assert_int_equal(figures.all.feasible, 16);
    assert_int_equal(figures.all.covered, 3);
    assert_int_equal(figures.pattern[4].total, 4);
    assert_int_equal(figures.variable_count, 1);
    assert_int_equal(figures.variables[0].single.total, 16);
    assert_int_equal(figures.target_count, 3); /* at most three of one variable */
    assert_int_equal(figures.targets[0].instance.pattern, 3);
    rv_cover_figures_free(&figures);
    rv_cover_data_free(&data);
}

/* x with 2 reads and a write, y with 1 and 2: by the formula of the spec. */
static void totals_of_two_variables(void **state) {
    (void)state;
    struct rv_cover_data data;
    struct rv_cover_figures figures;
    example(&data, 0);
    uint32_t y = rv_cover_add_variable(&data, "y");
    use(&data, y, statement(&data, "f", 20, false), 1, 0);
    use(&data, y, statement(&data, "f", 21, true), 1, 0);
    use(&data, y, statement(&data, "f", 22, true), 1, 0);
    rv_cover_figures(&figures, &data);
    uint64_t single = 4 + 4 + 2 + 12 + 8, wide = 2 * (3 * 1 * 4 + 6 * 1 * 2 * 2 * 1);
    assert_int_equal(figures.all.total, 16 + single + wide);
    assert_int_equal(figures.all.feasible, figures.all.total);
    rv_cover_figures_free(&figures);
    rv_cover_data_free(&data);
}

/* a holds the lock from s4 to s5, b writes with it: R W R cannot be, unless it was seen. */
static void locks_prune(void **state) {
    (void)state;
    struct rv_cover_data data;
    struct rv_cover_figures figures;
    example(&data, 1);
    rv_cover_add_lock(&data, rv_cover_add_variable(&data, "lock"));
    rv_cover_add_step(&data, &(struct rv_cover_step_text){0, 1, 0, 1, 1}); /* s5 then s4, held throughout */
    rv_cover_figures(&figures, &data);
    assert_int_equal(figures.all.feasible, 15);
    rv_cover_figures_free(&figures);
    rv_cover_add_step(&data,
                      &(struct rv_cover_step_text){0, 0, 1, 1, 1}); /* s4 then s5, but that was covered */
    rv_cover_figures(&figures, &data);
    assert_int_equal(figures.all.feasible, 15);
    assert_int_equal(figures.pattern[4].covered, 1);
    rv_cover_figures_free(&figures);
    rv_cover_add_step(&data, &(struct rv_cover_step_text){0, 1, 0, 0, 0}); /* seen apart, too */
    rv_cover_figures(&figures, &data);
    assert_int_equal(figures.all.feasible, 16);
    rv_cover_figures_free(&figures);
    rv_cover_data_free(&data);
}

/* A shared lock on both sides keeps nobody out. */
static void read_locks_do_not(void **state) {
    (void)state;
    struct rv_cover_data data;
    struct rv_cover_figures figures;
    example(&data, 0);
    uint64_t lock = rv_cover_add_lock(&data, rv_cover_add_variable(&data, "lock"));
    data.uses[2].locks = lock;
    rv_cover_add_step(&data, &(struct rv_cover_step_text){0, 1, 0, lock, 0});
    rv_cover_figures(&figures, &data);
    assert_int_equal(figures.all.feasible, 16);
    rv_cover_figures_free(&figures);
    rv_cover_data_free(&data);
}

/* Main writes after all were joined: nothing comes after that in another thread, and nobody interrupts it. */
static void epochs_prune(void **state) {
    (void)state;
    struct rv_cover_data data = {0};
    struct rv_cover_figures figures;
    uint32_t x = rv_cover_add_variable(&data, "x");
    uint32_t worker = statement(&data, "work", 1, true), last = statement(&data, "main", 2, true);
    use(&data, x, worker, 1, 0);
    use(&data, x, last, 2, 0);
    rv_cover_figures(&figures, &data);
    /* W W: 4 of which last-worker and last-last cannot be; W W W: 8, of which only worker worker worker/last can */
    assert_int_equal(figures.pattern[3].total, 4);
    assert_int_equal(figures.pattern[3].feasible, 2);
    assert_int_equal(figures.pattern[8].feasible, 2);
    rv_cover_figures_free(&figures);
    rv_cover_add_instance(&data, &(struct rv_instance){3, {x, 0}, {last, worker}}); /* and yet it was */
    rv_cover_figures(&figures, &data);
    assert_int_equal(figures.pattern[3].feasible, 3);
    assert_true(figures.all.covered <= figures.all.feasible);
    rv_cover_figures_free(&figures);
    rv_cover_data_free(&data);
}

static void fill(struct rv_cover_data *data, unsigned seed) {
    example(data, 0);
    data->program = strdup("/tmp/a\tb\n\\");
    uint32_t y = rv_cover_add_variable(data, seed ? "y\t<b>" : "other");
    uint32_t w = statement(data, "evil\nfunction", 30 + seed, true), r = statement(data, "f", 31, false);
    use(data, y, w, 3, rv_cover_add_lock(data, rv_cover_add_variable(data, "lock")));
    use(data, y, r, 1, 0);
    rv_cover_add_step(data, &(struct rv_cover_step_text){y, w, r, 1, 0});
    rv_cover_add_instance(data, &(struct rv_instance){14, {0, y}, {0, 2, w, r}});
    rv_cover_add_pair(data, rv_cover_add_function(data, "f", "unit.c"),
                      rv_cover_add_function(data, "g", "unit.c"));
    rv_cover_add_run(data, &(struct rv_cover_run){.time = 1700000000 + seed,
                                                  .seconds = 0.5,
                                                  .executions = 10,
                                                  .after = 4,
                                                  .growth = {1, 2, 4},
                                                  .strategy = (char *)"random:0.1"});
    data->executions = 10;
    data->cut = 2;
    data->missed = RV_MISSED_WORK;
}

static void text_comes_back(void **state) {
    (void)state;
    struct rv_cover_data data, again;
    char *error;
    size_t size, size_again;
    fill(&data, 1);
    char *text = rv_cover_write(&data, &size);
    if (!rv_cover_read(&again, text, size, "text", &error)) fail_msg("%s", error);
    char *text_again = rv_cover_write(&again, &size_again);
    assert_string_equal(text, text_again);
    free(text);
    free(text_again);
    rv_cover_data_free(&data);
    rv_cover_data_free(&again);
}

/* A record is a tuple of names: the union of two is the union of these, whatever numbers they had. */
static void union_is_by_name(void **state) {
    (void)state;
    struct rv_cover_data one, other, sum = {0};
    fill(&one, 0);
    fill(&other, 1);
    rv_cover_add(&sum, &other);
    rv_cover_add(&sum, &one);
    assert_int_equal(sum.variable_names.count, 4);
    assert_int_equal(sum.instance_keys.count, 3 + 2);
    assert_int_equal(sum.pair_keys.count, 1);
    assert_int_equal(sum.run_count, 2);
    assert_int_equal(sum.executions, 20);
    rv_cover_add(&sum, &one);
    assert_int_equal(sum.instance_keys.count, 5);
    rv_cover_data_free(&one);
    rv_cover_data_free(&other);
    rv_cover_data_free(&sum);
}

static void damage_is_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "x:1: expected a record of totals"},
        {"ravel-coverage 2\n", "x:1: expected \"ravel-coverage 1\""},
        {"ravel-coverage 1\ntotals\t1\t0\t0\t0\nlock\t0\n",
         "x:3: expected a VARIABLE, each once, at most 64 of them"},
        {"ravel-coverage 1\ntotals\t1\t0\t0\t0\nvariable\ta\nvariable\ta\n",
         "x:4: expected a NAME that was not there before"},
        {"ravel-coverage 1\ntotals\t1\t0\t0\t0\nvariable\ta\nstatement\tR\t1\tf\tf.c\tf\tm\t0\ninstance\t3\t0\t0\t0\t0\t0\t0\n",
         "x:5: expected variables and statements that are there and that the pattern can have"},
        {"ravel-coverage 1\ntotals\t1\t0\t0\t0", "x:2: expected an end of the line"},
        {"ravel-coverage 1\nvariable\ta\\x\n", "x:2: expected a NAME that was not there before"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rv_cover_data data;
        char *error = NULL;
        assert_false(rv_cover_read(&data, cases[i].text, strlen(cases[i].text), "x", &error));
        assert_string_equal(error, cases[i].error);
        assert_int_equal(data.variable_names.count, 0);
        free(error);
    }
}

static void page_is_harmless(void **state) {
    (void)state;
    struct rv_cover_data data;
    fill(&data, 1);
    (void)rv_cover_add_function(&data, "<script>alert(1)</script>", "unit.c");
    use(&data, rv_cover_add_variable(&data, "\"><img src=x onerror='alert(2)'>"),
        statement(&data, "<script>alert(1)</script>", 50, true), 1, 0);
    struct rv_cover_about about = {.program = "</title><script>alert(3)</script>", .directory = "/nowhere"};
    char *page = rv_cover_html(&data, &about);
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "http:"));
    assert_non_null(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_non_null(strstr(page, "&quot;&gt;&lt;img src=x onerror=&#39;alert(2)&#39;&gt;"));
    assert_non_null(strstr(page, "Coverage over time"));
    free(page);
    rv_cover_data_free(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_of_the_example), cmocka_unit_test(totals_of_two_variables),
        cmocka_unit_test(locks_prune),           cmocka_unit_test(read_locks_do_not),
        cmocka_unit_test(epochs_prune),          cmocka_unit_test(text_comes_back),
        cmocka_unit_test(union_is_by_name),      cmocka_unit_test(damage_is_named),
        cmocka_unit_test(page_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
