/* The measurements of bench/README.md: runs ravel and its peers on the programs here, prints ratios, writes JSON.
 *
 *     ravel-bench RAVEL PROGRAMS WORK RESULT.json      the command, the directory of sources, a scratch directory
 *
 * Every figure that matters is a ratio of two measurements of this run, taken alternately and each the best of
 * several: what else the machine does disturbs both, and the best is disturbed least.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 3 };

static const char *ravel, *programs, *work;
static json_t *result;
static bool failed;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...) {
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

static void build(const char *compiler, const char *name, const char *suffix) {
    if (shell("%s -O2 -g -pthread -o %s/%s%s %s/%s.c", compiler, work, name, suffix, programs, name) == 0)
        return;
    fprintf(stderr, "bench: %s cannot build %s\n", compiler, name);
    exit(1);
}

static void build_with_ravel(const char *name) {
    char compiler[1024];
    snprintf(compiler, sizeof compiler, "%s cc", ravel);
    build(compiler, name, "");
}

/* One run of ravel: schedules per second, as it says itself. */
static double rate(const char *options, const char *program) {
    if (shell("cd %s && %s run --json=run.json --out=failures %s ./%s > run.out 2> run.err", work, ravel,
              options, program) != 0) {
        fprintf(stderr, "bench: ravel run %s %s failed:\n", options, program);
        shell("cat %s/run.out %s/run.err >&2", work, work);
        failed = true;
        return 1;
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/run.json", work);
    json_t *answer = json_load_file(path, 0, NULL);
    double value = json_number_value(json_object_get(answer, "schedules_per_second"));
    json_decref(answer);
    return value > 0 ? value : 1;
}

static double better(double a, double b) { return a > b ? a : b; }

static void note(const char *group, const char *key, double value) {
    json_t *object = json_object_get(result, group);
    if (!object) json_object_set_new(result, group, object = json_object());
    json_object_set_new(object, key, json_real(value));
}

/* Prints what was reached beside what was asked, and keeps both. */
static void judge(const char *group, double ratio, double wanted, const char *what) {
    note(group, "ratio", ratio);
    note(group, "target", wanted);
    say("  %-58s %10.2f   target %.2f  %s\n", what, ratio, wanted,
        ratio >= wanted ? "reached" : "NOT REACHED");
}

static void isolation(void) {
    double memory = 0, forked = 0;
    build_with_ravel("small");
    for (int i = 0; i < REPEATS; i++) {
        memory = better(memory, rate("--strategy=random --isolation=memory --schedules=200000", "small"));
        forked = better(forked, rate("--strategy=random --isolation=fork --schedules=4000", "small"));
    }
    say("isolation: 3 threads, about 50 scheduling points\n");
    say("  %-58s %10.0f\n  %-58s %10.0f\n", "schedules/s, memory isolation", memory,
        "schedules/s, fork isolation", forked);
    note("isolation", "memory_per_second", memory);
    note("isolation", "fork_per_second", forked);
    judge("isolation", memory / forked, 25, "memory / fork");
}

/* Seconds that one execution takes, from the rate over several. */
static double execution(const char *options, const char *program) { return 1 / rate(options, program); }

static void points(void) {
    build_with_ravel("points");
    double stay = 1e9, change = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        static const char quiet[] = "--strategy=random:0.000001 --max-steps=10000000 --schedules=20";
        static const char busy[] = "--strategy=random --max-steps=10000000 --schedules=20";
        double a = (execution(quiet, "points 60000") - execution(quiet, "points 10000")) / 100000;
        double b = (execution(busy, "points 60000") - execution(busy, "points 10000")) / 100000;
        if (a > 0 && a < stay) stay = a;
        if (b > 0 && b < change) change = b;
    }
    /* The random walk over two threads switches at every second point. */
    double with_switch = 2 * change - stay;
    say("scheduling point: an atomic operation, two threads\n");
    say("  %-58s %10.1f\n  %-58s %10.1f\n", "ns without a switch", stay * 1e9, "ns with a switch",
        with_switch * 1e9);
    note("point", "ns_without_switch", stay * 1e9);
    note("point", "ns_with_switch", with_switch * 1e9);
}

