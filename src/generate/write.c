#include "generate/write.h"

#include <stdlib.h>
#include <string.h>

#include "generate/harness.h"
#include "generate/results.h"

struct writing {
    const struct rv_test_file *file;
    const struct rv_api *api;
    const struct rv_test *test;
    struct rv_history history;
    struct rv_text text;
    bool assert_results;
    bool checked[RV_CASE_CALLS]; /* its results are looked at */
};

static const struct rv_method *method_of(const struct writing *w, uint32_t call) {
    return &w->api->methods[w->test->calls[call].method];
}

/* ---- names ---- */

/* What is the n-th call of its thread: "one1". */
static void add_event(struct rv_text *text, const struct rv_test *test, uint32_t call, const char *what) {
    static const char *const threads[] = {"one", "two", "three", "four"};
    uint32_t number = 1;
    for (uint32_t i = 0; i < call; i++)
        number +=
            test->calls[i].phase == RV_PHASE_DURING && test->calls[i].thread == test->calls[call].thread;
    rv_text_addf(text, "%s.%s%u", threads[test->calls[call].thread & 3], what, number);
}

static void add_result_name(struct rv_text *text, const struct writing *w, uint32_t call, int parameter) {
    const char *name = parameter < 0 ? "result" : method_of(w, call)->parameters[parameter].name;
    rv_text_addf(text, "%s%u", *name ? name : "out", call + 1);
}

/* ---- the schedule ---- */

static void add_ordering(struct rv_text *plan, const struct rv_test *test, uint32_t first, const char *what,
                         uint32_t second, const char *then) {
    if (plan->size) rv_text_add(plan, ", ");
    add_event(plan, test, first, what);
    rv_text_add(plan, " -> ");
    add_event(plan, test, second, then);
}

/* What the execution's history says of calls of different threads. */
static char *plan_of(const struct writing *w) {
    struct rv_text plan = {0};
    const struct rv_test *test = w->test;
    for (uint32_t i = 0; i < test->count; i++)
        for (uint32_t j = 0; j < test->count; j++) {
            const struct rv_call *a = &w->history.calls[i], *b = &w->history.calls[j];
            if (test->calls[i].phase != RV_PHASE_DURING || test->calls[j].phase != RV_PHASE_DURING ||
                test->calls[i].thread == test->calls[j].thread || a->state == RV_CALL_ABSENT ||
                b->state == RV_CALL_ABSENT)
                continue;
            if (a->state == RV_CALL_RETURNED && a->returned < b->called)
                add_ordering(&plan, test, i, "returned", j, "called");
            else if (b->state == RV_CALL_RETURNED && a->called < b->returned)
                add_ordering(&plan, test, i, "called", j, "returned");
        }
    return rv_text_take(&plan);
}

/* ---- variables and calls ---- */

static bool keeps(const struct rv_method *method) {
    return method->result_kind != RV_RESULT_NONE && method->result_kind != RV_RESULT_OPAQUE;
}

/* "static int name" */
static void add_declaration(struct rv_text *text, const char *type, const char *name) {
    if (strpbrk(type, "([")) /* the name stands inside of such a type */
        rv_text_addf(text, "static __typeof__(%s) %s", type, name);
    else
        rv_text_addf(text, "static %s%s%s", type, type[strlen(type) - 1] == '*' ? "" : " ", name);
}

static void add_variables(struct writing *w, uint32_t call) {
    const struct rv_case_call *one = &w->test->calls[call];
    const struct rv_method *method = method_of(w, call);
    if (w->checked[call] && keeps(method)) {
        struct rv_text name = {0};
        add_result_name(&name, w, call, -1);
        add_declaration(&w->text, method->result, name.data);
        rv_text_add(&w->text, ";\n");
        free(name.data);
    }
    for (uint32_t i = 0; i < method->count; i++) {
        const struct rv_parameter *p = &method->parameters[i];
        bool room = p->kind == RV_PARAMETER_OUTPUT && one->arguments[i] >= 0;
        if (!room && (p->kind != RV_PARAMETER_RESULT || !one->arguments[i])) continue;
        const char *item = strcmp(p->item, "void") == 0 ? "char" : p->item;
        struct rv_text name = {0};
        add_result_name(&name, w, call, (int)i);
        add_declaration(&w->text, item, name.data);
        free(name.data);
        if (room)
            rv_text_addf(&w->text, "[%lld]", (long long)(one->arguments[i] > 0 ? one->arguments[i] : 1));
        bool number = !room && !strchr(item, '*') && strcmp(item, "_Bool") != 0;
        rv_text_addf(&w->text, "%s;\n", !number ? "" : p->bytes == 1 ? " = 0x5a" : " = 0x5a5a");
    }
}

