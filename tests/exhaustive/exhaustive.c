/* exhaustive RAVEL FIRST LAST OPTION...: searches of random real programs, against brute force.
 *
 * For each seed a random program (model.h) is compiled with ravel cc and run with --keep-going. Every final
 * state is an exit status of its own, so the failures that ravel lists are the final states it has seen. None
 * may be one that brute force does not know; and when the search calls itself complete, none may be missing,
 * the deadlock included. At least a third of the searches must come to their end, or the test would say nothing.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model.h"

enum { MAX_OPTIONS = 8 };

static const char *ravel;
static char directory[] = "/tmp/ravel-exhaustive-XXXXXX";

/* Runs the command in the directory, its output into `log`; its exit status, or -1. */
static int run(char *const *arguments) {
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(directory) == 0 && freopen("log", "w", stdout) && dup2(1, 2) == 2)
            execv(arguments[0], arguments);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void path(char *text, size_t size, const char *name) {
    (void)snprintf(text, size, "%s/%s", directory, name);
}

static bool compile(const struct program *program, const struct finals *finals) {
    char source[256];
    path(source, sizeof source, "program.c");
    FILE *file = fopen(source, "w");
    if (!file) return false;
    program_write(program, finals, file);
    if (fclose(file)) return false;
    char *arguments[] = {(char *)ravel, "cc", "-g", "-O1", "-pthread", "-o", "program", "program.c", NULL};
    return run(arguments) == 0;
}

/* What ravel saw. */
struct seen {
    bool complete, deadlock, strange;
    bool status[256];
};

static void read_failure(json_t *failure, struct seen *seen) {
    const char *kind = json_string_value(json_object_get(failure, "kind"));
    const char *message = json_string_value(json_object_get(failure, "message"));
    const char *status = message ? strstr(message, "status ") : NULL;
    long number = status ? strtol(status + strlen("status "), NULL, 10) : 0;
    if (kind && strcmp(kind, "deadlock") == 0)
        seen->deadlock = true;
    else if (kind && strcmp(kind, "exit") == 0 && number > 0 && number < 256)
        seen->status[number] = true;
    else
        seen->strange = true;
}

static bool explore(char *const *options, int option_count, struct seen *seen) {
    char *arguments[16 + MAX_OPTIONS] = {
        (char *)ravel, "run", "--keep-going", "--schedules=10000", "--json=result.json", "--out=failures"};
    int count = 6;
    for (int i = 0; i < option_count; i++) arguments[count++] = options[i];
    arguments[count++] = "./program";
    arguments[count] = NULL;
    int status = run(arguments);
    if (status != 0 && status != 1) return false;
    char result[256];
    path(result, sizeof result, "result.json");
    json_t *root = json_load_file(result, 0, NULL);
    if (!root) return false;
    memset(seen, 0, sizeof *seen);
    seen->complete = json_is_true(json_object_get(root, "complete"));
    size_t i;
    json_t *failure;
    json_array_foreach(json_object_get(root, "failures"), i, failure) read_failure(failure, seen);
    json_decref(root);
    return true;
}

/* Whether what was seen is what there is; says what is not. */
static bool compare(unsigned long seed, const struct finals *finals, const struct seen *seen) {
    bool right = !seen->strange;
    if (seen->strange) printf("seed %lu: a failure that is neither an exit status nor a deadlock\n", seed);
    if (seen->deadlock && !finals->deadlock) {
        printf("seed %lu: a deadlock that cannot be\n", seed);
        right = false;
    }
    if (seen->complete && finals->deadlock && !seen->deadlock) {
        printf("seed %lu: called complete without the deadlock\n", seed);
        right = false;
    }
    for (unsigned status = 1; status < 256; status++) {
        bool possible = status <= finals->count;
        if (seen->status[status] && !possible) {
            printf("seed %lu: a final state that cannot be (%u)\n", seed, status);
            right = false;
        } else if (seen->complete && possible && !seen->status[status]) {
            printf("seed %lu: called complete without final state %u of %u\n", seed, status, finals->count);
            right = false;
        }
    }
    return right;
}

int main(int argc, char **argv) {
    if (argc < 4 || argc - 4 > MAX_OPTIONS || !mkdtemp(directory)) return 2;
    ravel = argv[1];
    unsigned long first = strtoul(argv[2], NULL, 10), last = strtoul(argv[3], NULL, 10);
    unsigned long searches = 0, complete = 0, wrong = 0;
    for (unsigned long seed = first; seed <= last; seed++) {
        struct program program = program_random(seed);
        static struct finals finals;
        struct seen seen;
        if (!program_finals(&program, &finals)) continue;
        if (!compile(&program, &finals) || !explore(argv + 4, argc - 4, &seen)) {
            printf("seed %lu: ravel failed; see %s\n", seed, directory);
            return 1;
        }
        searches++;
        complete += seen.complete;
        if (compare(seed, &finals, &seen)) continue;
        wrong++;
    }
    printf("%lu searches, %lu complete, %lu wrong\n", searches, complete, wrong);
    if (wrong || complete * 3 < searches || !searches) return 1;
    char *clean[] = {"/bin/rm", "-rf", directory, NULL};
    return run(clean) == 0 ? 0 : 1;
}
