#!/usr/bin/env bats
# `ravel test` with real test binaries: schedules are enforced, checked and explored; every way for a test to go wrong is that
# test's failure, and the others still run.

load helper

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cp "$RAVEL_SOURCE"/examples/frameworks/queue.[ch] .
    cat > queue_test.c <<'END'
#include <ravel.h>
#include "queue.h"
static struct queue queue;
static void *adder(void *unused) {
    RAVEL_THREAD(adder);
    queue_put(&queue, 1);
    RAVEL_EVENT(finishedAdd1);
    RAVEL_EVENT(startingAdd2);
    queue_put(&queue, 2);
    return unused;
}
RAVEL_TEST(take) {
    pthread_t thread;
    queue_init(&queue);
    pthread_create(&thread, NULL, adder, NULL);
    RAVEL_EVENT(startingTake1);
    RAVEL_ASSERT_EQ(queue_take(&queue), 1);
    RAVEL_EVENT(startingTake2);
    RAVEL_ASSERT_EQ(queue_take(&queue), 2);
    pthread_join(thread, NULL);
    queue_destroy(&queue);
}
RAVEL_SCHEDULE(take, "paper", "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2");
#include "more.h"
RAVEL_MAIN
END
    : > more.h
    "$RAVEL" cc -g -O1 -pthread queue_test.c queue.c -o queue_test
    for i in $(seq 1000); do
        echo "RAVEL_SCHEDULE(take, \"$i\", \"finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2\");"
    done > more.h
    "$RAVEL" cc -g -O1 -pthread queue_test.c queue.c -o thousand
    cat > bad.c <<'END'
#include <pthread.h>
#include <ravel.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static void *other_way(void *unused) {
    RAVEL_THREAD(other);
    pthread_mutex_lock(&two);
    RAVEL_EVENT(has_two);
    pthread_mutex_lock(&one);
    pthread_mutex_unlock(&one);
    pthread_mutex_unlock(&two);
    return unused;
}
RAVEL_TEST(deadlocks) {
    pthread_t thread;
    pthread_create(&thread, NULL, other_way, NULL);
    pthread_mutex_lock(&one);
    RAVEL_EVENT(has_one);
    pthread_mutex_lock(&two);
    pthread_mutex_unlock(&two);
    pthread_mutex_unlock(&one);
    pthread_join(thread, NULL);
}
RAVEL_SCHEDULE(deadlocks, "both hold", "has_one && has_two -> never_mind");
RAVEL_SCHEDULE(deadlocks, "crossed", "has_two -> has_one");
static void *idle(void *unused) {
    RAVEL_EVENT(idling);
    pause();
    return unused;
}
RAVEL_TEST(leaks) {
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
}
RAVEL_TEST(crashes) { *(volatile int *)8 = 1; }
RAVEL_TEST(exits) { exit(3); }
RAVEL_TEST(loops) {
    for (volatile int i = 0;; i++) {}
}
RAVEL_TEST(waits_for_nobody) {
    int ends[2];
    char c;
    if (pipe(ends) == 0) (void)!read(ends[0], &c, 1);
}
RAVEL_TEST(stranger) { RAVEL_EVENT(here); }
RAVEL_SCHEDULE(stranger, "nobody", "start@nobody -> here");
RAVEL_TEST(fine) { puts("fine"); }
static void scoped(int really) {
    RAVEL_TEST_SCOPE(not_entered);
    if (really) puts("entered");
}
RAVEL_SCHEDULE(fien, "orphan", "here -> here");
int main(int argc, char **argv) {
    if (argc > 1) scoped(argv[1][0]);
    deadlocks();
    leaks();
    crashes();
    exits();
    loops();
    waits_for_nobody();
    stranger();
    fine();
    return 0;
}
END
    "$RAVEL" cc -g -O1 -pthread bad.c -o bad
}

setup() {
    in_own_directory
    cp "$BATS_FILE_TMPDIR"/{queue_test,thousand,bad} .
}

ravel_test() { "$RAVEL" test "$@" < /dev/null; }

@test "an enforced test" {
    run -0 ravel_test ./queue_test
    [ "${lines[0]}" = "ok    take/paper" ]
    [[ ${lines[1]} == "1 test, all passed, "*" s" ]]
    [ ! -e .ravel ]
    run -0 ravel_test --json=result.json ./queue_test
    [ "$(jq -c '.tests[0].events | map(select(.event | startswith("start@") or startswith("end@") | not)) | map(.thread + ":" + .event)' result.json)" = \
        '["adder:finishedAdd1","main:startingTake1","main:startingTake2","adder:startingAdd2"]' ]
}

