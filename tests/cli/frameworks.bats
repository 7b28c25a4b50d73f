#!/usr/bin/env bats
# examples/frameworks: one test with two schedules, in each test framework. Each runs by hand, plain and built by ravel; under
# `ravel test` with both schedules; and finds the bugs that its schedules are for.

load helper

setup() {
    in_own_directory
    PATH=$(dirname "$RAVEL"):$PATH
    cp -r "$RAVEL_SOURCE/examples/frameworks" .
    cd frameworks || return 1
}

# build gcc|ravel FLAG...: as the head of the file says, or with the plain compiler in its place.
build() {
    local command
    command=$(sed -nE '1,12s/^ \*     (ravel c.*)/\1/p' queue_test.c*)
    [ -n "$command" ]
    if [ "$1" = gcc ]; then command=${command/ravel cc/gcc} command=${command/ravel c++/g++}; fi
    eval "$command ${*:2}"
}

# framework DIRECTORY TEST
framework() {
    cd "$1"
    build gcc -I"$RAVEL_SOURCE/include" -Wall -Wextra -Wno-unused-parameter
    ./queue_test > by_hand.txt
    build ravel -Wall -Wextra -Wno-unused-parameter
    ./queue_test > by_hand.txt
    run -0 ravel test --list ./queue_test
    [ "$output" = "$2/take waits
$2/put waits" ]
    run -0 ravel test ./queue_test
    [ "${lines[0]}" = "ok    $2/take waits" ]
    [ "${lines[1]}" = "ok    $2/put waits" ]
    run -0 ravel test --explore --schedules=300 ./queue_test
    # A take that does not wait, a put that does not: each is found by the schedule for it, and replayed.
    cp ../queue.c ../correct.c
    sed -i 's/while (queue->count == 0) .*/if (queue->count == 0) { pthread_mutex_unlock(\&queue->lock); return 0; }/' ../queue.c
    build ravel
    run -1 ravel test ./queue_test
    has "FAIL  $2/take waits: "
    for file in .ravel/failures/*.ravel; do
        run -1 ravel replay "$file"
        has "reproduced: every event as recorded"
    done
    sed 's/while (queue->count == QUEUE_ROOM) .*/if (queue->count == QUEUE_ROOM) { pthread_mutex_unlock(\&queue->lock); return; }/' ../correct.c > ../queue.c
    build ravel
    run -1 ravel test ./queue_test
    has "FAIL  $2/put waits: "
}

@test "plain main" { framework plain hands_over; }
@test "cmocka" { framework cmocka hands_over; }
@test "Check" { framework check hands_over; }
@test "Criterion" { framework criterion hands_over; }
@test "GoogleTest" { framework googletest hands_over; }
@test "in the style of Unity" { framework unity test_hands_over; }

@test "event markers are no code where ravel does not build them" {
    cat > marked.c <<'END'
#include <ravel.h>
int f(int x);
int f(int x) {
    RAVEL_EVENT(one);
    RAVEL_THREAD(me);
    return x + 1;
}
END
    sed '/RAVEL/d' marked.c > bare.c
    gcc -O2 -I"$RAVEL_SOURCE/include" -c marked.c -o marked.o
    gcc -O2 -I"$RAVEL_SOURCE/include" -c bare.c -o bare.o
    cmp <(objdump -d marked.o | tail -n +3) <(objdump -d bare.o | tail -n +3)
    ! objdump -h marked.o | grep -q ravel
}
