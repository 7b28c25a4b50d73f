#!/usr/bin/env bats
# Tests whose threads run freely: what libravel tells `ravel test --passive` about them, line by line, on a descriptor.

setup() {
    PATH=$(dirname "$RAVEL"):$PATH
    cd "$BATS_TEST_TMPDIR" || return 1
}

build() { ravel cc -g -O1 -pthread "$RAVEL_SOURCE/tests/events/$1.c" -o program; }

# TEST, PLAN, LINE...: these lines are told, in this order, whatever else.
tells() {
    local test=$1 plan=$2
    shift 2
    RAVEL_TESTS=passive:7 RAVEL_TEST_NAME=$test RAVEL_TEST_PLAN=$plan RAVEL_TEST_LABEL=label timeout 60 ./program 7>told || true
    local wanted
    for wanted in "$@"; do
        [[ $wanted == "not "* ]] && continue
        grep -qxF "$(printf %b "$wanted")" told || { echo "'$wanted' is missing in:"; cat told; return 1; }
    done
    for wanted in "$@"; do
        [[ $wanted == "not "* ]] || continue
        ! grep -q "^${wanted#not }" told || { echo "not expected: $wanted"; cat told; return 1; }
    done
    [ "$(printf "%s\n" "$@" | grep -v '^not ' | head -1)" = "$(head -1 told)" ] || { cat told; return 1; }
}

@test "threads, events, the ends of threads" {
    build life
    tells two "start@first -> end@first, start@second -> end@second" begin 'thread\t0\tmain' 'event\t1\tstart@first' \
        'event\t1\tend@first' 'event\t2\tend@second' end 'not violated' 'not missing' 'not leaked'
}

@test "the first ordering that did not hold, where it stands in the text" {
    build fails
    tells alone 'a -> a.b, b -> a.b, b -> a' begin 'event\t0\ta' 'violated\t20\t6\ta' end
    [ "$(grep -c '^violated' told)" = 1 ]
    tells alone 'a -> a.b, a.b -> b' begin end 'not violated' 'not missing'
}

@test "what has not happened, with its count and thread" {
    build loops
    tells loop 'put -> take#4, put#3@putter -> put#5@putter' begin 'missing\ttake#4' 'missing\tput#5@putter' end
    build life
    tells exits 'inside -> after' begin 'event\t1\tinside' 'missing\tafter' end
}

@test "threads that a test has left" {
    build life
    tells leaves '' begin 'thread\t0\tmain' end
    grep -q '^leaked	1	' told
}

@test "assertions, escaped; other tests are skipped" {
    build fails
    tells fail '' begin 'assert\tseven is 7 (thread 0, main)' 'not end'
    tells nothing ''  2>/dev/null || true
    [ ! -s told ]
}

@test "a thread that waits for another is blocked, one that sleeps is not" {
    cat >blocked.c <<'END'
#include <pthread.h>
#include <ravel.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static sem_t semaphore;
static int pipes[2];
static void *waits(void *unused) { RAVEL_EVENT(waiting); while (sem_wait(&semaphore)) {} return unused; }
static void *reads(void *unused) { char c; RAVEL_EVENT(waiting); (void)!read(pipes[0], &c, 1); return unused; }
static void *sleeps(void *unused) { RAVEL_EVENT(waiting); sleep(1); return unused; }
static void *works(void *unused) { RAVEL_EVENT(waiting); while (sem_trywait(&semaphore)) {} return unused; }
static void run(void *(*body)(void *)) {
    pthread_t thread;
    struct timespec while_it_goes_on = {0, 200000000};
    sem_init(&semaphore, 0, 0);
    if (pipe(pipes)) return;
    pthread_create(&thread, NULL, body, NULL);
    nanosleep(&while_it_goes_on, NULL);
    RAVEL_EVENT(looked);
    sem_post(&semaphore);
    (void)!write(pipes[1], "", 1);
    pthread_join(thread, NULL);
}
RAVEL_TEST(wait) { run(waits); }
RAVEL_TEST(reading) { run(reads); }
RAVEL_TEST(sleeping) { run(sleeps); }
RAVEL_TEST(work) { run(works); }
RAVEL_MAIN
END
    ravel cc -g -pthread blocked.c -o program
    # Whether the other thread has come to its wait in the meantime is up to the machine.
    blocks() { for _ in 1 2 3 4 5 6; do tells "$1" '[waiting] -> looked' begin end 'not violated' && return; done; return 1; }
    blocks wait
    blocks reading
    tells sleeping '[waiting] -> looked' begin 'violated\t0\t19\tlooked' end
    tells work '[waiting] -> looked' begin 'violated\t0\t19\tlooked' end
}

@test "what a program has registered is listed in place of main" {
    build loops
    RAVEL_TESTS=list:7 ./program 7>told
    [ "$(grep -c '^test	' told)" = 2 ]
    grep -qx "schedule	loop	before	$RAVEL_SOURCE/tests/events/loops.c	[0-9]*	put#3 -> take#1" told
    cat >escaped.c <<'END'
#include <ravel.h>
RAVEL_SCHEDULE(none, "tab\there", "a ->\n \\ b");
int main(void) { return 5; }
END
    ravel cc escaped.c -o program
    RAVEL_TESTS=list:7 ./program 7>told
    grep -qxF 'schedule	none	tab\there	escaped.c	2	a ->\n \\ b' told
    run ./program
    [ "$status" = 5 ]
    RAVEL_TESTS=nonsense run ./program
    [ "$status" = 5 ]
}
