#!/usr/bin/env bats
# What `ravel cc` leaves for `ravel model`: bitcode of each source in what it makes, and nothing else is different.
load helper

write_sources() {
    printf 'int shared = 40;\nint value(void) { return shared + 2; }\n' > value.c
    printf '#include <stdio.h>\nint value(void);\nint main(void) { printf("%%d\\n", value()); return 0; }\n' > main.c
}

functions() { ravel model --text "$@" | grep -v 'any caller' | sed -n 's/^function\t[0-9]*\t\([^\t]*\)\t.*/\1/p' | sort | tr '\n' ' '; }

both() { # COMMAND...: with gcc and with clang
    for compiler in gcc clang; do
        RAVEL_CC=$compiler "$@" || { echo "(with $compiler)"; return 1; }
    done
}

ways() {
    ravel cc main.c value.c -o prog && [ "$(functions prog)" = 'main value ' ] || return 1
    ravel cc -c main.c value.c && [ "$(functions main.o)" = 'main ' ] && [ "$(functions value.o)" = 'value ' ] || return 1
    ravel cc main.o value.o -o prog && [ "$(functions prog)" = 'main value ' ] || return 1
    ar rcs libvalue.a value.o && ravel cc -O2 main.c -L. -lvalue -o prog && [ "$(functions prog)" = 'main value ' ] || return 1
    [ "$(functions libvalue.a)" = 'value ' ] || return 1
    ravel cc -fPIC -shared value.c -o libvalue2.so && ravel cc main.c libvalue2.so -Wl,-rpath,'$ORIGIN' -o prog || return 1
    [ "$(functions prog)" = 'main value ' ] && [ "$(functions libvalue2.so)" = 'value ' ] || return 1
    ravel cc -r main.o value.o -o both.o && [ "$(functions both.o)" = 'main value ' ] || return 1
    ravel cc main.c -x c value.c && assert_prints 42 ./a.out && [ "$(functions a.out)" = 'main value ' ]
}

@test "objects, programs, archives and shared libraries have it" {
    write_sources
    both ways
}

@test "the program's size in memory is as without, and it survives strip" {
    write_sources
    ravel cc main.c value.c -o with
    RAVEL_BITCODE=off ravel cc main.c value.c -o without
    ! readelf -S without | grep -q '\.ravel\.bc'
    diff <(readelf -lW with | grep LOAD) <(readelf -lW without | grep LOAD)
    strip with
    assert_prints 42 ./with
    [ "$(functions with)" = 'main value ' ]
}

@test "-S, -E, -M and -fsyntax-only run no clang" {
    write_sources
    printf '#!/bin/sh\necho run >> "%s/clang.log"\nexit 1\n' "$PWD" > clang-that-tells
    chmod +x clang-that-tells
    export RAVEL_CLANG=$PWD/clang-that-tells
    for option in -S -E -M -MM -fsyntax-only; do ravel cc $option value.c > out; done
    ravel cc --version > out
    [ ! -e clang.log ]
    ravel cc -c value.c
    [ -e clang.log ]
}

@test "without clang the program is built, and the model says what is missing" {
    write_sources
    RAVEL_CLANG=/no/such/clang ravel cc -c value.c
    ravel cc main.c value.o -o prog
    assert_prints 42 ./prog
    ravel model prog | grep -q 'no bitcode of value.c: /no/such/clang cannot be run'
    RAVEL_CLANG=/no/such/clang ravel cc main.c value.c -o prog
    assert_refused 'no bitcode of main.c' ravel model prog
}

@test "what only gcc understands is built, and noted" {
    printf 'int main(void) { int n = 7; int f(void) { return n; } return f() - 7; }\n' > nested.c
    write_sources
    ravel cc -c nested.c
    ravel cc nested.o value.c -o prog
    ./prog
    ravel model prog | grep -q 'no bitcode of nested.c: nested.c:1:.*error'
    ravel cc -fno-tree-vectorize -fgcse-after-reload -mindirect-branch-register -mno-such-thing -c value.c 2> log || true
    ravel cc -fgcse-after-reload -maccumulate-outgoing-args -O2 -c value.c
    [ "$(functions value.o)" = 'value ' ]
}

@test "assembly is noted" {
    write_sources
    ravel cc -S value.c
    ravel cc main.c value.s -o prog
    ravel model prog | grep -q 'no bitcode of value.s: assembly'
}

@test "errors are told once, by the compiler" {
    echo 'int main(void) { return nothing; }' > wrong.c
    run ravel cc -c wrong.c
    [ "$status" = 1 ]
    [ "$(grep -c 'nothing.*undeclared' <<< "$output")" = 1 ]
    [ ! -e wrong.o ]
}

@test "outputs that are no files, links to others and directories nobody may write to" {
    write_sources
    ravel cc -c value.c -o /dev/null
    ravel cc -c value.c && ln value.o cached.o && before=$(cksum < cached.o)
    printf '#!/bin/sh\nexit 0\n' > keep # a compiler cache that leaves its own file there
    chmod +x keep
    RAVEL_CC="$PWD/keep gcc" ravel cc -c value.c -o value.o
    [ "$(cksum < cached.o)" = "$before" ]
    mkdir -p out && ravel cc -c value.c -o out/value.o && chmod 555 out
    ravel cc -c value.c -o out/value.o || [ "$(id -u)" != 0 ]
    chmod 755 out
    [ "$(functions out/value.o)" = 'value ' ]
}

@test "a dependency file is the compiler's" {
    write_sources
    ravel cc -MMD -c main.c && cp main.d with.d
    RAVEL_BITCODE=off ravel cc -MMD -c main.c
    cmp main.d with.d
}
