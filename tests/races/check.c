/* Holds the JSON of `ravel races` against the truth that a subject states in its header:
 *
 *     races: a-b a-a      pairs of tags that race, or none; a tag is the comment at the end of a line
 *     harm: a-b           those of them that must be reported as harmful
 *     maybe: c-d p+q      what may be reported as potential, but not more
 *     deadlocks: p+q      sets of tags where threads wait for each other, or none
 *
 *     ravel-check-races check SUBJECT RESULT    all of it is reported as it is, and nothing else; prints "race FILE" and
 *                                               "deadlock FILE" for each file that replays one
 *     ravel-check-races found SUBJECT RESULT    prints what is claimed for sure, one race or deadlock each line; of any program
 *     ravel-check-races truth SUBJECT           prints what should be
 *     ravel-check-races tags SUBJECT            the same of pairs of line numbers on standard input, "12-34" or "12+34"
 *
 * A line without a tag stands for itself, as "line 12". Exit 0: as expected; 1: not, with the differences on standard
 * error; 2: wrong request or subject.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check_json.h"

enum { ITEMS = 64, TAGS = 64, NAME = 16, ITEM = 128, PARTS = 8 };

struct list {
    char items[ITEMS][ITEM];
    size_t count;
};

struct subject {
    const char *file; /* its name without directories */
    struct {
        char name[NAME];
        unsigned line;
    } tags[TAGS];
    size_t tag_count;
    struct list races, harm, maybe, deadlocks;
    bool complete; /* says what races there are, be it none */
};

static _Noreturn void refuse(const char *what, const char *detail) {
    (void)complain(what, detail);
    exit(2);
}

/* ---- items: parts in alphabetical order, with '-' between those of a race and '+' between those of a deadlock ---- */

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static void write_item(char item[ITEM], char parts[][ITEM], size_t count, char between) {
    qsort(parts, count, sizeof *parts, by_text);
    size_t size = 0;
    for (size_t i = 0; i < count && size < ITEM; i++) {
        int added = snprintf(item + size, ITEM - size, "%s%.*s", parts[i], i + 1 < count, &between);
        size += (size_t)added;
    }
}

static bool contains(const struct list *list, const char *item) {
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], item)) return true;
    return false;
}

static void add(struct list *list, const char *item) {
    if (contains(list, item)) return;
    if (list->count == ITEMS) refuse("too many", item);
    snprintf(list->items[list->count++], ITEM, "%s", item);
}

static void print(const struct list *list) {
    for (size_t i = 0; i < list->count; i++) puts(list->items[i]);
}

/* ---- the subject ---- */

/* "a-b" with its parts in order; each part is handed to `translate` if there is one. */
static void normalise(char item[ITEM], const char *word, const struct subject *subject,
                      void (*translate)(const struct subject *, const char *, char *)) {
    char parts[PARTS][ITEM], between = strchr(word, '+') ? '+' : '-';
    size_t count = 0;
    for (const char *at = word; *at && count < PARTS; count++) {
        size_t size = strcspn(at, "-+");
        snprintf(parts[count], ITEM, "%.*s", (int)size, at);
        if (translate) {
            char raw[ITEM];
            memcpy(raw, parts[count], ITEM);
            translate(subject, raw, parts[count]);
        }
        at += size + (at[size] != 0);
    }
    write_item(item, parts, count, between);
}

static void read_list(struct list *list, char *words) {
    char item[ITEM], *rest;
    for (char *word = strtok_r(words, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        if (!strcmp(word, "none")) continue;
        normalise(item, word, NULL, NULL);
        add(list, item);
    }
}

static void read_tag(struct subject *subject, const char *text, unsigned line) {
    const char *at = strstr(text, "/* @");
    if (!at) return;
    if (subject->tag_count == TAGS) refuse("too many tags", text);
    char *name = subject->tags[subject->tag_count].name;
    size_t size = strcspn(at += 4, " *");
    if (!size || size >= NAME || strncmp(at + size, " */", 3) != 0) refuse("not a tag", text);
    memcpy(name, at, size);
    subject->tags[subject->tag_count++].line = line;
}

static void read_header(struct subject *subject, char *text) {
    struct {
        const char *key;
        struct list *list;
    } keys[] = {{" * races:", &subject->races},
                {" * harm:", &subject->harm},
                {" * maybe:", &subject->maybe},
                {" * deadlocks:", &subject->deadlocks}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strncmp(text, keys[i].key, strlen(keys[i].key)) != 0) continue;
        subject->complete |= i == 0;
        read_list(keys[i].list, text + strlen(keys[i].key));
    }
}

static bool uses(const struct list *list, const char *tag) {
    for (size_t i = 0; i < list->count; i++)
        for (const char *at = list->items[i]; *at;) {
            size_t size = strcspn(at, "-+");
            if (size == strlen(tag) && !strncmp(at, tag, size)) return true;
            at += size + (at[size] != 0);
        }
    return false;
}

