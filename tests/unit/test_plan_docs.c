/* What the documentation shows of the language of schedules, in docs/ (all .md files):
 *
 *   ```schedule          is a schedule
 *   ```schedule-error    is what is shown for the text in its first line
 *   ```history           a schedule, an empty line, and what happens: "THREAD EVENT", "THREAD EVENT must wait",
 *                        "THREAD is blocked", "THREAD starts"; THREAD/2 is another thread of the same name
 *   | form | holds if |, | event | what it is |, | text | ravel says | what to do |    tables of conditions, of events, of mistakes
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <glob.h>
#include <stdlib.h>

#include "plan/monitor.h"
#include "plan_text.h"

enum { THREADS = 8 };

static struct plan_memory memory;
static struct rv_plan_error error;
static int seen_schedules, seen_errors, seen_histories, seen_forms, seen_events, seen_mistakes;

static const struct rv_plan *parse(const char *text) {
    return rv_plan_parse(plan_arena(&memory), text, &error);
}

static const struct rv_plan *must_parse(const char *text) {
    const struct rv_plan *plan = parse(text);
    if (!plan) fail_msg("%s: at %u: %s", text, error.at, error.message);
    return plan;
}

/* --- blocks --- */

static void check_error(char *block) {
    char shown[1024];
    char *text = strndup(block + strspn(block, " "), strcspn(block + strspn(block, " "), "\n"));
    assert_null(parse(text));
    rv_plan_error_show(shown, sizeof shown, text, &error);
    assert_string_equal(block, shown);
    free(text);
}

struct scene {
    struct rv_monitor *monitor;
    char threads[THREADS][32]; /* by number; "main" is 0 */
    uint32_t count;
    bool blocked[THREADS];
};

static bool is_blocked(const void *user, uint32_t thread) { return ((const bool *)user)[thread]; }

static uint32_t thread_of(struct scene *scene, const char *name) {
    uint32_t thread = 0;
    while (thread < scene->count && strcmp(scene->threads[thread], name) != 0) thread++;
    if (thread < scene->count) return thread;
    assert_true(scene->count < THREADS && strlen(name) < 32);
    strcpy(scene->threads[scene->count++], name);
    char *plain = strndup(name, strcspn(name, "/"));
    rv_monitor_name(scene->monitor, thread, plain);
    free(plain);
    return thread;
}

static void check_line(struct scene *scene, const char *line) {
    char name[64], event[64], rest[64] = "";
    assert_in_range(sscanf(line, "%63s %63s %63[^\n]", name, event, rest), 2, 3);
    uint32_t thread = thread_of(scene, name);
    const struct rv_monitor_view view = {is_blocked, scene->blocked};
    struct rv_moment moment = {RV_PLAN_EVENT, event, thread};
    if (strcmp(event, "is") == 0) {
        assert_string_equal(rest, "blocked");
        scene->blocked[thread] = true;
        return;
    }
    if (strcmp(event, "starts") == 0) moment = (struct rv_moment){RV_PLAN_START, NULL, thread};
    bool waits = strcmp(rest, "must wait") == 0;
    if (!waits) assert_string_equal(rest, "");
    assert_true(rv_monitor_known(scene->monitor, &moment));
    if (rv_monitor_allows(scene->monitor, &moment, &view, NULL) == waits) fail_msg("%s", line);
    if (!waits) assert_null(rv_monitor_happen(scene->monitor, &moment, &view));
}

static void check_history(char *block) {
    char *lines = strstr(block, "\n\n"), *rest = NULL;
    assert_non_null(lines);
    *lines = 0;
    const struct rv_plan *plan = must_parse(block);
    struct scene scene = {.monitor = rv_monitor_begin(malloc(rv_monitor_size(plan)), plan), .count = 1};
    strcpy(scene.threads[0], "main");
    for (char *line = strtok_r(lines + 2, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        check_line(&scene, line);
    uint32_t cursor = 0;
    const struct rv_plan_atom *atom = rv_monitor_missing(scene.monitor, &cursor);
    if (atom) fail_msg("%s: %s has not happened", block, atom->name);
    free(scene.monitor);
}

/* --- tables --- */

/* The cell at *at, without the code marks around it, "\|" as "|"; *at goes on to the next. */
static char *cell(const char **at) {
    char *text = strdup(*at), *to = text;
    while (**at && **at != '|' && **at != '\n') {
        if ((*at)[0] == '\\' && (*at)[1] == '|') ++*at;
        *to++ = *(*at)++;
    }
    *to = 0;
    if (**at == '|') ++*at;
    while (to > text && to[-1] == ' ') *--to = 0;
    memmove(text, text + strspn(text, " "), strlen(text + strspn(text, " ")) + 1);
    return text;
}

static char *code(const char **at) {
    char *text = cell(at);
    size_t length = strlen(text);
    assert_true(length > 2 && text[0] == '`' && text[length - 1] == '`');
    memmove(text, text + 1, length - 2);
    text[length - 2] = 0;
    return text;
}

static void check_row(const char *row, const char *format) {
    char text[256];
    char *given = code(&row);
    snprintf(text, sizeof text, format, given);
    must_parse(text);
    free(given);
}

static void check_mistake(const char *row) {
    char *text = code(&row), *message = cell(&row);
    if (parse(text)) fail_msg("accepted: %s", text);
    assert_string_equal(error.message, message);
    free(message);
    free(text);
}

static const char *next_line(const char *at) {
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

/* Rows from the one behind the line under the header; returns the first line that is none. */
static const char *check_table(const char *at, void (*check)(const char *row), int *seen) {
    for (at = next_line(next_line(at)); *at == '|'; at = next_line(at)) {
        check(at + 1);
        ++*seen;
    }
    return at;
}

static void check_form(const char *row) { check_row(row, "%s -> target"); }
static void check_event(const char *row) { check_row(row, "condition -> %s"); }

/* --- files --- */

static bool begins(const char *at, const char *with) { return strncmp(at, with, strlen(with)) == 0; }

static const char *check_block(const char *at, void (*check)(char *block), int *seen) {
    const char *begin = next_line(at), *end = strstr(begin, "```");
    assert_non_null(end);
    char *block = strndup(begin, (size_t)(end - begin));
    check(block);
    ++*seen;
    free(block);
    return next_line(end);
}

static void check_schedule(char *block) { must_parse(block); }

static void check_file(const char *path) {
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    for (const char *at = text; *at;) {
        if (begins(at, "```schedule\n"))
            at = check_block(at, check_schedule, &seen_schedules);
        else if (begins(at, "```schedule-error\n"))
            at = check_block(at, check_error, &seen_errors);
        else if (begins(at, "```history\n"))
            at = check_block(at, check_history, &seen_histories);
        else if (begins(at, "| form | holds if |\n"))
            at = check_table(at, check_form, &seen_forms);
        else if (begins(at, "| event | what it is |\n"))
            at = check_table(at, check_event, &seen_events);
        else if (begins(at, "| text | ravel says | what to do |\n"))
            at = check_table(at, check_mistake, &seen_mistakes);
        else
            at = next_line(at);
    }
}

static void test_samples(void **state) {
    (void)state;
    const char *source = getenv("RAVEL_SOURCE");
    char pattern[1024];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/docs/*.md", source ? source : ".");
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) check_file(found.gl_pathv[i]);
    globfree(&found);
    assert_true(seen_schedules >= 2 && seen_errors >= 1 && seen_histories >= 4);
    assert_true(seen_forms >= 7 && seen_events >= 7 && seen_mistakes >= 34);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
