/*
 * simrt-figures: what bench/simrt/run and the tests need of JSON files, and the APFD.
 *
 *     simrt-figures races FILE          of `ravel races`: a line for each race, STATUS FILE:LINE FILE:LINE, without folders and with
 *                                       the smaller place first; harmful counts as real. Then, if any, "deadlock" and "failure KIND"
 *     simrt-figures found FILE          the same of `ravel regress`, without races that it says are older
 *     simrt-figures selected FILE       of `ravel select`: names of the tests, by rank
 *     simrt-figures order FILE          these, then the rest (--all)
 *     simrt-figures number FILE KEY     a number at the top of a JSON file
 *     simrt-figures apfd ORDER MATRIX   ORDER: names of tests; MATRIX: lines of TEST RACE. Both may be "-" for standard input, not
 *                                       both at once
 * Exit: 0; 2 if something cannot be read.
 */
#include "regress/select.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("simrt-figures: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static json_t *load(const char *path) {
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root) fail("%s:%d: %s", path, error.line, error.text);
    if (!json_is_object(root)) fail("%s: an object was expected", path);
    return root;
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "?";
}

/* Names may come from a program under test: what would break a line of output apart is replaced. */
static void copy_word(char *to, size_t size, const char *from) {
    size_t length = 0;
    for (; from[length] && length + 1 < size; length++) to[length] = from[length] > ' ' ? from[length] : '_';
    to[length] = '\0';
}

static void write_place(char *to, size_t size, const json_t *side) {
    char name[200];
    const char *path = text_of(side, "file"), *slash = strrchr(path, '/');
    copy_word(name, sizeof name, slash ? slash + 1 : path);
    snprintf(to, size, "%s:%d", name, (int)json_integer_value(json_object_get(side, "line")));
}

/* By file, and by number of the line. */
static int compare_places(const char *one, const char *other) {
    size_t length = strcspn(one, ":"), other_length = strcspn(other, ":");
    int names = length == other_length ? strncmp(one, other, length) : strcmp(one, other);
    return names != 0 ? names : atoi(one + length + 1) - atoi(other + other_length + 1);
}

static void print_races(const json_t *root, bool new_only) {
    size_t index;
    const json_t *race;
    json_array_foreach(json_object_get(root, "races"), index, race) {
        char places[2][256];
        if (new_only && !json_is_true(json_object_get(race, "regression"))) continue;
        write_place(places[0], sizeof places[0], json_object_get(race, "first"));
        write_place(places[1], sizeof places[1], json_object_get(race, "second"));
        int first = compare_places(places[0], places[1]) > 0;
        printf("%s %s %s\n", strcmp(text_of(race, "status"), "potential") == 0 ? "potential" : "real",
               places[first], places[!first]);
    }
    for (size_t i = json_array_size(json_object_get(root, "deadlocks")); i > 0; i--) puts("deadlock");
    json_array_foreach(json_object_get(root, "failures"), index, race) {
        char kind[64];
        copy_word(kind, sizeof kind, text_of(race, "kind"));
        printf("failure %s\n", kind);
    }
}

static void print_rest(const json_t *root) {
    size_t index;
    const json_t *name;
    json_array_foreach(json_object_get(root, "rest"), index, name) {
        char word[200];
        copy_word(word, sizeof word, json_string_value(name) ? json_string_value(name) : "?");
        puts(word);
    }
}

static void print_selected(const json_t *root, const char *path) {
    size_t index;
    const json_t *test, *selected = json_object_get(root, "selected");
    if (!json_is_array(selected)) fail("%s: \"selected\" is missing", path);
    json_array_foreach(selected, index, test) {
        char word[200];
        const json_t *name = json_object_get(test, "test");
        if (json_is_integer(name)) {
            printf("%lld\n", (long long)json_integer_value(name));
            continue;
        }
        copy_word(word, sizeof word, text_of(test, "test"));
        puts(word);
    }
}

static void print_number(const char *path, const char *key) {
    const json_t *number = json_object_get(load(path), key);
    if (!json_is_number(number)) fail("%s: \"%s\" is missing, or no number", path, key);
    printf("%g\n", json_number_value(number));
}

/* Words, each once. */
typedef struct names {
    size_t count, room;
    char **word;
} names;

static size_t number_of(names *list, const char *word) {
    size_t index = 0;
    while (index < list->count && strcmp(list->word[index], word) != 0) index++;
    if (index < list->count) return index;
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->word = realloc(list->word, list->room * sizeof *list->word);
        if (!list->word) fail("no memory");
    }
    list->word[list->count] = strdup(word);
    if (!list->word[list->count]) fail("no memory");
    return list->count++;
}

static FILE *open_lines(const char *path) {
    FILE *lines = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!lines) fail("cannot read %s", path);
    return lines;
}

static void print_apfd(const char *order_path, const char *matrix_path) {
    names tests = {0}, races = {0};
    char line[1024];
    FILE *lines = open_lines(order_path);
    while (fgets(line, sizeof line, lines)) {
        line[strcspn(line, " \t\n")] = '\0';
        if (!line[0]) continue;
        size_t known = tests.count;
        if (number_of(&tests, line) < known) fail("%s: %s comes twice", order_path, line);
    }
    size_t n = tests.count, pairs = 0, room = 0;
    size_t(*found)[2] = NULL;
    lines = open_lines(matrix_path);
    while (fgets(line, sizeof line, lines)) {
        line[strcspn(line, "\n")] = '\0';
        char *race = strchr(line, ' ');
        if (!line[0]) continue;
        if (!race) fail("%s: TEST RACE was expected instead of: %s", matrix_path, line);
        *race++ = '\0';
        if (pairs == room && !(found = realloc(found, (room = 2 * room + 64) * sizeof *found)))
            fail("no memory");
        found[pairs][0] = number_of(&tests, line);
        found[pairs++][1] = number_of(&races, race);
    }
    uint32_t *first = calloc(races.count + 1, sizeof *first);
    if (!first) fail("no memory");
    for (size_t i = 0; i < pairs; i++) {
        uint32_t place = (uint32_t)found[i][0] + 1, *at = &first[found[i][1]];
        if (place <= n && (!*at || place < *at)) *at = place;
    }
    printf("%.4f\n", rv_apfd(first, races.count, (uint32_t)n));
    free(first);
    free(found);
}

int main(int argc, char **argv) {
    const char *what = argc > 2 ? argv[1] : "";
    if (argc == 3 && strcmp(what, "races") == 0)
        print_races(load(argv[2]), false);
    else if (argc == 3 && strcmp(what, "found") == 0)
        print_races(load(argv[2]), true);
    else if (argc == 3 && strcmp(what, "selected") == 0)
        print_selected(load(argv[2]), argv[2]);
    else if (argc == 3 && strcmp(what, "order") == 0) {
        const json_t *root = load(argv[2]);
        print_selected(root, argv[2]);
        print_rest(root);
    } else if (argc == 4 && strcmp(what, "number") == 0)
        print_number(argv[2], argv[3]);
    else if (argc == 4 && strcmp(what, "apfd") == 0)
        print_apfd(argv[2], argv[3]);
    else
        fail("usage: simrt-figures races|found|selected|order FILE | number FILE KEY | apfd ORDER MATRIX");
    return 0;
}
