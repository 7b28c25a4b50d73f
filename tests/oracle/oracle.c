/* oracle source|expect|strict SEED|hand-N [PATHS]: a program as C, or the truth about it (strict: under
 * --timing=strict):
 *   S ...   a line that the program prints in some execution
 *   F ...   a kind of failure that some execution ends with
 *   # ...   for people: interleavings, states
 * The first of a seed's programs counts that has at most PATHS (default 60000) interleavings and, but for every eighth
 * seed, more than one outcome.
 */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

enum { ATTEMPTS = 200 }; /* programs of a seed, from large to small */

static void print_verdict(const struct verdict *verdict) {
    printf("# %.0f paths %zu states\n", verdict->paths, verdict->states);
    for (int i = 0; i < FAILURES; i++)
        if (verdict->failures[i]) printf("F %s\n", failure_names[i]);
    for (unsigned i = 0; i < verdict->line_count; i++) puts(verdict->lines[i]);
}

static bool found(struct program *program, uint64_t seed, unsigned attempt, double most,
                  struct verdict *verdict) {
    struct code code;
    generate(program, seed * 1000 + attempt, 4 - attempt * 3 / ATTEMPTS);
    program->seed = seed;
    translate(program, &code);
    interpret(program, &code, false, verdict, 1 << 16);
    unsigned outcomes = verdict->line_count;
    for (int i = 0; i < FAILURES; i++) outcomes += verdict->failures[i];
    bool interesting = outcomes > 1 || seed % 8 == 0;
    if (!verdict->too_many && verdict->paths <= most && interesting) return true;
    verdict_free(verdict);
    return false;
}

static bool find(struct program *program, const char *which, double most, struct verdict *verdict) {
    if (strncmp(which, "hand-", 5) == 0) {
        struct code code;
        if (!by_hand(program, (unsigned)strtoul(which + 5, NULL, 10))) return false;
        translate(program, &code);
        interpret(program, &code, false, verdict, 1 << 16);
        return true;
    }
    uint64_t seed = strtoull(which, NULL, 10);
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++)
        if (found(program, seed, attempt, most, verdict)) return true;
    return false;
}

int main(int argc, char **argv) {
    bool source = argc > 2 && strcmp(argv[1], "source") == 0;
    bool strict = argc > 2 && strcmp(argv[1], "strict") == 0;
    if (!source && !strict && (argc < 3 || strcmp(argv[1], "expect") != 0)) {
        (void)fprintf(stderr, "usage: oracle source|expect|strict SEED|hand-N [PATHS]\n");
        return 2;
    }
    struct program program;
    struct verdict verdict;
    if (!find(&program, argv[2], argc > 3 ? strtod(argv[3], NULL) : 60000, &verdict)) {
        (void)fprintf(stderr, "oracle: no such program: %s\n", argv[2]);
        return 3;
    }
    if (strict) {
        struct code code;
        translate(&program, &code);
        verdict_free(&verdict);
        interpret(&program, &code, true, &verdict, 1 << 16);
    }
    if (source)
        render(&program, stdout);
    else
        print_verdict(&verdict);
    verdict_free(&verdict);
    return 0;
}