/* As it is told to people, but where C wants to know more. */
static void add_argument(struct writing *w, const struct rv_case_call *one, int call, uint32_t at) {
    struct rv_text *text = &w->text;
    const struct rv_parameter *p = &w->api->methods[one->method].parameters[at];
    int64_t value = one->arguments[at];
    bool result = p->kind == RV_PARAMETER_RESULT;
    if (p->kind == RV_PARAMETER_ENUM) {
        rv_text_addf(text, "(%s)%lld", p->type, (long long)value);
    } else if (p->kind == RV_PARAMETER_LENGTH) {
        rv_text_addf(text, "%lld", (long long)(value < 0 ? 0 : value > 256 ? 256 : value));
    } else if (p->kind == RV_PARAMETER_INPUT && p->bytes != 1 && value >= 0) {
        rv_text_addf(text, "(__typeof__(%s)[256]){1, 2, 3, 4, 5, 6, 7, 8}", p->item);
    } else if ((result && value) || (p->kind == RV_PARAMETER_OUTPUT && value >= 0)) {
        rv_text_add(text, result ? "&" : "");
        add_result_name(text, w, (uint32_t)call, (int)at);
    } else {
        rv_test_tell_argument(text, w->api, w->test, p, value);
    }
}

static void add_arguments(struct writing *w, const struct rv_case_call *one, int call) {
    rv_text_addf(&w->text, "%s(", w->api->methods[one->method].name);
    for (uint32_t i = 0; i < w->api->methods[one->method].count; i++) {
        if (i) rv_text_add(&w->text, ", ");
        add_argument(w, one, call, i);
    }
    rv_text_add(&w->text, ");\n");
}

static void add_call(struct writing *w, uint32_t call) {
    const struct rv_case_call *one = &w->test->calls[call];
    bool marked = one->phase == RV_PHASE_DURING;
    struct rv_text *text = &w->text;
    if (marked) {
        rv_text_add(text, "    RAVEL_EVENT(");
        add_event(text, w->test, call, "called");
        rv_text_add(text, ");\n");
    }
    rv_text_add(text, "    ");
    if (w->checked[call] && keeps(method_of(w, call))) {
        add_result_name(text, w, call, -1);
        rv_text_add(text, " = ");
    } else if (method_of(w, call)->result_kind != RV_RESULT_NONE) {
        rv_text_add(text, "(void)");
    }
    add_arguments(w, one, (int)call);
    if (marked) {
        rv_text_add(text, "    RAVEL_EVENT(");
        add_event(text, w->test, call, "returned");
        rv_text_add(text, ");\n");
    }
}

/* ---- the assertion ---- */

/* One sequential order's results: (a && b && ...). */
static char *conjunction(struct writing *w, const struct rv_bytes *results) {
    struct rv_text all = {0};
    for (uint32_t c = 0; c < w->test->count; c++) {
        struct rv_value values[RV_MOST_VALUES];
        if (!w->checked[c]) continue;
        uint32_t count = rv_values_of(method_of(w, c), &w->test->calls[c], &results[c], values);
        for (uint32_t v = 0; v < count; v++) {
            struct rv_text name = {0};
            add_result_name(&name, w, c, values[v].parameter);
            if (all.size) rv_text_add(&all, " && ");
            rv_value_compare(&all, method_of(w, c), &values[v], name.data);
            free(name.data);
        }
    }
    return rv_text_take(&all);
}

/* Whether this order makes calls as they followed each other in the execution. */
static bool follows(const struct writing *w, const uint32_t *order) {
    for (uint32_t i = 0; i < w->test->count; i++)
        for (uint32_t j = i + 1; j < w->test->count; j++)
            if (rv_history_precedes(&w->history, order[j], order[i])) return false;
    return true;
}