static void restoring(void) {
    build_with_ravel("dirty");
    double small = 0, large = 0;
    for (int i = 0; i < REPEATS; i++) {
        small = better(small, rate("--strategy=random --isolation=memory --schedules=20000", "dirty 64"));
        large = better(large, rate("--strategy=random --isolation=memory --schedules=20000", "dirty 65536"));
    }
    say("restoring: ten dirty pages per execution\n");
    say("  %-58s %10.0f\n  %-58s %10.0f\n", "schedules/s, 64 KB of heap", small, "schedules/s, 64 MB of heap",
        large);
    note("restore", "small_per_second", small);
    note("restore", "large_per_second", large);
    judge("restore", large / small, 1 / 3.0, "64 MB / 64 KB");
}

/* Best wall-clock time of a command in the scratch directory, on one core; CPU time would do as well. */
static double best_time(const char *command) {
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double start = now();
        if (shell("cd %s && taskset -c 0 %s > compute.out", work, command) != 0) {
            fprintf(stderr, "bench: %s failed\n", command);
            failed = true;
        }
        double time = now() - start;
        if (time < best) best = time;
    }
    return best;
}

static void computing(void) {
    build("gcc", "compute", ".native");
    build("gcc -fsanitize=thread", "compute", ".tsan");
    build_with_ravel("compute");
    char command[2048];
    snprintf(command, sizeof command,
             "%s run --schedules=1 --races=off --max-steps=1000000000 --strategy=random:0.001 ./compute",
             ravel);
    double native = best_time("./compute.native"), tsan = best_time("./compute.tsan"),
           ours = best_time(command);
    say("one execution of a compute-heavy program, 4 threads, one core\n");
    say("  %-58s %10.3f\n  %-58s %10.3f\n  %-58s %10.3f\n", "s, native", native, "s, ThreadSanitizer", tsan,
        "s, ravel run --schedules=1 (start, self-check and all)", ours);
    note("compute", "native_seconds", native);
    note("compute", "tsan_seconds", tsan);
    note("compute", "ravel_seconds", ours);
    judge("compute", tsan / ours, 1, "ThreadSanitizer's time / ravel's");
}

static void jobs(void) {
    double one = 0, two = 0;
    for (int i = 0; i < REPEATS; i++) {
        one = better(one, rate("--strategy=random --isolation=memory --jobs=1 --schedules=300000", "small"));
        two = better(two, rate("--strategy=random --isolation=memory --jobs=2 --schedules=600000", "small"));
    }
    say("workers: %ld processor(s)\n", sysconf(_SC_NPROCESSORS_ONLN));
    say("  %-58s %10.0f\n  %-58s %10.0f\n", "schedules/s, --jobs=1", one, "schedules/s, --jobs=2", two);
    note("jobs", "one_per_second", one);
    note("jobs", "two_per_second", two);
    judge("jobs", two / one, 1.7, "2 / 1");
}

static void search(void) {
    double walk = 0, dpor = 0;
    build_with_ravel("orders");
    for (int i = 0; i < REPEATS; i++) {
        walk = better(walk, rate("--strategy=random --schedules=200000", "orders 4 3"));
        dpor = better(dpor, rate("--strategy=dpor --schedules=1000000", "orders 4 3"));
    }
    say("exhaustive search: four threads that lock three times each, 369,600 traces\n");
    say("  %-58s %10.0f\n  %-58s %10.0f\n", "schedules/s, random", walk, "schedules/s, dpor, to its end",
        dpor);
    note("search", "random_per_second", walk);
    note("search", "dpor_per_second", dpor);
    judge("search", dpor / walk, 0.5, "dpor / random");
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: ravel-bench RAVEL PROGRAMS WORK RESULT.json\n");
        return 2;
    }
    ravel = argv[1];
    programs = argv[2];
    work = argv[3];
    result = json_object();
    isolation();
    points();
    restoring();
    computing();
    jobs();
    search();
    if (json_dump_file(result, argv[4], JSON_INDENT(2)) != 0) {
        fprintf(stderr, "bench: cannot write %s: %s\n", argv[4], strerror(errno));
        return 1;
    }
    say("results: %s\n", argv[4]);
    json_decref(result);
    return failed;
}
