#!/usr/bin/env bats
# Command lines: what goes in and what comes out is as with the compiler itself.
load helper

write_sources() {
    cat > value.h <<< 'int value(void);'
    printf '#include "value.h"\nint shared = 40;\nint value(void) { return shared + 2; }\n' > value.c
    printf '#include <stdio.h>\n#include "value.h"\nint calls;\nint main(void) { calls++; printf("%%d\\n", value() + calls - 1); return 0; }\n' > main.c
}

for_both() { # COMMAND...: with gcc and with clang
    for compiler in gcc clang; do
        RAVEL_CC=$compiler "$@" || { echo "(with $compiler)"; return 1; }
    done
}

one_step() { ravel cc -o "prog $1" main.c value.c && assert_instrumented "prog $1" && assert_prints 42 "./prog $1"; }

@test "several sources in one step, a blank in the output's name" {
    write_sources
    for_both one_step x
}

separate() {
    ravel cc -c main.c && ravel cc -c value.c -o other.o && ravel cc main.o other.o -o prog || return 1
    assert_instrumented prog && assert_debug_info prog && assert_prints 42 ./prog
}

@test "separate compilation" {
    write_sources
    for_both separate
}

@test "without -o the program is a.out" {
    write_sources
    ravel cc main.c value.c
    assert_prints 42 ./a.out
}

@test "every optimisation level, with both compilers" {
    write_sources
    for compiler in gcc clang; do
        for level in -O0 -O1 -O2 -O3 -Os -Og; do
            RAVEL_CC=$compiler ravel cc $level main.c value.c -o prog$level
            assert_instrumented prog$level
            assert_prints 42 ./prog$level
        done
    done
}

assembly() {
    ravel cc -S value.c && grep -q 'call.*__tsan_read4' value.s || return 1
    ravel cc -c value.s -o value.o && ravel cc main.c value.o -o prog && assert_prints 42 ./prog
}

@test "-S gives assembly, and assembly is taken" {
    write_sources
    for_both assembly
}

@test "-E gives on standard output what the compiler gives" {
    write_sources
    gcc -E value.c | grep -v '^#' > plain
    ravel cc -E value.c | grep -v '^#' > ours
    cmp plain ours
    clang -E value.c | grep -v '^#' > plain
    RAVEL_CC=clang ravel cc -E value.c | grep -v '^#' > ours
    cmp plain ours
}

dependencies() {
    local compiler=$RAVEL_CC
    for option in -M -MM; do
        $compiler $option main.c > plain && ravel cc $option main.c > ours && cmp plain ours || return 1
    done
    ravel cc -MMD -MP -MT target.o -MF main.dep -c main.c && grep -q '^target.o: main.c value.h' main.dep || return 1
    rm -f main.d && ravel cc -MD -c main.c -o main.o && grep -q 'value.h' main.d
}

@test "-M -MM -MD -MMD -MP -MT -MF" {
    write_sources
    for_both dependencies
}

response() {
    printf -- '-DTEXT="\\"a b\\"" -O1\n@inner.rsp\n' > outer.rsp
    printf -- "-o 'the program'\nshow.c" > inner.rsp
    printf '#include <stdio.h>\nint n;\nint main(void) { n++; puts(TEXT); return 0; }\n' > show.c
    ravel cc @outer.rsp && assert_instrumented 'the program' && assert_prints 'a b' './the program'
}

@test "response files, nested and quoted" { for_both response; }

@test "a response file with an option that must not get through" {
    write_sources
    echo '-flto main.c value.c -o prog' > all.rsp
    ravel cc @all.rsp
    assert_instrumented prog
    assert_prints 42 ./prog
}

@test "sources from standard input" {
    echo 'int n; int main(void) { n = 7; return n; }' | ravel cc -x c - -o prog
    assert_instrumented prog
    run ./prog
    [ "$status" = 7 ]
}

lto() {
    ravel cc -flto -O2 -c main.c && ravel cc -flto=auto -O2 -c value.c &&
        ravel cc -flto -O2 main.o value.o -o prog || return 1
    ! readelf -S main.o | grep -q gnu.lto || return 1
    assert_instrumented prog && assert_prints 42 ./prog
}

@test "-flto is left out, when compiling and when linking" {
    write_sources
    for_both lto
}

@test "-fsanitize=thread is what ravel does anyway; undefined may come along" {
    write_sources
    ravel cc -fsanitize=thread main.c value.c -o prog
    assert_instrumented prog
    assert_prints 42 ./prog
    ravel cc -fsanitize=thread,undefined main.c value.c -o prog
    nm prog | grep -q __ubsan || nm -D prog | grep -q __ubsan || ldd prog | grep -q ubsan
    assert_prints 42 ./prog
}

