#!/usr/bin/env bats
# Passing tests of one `ravel test` share a worker (src/suite/shared.c). That must be seen in the time only: each test finds the
# program as it was before main, and a test that is not fine, or leaves something behind, is run by itself.

load helper

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat > tests.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <ravel.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int visits;
static char *block;
static _Thread_local int in_thread;
static void at_usr1(int number) { (void)number; }
/* Each start of a process is a line of the file "starts". */
__attribute__((constructor)) static void begin(void) {
    int fd = open("starts", O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (write(fd, "start\n", 6) != 6) abort();
    close(fd);
}
static void *worker(void *unused) {
    RAVEL_THREAD(worker);
    RAVEL_ASSERT_EQ(in_thread++, 0);
    RAVEL_EVENT(worked);
    return unused;
}
static void everything_is_new(void) {
    struct sigaction action;
    struct stat status;
    char directory[4096], *now;
    pthread_t thread;
    RAVEL_ASSERT_EQ(visits++, 0);
    RAVEL_ASSERT_EQ(in_thread++, 0);
    RAVEL_ASSERT(!block);
    block = malloc(100);
    RAVEL_ASSERT(!getenv("LEFT"));
    setenv("LEFT", "1", 1);
    sigaction(SIGUSR1, NULL, &action);
    RAVEL_ASSERT(action.sa_handler == SIG_DFL);
    signal(SIGUSR1, at_usr1);
    RAVEL_ASSERT_EQ(fcntl(7, F_GETFD), -1);
    RAVEL_ASSERT_EQ(dup2(1, 7), 7);
    now = getcwd(directory, sizeof directory);
    RAVEL_ASSERT(now && strcmp(strrchr(now, '/'), "/below") != 0);
    RAVEL_ASSERT_EQ(stat("starts", &status), 0);
    RAVEL_ASSERT_EQ(chdir("below"), 0);
    RAVEL_ASSERT_EQ(umask(0077) & 0777, 0022);
    RAVEL_ASSERT_EQ(rand(), atoi(getenv("FIRST_RANDOM")));
    puts("not flushed");
    pthread_create(&thread, NULL, worker, NULL);
    RAVEL_EVENT(created);
    pthread_join(thread, NULL);
}
#define NEW(name) \
    RAVEL_TEST(name) { everything_is_new(); } \
    RAVEL_SCHEDULE(name, "first", "created -> worked"); \
    RAVEL_SCHEDULE(name, "last", "worked -> created")
NEW(one);
NEW(two);
NEW(three);
RAVEL_TEST(alone) { everything_is_new(); }
RAVEL_TEST(fails) {
    everything_is_new();
    RAVEL_ASSERT_EQ(visits, 2);
}
RAVEL_TEST(crashes) {
    everything_is_new();
    *(volatile int *)8 = 1;
}
RAVEL_TEST(exits) {
    everything_is_new();
    exit(3);
}
RAVEL_TEST(goes_on) { everything_is_new(); }
RAVEL_TEST(writes) {
    FILE *out = fopen("written", "a");
    fputs("written\n", out);
    fclose(out);
}
RAVEL_TEST(keeps_nothing) {
    char name[] = "temporary-XXXXXX";
    int fd = mkstemp(name);
    RAVEL_ASSERT(fd >= 0);
    unlink(name);
    close(fd);
}
RAVEL_MAIN
END
    "$RAVEL" cc -g -O1 -pthread tests.c -o tests
    cat > random.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) { printf("%d\n", rand()); }
END
    gcc random.c -o random
}

setup() {
    in_own_directory
    cp "$BATS_FILE_TMPDIR"/{tests,random} .
    mkdir -p below
    FIRST_RANDOM=$(./random)
    export FIRST_RANDOM
    umask 0022
}

ravel_test() { "$RAVEL" test "$@" < /dev/null; }
starts() { wc -l < starts; }

# Results without what the clock gave.
results() { jq -S '[.tests[] | del(.seconds)]' "$1"; }

@test "each test finds the program as it was, in one process" {
    run -0 ravel_test ./tests one two three alone goes_on keeps_nothing
    has "9 tests, all passed"
    [ "$(starts)" = 1 ] # the worker, which has told the list, too
}

@test "whatever a test does is its own result, and the others are as they are without it" {
    run -1 ravel_test --json=shared.json ./tests one fails two crashes three exits alone goes_on
    run -1 ravel_test --json=apart.json --isolation=fork ./tests one fails two crashes three exits alone goes_on
    results shared.json > shared
    results apart.json > apart
    diff shared apart
    [ "$(jq -r '[.tests[] | select(.status == "fail") | .test] | join(" ")' shared.json)" = "fails crashes exits" ]
}

@test "side by side, too" {
    run -1 ravel_test --json=one.json ./tests one fails two crashes three exits alone goes_on
    run -1 ravel_test --jobs=3 --json=three.json ./tests one fails two crashes three exits alone goes_on
    results one.json > one
    results three.json > three
    diff one three
}

@test "what a test writes is there when it is over, as without sharing" {
    run -0 ravel_test ./tests writes goes_on
    [ "$(cat written)" = written ]
}

@test "a worker that cannot tell all tests is not believed: the list is asked of another process" {
    cat > early.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <ravel.h>
#include <stdlib.h>
#include <unistd.h>
static void *nothing(void *unused) { return unused; }
RAVEL_TEST(before) {}
__attribute__((constructor)) static void begin(void) {
    pthread_t thread;
    int fd = open("starts", O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (write(fd, "start\n", 6) != 6) abort();
    close(fd);
    pthread_create(&thread, NULL, nothing, NULL); /* executions begin here, and what comes next is not registered yet */
    pthread_join(thread, NULL);
}
RAVEL_TEST(after) {}
RAVEL_MAIN
END
    "$RAVEL" cc -g -O1 -pthread early.c -o early
    run -0 ravel_test ./early
    has "ok    before"
    has "ok    after"
    has "2 tests, all passed"
    [ "$(starts)" -gt 2 ]
}

@test "a program that ends before main is told of as without sharing" {
    printf '%s\n' '#include <ravel.h>' '#include <stdlib.h>' 'RAVEL_TEST(one) {}' \
        '__attribute__((constructor)) static void begin(void) { if (getenv("DIE")) abort(); if (getenv("LEAVE")) exit(3); }' \
        RAVEL_MAIN > ends.c
    "$RAVEL" cc -g ends.c -o ends
    run -0 ravel_test ./ends
    DIE=1 run -3 ravel_test ./ends
    has "no list of its tests: the process was killed by SIGABRT (Aborted) before main()"
    LEAVE=1 run -3 ravel_test ./ends
    has "no list of its tests: exit status 3 before main()"
}

@test "Check's files are made in memory, unless the user has said where" {
    [ -w /dev/shm ] || skip "there is no such place"
    printf '%s\n' '#include <ravel.h>' '#include <stdlib.h>' '#include <string.h>' \
        'RAVEL_TEST(in_memory) { RAVEL_ASSERT_EQ(strcmp(getenv("TEMP"), "/dev/shm"), 0); }' \
        'RAVEL_TEST(elsewhere) { RAVEL_ASSERT_EQ(strcmp(getenv("TEMP"), "/elsewhere"), 0); }' RAVEL_MAIN > place.c
    "$RAVEL" cc -g place.c -o place
    unset TEMP
    run -0 ravel_test ./place in_memory
    TEMP=/elsewhere run -0 ravel_test ./place elsewhere
}
