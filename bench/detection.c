/* Race detection: one execution beside ThreadSanitizer and Helgrind, schedules per second with and without, memory. */
#include <stdio.h>

#include "measure.h"

/* Several threads that compute: much plain memory; many meetings at locks; bytes and words of different owners. */
static const char *const heavy[] = {"compute", "sorting", "words"};
enum { HEAVY = sizeof heavy / sizeof *heavy, TOUCHED = 64 };

static void beside_others(const char *name) {
    char ours[2048], tsan[256], helgrind[512], group[64], native[256];
    build("gcc", name, ".native");
    build("gcc -fsanitize=thread", name, ".tsan");
    build_with_ravel(name);
    snprintf(ours, sizeof ours, "%s run --schedules=1 --max-steps=1000000000 --strategy=random:0.001 ./%s",
             bench.ravel, name);
    snprintf(tsan, sizeof tsan, "./%s.tsan", name);
    snprintf(native, sizeof native, "./%s.native", name);
    snprintf(helgrind, sizeof helgrind, "valgrind -q --tool=helgrind ./%s.native", name);
    double plain = best_time(native), its = best_time(tsan), mine = best_time(ours),
           slow = best_time(helgrind);
    say("  %s: native %.3f s, ThreadSanitizer %.3f s, ravel %.3f s, Helgrind %.3f s\n", name, plain, its,
        mine, slow);
    snprintf(group, sizeof group, "detection_%s", name);
    note(group, "native_seconds", plain);
    note(group, "tsan_seconds", its);
    note(group, "ravel_seconds", mine);
    note(group, "helgrind_seconds", slow);
    judge_most(group, mine / its, 1.5, "ravel's time / ThreadSanitizer's");
    snprintf(group, sizeof group, "helgrind_%s", name);
    judge(group, slow / mine, 5, "Helgrind's time / ravel's");
}

/* What detection adds to the largest process, for each byte that the program touches. */
static void shadow(const char *how, const char *group) {
    char command[2048];
    double size[2];
    for (int on = 0; on < 2; on++) {
        snprintf(command, sizeof command,
                 "%s run --schedules=1 --no-check --max-steps=1000000000 --races=%s --strategy=random:0.001 "
                 "./touch %d %s",
                 bench.ravel, on ? "report" : "off", TOUCHED, how);
        size[on] = largest_process(command);
    }
    char what[64];
    snprintf(what, sizeof what, "bytes of shadow / byte touched by %s", how);
    judge_most(group, (size[1] - size[0]) / (TOUCHED * 1048576.0), 6, what);
}

void detection(void) {
    say("race detection: one execution, one core (ravel: start, self-check and all)\n");
    for (int i = 0; i < HEAVY; i++) beside_others(heavy[i]);
    double off = 0, on = 0;
    for (int i = 0; i < REPEATS; i++) {
        off =
            better(off, rate("--strategy=random --isolation=memory --races=off --schedules=200000", "small"));
        on = better(on,
                    rate("--strategy=random --isolation=memory --races=report --schedules=100000", "small"));
    }
    say("race detection: 3 threads, about 50 scheduling points\n");
    say("  %-58s %10.0f\n  %-58s %10.0f\n", "schedules/s, races off", off, "schedules/s, races on", on);
    note("races", "off_per_second", off);
    note("races", "on_per_second", on);
    judge("races", on / off, 1 / 3.0, "on / off");
    build_with_ravel("touch");
    say("race detection: memory, %d MB touched\n", TOUCHED);
    shadow("one", "shadow_one");
    shadow("two", "shadow_two");
    shadow("readers", "shadow_readers");
}
