# ravel migrate: a queue of the paper's example, all the way; and what it says when it cannot.
load helper

setup() {
    in_own_directory
    unset CC
    cat > queue.h <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int count;
static inline int add(void) {
    pthread_mutex_lock(&lock);
    int fits = count < 1;
    count += fits;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return fits;
}
static inline void take(void) {
    pthread_mutex_lock(&lock);
    while (count == 0) pthread_cond_wait(&filled, &lock);
    count--;
    pthread_mutex_unlock(&lock);
}
END
    cat > test_queue.c <<'END'
#undef NDEBUG
#include <assert.h>
#include <unistd.h>
#include "queue.h"

/* Adds twice; the second time somebody waits for it. */
static void *adder(void *unused) {
    assert(add());
    usleep(60000);
    assert(add());
    return unused;
}

static void test_take_with_add(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, adder, NULL);
    usleep(20000); /* the first is in */
    take();
    take();
    pthread_join(thread, NULL);
}

int main(void) {
    test_take_with_add();
    return 0;
}
END
    printf 'check: test_queue\n\t./test_queue\ntest_queue: test_queue.o\n\t$(CC) -pthread -o $@ $<\n%%.o: %%.c\n\t$(CC) -Wall -Wextra -Werror -g -pthread -c -o $@ $<\n' > Makefile
    cp test_queue.c original.c
}

migrate() { "$RAVEL" migrate "$@"; }

# untouched: the file is as it was, with its time, and nothing was left in TMPDIR.
untouched() {
    cmp test_queue.c original.c
    [ -z "$(ls "$TMPDIR")" ]
}

own_tmp() { mkdir tmp; export TMPDIR=$PWD/tmp; }

@test "the paper's example: its events and its schedule" {
    run --separate-stderr migrate --runs=3 --json=found.json test_queue.c -- make -s check
    [ "$status" = 0 ]
    has '"[startingTake2] -> startingAdd2"'
    has '+    RAVEL_EVENT(finishedAdd1);'
    has '-    usleep(60000);'
    has '+    /* the first is in */'
    has '+    RAVEL_TEST_SCOPE(test_take_with_add);'
    has '+#include <ravel.h>'
    grep -q '"schedule": "finishedAdd1 -> startingTake1, \[startingTake2\] -> startingAdd2"' found.json
    cmp test_queue.c original.c
}

@test "--write: the file, its build, and its tests under their schedule" {
    run --separate-stderr migrate --runs=3 --write test_queue.c -- make -s check
    [ "$status" = 0 ]
    has "written"
    run ! grep -q usleep test_queue.c
    grep -q 'RAVEL_SCHEDULE(test_take_with_add, "migrated",' test_queue.c
    run "$RAVEL" test test_queue
    [ "$status" = 0 ]
    gcc -Wall -Wextra -Werror -fsyntax-only -pthread -I"$RAVEL_SOURCE/include" test_queue.c
}

@test "without --write the build is as before: nothing of the instrumented copy, nothing to do for make" {
    own_tmp
    make -s CC="$RAVEL cc" check
    touch -d '2020-01-01 00:00:00' test_queue.c
    touch -d '2020-01-02 00:00:00' test_queue.o
    touch -d '2020-01-03 00:00:00' test_queue
    run migrate --runs=2 test_queue.c -- make -s check
    [ "$status" = 0 ]
    untouched
    [ "$(stat -c %y test_queue.c)" = "$(date -d '2020-01-01 00:00:00' '+%F %T.%N %z')" ]
    run nm -D test_queue
    hasnt ravel_migrate
    run make -q CC="$RAVEL cc" test_queue
    [ "$status" = 0 ]
}

@test "a test that fails under its schedule: everything is put back" {
    own_tmp
    # what the tests build from is only right while nothing in it is called an event
    printf 'check:\n\tif grep -q RAVEL_EVENT test_queue.c; then echo "error: not today"; exit 1; fi\n\t$(CC) -g -pthread -o test_queue test_queue.c\n\t./test_queue\n' > Makefile
    run --separate-stderr migrate --runs=2 --write test_queue.c -- make -s check
    [ "$status" = 1 ]
    error_has "the migrated file does not build"
    error_has "everything is as before"
    untouched
}

