#include "apply.h"

#include <string.h>

static const struct key_sleep *sleep_on(const struct key *key, int line) {
    for (size_t i = 0; i < key->sleep_count; i++)
        if (key->sleeps[i].line == line) return &key->sleeps[i];
    return NULL;
}

static const struct key_test *test_on(const struct key *key, int line) {
    for (size_t i = 0; i < key->test_count; i++)
        if (key->tests[i].line == line) return &key->tests[i];
    return NULL;
}

static const struct key_event *event_on(const struct key *key, int line) {
    for (size_t i = 0; i < key->event_count; i++)
        if (key->events[i].line == line) return &key->events[i];
    return NULL;
}

/* The line without its call of a function that sleeps: its ";" stays, for it may be the body of an if. */
static void without_sleep(const struct key *key, const char *line, FILE *to) {
    int column = key_sleeps_at(key, line);
    const char *at = strchr(line + column, '(');
    int depth = 0;
    for (; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0) break;
    }
    fprintf(to, "%.*s%s\n", column, line, *at ? at + 1 : "");
}

void apply_key(const struct key *key, FILE *to) {
    const struct key_test *inside = NULL; /* whose body is about to begin */
    fprintf(to, "#include <ravel.h>\n");
    for (int line = 1; line <= key->line_count; line++) {
        const char *text = key->lines[line];
        const struct key_test *test = test_on(key, line);
        const struct key_event *event = event_on(key, line);
        const struct key_sleep *sleep = sleep_on(key, line);
        if (test) {
            inside = test;
            if (*test->schedule)
                fprintf(to, "RAVEL_SCHEDULE(%s, \"key\", \"%s\");\n", test->name, test->schedule);
        } else if (event) {
            fprintf(to, "    RAVEL_EVENT(%s);\n", event->name);
        } else if (sleep && sleep->fate == KEY_REMOVED) {
            without_sleep(key, text, to);
        } else {
            fprintf(to, "%s\n", text);
            size_t length = strlen(text);
            if (inside && length > 0 && text[length - 1] == '{') {
                fprintf(to, "    RAVEL_TEST_SCOPE(%s);\n", inside->name);
                inside = NULL;
            }
        }
    }
}