@test "each way to go wrong is one failure, and the others still run" {
    run -1 ravel_test --time-limit=4 --jobs=2 --json=result.json --junit=result.xml ./bad
    jq -r '.tests[] | [.test, .schedule, .status, .kind] | map(. // "-") | join(" ")' result.json > got.txt
    diff - got.txt <<'END'
deadlocks both hold fail schedule
deadlocks crossed fail deadlock
leaks - fail misuse
crashes - fail segv
exits - fail exit
loops - fail hang
waits_for_nobody - fail deadlock
stranger nobody fail schedule
fine - pass -
not_entered - fail schedule
fien orphan fail schedule
END
    has "no event marker of this name: never_mind"
    has 'schedule "orphan" is for a test that does not exist: fien; did you mean '
    has "nobody"
    xmllint --noout result.xml
    [ "$(xmllint --xpath 'count(//failure)' result.xml)" = 10 ]
}

@test "what fails leaves a file that replay reproduces" {
    run -1 ravel_test --json=result.json ./bad deadlocks/crossed leaks crashes stranger
    [ "$(jq '[.tests[].file] | unique | length' result.json)" = 4 ]
    for file in $(jq -r '.tests[].file' result.json); do
        run -1 "$RAVEL" replay "$file"
        has "reproduced: every event as recorded"
    done
}

@test "checked natively: the same ways to go wrong" {
    run -1 ravel_test --passive --time-limit=1 --jobs=4 --json=result.json ./bad leaks crashes exits loops fine not_entered
    jq -r '.tests[] | [.test, .status, .kind] | map(. // "-") | join(" ")' result.json > got.txt
    diff - got.txt <<'END'
leaks fail misuse
crashes fail segv
exits fail exit
loops fail hang
fine pass -
not_entered fail schedule
END
}

@test "checked natively: a failure says that there is no file of it" {
    run -1 ravel_test --passive --time-limit=1 ./bad crashes
    has "no failure file: what threads do by themselves cannot be replayed"
    [ ! -e .ravel ]
}

@test "a program that ends within its test at once has failed; a test may end by exit, and be left by a jump" {
    cat > ends.c <<'END'
#include <pthread.h>
#include <ravel.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>
static jmp_buf runner;
static void *ender(void *unused) {
    exit(0);
    return unused;
}
RAVEL_TEST(at_once) { _exit(0); }
RAVEL_TEST(in_order) { exit(0); }
RAVEL_TEST(quickly) { quick_exit(0); }
RAVEL_TEST(by_another) {
    pthread_t thread;
    pthread_create(&thread, NULL, ender, NULL);
    pthread_join(thread, NULL);
}
RAVEL_TEST(by_its_thread) { pthread_exit(NULL); }
RAVEL_TEST(skips) { longjmp(runner, 1); }
RAVEL_TEST(jumps_inside) {
    jmp_buf inside;
    if (!setjmp(inside)) longjmp(inside, 1);
    _exit(0);
}
RAVEL_TEST(returns) {}
static int with_result(void) {
    RAVEL_TEST_SCOPE_RESULT(with_result, 5);
    return 6;
}
int main(void) {
    int (*volatile function)(void) = with_result;
    int result = function();
    if (result != 5 && result != 6) return 1;
    returns();
    if (!setjmp(runner)) skips();
    at_once();
    in_order();
    by_another();
    by_its_thread();
    quickly();
    jumps_inside();
    _exit(0);
}
END
    "$RAVEL" cc -g -O1 -pthread ends.c -o ends
    for way in "" --passive; do
        # shellcheck disable=SC2086  # none or one
        run -1 ravel_test $way --json=result.json ./ends
        jq -r '.tests[] | [.test, .status, .kind // "-", .message // "-"] | join(" ")' result.json > got.txt
        diff - got.txt <<'END'
at_once fail exit the program has ended within test at_once
in_order pass - -
quickly fail exit the program has ended within test quickly
by_another pass - -
by_its_thread pass - -
skips pass - -
jumps_inside fail exit the program has ended within test jumps_inside
returns pass - -
with_result pass - -
END
    done
}

@test "explored: what the schedule leaves open, all of it or within a budget" {
    run -0 ravel_test --explore=dfs ./queue_test
    [[ ${lines[0]} =~ ^"ok    take/paper ("[0-9]+" schedules: all there are)"$ ]]
    run -0 ravel_test --explore=random --schedules=50 ./queue_test
    [ "${lines[0]}" = "ok    take/paper (50 schedules)" ]
    run -0 ravel_test --explore --json=result.json ./queue_test
    [ "$(jq '.tests[0].schedules > 1' result.json)" = true ]
}