@test "sleeps that order nothing stay, with a reason; loops that ask are named" {
    sed -i 's/^    take();$/    usleep(1000);\n    take();/;s/^    pthread_join/    while (count > 0) usleep(1000);\n    pthread_join/' test_queue.c
    run migrate --runs=2 test_queue.c -- make -s check
    [ "$status" = 0 ]
    has "stays: a loop asks again and again"
}

@test "loops that ask for a part of a local structure, which another thread has the address of" {
    cat > test_queue.c <<'END'
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
struct sink {
    pthread_mutex_t lock;
    int lines;
};
static void *writer(void *data) {
    struct sink *sink = data;
    pthread_mutex_lock(&sink->lock);
    sink->lines++;
    pthread_mutex_unlock(&sink->lock);
    return NULL;
}
static void test_sink(void) {
    struct sink memory = {PTHREAD_MUTEX_INITIALIZER, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, writer, &memory);
    while (memory.lines == 0) usleep(1000);
    for (int i = 0; i < 100 && !memory.lines; i++) usleep(1000);
    for (int i = 0; i < 3; i++) usleep(1000);
    pthread_join(thread, NULL);
    assert(memory.lines == 1);
}
int main(void) {
    test_sink();
    return 0;
}
END
    run migrate --runs=2 test_queue.c -- make -s check
    [ "$status" = 0 ]
    has "line 20 stays: a loop asks again and again"
    has "line 22 stays: in a loop: it simulates work, or waits again and again"
}

@test "a test with a result: it returns what it ends with where another one is chosen" {
    sed -i 's/^static void test_take_with_add/static int test_take_with_add/; s/^    pthread_join.*/&\n    return 7;/; s/^    test_take_with_add();/    if (test_take_with_add() != 7) return 1;/' test_queue.c
    sed 's/^    return 7;/    return count + 7;/' test_queue.c > open.c
    run migrate --runs=2 --write test_queue.c -- make -s check
    [ "$status" = 0 ]
    grep -q '    RAVEL_TEST_SCOPE_RESULT(test_take_with_add, 7);' test_queue.c
    run -0 "$RAVEL" test ./test_queue
    cp open.c test_queue.c
    run migrate --runs=2 test_queue.c -- make -s check
    has "left as it is: the function has a result: expected one that ends with \`return\` and a constant"
}

@test "main is the test: it becomes one that main calls" {
    sed -i '/^int main/,$d; s/^static void test_take_with_add(void)/int main(void)/; s/^    pthread_join.*/&\n    return 0;/' test_queue.c
    run migrate --runs=2 --write test_queue.c -- make -s check
    [ "$status" = 0 ]
    has '+static void test_queue(void) {'
    run "$RAVEL" test --list ./test_queue
    [ "$output" = test_queue/migrated ]
}

