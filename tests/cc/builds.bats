#!/usr/bin/env bats
# The same small project (project/) under four build systems, with ravel as the compiler and nothing else changed.
load helper

project_here() { # FILE...: the sources and these build files
    cp "$here"/project/*.[ch] .
    for file in "$@"; do cp "$here/project/$file" .; done
}

good() { assert_prints '9 words, 37 letters' "$@"; }

@test "make CC='ravel cc': static library, dependency files" {
    project_here Makefile
    make -s CC="ravel cc"
    assert_instrumented words
    assert_debug_info words
    good ./words
    grep -q 'tally.h' main.d
    touch tally.h
    make CC="ravel cc" | grep -q 'main\.c'
}

@test "make with RAVEL_CC=clang" {
    project_here Makefile
    RAVEL_CC=clang make -s CC="ravel cc"
    readelf -p .comment words | grep -q clang
    assert_instrumented words
    good ./words
}

@test "cmake -DCMAKE_C_COMPILER=ravel-cc: shared library, recognised as the compiler behind it" {
    project_here CMakeLists.txt
    cmake -G Ninja -S . -B build -DCMAKE_C_COMPILER=ravel-cc > configure.log
    grep -q 'compiler id: GNU' configure.log
    cmake --build build > build.log
    assert_instrumented build/words
    assert_instrumented build/libtally.so
    good build/words
}

@test "cmake with clang behind ravel-cc, release build" {
    project_here CMakeLists.txt
    export RAVEL_CC=clang
    cmake -G Ninja -S . -B build -DCMAKE_C_COMPILER=ravel-cc -DCMAKE_BUILD_TYPE=Release > configure.log
    grep -q 'compiler id: Clang' configure.log
    cmake --build build > build.log
    assert_instrumented build/words
    assert_debug_info build/words
    good build/words
}

@test "cmake takes CC='ravel cc' from the environment" {
    project_here CMakeLists.txt
    CC="ravel cc" cmake -G Ninja -S . -B build > configure.log
    cmake --build build > build.log
    assert_instrumented build/words
    good build/words
}

@test "autotools: configure CC='ravel cc' finds what is there and not what is not" {
    project_here configure.ac Makefile.am
    autoreconf -i > autoreconf.log 2>&1
    mkdir build && cd build
    ../configure CC="ravel cc" > configure.log
    grep -q '#define HAVE_PTHREAD_SPIN_LOCK 1' config.h
    grep -q '#define SIZEOF_LONG 8' config.h
    ! grep -q '#define HAVE_NO_SUCH_FUNCTION_ANYWHERE' config.h
    make -s > make.log
    assert_instrumented words
    good ./words
}

@test "Meson with CC=ravel-cc, warnings are errors" {
    project_here meson.build
    CC=ravel-cc meson setup build > configure.log
    grep -q 'C compiler for the host machine: ravel-cc (gcc' configure.log
    ninja -C build > build.log
    assert_instrumented build/words
    good build/words
}

@test "Meson with CC='ravel cc' and clang" {
    project_here meson.build
    RAVEL_CC=clang CC="ravel cc" meson setup build > configure.log
    RAVEL_CC=clang ninja -C build > build.log
    assert_instrumented build/words
    good build/words
}

@test "what a build system made runs under ravel" {
    project_here Makefile
    make -s CC="ravel cc"
    ravel run --schedules=200 ./words
}
