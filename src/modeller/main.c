/* ravel-model: writes the static model of a program to standard output. Called by `ravel model`; see modeller.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "modeller/modeller.h"

void rm_unsure(struct rm *rm, const char *format, ...) {
    va_list arguments;
    char *text;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) abort();
    va_end(arguments);
    uint64_t hash = 1469598103934665603u, second = 1;
    for (const char *at = text; *at; at++) {
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
        second = rm_mix(second, (unsigned char)*at);
    }
    uint32_t *known = rm_map_at(&rm->unsure_known, hash | 1, second);
    if (*known != RM_NONE) {
        free(text);
        return;
    }
    *known = rm->unsure_count;
    if (rm->unsure_count == rm->unsure_capacity) {
        rm->unsure_capacity = rm->unsure_capacity ? rm->unsure_capacity * 2 : 16;
        rm->unsure = rv_text_realloc(rm->unsure, rm->unsure_capacity, sizeof *rm->unsure);
    }
    rm->unsure[rm->unsure_count++] = text;
}

/* RAVEL_MODEL_TRACE: where the time goes. */
static void tell(const char *what) {
    static struct timespec before;
    struct timespec now;
    if (!getenv("RAVEL_MODEL_TRACE")) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds =
        before.tv_sec ? (double)(now.tv_sec - before.tv_sec) + 1e-9 * (double)(now.tv_nsec - before.tv_nsec)
                      : 0;
    before = now;
    fprintf(stderr, "ravel-model: %-10s %7.2f s\n", what, seconds);
}

static void tell_all(void) {
    struct rusage usage;
    if (!getenv("RAVEL_MODEL_TRACE") || getrusage(RUSAGE_SELF, &usage) != 0) return;
    fprintf(stderr, "ravel-model: in all     %7.2f s\n", (double)clock() / CLOCKS_PER_SEC);
    fprintf(stderr, "ravel-model: memory     %7ld MB\n", usage.ru_maxrss / 1024);
}

int main(int argc, char **argv) {
    struct rm rm = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: ravel-model PROGRAM|LIBRARY|FILE.bc...\n");
        return 2;
    }
    tell("start");
    if (!rm_load(&rm, argv + 1, argc - 1)) return 3;
    tell("load");
    rm_debug_collect(&rm);
    rm_hash_blocks(&rm);
    tell("blocks");
    rm_build(&rm);
    tell("build");
    rm_solve(&rm);
    tell("solve");
    rm_find_threads(&rm);
    rm_find_escaping(&rm);
    tell("threads");
    rm_find_accesses(&rm);
    tell("accesses");
    rm_find_locks(&rm);
    tell("locks");
    rm_write(&rm, stdout);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("ravel-model: standard output");
        return 3;
    }
    tell("write");
    tell_all();
    return 0;
}
