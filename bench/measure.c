#include "measure.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct bench bench;
static json_t *result;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    fflush(stdout);
}

/* Runs a shell command; its exit status. */
static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *format, ...) {
    char command[4096];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof command) return -1;
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void build(const char *compiler, const char *name, const char *suffix) {
    if (shell("%s -O2 -g -pthread -o %s/%s%s %s/%s.c", compiler, bench.work, name, suffix, bench.programs,
              name) == 0)
        return;
    fprintf(stderr, "bench: %s cannot build %s\n", compiler, name);
    exit(1);
}

void build_with_ravel(const char *name) {
    char compiler[1024];
    snprintf(compiler, sizeof compiler, "%s cc", bench.ravel);
    build(compiler, name, "");
}

double rate(const char *options, const char *program) {
    if (shell("cd %s && %s run --json=run.json --out=failures %s ./%s > run.out 2> run.err", bench.work,
              bench.ravel, options, program) != 0) {
        fprintf(stderr, "bench: bench.ravel run %s %s failed:\n", options, program);
        shell("cat %s/run.out %s/run.err >&2", bench.work, bench.work);
        bench.failed = true;
        return 1;
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/run.json", bench.work);
    json_t *answer = json_load_file(path, 0, NULL);
    double value = json_number_value(json_object_get(answer, "schedules_per_second"));
    json_decref(answer);
    return value > 0 ? value : 1;
}

double better(double a, double b) { return a > b ? a : b; }

void note(const char *group, const char *key, double value) {
    if (!result) result = json_object();
    json_t *object = json_object_get(result, group);
    if (!object) json_object_set_new(result, group, object = json_object());
    json_object_set_new(object, key, json_real(value));
}

static void compare(const char *group, double ratio, double wanted, const char *what, bool reached) {
    note(group, "ratio", ratio);
    note(group, "target", wanted);
    say("  %-58s %10.2f   target %.2f  %s\n", what, ratio, wanted, reached ? "reached" : "NOT REACHED");
}

void judge(const char *group, double ratio, double wanted, const char *what) {
    compare(group, ratio, wanted, what, ratio >= wanted);
}

void judge_most(const char *group, double ratio, double wanted, const char *what) {
    compare(group, ratio, wanted, what, ratio <= wanted);
}

double best_time(const char *command) {
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double start = now();
        if (shell("cd %s && taskset -c 0 %s > compute.out", bench.work, command) != 0) {
            fprintf(stderr, "bench: %s failed\n", command);
            bench.failed = true;
        }
        double time = now() - start;
        if (time < best) best = time;
    }
    return best;
}

double largest_process(const char *command) {
    char whole[4096];
    snprintf(whole, sizeof whole, "cd %s && exec %s > largest.out 2>&1", bench.work, command);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", whole, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    struct rusage usage = {0};
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        fprintf(stderr, "bench: %s failed\n", command);
        bench.failed = true;
    }
    return (double)usage.ru_maxrss * 1024;
}

bool write_results(const char *path) {
    bool written = json_dump_file(result, path, JSON_INDENT(2)) == 0;
    json_decref(result);
    return written;
}