@test "what cannot work is refused, in one line" {
    write_sources
    assert_refused "-fsanitize=address cannot be combined" ravel cc -fsanitize=address main.c value.c
    assert_refused "-fsanitize=memory cannot be combined" ravel cc -fsanitize=undefined,memory main.c value.c
    assert_refused "-static is not supported" ravel cc -static main.c value.c
    assert_refused "-m32 is not supported" ravel cc -m32 -c main.c
    RAVEL_CC=ravel-cc assert_refused "names ravel itself" ravel cc main.c
    RAVEL_CC=/no/such/compiler assert_refused "/no/such/compiler" ravel cc main.c
    RAVEL_CC=true assert_refused "neither gcc nor clang" ravel cc main.c
}

@test "-static -c compiles: only linking is refused" {
    write_sources
    ravel cc -static -c main.c
    [ -f main.o ]
}

@test "the compiler's errors and exit status come through" {
    echo 'int main(void) { return nothing; }' > wrong.c
    run ravel cc wrong.c
    [ "$status" = 1 ]
    [[ "$output" == *"wrong.c:1:"*"nothing"* ]]
    run ravel cc no-such-file.c
    [ "$status" = 1 ]
}

@test "debug information is added unless the command line speaks of it" {
    write_sources
    for compiler in gcc clang; do
        export RAVEL_CC=$compiler
        ravel cc -c value.c
        assert_debug_info value.o
        ravel cc -g0 -c value.c
        run assert_debug_info value.o
        [ "$status" = 1 ]
        ravel cc -ggdb3 -gz -c value.c
        assert_debug_info value.o
        ravel cc -gno-column-info -c value.c
        assert_debug_info value.o
    done
}