@test "explored: a bug that the default execution does not meet is found, saved, and found again" {
    cat > lost.c <<'END'
#include <pthread.h>
#include <ravel.h>
static _Atomic int counter;
static void *increment(void *unused) {
    RAVEL_EVENT(begins);
    int old = counter;
    counter = old + 1;
    return unused;
}
RAVEL_TEST(counts) {
    pthread_t threads[2];
    counter = 0;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, increment, 0);
    RAVEL_EVENT(created);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    RAVEL_ASSERT_EQ(counter, 2);
}
RAVEL_SCHEDULE(counts, "both at once", "created -> begins");
RAVEL_MAIN
END
    compile lost
    run -0 ravel_test ./lost
    run -1 ravel_test --explore --json=result.json ./lost
    has "counter == 2 does not hold: counter is 1"
    has 'schedule "both at once" (lost.c:'
    [ "$(jq -r '.tests[0].kind' result.json)" = assert ]
    [ "$(jq -c '[.tests[0].events[].event] | map(select(. == "created" or . == "begins"))' result.json)" = '["created","begins","begins"]' ]
    run -1 "$RAVEL" replay "$(the_failure)"
    has "reproduced: every event as recorded"
    run -0 ravel_test ./lost
}

@test "a test that waits where ravel does not see it is stopped by the time limit, and the others still run" {
    cat > stuck.c <<'END'
#include <ravel.h>
#include <stdio.h>
RAVEL_TEST(stuck) { /* pause(), by hand */
    long result = 34;
    fclose(fopen("started", "w"));
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
}
RAVEL_TEST(fine) {}
RAVEL_MAIN
END
    compile stuck
    run -1 ravel_test --time-limit=1 ./stuck
    has "FAIL  stuck: not over after 1 s (--time-limit)"
    has "ok    fine"
    run -1 ravel_test --time-limit=1 --explore ./stuck
    has "FAIL  stuck: "
    has "ok    fine"
    rm started
    "$RAVEL" test --time-limit=100 --json=result.json ./stuck > out.txt 2> err.txt < /dev/null &
    ravel=$!
    until [ -e started ]; do kill -0 $ravel; done
    read -r -d '' job < "/proc/$ravel/task/$ravel/children" || true
    kill -INT $ravel
    status=0
    wait $ravel || status=$?
    [ $status = 3 ] || { echo "status $status"; cat out.txt err.txt result.json; return 1; }
    [ "$(jq .not_run result.json)" = 2 ]
    [ -n "$job" ] && ! kill -0 $job
}

@test "a schedule is infeasible only if no order of the threads keeps to it" {
    cat > ends.c <<'END'
#include <pthread.h>
#include <ravel.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *unused) {
    RAVEL_THREAD(helper);
    pthread_mutex_lock(&lock);
    RAVEL_EVENT(a);
    pthread_mutex_unlock(&lock);
    return unused;
}
RAVEL_SCHEDULE(both, "who has the lock", "a -> b");
RAVEL_SCHEDULE(both, "not yet", "!b -> a");
RAVEL_SCHEDULE(both, "never", "c -> a");
RAVEL_SCHEDULE(both, "nobody", "start@helpr -> b");
RAVEL_TEST(both) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_mutex_lock(&lock);
    RAVEL_EVENT(b);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    RAVEL_EVENT(c);
}
RAVEL_MAIN
END
    compile ends
    for options in "" --explore=dfs; do
        run -1 ravel_test $options ./ends
        has 'ok    both/who has the lock'
        has 'ok    both/not yet'
        has 'FAIL  both/never'
        has 'FAIL  both/nobody'
        has 'infeasible: event a in thread 1 (helper) waits for c (has not happened)'
        has 'infeasible: event b in thread 0 (main) waits for start@helpr (no thread is called helpr)'
        run -1 "$RAVEL" replay "$(grep -l never .ravel/failures/*)"
        has 'every event as recorded'
        rm -r .ravel
    done
}

@test "races are failures where they are asked for" {
    cat > race.c <<'END'
#include <pthread.h>
#include <ravel.h>
static int counter;
static void *increment(void *unused) {
    counter++;
    return unused;
}
RAVEL_TEST(counts) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, increment, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
RAVEL_MAIN
END
    compile race
    run -0 ravel_test ./race
    run -1 ravel_test --races=report ./race
    has "FAIL  counts: "
    has "race"
}

# all_equal: a thousand results in result.json: all passed, with one and the same sequence of events.
all_equal() {
    [ "$(jq -c '[.passed, .failed, .errors, .not_run]' result.json)" = '[1001,0,0,0]' ] || { jq '.tests[] | select(.status != "pass")' result.json; return 1; }
    [ "$(jq '[.tests[].events] | unique | length' result.json)" = 1 ]
    [ "$(jq '.tests[0].events | length >= 4' result.json)" = true ]
}

@test "1,000 of 1,000" {
    ravel_test --jobs=2 --json=result.json ./thousand > out.txt
    all_equal
}

@test "1,000 of 1,000 on a busy machine" {
    burners=()
    for _ in $(seq $(($(nproc) * 2))); do
        timeout 300 bash -c 'while :; do :; done' &
        burners+=($!)
    done
    status=0
    ravel_test --jobs=4 --json=result.json ./thousand > out.txt || status=$?
    kill "${burners[@]}"
    [ $status = 0 ]
    all_equal
}