static bool has_tag(const struct subject *subject, const char *name) {
    for (size_t i = 0; i < subject->tag_count; i++)
        if (!strcmp(subject->tags[i].name, name)) return true;
    return false;
}

static void check_parts(const struct subject *subject, const struct list *list) {
    for (size_t i = 0; i < list->count; i++) {
        char copy[ITEM], *rest;
        memcpy(copy, list->items[i], ITEM);
        for (char *tag = strtok_r(copy, "-+", &rest); tag; tag = strtok_r(NULL, "-+", &rest))
            if (!has_tag(subject, tag)) refuse("no line has the tag", tag);
    }
}

/* Header and tags fit together. */
static void check_subject(const struct subject *subject) {
    check_parts(subject, &subject->races);
    check_parts(subject, &subject->maybe);
    check_parts(subject, &subject->deadlocks);
    for (size_t i = 0; i < subject->harm.count; i++)
        if (!contains(&subject->races, subject->harm.items[i]))
            refuse("harm, but no race", subject->harm.items[i]);
    for (size_t i = 0; i < subject->tag_count; i++) {
        const char *tag = subject->tags[i].name;
        if (!uses(&subject->races, tag) && !uses(&subject->maybe, tag) && !uses(&subject->deadlocks, tag))
            refuse("tag of nothing", tag);
    }
}

static void read_subject(struct subject *subject, const char *path) {
    char text[1024];
    unsigned line = 0;
    bool header = true;
    FILE *file = fopen(path, "r");
    if (!file) refuse("cannot be read", path);
    const char *slash = strrchr(path, '/');
    *subject = (struct subject){.file = slash ? slash + 1 : path};
    while (fgets(text, sizeof text, file)) {
        line++;
        if (header) read_header(subject, text);
        header &= strstr(text, "*/") == NULL;
        if (!header) read_tag(subject, text, line);
    }
    fclose(file);
    check_subject(subject);
}

/* The tag of a line, or the line itself. */
static void part_of_line(const struct subject *subject, const char *number, char part[ITEM]) {
    unsigned line = (unsigned)strtoul(number, NULL, 10);
    snprintf(part, ITEM, "line %u", line);
    for (size_t i = 0; i < subject->tag_count; i++)
        if (subject->tags[i].line == line) snprintf(part, ITEM, "%s", subject->tags[i].name);
}

/* ---- the result ---- */

static bool is_subject(const struct subject *subject, const json_t *frame) {
    const char *file = string_of(frame, "file"), *slash = strrchr(file, '/');
    return !strcmp(slash ? slash + 1 : file, subject->file);
}

static void part_of_frame(const struct subject *subject, const json_t *frame, char part[ITEM]) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(json_object_get(frame, "line")));
    if (is_subject(subject, frame))
        part_of_line(subject, number, part);
    else
        snprintf(part, ITEM, "%.64s:%s", string_of(frame, "file"), number);
}

static void race_item(const struct subject *subject, const json_t *race, char item[ITEM]) {
    char parts[2][ITEM];
    part_of_frame(subject, json_object_get(race, "first"), parts[0]);
    part_of_frame(subject, json_object_get(race, "second"), parts[1]);
    write_item(item, parts, 2, '-');
}

static void deadlock_item(const struct subject *subject, const json_t *deadlock, char item[ITEM]) {
    char parts[PARTS][ITEM];
    size_t i, k, count = 0;
    json_t *wait, *frame;
    json_array_foreach(json_object_get(deadlock, "threads"), i, wait) {
        json_t *stack = json_object_get(wait, "wanted_at"), *place = json_array_get(stack, 0);
        json_array_foreach(stack, k, frame) if (is_subject(subject, frame)) {
            place = frame;
            break;
        }
        if (count < PARTS) part_of_frame(subject, place, parts[count++]);
    }
    write_item(item, parts, count, '+');
}

/* Happened, or is claimed to be possible for sure. */
static bool is_claimed(const json_t *report) {
    return strcmp(string_of(report, "status"), "potential") != 0 ||
           json_is_true(json_object_get(report, "predicted"));
}

static int about(const char *item, const char *what, const char *detail) {
    char text[2 * ITEM];
    snprintf(text, sizeof text, "%s: %s", item, what);
    return complain(text, detail);
}

/* A report of something that is true. */
static int check_true(const struct subject *subject, const json_t *report, const char *item,
                      const char *kind) {
    const char *status = string_of(report, "status"), *file = string_of(report, "file");
    if (strcmp(status, "real") != 0 && strcmp(status, "harmful") != 0)
        return about(item, "not verified, status", status);
    if (contains(&subject->harm, item) && strcmp(status, "harmful") != 0)
        return about(item, "should be harmful, status", status);
    if (!strcmp(status, "harmful") && !*string_of(report, "harm"))
        return about(item, "harmful, and no word about it", "");
    if (access(file, R_OK) != 0) return about(item, "no file that replays it", file);
    printf("%s %s\n", kind, file);
    return 0;
}