@test "queries answer as the compiler: --version, -dumpmachine, -print-*" {
    for query in --version -dumpmachine -dumpversion -print-search-dirs -print-libgcc-file-name -v; do
        gcc $query > plain 2>&1
        ravel-cc $query > ours 2>&1
        cmp plain ours || { diff plain ours; return 1; }
    done
    diff <(gcc -dM -E -x c /dev/null | sort) <(ravel-cc -dM -E -x c /dev/null | sort) | grep '^[<>]' > differences
    [ "$(cat differences)" = '> #define __RAVEL__ 1
> #define __SANITIZE_THREAD__ 1' ]
}

@test "no input is the compiler's own error" {
    run ravel cc
    [ "$status" = 1 ]
    [[ "$output" == *"no input files"* ]]
}

static_library() {
    ravel cc -c value.c && ar rcs libvalue.a value.o && ravel cc main.c -L. -lvalue -o prog &&
        assert_instrumented prog && assert_prints 42 ./prog
}

@test "static library" {
    write_sources
    for_both static_library
}

shared_library() {
    ravel cc -fPIC -shared -Wl,-soname,libvalue.so.1 value.c -o libvalue.so.1 && ln -sf libvalue.so.1 libvalue.so &&
        ravel cc main.c -L. -lvalue -Wl,-rpath,"$PWD" -o prog || return 1
    assert_instrumented libvalue.so.1 && assert_instrumented prog && assert_prints 42 ./prog
}

@test "shared library with a name of its own" {
    write_sources
    for_both shared_library
}

@test "an instrumented shared library in a program of the plain compiler" {
    write_sources
    ravel cc -fPIC -shared value.c -o libvalue.so
    gcc main.c -L. -lvalue -Wl,-rpath,"$PWD" -o prog
    assert_prints 42 ./prog
}

@test "dlopen of an instrumented plug-in" {
    write_sources
    cat > host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int loads;
int main(void) {
    void *plugin = dlopen("./plugin.so", RTLD_NOW);
    if (!plugin) { puts(dlerror()); return 1; }
    loads++;
    int (*value)(void) = (int (*)(void))dlsym(plugin, "value");
    printf("%d\n", value());
    return dlclose(plugin);
}
END
    ravel cc -fPIC -shared value.c -o plugin.so
    ravel cc host.c -o host
    assert_prints 42 ./host
    gcc host.c -o plain-host
    assert_prints 42 ./plain-host
}

@test "ld -r and partial links need no runtime" {
    write_sources
    ravel cc -c main.c
    ravel cc -c value.c
    ravel cc -r main.o value.o -o both.o
    ravel cc both.o -o prog
    assert_prints 42 ./prog
}

@test "position independence: -no-pie and -pie" {
    write_sources
    for option in -no-pie -pie; do
        ravel cc $option main.c value.c -o prog
        assert_instrumented prog
        assert_prints 42 ./prog
    done
}

@test "RAVEL_CC may be a command with words; ravel c++ derives its compiler from it" {
    write_sources
    printf '#!/bin/sh\nshift\nexec "$@"\n' > through
    chmod +x through
    RAVEL_CC="$PWD/through -- gcc -DUNUSED=1" ravel cc main.c value.c -o prog
    assert_prints 42 ./prog
    printf '#include <iostream>\nint n;\nint main() { n++; std::cout << __VERSION__ << "\\n"; }\n' > version.cc
    RAVEL_CC=clang ravel c++ version.cc -o version
    ./version | grep -q Clang
    RAVEL_CXX=g++ RAVEL_CC=clang ravel c++ version.cc -o version
    ! ./version | grep -q Clang
}

cxx() {
    cat > shapes.cc <<'END'
#include <iostream>
#include <memory>
#include <thread>
#include <vector>
struct shape { virtual ~shape() = default; virtual int sides() const = 0; };
struct square : shape { int sides() const override { return 4; } };
struct triangle : shape { int sides() const override { return 3; } };
int main() {
    std::vector<std::unique_ptr<shape>> shapes;
    shapes.push_back(std::make_unique<square>());
    shapes.push_back(std::make_unique<triangle>());
    int sum = 0;
    std::thread adder([&] { for (auto &s : shapes) sum += s->sides(); });
    adder.join();
    std::cout << sum << "\n";
}
END
    ravel c++ -std=c++17 $1 -pthread shapes.cc -o shapes && assert_instrumented shapes && assert_prints 7 ./shapes &&
        ravel-c++ -std=c++17 $1 -c shapes.cc && ravel-c++ -pthread shapes.o -o shapes && assert_prints 7 ./shapes
}

@test "C++ through ravel c++ and ravel-c++" {
    for_both cxx -O0
    for_both cxx -O2
}

@test "-Werror with atomics and fences: no warning is of our making" {
    cat > fence.c <<'END'
#include <stdatomic.h>
atomic_int a;
int main(void) { atomic_store_explicit(&a, 1, memory_order_relaxed); atomic_thread_fence(memory_order_seq_cst); return 0; }
END
    for_both ravel cc -O2 -Wall -Wextra -Werror fence.c -o fence
    ./fence
}

@test "assembler with preprocessing, and an unused-argument warning nowhere" {
    printf '.globl value\nvalue: mov $42, %%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' > value.S
    write_sources
    rm value.c
    run ravel cc -Werror main.c value.S -o prog
    [ "$status" = 0 ] && [ -z "$output" ]
    assert_prints 42 ./prog
    RAVEL_CC=clang run ravel cc -Werror main.c value.S -o prog
    [ "$status" = 0 ] && [ -z "$output" ]
    RAVEL_CC=clang run ravel cc -Werror -c value.S -o value.o
    [ "$status" = 0 ] && [ -z "$output" ]
}

@test "precompiled headers" {
    write_sources
    for_both ravel cc -x c-header value.h -o value.h.pch
    rm -f value.h.pch
    for_both ravel cc value.h
    [ -f value.h.gch ]
    ravel cc main.c value.c -o prog
    assert_prints 42 ./prog
}

@test "an ordinary coverage or profile build still works" {
    write_sources
    ravel cc --coverage main.c value.c -o prog
    assert_prints 42 ./prog
    ls ./*.gcda
}

@test "ravel.h is found, after one of the project's own" {
    printf '#include <ravel.h>\nint n;\nint main(void) { n++; RAVEL_POINT(); return ravel_active(); }\n' > hint.c
    for_both ravel cc -Wall -Werror hint.c -o hint
    ./hint
    printf '#define RAVEL_POINT() n--\n#define ravel_active() n\n' > ravel.h
    ravel cc -I. hint.c -o hint
    ./hint
    ! nm hint | grep -q ravel__point
}

@test "strict linkers: no undefined symbols, only needed libraries, sections collected" {
    write_sources
    ravel cc -fPIC -shared -Wl,--no-undefined -Wl,-z,defs value.c -o libvalue.so
    ravel cc -ffunction-sections -Wl,--gc-sections -Wl,--as-needed -Wl,-O1 -Wl,-z,relro,-z,now main.c -L. -lvalue \
        -Wl,-rpath,"$PWD" -o prog
    assert_instrumented libvalue.so
    assert_instrumented prog
    assert_prints 42 ./prog
}

@test "hardening flags of distributions, and undefined behaviour checks under ravel" {
    write_sources
    for_both ravel cc -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong -Wformat -Werror=format-security main.c value.c -o prog
    assert_prints 42 ./prog
    ravel run --schedules=10 ./prog
    ravel cc -fsanitize=undefined main.c value.c -o prog
    ravel run --schedules=10 ./prog
}
