/* Holds the JSON of `ravel run` against an expectation; the corpus runner's eyes.
 *
 *     ravel-check-json FILE ok -                 contract kept, no failure, confirmed or not, nothing cut off, budget used up
 *     ravel-check-json FILE cut -                no failure, but executions that were cut off as not terminating
 *     ravel-check-json FILE KIND[|KIND] TEXT     contract kept, the first failure is of such a kind and TEXT[|TEXT]
 *                                                ("-": anything) is in its message or stacks; prints its file
 *     ravel-check-json FILE print -              shows the failures, one line each
 *
 * Exit 0: as expected; 1: not, with the difference on standard error; 2: wrong request.
 */
#include <stdbool.h>
#include <string.h>

#include "../check_json.h"

/* Whether `text` is one of the words between bars in `list`. */
static bool listed(const char *list, const char *text) {
    size_t length = strlen(text);
    for (const char *at = list;;) {
        const char *bar = strchrnul(at, '|');
        if ((size_t)(bar - at) == length && !memcmp(at, text, length)) return true;
        if (!*bar) return false;
        at = bar + 1;
    }
}

/* Whether one of the words between bars in `list` occurs in `text`. */
static bool occurs(const char *list, const char *text) {
    for (const char *at = list;;) {
        const char *bar = strchrnul(at, '|');
        if (bar > at && memmem(text, strlen(text), at, (size_t)(bar - at))) return true;
        if (!*bar) return false;
        at = bar + 1;
    }
}

/* The keys that the contract promises in every result, with their JSON type. */
static int check_contract(const json_t *result) {
    static const struct promised_key keys[] = {
        {"version", JSON_STRING},    {"program", JSON_STRING},    {"args", JSON_ARRAY},
        {"strategy", JSON_STRING},   {"seed", JSON_INTEGER},      {"isolation", JSON_STRING},
        {"schedules", JSON_INTEGER}, {"stopped_by", JSON_STRING}, {"not_terminating", JSON_INTEGER},
        {"failures", JSON_ARRAY},    {"instrumented", JSON_TRUE}, {"complete", JSON_TRUE},
    };
    static const char *const numbers[] = {"seconds", "schedules_per_second"};
    if (check_keys(result, keys, sizeof keys / sizeof *keys)) return 1;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!json_is_number(json_object_get(result, numbers[i])))
            return complain("key missing or not a number", numbers[i]);
    return 0;
}

static bool failure_mentions(const json_t *failure, const char *texts) {
    if (!strcmp(texts, "-") || occurs(texts, string_of(failure, "message"))) return true;
    size_t i, j;
    json_t *thread, *frame;
    json_array_foreach(json_object_get(failure, "threads"), i, thread) {
        if (occurs(texts, string_of(thread, "state"))) return true;
        json_array_foreach(json_object_get(thread, "stack"), j,
                           frame) if (occurs(texts, string_of(frame, "function"))) return true;
    }
    return false;
}

static void print_failure(FILE *out, const json_t *failure) {
    fprintf(out, "%s: %s", string_of(failure, "kind"), string_of(failure, "message"));
    size_t i, j;
    json_t *thread, *frame;
    json_array_foreach(json_object_get(failure, "threads"), i, thread) {
        fprintf(out, "; %s [%s]", string_of(thread, "name"), string_of(thread, "state"));
        json_array_foreach(json_object_get(thread, "stack"), j, frame)
            fprintf(out, " %s:%d", string_of(frame, "function"),
                    (int)json_integer_value(json_object_get(frame, "line")));
    }
    fprintf(out, "\n");
}

/* cut: whether executions that did not end are what is expected. */
static int check_ok(const json_t *result, bool cut) {
    const json_t *failures = json_object_get(result, "failures");
    if (json_array_size(failures)) {
        fprintf(stderr, "a correct program was reported: ");
        print_failure(stderr, json_array_get(failures, 0));
        return 1;
    }
    if ((json_integer_value(json_object_get(result, "not_terminating")) > 0) != cut)
        return complain(cut ? "no execution was cut off" : "executions were cut off as not terminating", "");
    if (json_integer_value(json_object_get(result, "unconfirmed")) &&
        !json_object_get(result, "nondeterminism"))
        return complain("failures were seen that did not happen again",
                        "a false alarm, but for the confirmation");
    if (!listed("schedules|complete", string_of(result, "stopped_by")))
        return complain("stopped by neither budget nor completeness", string_of(result, "stopped_by"));
    if (!json_integer_value(json_object_get(result, "schedules"))) return complain("no schedule was run", "");
    return 0;
}

static int check_failure(const json_t *result, const char *kinds, const char *texts) {
    const json_t *failure = json_array_get(json_object_get(result, "failures"), 0);
    if (!failure) return complain("no failure in the result, expected", kinds);
    if (!listed(kinds, string_of(failure, "kind")) || !failure_mentions(failure, texts)) {
        fprintf(stderr, "expected %s with '%s', got ", kinds, texts);
        print_failure(stderr, failure);
        return 1;
    }
    static const char *const numbers[] = {"id", "first_schedule", "count", "preemptions"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!json_is_integer(json_object_get(failure, numbers[i])))
            return complain("failure lacks a number", numbers[i]);
    if (!json_array_size(json_object_get(failure, "threads"))) return complain("failure lacks threads", "");
    if (!*string_of(failure, "file")) return complain("failure has no file", "");
    puts(string_of(failure, "file"));
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: ravel-check-json FILE ok|cut|print|KIND[|KIND] TEXT[|TEXT]\n");
        return 2;
    }
    json_error_t error;
    json_t *result = json_load_file(argv[1], 0, &error);
    if (!result) return complain(argv[1], error.text);
    int status = check_contract(result);
    if (!strcmp(argv[2], "print")) {
        size_t i;
        json_t *failure;
        json_array_foreach(json_object_get(result, "failures"), i, failure) print_failure(stdout, failure);
    } else if (!status) {
        bool cut = !strcmp(argv[2], "cut");
        status =
            cut || !strcmp(argv[2], "ok") ? check_ok(result, cut) : check_failure(result, argv[2], argv[3]);
    }
    json_decref(result);
    return status;
}