static int check_report(const struct subject *subject, const json_t *report, const char *item,
                        const struct list *truth, struct list *seen) {
    static const struct promised_key keys[] = {{"status", JSON_STRING},
                                               {"predicted", JSON_TRUE},
                                               {"signature", JSON_STRING},
                                               {"count", JSON_INTEGER},
                                               {"tries", JSON_INTEGER}};
    if (check_keys(report, keys, sizeof keys / sizeof *keys)) return 1;
    bool again = contains(seen, item);
    add(seen, item);
    if (again) return about(item, "reported twice", "");
    if (contains(truth, item))
        return check_true(subject, report, item, strchr(item, '+') ? "deadlock" : "race");
    if (!is_claimed(report) && contains(&subject->maybe, item)) return 0;
    return about(item, "false alarm, status",
                 json_is_true(json_object_get(report, "predicted")) ? "predicted"
                                                                    : string_of(report, "status"));
}

static int check_missed(const struct list *truth, const struct list *seen) {
    int wrong = 0;
    for (size_t i = 0; i < truth->count; i++)
        if (!contains(seen, truth->items[i])) wrong |= about(truth->items[i], "missed", "");
    return wrong;
}

static int check_result(const struct subject *subject, const json_t *result) {
    static const struct promised_key keys[] = {{"version", JSON_STRING},    {"program", JSON_STRING},
                                               {"args", JSON_ARRAY},        {"seed", JSON_INTEGER},
                                               {"schedules", JSON_INTEGER}, {"steered", JSON_INTEGER},
                                               {"seconds", JSON_REAL},      {"races", JSON_ARRAY},
                                               {"deadlocks", JSON_ARRAY},   {"failures", JSON_ARRAY}};
    if (check_keys(result, keys, sizeof keys / sizeof *keys)) return 1;
    struct list races = {.count = 0}, deadlocks = {.count = 0};
    char item[ITEM];
    int wrong = 0;
    size_t i;
    json_t *report;
    json_array_foreach(json_object_get(result, "races"), i, report) {
        race_item(subject, report, item);
        wrong |= check_report(subject, report, item, &subject->races, &races);
    }
    json_array_foreach(json_object_get(result, "deadlocks"), i, report) {
        deadlock_item(subject, report, item);
        wrong |= check_report(subject, report, item, &subject->deadlocks, &deadlocks);
    }
    wrong |= check_missed(&subject->races, &races) | check_missed(&subject->deadlocks, &deadlocks);
    bool may_fail = subject->harm.count + subject->deadlocks.count > 0;
    json_array_foreach(json_object_get(result, "failures"), i, report) {
        if (!may_fail)
            wrong |= about(string_of(report, "kind"), "nothing should fail", string_of(report, "message"));
    }
    return wrong;
}

static void print_claims(const struct subject *subject, const json_t *result) {
    struct list claims = {.count = 0};
    char item[ITEM];
    size_t i;
    json_t *report;
    json_array_foreach(json_object_get(result, "races"), i, report) {
        race_item(subject, report, item);
        if (is_claimed(report)) add(&claims, item);
    }
    json_array_foreach(json_object_get(result, "deadlocks"), i, report) {
        deadlock_item(subject, report, item);
        if (is_claimed(report)) add(&claims, item);
    }
    print(&claims);
}

static void print_tags(const struct subject *subject) {
    struct list items = {.count = 0};
    char line[ITEM], item[ITEM];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        normalise(item, line, subject, part_of_line);
        add(&items, item);
    }
    print(&items);
}

int main(int argc, char **argv) {
    struct subject subject;
    bool with_result = argc == 4 && (!strcmp(argv[1], "check") || !strcmp(argv[1], "found"));
    if (!with_result && !(argc == 3 && (!strcmp(argv[1], "truth") || !strcmp(argv[1], "tags"))))
        refuse("usage: ravel-check-races check|found SUBJECT RESULT, or truth|tags SUBJECT", "");
    read_subject(&subject, argv[2]);
    bool needs_truth = !strcmp(argv[1], "check") || !strcmp(argv[1], "truth");
    if (needs_truth && !subject.complete) refuse("no line \" * races: ...\"", subject.file);
    if (!with_result && !strcmp(argv[1], "tags")) print_tags(&subject);
    if (!with_result && !strcmp(argv[1], "truth")) {
        print(&subject.races);
        print(&subject.deadlocks);
    }
    if (!with_result) return 0;
    json_error_t error;
    json_t *result = json_load_file(argv[3], 0, &error);
    if (!result) return complain(argv[3], error.text);
    int status = 0;
    if (!strcmp(argv[1], "check"))
        status = check_result(&subject, result);
    else
        print_claims(&subject, result);
    json_decref(result);
    return status;
}