@test "what the schedule leaves open is told" {
    cat > test_queue.c <<'END'
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static _Atomic int first;
static void set(int id) { if (!first) first = id; }
static void *late(void *id) {
    usleep(*(int *)id * 20000);
    set(*(int *)id);
    return id;
}
static void test_order(void) {
    pthread_t threads[2];
    int ids[] = {1, 2};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, late, &ids[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(first == 1);
}
int main(void) {
    test_order();
    return 0;
}
END
    run migrate --runs=2 --write test_queue.c -- make -s check
    [ "$status" = 0 ]
    has "finishedSet#1 -> startingSet#2"
    has "what the schedules leave open is not meant to be"
}

@test "one test only; one that is not there" {
    run migrate --runs=2 --test=test_take_with_add test_queue.c -- make -s check
    [ "$status" = 0 ]
    run --separate-stderr migrate --runs=2 --test=nobody test_queue.c -- make -s check
    [ "$status" = 2 ]
    error_is "ravel migrate: --test: test_queue.c has no test 'nobody' that sleeps or starts threads"
}

@test "a shell line and a compilation database" {
    printf '[{"directory": "%s", "file": "test_queue.c", "command": "cc -I. -c test_queue.c"}]' "$PWD" > db.json
    run migrate --runs=2 --compile-commands=db.json --run='make -s check' test_queue.c
    [ "$status" = 0 ]
    has "finishedAdd1 -> startingTake1"
    run --separate-stderr migrate --compile-commands=db.json --run='make -s check' queue.c
    [ "$status" = 2 ]
}

@test "requests that are wrong" {
    own_tmp
    run --separate-stderr migrate
    [ "$status" = 2 ] && error_is "ravel migrate: expected a test file, NAME.c"
    run --separate-stderr migrate test_queue.c
    [ "$status" = 2 ] && error_is "ravel migrate: expected -- COMMAND, or --run=COMMAND"
    run --separate-stderr migrate nothing.c -- make
    [ "$status" = 2 ] && error_is "ravel migrate: nothing.c: No such file or directory"
    run --separate-stderr migrate queue.h -- make
    [ "$status" = 2 ] && error_is "ravel migrate: queue.h: expected a C file, NAME.c"
    run --separate-stderr migrate --confidence=2 test_queue.c -- make
    [ "$status" = 2 ]
    error_has "--confidence: expected a number above 0, at most 1"
    untouched
}

@test "a command that is not there, fails, hangs, or does not build the file" {
    own_tmp
    run --separate-stderr migrate test_queue.c -- no-such-command
    [ "$status" = 3 ] && error_is "ravel migrate: no-such-command: No such file or directory"
    run --separate-stderr migrate test_queue.c -- sh -c 'echo first; echo "error: broken"; exit 4'
    [ "$status" = 3 ] && error_is "ravel migrate: before anything was changed, sh ends with status 4: error: broken"
    run --separate-stderr migrate --time-limit=0.2 test_queue.c -- sleep 100
    [ "$status" = 3 ] && error_is "ravel migrate: sleep: did not end within 0.2 seconds (--time-limit); nothing was changed"
    run --separate-stderr migrate test_queue.c -- true
    [ "$status" = 2 ]
    error_has "test_queue.c: not compiled by the command"
    untouched
}

@test "a file that does not compile, and one without sleeps" {
    own_tmp
    echo 'int broken(' >> test_queue.c
    cp test_queue.c original.c
    run --separate-stderr migrate test_queue.c -- make -s check
    [ "$status" = 3 ]
    error_has "error: expected"
    untouched
    printf 'int main(void) { return 0; }\n' > test_queue.c
    cp test_queue.c original.c
    run --separate-stderr migrate test_queue.c -- make -s check
    [ "$status" = 2 ] && error_is "ravel migrate: test_queue.c: no sleeps: nothing to migrate"
    untouched
}

@test "a file that may not be written" {
    [ "$(id -u)" != 0 ] || skip "root may write everything"
    chmod a-w test_queue.c
    run --separate-stderr migrate --write test_queue.c -- make -s check
    [ "$status" = 2 ]
    error_is "ravel migrate: --write: test_queue.c: Permission denied"
}

@test "tests that differ by their sleeps alone are offered as one" {
    cat > test_queue.c <<'EOF'
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
#include "queue.h"

static int first_ms, second_ms;

static void *adder(void *unused) {
    usleep((useconds_t)first_ms * 1000);
    assert(add());
    return unused;
}

static void test_take_waits(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, adder, NULL);
    take();
    pthread_join(thread, NULL);
}

static void test_take_finds(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, adder, NULL);
    usleep(40000);
    take();
    pthread_join(thread, NULL);
}

static void test_other(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, adder, NULL);
    take();
    pthread_join(thread, NULL);
    assert(count == 0);
    (void)second_ms;
}

int main(void) {
    first_ms = 40;
    test_take_waits();
    first_ms = 0;
    test_take_finds();
    first_ms = 40;
    test_other();
    return 0;
}
EOF
    run --separate-stderr migrate --runs=3 --json=found.json test_queue.c -- make -s check
    echo "$output"
    [ "$status" = 0 ]
    [ "$(jq -c .alike found.json)" = '[["test_take_waits","test_take_finds"]]' ]
    has 'differs from test_take_waits in its schedule only: both can be one test with two schedules'
}
