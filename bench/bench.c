/* The measurements of bench/README.md: runs ravel and its peers on the programs here, prints ratios, writes JSON.
 *
 *     ravel-bench RAVEL PROGRAMS WORK RESULT.json      the command, the directory of sources, a scratch directory
 *
 * What the engine does is measured without race detection, which detection.c measures.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

static void isolation(void) {
    double memory = 0, forked = 0;
    build_with_ravel("small");
    for (int i = 0; i < REPEATS; i++) {
        memory = better(memory,
                        rate("--races=off --strategy=random --isolation=memory --schedules=200000", "small"));
        forked =
            better(forked, rate("--races=off --strategy=random --isolation=fork --schedules=4000", "small"));
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
        static const char quiet[] =
            "--races=off --strategy=random:0.000001 --max-steps=10000000 --schedules=20";
        static const char busy[] = "--races=off --strategy=random --max-steps=10000000 --schedules=20";
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
        small = better(
            small, rate("--races=off --strategy=random --isolation=memory --schedules=20000", "dirty 64"));
        large = better(
            large, rate("--races=off --strategy=random --isolation=memory --schedules=20000", "dirty 65536"));
    }
    say("restoring: ten dirty pages per execution\n");
    say("  %-58s %10.0f\n  %-58s %10.0f\n", "schedules/s, 64 KB of heap", small, "schedules/s, 64 MB of heap",
        large);
    note("restore", "small_per_second", small);
    note("restore", "large_per_second", large);
    judge("restore", large / small, 1 / 3.0, "64 MB / 64 KB");
}

static void computing(void) {
    build("gcc", "compute", ".native");
    build("gcc -fsanitize=thread", "compute", ".tsan");
    build_with_ravel("compute");
    char command[2048];
    snprintf(command, sizeof command,
             "%s run --schedules=1 --races=off --max-steps=1000000000 --strategy=random:0.001 ./compute",
             bench.ravel);
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
        one = better(one, rate("--races=off --strategy=random --isolation=memory --jobs=1 --schedules=300000",
                               "small"));
        two = better(two, rate("--races=off --strategy=random --isolation=memory --jobs=2 --schedules=600000",
                               "small"));
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
        walk = better(walk, rate("--races=off --strategy=random --schedules=200000", "orders 4 3"));
        dpor = better(dpor, rate("--races=off --strategy=dpor --schedules=1000000", "orders 4 3"));
    }
    say("exhaustive search: four threads that lock three times each, 369,600 traces\n");
    say("  %-58s %10.0f\n  %-58s %10.0f\n", "schedules/s, random", walk, "schedules/s, dpor, to its end",
        dpor);
    note("search", "random_per_second", walk);
    note("search", "dpor_per_second", dpor);
    judge("search", dpor / walk, 0.5, "dpor / random");
}

/* What noting coverage costs: little to cover, and much. */
static void coverage(const char *program, const char *group) {
    double off = 0, on = 0;
    build_with_ravel(program);
    for (int i = 0; i < REPEATS; i++) {
        off =
            better(off, rate("--races=off --strategy=random --isolation=memory --schedules=50000", program));
        on = better(on, rate("--races=off --strategy=random --isolation=memory --schedules=50000 --coverage",
                             program));
    }
    say("coverage of patterns: %s\n", program);
    say("  %-58s %10.0f\n  %-58s %10.0f\n", "schedules/s without", off, "schedules/s with", on);
    note(group, "without_per_second", off);
    note(group, "with_per_second", on);
    judge(group, on / off, 0.5, "with / without");
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: ravel-bench RAVEL PROGRAMS WORK RESULT.json\n");
        return 2;
    }
    bench.ravel = argv[1];
    bench.programs = argv[2];
    bench.work = argv[3];
    isolation();
    points();
    restoring();
    computing();
    jobs();
    search();
    coverage("small", "coverage_small");
    coverage("shared", "coverage_shared");
    detection();
    if (!write_results(argv[4])) {
        fprintf(stderr, "bench: cannot write %s: %s\n", argv[4], strerror(errno));
        return 1;
    }
    say("results: %s\n", argv[4]);
    return bench.failed;
}