/* Only calls whose results differ between orders, or from what was seen, are looked at. */
static void find_checked(struct writing *w, const struct rv_judge *judge) {
    struct rv_bytes results[RV_MAX_CALLS];
    for (uint32_t s = 0; s < rv_judge_sequences(judge); s++) {
        if (!rv_judge_sequence(judge, s, results)) continue;
        for (uint32_t c = 0; c < w->test->count; c++)
            w->checked[c] |= !rv_bytes_equal(&results[c], &w->history.calls[c].result);
    }
}

/* What orders give, each once; NULL: nothing is known. With `any`: of all orders, else of those that follow the execution. */
static char *alternatives(struct writing *w, const struct rv_judge *judge, bool any) {
    struct rv_text text = {0};
    struct rv_bytes results[RV_MAX_CALLS];
    char **seen = NULL;
    uint32_t count = 0;
    for (uint32_t s = 0; s < rv_judge_sequences(judge); s++) {
        const uint32_t *order = rv_judge_sequence(judge, s, results);
        if (!order || (!any && !follows(w, order))) continue;
        char *one = conjunction(w, results);
        bool known = false;
        for (uint32_t i = 0; i < count; i++) known |= strcmp(seen[i], one) == 0;
        if (known) {
            free(one);
            continue;
        }
        rv_text_addf(&text, "%s(%s)", count ? " ||\n                 " : "", one);
        seen = rv_text_realloc(seen, count + 1, sizeof *seen);
        seen[count++] = one;
    }
    for (uint32_t i = 0; i < count; i++) free(seen[i]);
    free(seen);
    return count ? rv_text_take(&text) : NULL;
}

/* Whether some order gives what the execution gave, were it not for which calls followed which. */
static bool explained_by_any(struct writing *w, const struct rv_judge *judge) {
    struct rv_bytes results[RV_MAX_CALLS];
    for (uint32_t s = 0; s < rv_judge_sequences(judge); s++) {
        bool same = rv_judge_sequence(judge, s, results) != NULL;
        for (uint32_t c = 0; same && c < w->test->count; c++)
            same = rv_bytes_equal(&results[c], &w->history.calls[c].result);
        if (same) return true;
    }
    return false;
}

/* ---- the whole ---- */

static bool callback_wanted(void *user, uint32_t type, uint32_t number) {
    const struct rv_test *test = ((struct writing *)user)->test;
    const struct rv_api *api = ((struct writing *)user)->api;
    for (uint32_t c = 0; c < test->count + test->objects; c++) {
        const struct rv_case_call *call = c < test->count ? &test->calls[c] : &test->made[c - test->count];
        const struct rv_method *method = &api->methods[call->method];
        for (uint32_t i = 0; i < method->count; i++)
            if (method->parameters[i].kind == RV_PARAMETER_CALLBACK &&
                method->parameters[i].callback == type && call->arguments[i] >= 0 &&
                call->arguments[i] == number)
                return true;
    }
    return false;
}

static void add_objects(struct writing *w) {
    for (uint32_t i = 0; i < w->test->objects; i++) {
        bool initialises = w->api->methods[w->test->made[i].method].initialises;
        rv_text_addf(&w->text, "static %s *", w->api->type);
        rv_test_object_name(&w->text, w->api, w->test, i);
        rv_text_add(&w->text, ";\n");
        if (initialises) rv_text_addf(&w->text, "static %s memory%u;\n", w->api->type, i + 1);
    }
}

static void add_making(struct writing *w, uint32_t i) {
    struct rv_case_call call = w->test->made[i];
    const struct rv_method *method = &w->api->methods[call.method];
    rv_text_add(&w->text, "    ");
    rv_test_object_name(&w->text, w->api, w->test, i);
    if (method->initialises) {
        rv_text_addf(&w->text, " = &memory%u;\n    %s", i + 1,
                     method->result_kind == RV_RESULT_NONE ? "" : "(void)");
        call.arguments[method->object] = i;
    } else {
        rv_text_add(&w->text, " = ");
    }
    add_arguments(w, &call, -1);
}

