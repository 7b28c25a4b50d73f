/* compare: what `ravel migrate` inferred against the answer keys of tests/sleep, as a table; see bench/README.md.
 *
 *     compare [--confidence=C] [--verbose] [--total] [--require=P] {NAME KEY.c RESULT.json}...
 *     compare --apply KEY.c               the test as the key wants it, on standard output
 *
 * --total: the last row only. A result that cannot be read counts as if nothing had been inferred. Exit 1: precision or recall,
 * of events or orderings, is overall less than --require wants; 2: wrong request.
 */
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "score.h"

static char *read_file(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file) return NULL;
    if (getdelim(&text, &size, 0, file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static struct key *read_key(const char *path) {
    char error[200] = "cannot be read";
    char *text = read_file(path);
    struct key *key = text ? key_parse(text, error, sizeof error) : NULL;
    free(text);
    if (!key) fprintf(stderr, "compare: %s: %s\n", path, error);
    return key;
}

static void print_heading(void) {
    printf("%-12s %5s %5s   %9s %6s   %9s %6s   %7s %5s %5s %5s %7s\n", "structure", "tests", "exact",
           "events: P", "R", "orders: P", "R", "removed", "kept", "lost", "left", "polling");
}

static void print_row(const char *name, const struct score *score) {
    printf("%-12s %5u %5u   %9.3f %6.3f   %9.3f %6.3f   %7u %5u %5u %5u %7u\n", name, score->tests,
           score->exact, hits_precision(&score->events), hits_recall(&score->events),
           hits_precision(&score->orderings), hits_recall(&score->orderings), score->removed, score->kept,
           score->lost, score->left, score->polling);
}

static int apply(const char *path) {
    struct key *key = read_key(path);
    if (!key) return 2;
    apply_key(key, stdout);
    key_free(key);
    return 0;
}

static bool add_file(struct score *sum, char **of, double confidence, bool verbose, bool total) {
    struct score score = {0};
    json_error_t error;
    struct key *key = read_key(of[1]);
    json_t *result = json_load_file(of[2], 0, &error);
    if (!key) return json_decref(result), false;
    if (!result) fprintf(stderr, "compare: %s: %s\n", of[2], error.text);
    score_file(&score, key, result, confidence, verbose ? stderr : NULL);
    if (!total) print_row(of[0], &score);
    score_add(sum, &score);
    json_decref(result);
    key_free(key);
    return true;
}

static bool reaches(const struct hits *hits, double required) {
    return hits_precision(hits) >= required && hits_recall(hits) >= required;
}

int main(int argc, char **argv) {
    double confidence = 0, required = 0;
    bool verbose = false, total = false;
    int i = 1;
    struct score sum = {0};
    if (argc == 3 && strcmp(argv[1], "--apply") == 0) return apply(argv[2]);
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strncmp(argv[i], "--confidence=", 13) == 0)
            confidence = strtod(argv[i] + 13, NULL);
        else if (strncmp(argv[i], "--require=", 10) == 0)
            required = strtod(argv[i] + 10, NULL);
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (strcmp(argv[i], "--total") == 0)
            total = true;
        else
            return fprintf(stderr, "compare: unknown option %s\n", argv[i]), 2;
    }
    if (i == argc || (argc - i) % 3 != 0)
        return fprintf(stderr, "compare: {NAME KEY.c RESULT.json}... expected\n"), 2;
    if (!total) print_heading();
    for (; i < argc; i += 3)
        if (!add_file(&sum, argv + i, confidence, verbose, total)) return 2;
    print_row("overall", &sum);
    return reaches(&sum.events, required) && reaches(&sum.orderings, required) ? 0 : 1;
}
