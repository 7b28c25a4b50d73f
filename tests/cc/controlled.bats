#!/usr/bin/env bats
# The programs of byhand/ under `ravel run`: no failure but their own, and the first execution prints what the
# ordinarily compiled program prints.
load helper

# controlled SOURCE STATUS: with gcc and with clang.
controlled() {
    local source=$here/byhand/$1 expected=$2 status
    for compiler in gcc clang; do
        $compiler -O2 -pthread -w "$source" -o plain
        status=0
        ./plain > plain.out || status=$?
        [ $status = "$expected" ] || { echo "plain: exit $status"; return 1; }
        RAVEL_CC=$compiler ravel cc -O2 -pthread -w "$source" -o program
        # volatile is no synchronisation, but it is what some of them use
        ravel run --races=off --schedules=10 --max-steps=100000000 --expect-exit="$expected" --output=first ./program \
            > report 2> first.out || { echo "(with $compiler)"; cat report; return 1; }
        cmp plain.out first.out || { diff plain.out first.out; return 1; }
    done
}

# fails SOURCE TEXT: under ravel its own end is the failure.
fails() {
    local driver=cc standard=-std=gnu17
    [[ $1 != *.cc ]] || { driver=c++; standard=-std=gnu++17; }
    ravel $driver $standard -O1 -pthread -w "$here/byhand/$1" -o program
    run ravel run --schedules=10 ./program
    [ "$status" = 1 ] || { echo "exit $status: $output"; return 1; }
    [[ "${lines[0]}" == *"$2"* ]] || { echo "$output"; return 1; }
}

@test "threads of every kind" { controlled threads.c 3; }
@test "atomics of every size" { controlled atomics.c 0; }
@test "fork, exec, spawn, pipes to children" { controlled processes.c 11; }
@test "blocking descriptors" { controlled descriptors.c 0; }
@test "the malloc family" { controlled memory.c 0; }
@test "death by a signal is the failure" { fails signals.c "SIGTERM"; }
@test "an exception that nobody catches is the failure" { fails exceptions.cc "std::logic_error: nobody catches this"; }

@test "what a compiler would expand in place is seen: races of copies and fills, at each level of optimisation" {
    for compiler in gcc clang; do
        for level in -O0 -O1 -O2 -Os -O3; do
            RAVEL_CC=$compiler ravel cc $level -pthread "$here/byhand/copies.c" -o program
            run ravel races ./program
            [ "$status" = 1 ] || { echo "$compiler $level: exit $status: $output"; return 1; }
            [[ "$output" == *"/* copied */"* && "$output" == *"/* filled */"* ]] ||
                { echo "$compiler $level: $output"; return 1; }
        done
    done
}
