#!/usr/bin/env bats
# An instrumented program started by hand, outside `ravel run`, behaves as the ordinarily compiled one: the same
# output, the same exit status or signal. Each program's output is the same in every run, whatever the threads do.
load helper

# compare SOURCE [ARG...]: plain against instrumented, with gcc and with clang, at -O0 and -O2.
compare() {
    local source=$here/byhand/$1; shift
    local driver=cc plain standard=-std=gnu17
    [[ $source != *.cc ]] || { driver=c++; standard=-std=gnu++17; }
    for compiler in gcc clang; do
        plain=$compiler
        [ $driver = cc ] || case $compiler in gcc) plain=g++ ;; clang) plain=clang++ ;; esac
        for level in -O0 -O2; do
            $plain $level $standard -pthread -w "$source" -o plain
            RAVEL_CC=$compiler ravel $driver $level $standard -pthread -w "$source" -o instrumented
            assert_instrumented instrumented
            both "$@" || { echo "(with $compiler $level)"; return 1; }
        done
    done
}

# The compiled pair with these arguments. Standard error may name the program and addresses: only that it is there.
both() {
    local plain_status=0 our_status=0
    timeout 60 ./plain "$@" > plain.out 2> plain.err || plain_status=$?
    timeout 60 ./instrumented "$@" > our.out 2> our.err || our_status=$?
    [ $plain_status = $our_status ] || { echo "exit $our_status instead of $plain_status"; cat our.err; return 1; }
    cmp plain.out our.out || { diff plain.out our.out; return 1; }
    [ -s plain.err ] || [ ! -s our.err ] || { echo "said something:"; cat our.err; return 1; }
}

@test "threads of every kind" { compare threads.c; }
@test "atomics of every size" { compare atomics.c; }
@test "signals, and death by one" { compare signals.c; }
@test "fork, exec, spawn, pipes to children" { compare processes.c; }
@test "blocking descriptors" { compare descriptors.c; }
@test "the malloc family" { compare memory.c; }
@test "C++ exceptions, thread_local, futures; an uncaught one ends it" { compare exceptions.cc; }

@test "every way to end" {
    compare crash.c
    for way in assert abort segv fpe exit _exit main; do both $way; done
}

@test "in a closed room: no descriptors, no environment" {
    compare crash.c
    env -i ./instrumented exit <&- >&- 2>&- || [ $? = 17 ]
}
