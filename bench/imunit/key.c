#include "key.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sleep_words[] = {"usleep", "nanosleep",       "sleep",     "poll",
                                          "select", "clock_nanosleep", "thrd_sleep"};

static const char *skip_blank(const char *text) {
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

static bool starts_with(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Cuts comments and the contents of literals out of a line; *open: within a comment of several lines. */
static void code_of(const char *line, bool *open, char *code, size_t size) {
    size_t length = 0;
    char quote = 0;
    for (const char *at = line; *at && length + 1 < size; at++) {
        if (*open) {
            if (starts_with(at, "*/")) {
                *open = false;
                at++;
            }
        } else if (quote) {
            if (*at == '\\' && at[1])
                at++;
            else if (*at == quote) {
                code[length++] = quote;
                quote = 0;
            }
        } else if (starts_with(at, "//")) {
            break;
        } else if (starts_with(at, "/*")) {
            *open = true;
            at++;
        } else {
            if (*at == '"' || *at == '\'') quote = *at;
            code[length++] = *at;
        }
    }
    while (length > 0 && isspace((unsigned char)code[length - 1])) length--;
    code[length] = 0;
}

static bool is_keyword(const char *text) {
    static const char *const words[] = {"return", "goto", "break", "continue", "else", "case", "do", NULL};
    for (const char *const *word = words; *word; word++)
        if (starts_with(text, *word) && !is_word(text[strlen(*word)])) return true;
    return false;
}

/* A whole statement on one line that does nothing: "int x = 0;", "pthread_t a, b;", "(void)arg;", "{". */
static bool does_nothing(const char *code) {
    const char *text = skip_blank(code);
    if (strcmp(text, "{") == 0 || starts_with(text, "(void)")) return strchr(text + 1, '(') == NULL;
    if (text == code || is_keyword(text) || !is_word(*text)) return false;
    if (text[strlen(text) - 1] != ';' || strchr(text, '(')) return false;
    /* A declaration has a type and a name: two words, perhaps stars, before anything else. */
    const char *after = text;
    while (is_word(*after)) after++;
    const char *second = after;
    while (*second == ' ' || *second == '*') second++;
    return second > after && is_word(*second);
}

static void find_statements(struct key *key) {
    bool open = false, middle = false, continued = false;
    int depth = 0;
    for (int line = 1; line <= key->line_count; line++) {
        char code[1024];
        bool directive = *skip_blank(key->lines[line]) == '#' && !open;
        code_of(key->lines[line], &open, code, sizeof code);
        if (directive || continued) {
            size_t length = strlen(key->lines[line]);
            continued = length > 0 && key->lines[line][length - 1] == '\\';
            continue;
        }
        if (!*code) continue;
        bool first = !middle && depth == 0;
        if (first && does_nothing(code)) continue;
        key->begins[line] = first;
        key->within[line] = !first;
        for (const char *at = code; *at; at++) depth += (*at == '(') - (*at == ')');
        char last = code[strlen(code) - 1];
        middle = depth > 0 || (last != ';' && last != '{' && last != '}' && last != ':');
        /* What stands below START_TEST(x) is no part of it. */
        if (starts_with(code, "START_TEST") || strcmp(code, "END_TEST") == 0) middle = false;
    }
}

/* The last line of the statement that begins on this one, with its blocks. */
static int end_of(const struct key *key, int line) {
    bool open = false;
    int braces = 0, parens = 0;
    for (; line <= key->line_count; line++) {
        char code[1024];
        code_of(key->lines[line], &open, code, sizeof code);
        for (const char *at = code; *at; at++) {
            parens += (*at == '(') - (*at == ')');
            braces += (*at == '{') - (*at == '}');
            if (braces < 0) return line;
            if (braces == 0 && parens == 0 && (*at == ';' || *at == '}')) {
                const char *rest = skip_blank(at + 1);
                if (!starts_with(rest, "else") && !starts_with(rest, "while") && *rest != ';') return line;
            }
        }
    }
    return key->line_count;
}

int key_place(const struct key *key, int line, bool before) {
    if (line < 1 || line > key->line_count) return 0;
    while (line > 1 && key->within[line]) line--;
    if (!before && key->begins[line]) line = end_of(key, line) + 1;
    while (line <= key->line_count && !key->begins[line]) line++;
    for (size_t i = 0; i < key->event_count; i++)
        if (key->events[i].also == line) return key->events[i].place;
    return line;
}

const struct key_event *key_event(const struct key *key, const char *name) {
    for (size_t i = 0; i < key->event_count; i++)
        if (strcmp(key->events[i].name, name) == 0) return &key->events[i];
    return NULL;
}

/* An event without count, thread and brackets: to the next word, or NULL. */
static const char *take_atom(const char *text, char *name, bool *block) {
    size_t length = 0;
    text = skip_blank(text);
    *block = *text == '[';
    if (*block) text = skip_blank(text + 1);
    while (is_word(*text) || *text == '.') {
        if (length + 1 < KEY_NAME) name[length++] = *text;
        text++;
    }
    name[length] = 0;
    while (*text == '#' || *text == '@')
        for (text++; is_word(*text); text++) {}
    text = skip_blank(text);
    if (*block) {
        if (*text != ']') return NULL;
        text = skip_blank(text + 1);
    }
    return length > 0 ? text : NULL;
}

bool key_orderings(const char *schedule, struct key_ordering *orderings, size_t *count, size_t capacity) {
    const char *at = skip_blank(schedule);
    while (*at) {
        size_t first = *count;
        bool block;
        do {
            if (*count == capacity) return false;
            while (*at == '&' || *at == '(' || *at == ' ') at++;
            at = take_atom(at, orderings[*count].from, &orderings[*count].block);
            if (!at) return false;
            while (*at == ')' || *at == ' ') at++;
            ++*count;
        } while (starts_with(at, "&&"));
        if (!starts_with(at, "->")) return false;
        char to[KEY_NAME];
        at = take_atom(at + 2, to, &block);
        if (!at || block) return false;
        for (size_t i = first; i < *count; i++) memcpy(orderings[i].to, to, sizeof to);
        if (*at && *at != ',') return false;
        if (*at) at = skip_blank(at + 1);
    }
    return true;
}

int key_sleeps_at(const struct key *key, const char *line) {
    if (*line != ' ' && *line != '\t') return -1; /* a definition, or a directive */
    for (size_t i = 0; i < key->word_count; i++) {
        const char *word = key->words[i];
        size_t length = strlen(word);
        for (const char *at = strstr(line, word); at; at = strstr(at + 1, word)) {
            if (is_word(at[-1]) || *skip_blank(at + length) != '(') continue;
            const char *comment = strstr(line, "//");
            if (!comment || comment > at) return (int)(at - line);
        }
    }
    return -1;
}

static void copy_word(char *to, const char *from) {
    size_t length = 0;
    while (is_word(from[length]) && length + 1 < KEY_NAME) length++;
    memcpy(to, from, length);
    to[length] = 0;
}

/* The name of the function that the schedule on `line` belongs to: the next one defined, START_TEST or not. */
static bool name_test(const struct key *key, struct key_test *test) {
    for (int line = test->line + 1; line <= key->line_count; line++) {
        const char *text = key->lines[line];
        const char *parenthesis = strchr(text, '(');
        if (!is_word(*text) || !parenthesis) continue;
        if (starts_with(text, "START_TEST")) {
            copy_word(test->name, skip_blank(parenthesis + 1));
            return true;
        }
        const char *end = parenthesis;
        while (end > text && end[-1] == ' ') end--;
        const char *begin = end;
        while (begin > text && is_word(begin[-1])) begin--;
        copy_word(test->name, begin);
        return true;
    }
    return false;
}

static bool parse_line(struct key *key, int line, char *error, size_t error_size) {
    const char *text = key->lines[line];
    int column = key_sleeps_at(key, text);
    if (column >= 0) {
        if (key->sleep_count == KEY_SLEEPS)
            return snprintf(error, error_size, "%d: too many sleeps", line), false;
        enum key_fate fate = strstr(text, "//@ keep")      ? KEY_KEPT
                             : strstr(text, "//@ polling") ? KEY_POLLING
                                                           : KEY_REMOVED;
        key->sleeps[key->sleep_count++] = (struct key_sleep){line, fate};
    }
    text = skip_blank(text);
    if (!starts_with(text, "//@ ")) return true;
    text += 4;
    if (starts_with(text, "event ")) {
        if (key->event_count == KEY_EVENTS)
            return snprintf(error, error_size, "%d: too many events", line), false;
        struct key_event *event = &key->events[key->event_count];
        copy_word(event->name, text + 6);
        if (key_event(key, event->name))
            return snprintf(error, error_size, "%d: event %s twice", line, event->name), false;
        *event = (struct key_event){.line = line, .place = key_place(key, line, true)};
        copy_word(event->name, text + 6);
        key->event_count++;
    } else if (starts_with(text, "also ")) {
        char name[KEY_NAME];
        copy_word(name, text + 5);
        struct key_event *event = (struct key_event *)key_event(key, name);
        if (!event) return snprintf(error, error_size, "%d: no event %s above", line, name), false;
        event->also = key_place(key, line, true);
    } else if (starts_with(text, "schedule")) {
        if (key->test_count == KEY_TESTS)
            return snprintf(error, error_size, "%d: too many tests", line), false;
        struct key_test *test = &key->tests[key->test_count++];
        test->line = line;
        snprintf(test->schedule, sizeof test->schedule, "%s", skip_blank(text + 8));
        if (!name_test(key, test) ||
            !key_orderings(test->schedule, test->orderings, &test->ordering_count, KEY_ORDERINGS))
            return snprintf(error, error_size, "%d: no schedule, or of no test", line), false;
    } else if (!starts_with(text, "sleep ")) {
        return snprintf(error, error_size, "%d: event, also, schedule or sleep expected", line), false;
    }
    return true;
}

static void find_words(struct key *key) {
    for (size_t i = 0; i < sizeof sleep_words / sizeof *sleep_words; i++)
        snprintf(key->words[key->word_count++], KEY_NAME, "%s", sleep_words[i]);
    for (int line = 1; line <= key->line_count; line++) {
        const char *text = skip_blank(key->lines[line]);
        if (!starts_with(text, "//@ sleep ")) continue;
        for (text += 10; is_word(*text) && key->word_count < KEY_WORDS; text = skip_blank(text)) {
            copy_word(key->words[key->word_count++], text);
            while (is_word(*text)) text++;
        }
    }
}

static bool split(struct key *key, const char *text) {
    size_t lines = 2;
    for (const char *at = text; *at; at++) lines += *at == '\n';
    key->lines = calloc(lines + 1, sizeof *key->lines);
    key->begins = calloc(lines + 1, sizeof *key->begins);
    key->within = calloc(lines + 1, sizeof *key->within);
    if (!key->lines || !key->begins || !key->within) return false;
    while (*text) {
        size_t length = strcspn(text, "\n");
        key->lines[++key->line_count] = strndup(text, length);
        if (!key->lines[key->line_count]) return false;
        text += length + (text[length] == '\n');
    }
    return true;
}

struct key *key_parse(const char *text, char *error, size_t error_size) {
    struct key *key = calloc(1, sizeof *key);
    snprintf(error, error_size, "out of memory");
    if (!key || !split(key, text)) return key_free(key), NULL;
    find_words(key);
    find_statements(key);
    for (int line = 1; line <= key->line_count; line++)
        if (!parse_line(key, line, error, error_size)) return key_free(key), NULL;
    for (size_t i = 0; i < key->test_count; i++)
        for (size_t j = 0; j < key->tests[i].ordering_count; j++) {
            const struct key_ordering *ordering = &key->tests[i].orderings[j];
            if (key_event(key, ordering->from) && key_event(key, ordering->to)) continue;
            snprintf(error, error_size, "%d: no such event: %s", key->tests[i].line,
                     key_event(key, ordering->from) ? ordering->to : ordering->from);
            return key_free(key), NULL;
        }
    return key;
}

void key_free(struct key *key) {
    if (!key) return;
    for (int line = 1; line <= key->line_count; line++) free(key->lines[line]);
    free(key->lines);
    free(key->begins);
    free(key->within);
    free(key);
}