static void add_test(struct writing *w, const char *right) {
    struct rv_text *text = &w->text;
    rv_text_add(text, "\nRAVEL_TEST(together) {\n");
    rv_text_addf(text, "    pthread_t threads[%u];\n", w->test->threads);
    for (uint32_t i = 0; i < w->test->objects; i++) add_making(w, i);
    for (uint32_t i = 0; i < w->test->count; i++)
        if (w->test->calls[i].phase == RV_PHASE_BEFORE) add_call(w, i);
    static const char *const threads[] = {"one", "two", "three", "four"};
    for (uint32_t t = 0; t < w->test->threads; t++)
        rv_text_addf(text, "    pthread_create(&threads[%u], NULL, %s, NULL);\n", t, threads[t]);
    for (uint32_t t = 0; t < w->test->threads; t++)
        rv_text_addf(text, "    pthread_join(threads[%u], NULL);\n", t);
    for (uint32_t i = 0; i < w->test->count; i++)
        if (w->test->calls[i].phase == RV_PHASE_AFTER) add_call(w, i);
    if (right)
        rv_text_addf(
            text,
            "    /* What the calls give if they are made one after the other, in one order or another. */\n"
            "    RAVEL_ASSERT(%s);\n",
            right);
    rv_text_add(text, "}\n");
}

static void add_all(struct writing *w, const char *right) {
    static const char *const threads[] = {"one", "two", "three", "four"};
    struct rv_text *text = &w->text;
    rv_text_addf(
        text,
        "/* Made by ravel generate: %s. It was seen with these two commands:\n *\n *     %s\n *     %s\n",
        rv_kind_names[w->file->bug->kind], w->file->build, w->file->run);
    if (*w->file->replay)
        rv_text_addf(text, " *\n * The same in one execution: ravel replay %s\n", w->file->replay);
    rv_text_add(text, " */\n");
    const char *slash = strrchr(w->file->header, '/');
    rv_text_addf(text,
                 "#include <pthread.h>\n#include <ravel.h>\n#include <stdbool.h>\n#include <stdlib.h>\n"
                 "#include <string.h>\n\n#include \"%s\"\n\n",
                 slash ? slash + 1 : w->file->header);
    add_objects(w);
    struct rv_text object = {0};
    rv_test_object_name(&object, w->api, w->test, 0);
    size_t before = text->size;
    rv_harness_callbacks(w->api, object.data, callback_wanted, w, text);
    free(object.data);
    bool pointers = text->size > before;
    for (uint32_t i = 0; i < w->test->count; i++)
        for (uint32_t p = 0; p < method_of(w, i)->count; p++)
            pointers |= method_of(w, i)->parameters[p].kind == RV_PARAMETER_POINTER;
    if (pointers) rv_text_add(text, "static char addresses[8] __attribute__((unused));\n");
    for (uint32_t i = 0; i < w->test->count; i++) add_variables(w, i);
    for (uint32_t t = 0; t < w->test->threads; t++) {
        rv_text_addf(text, "\nstatic void *%s(void *unused) {\n", threads[t]);
        for (uint32_t i = 0; i < w->test->count; i++)
            if (w->test->calls[i].phase == RV_PHASE_DURING && w->test->calls[i].thread == t) add_call(w, i);
        rv_text_add(text, "    return unused;\n}\n");
    }
    add_test(w, right);
    char *plan = plan_of(w);
    if (*plan) rv_text_addf(text, "\nRAVEL_SCHEDULE(together, \"found\", \"%s\");\n", plan);
    free(plan);
    rv_text_add(text, "\nRAVEL_MAIN\n");
}

char *rv_test_file_text(const struct rv_test_file *file) {
    struct writing w = {.file = file, .api = file->api, .test = &file->bug->test};
    struct rv_judge judge;
    char *right = NULL;
    bool wrong = file->bug->kind == RV_KIND_NONLINEARIZABLE, good = true;
    rv_test_history(w.test, &w.history);
    if (!rv_test_told(&w.history, file->bug->told, file->bug->told_size)) good = false;
    if (good && wrong) {
        rv_judge_open(&judge, file->runner, w.test);
        good = rv_judge_run_all(&judge);
        if (good) find_checked(&w, &judge);
        if (good) right = alternatives(&w, &judge, !explained_by_any(&w, &judge));
        good = right != NULL;
        rv_judge_close(&judge);
    }
    if (good) add_all(&w, right);
    free(right);
    rv_history_free(&w.history);
    return good ? rv_text_take(&w.text) : NULL;
}
