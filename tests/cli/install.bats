#!/usr/bin/env bats
# `cmake --install` into an empty prefix, and life from there: nothing may need the build directory.

setup_file() {
    export PREFIX=$BATS_FILE_TMPDIR/prefix
    cmake --install "$RAVEL_BUILD" --prefix "$PREFIX" > "$BATS_FILE_TMPDIR/install.log"
}

setup() {
    PATH=$PREFIX/bin:$PATH
    cd "$BATS_TEST_TMPDIR" || return 1
    cat > hint.c <<'END'
#include <pthread.h>
#include <ravel.h>
#include <stdio.h>
#include <string.h>
static int shared;
static void *add(void *argument) {
    RAVEL_POINT();
    __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
    RAVEL_YIELD();
    return argument;
}
int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    printf("%s %d %d\n", RAVEL_VERSION, shared, ravel_active());
    return argc > 1 ? ravel_active() != (strcmp(argv[1], "active") == 0) : 0;
}
END
}

version() { ravel --version | sed 's/ravel //'; }

@test "everything is there" {
    for file in bin/ravel bin/ravel-cc bin/ravel-c++ lib/libravel.so lib/ravel/gcc.specs lib/ravel/ravel-model include/ravel.h \
        lib/pkgconfig/ravel.pc lib/cmake/ravel/ravel-config.cmake lib/cmake/ravel/ravel-config-version.cmake \
        share/bash-completion/completions/ravel; do
        [ -e "$PREFIX/$file" ] || { echo "missing: $file"; return 1; }
    done
    for page in "$RAVEL_SOURCE"/man/*.1; do [ -e "$PREFIX/share/man/man1/$(basename "$page")" ]; done
    [ -x "$PREFIX/bin/ravel-cc" ]
}

@test "the model of a program, from the installation" {
    ravel cc -g hint.c -o modelled
    ravel model modelled | grep -q '^Threads$'
}

@test "nothing else" {
    run bash -c "cd '$PREFIX' && find . -type f | grep -vE '^./(bin/ravel|lib/libravel\.so[.0-9]*|lib/ravel/gcc\.specs|lib/ravel/ravel-model|include/ravel\.h|lib/pkgconfig/ravel\.pc|lib/cmake/ravel/[a-z-]*\.cmake|share/bash-completion/completions/ravel|share/man/man1/ravel[a-z-]*\.1)$'"
    echo "$output"
    [ -z "$output" ]
}

@test "the library exports what it intercepts and ravel.h, and nothing of its inside" {
    run bash -c "nm -D --defined-only '$PREFIX/lib/libravel.so' | grep -E ' (rv_|rv$)'"
    echo "$output"
    [ -z "$output" ]
    nm -D --defined-only "$PREFIX/lib/libravel.so" | grep -q ' T ravel__point$'
}

@test "a program from the installed compiler runs, by hand and under ravel" {
    ravel cc -I"$PREFIX/include" hint.c -o hint
    ldd hint | grep -q "$PREFIX/lib/libravel.so"
    [ "$(./hint)" = "$(version) 2 0" ]
    ./hint inactive
    ravel run --schedules=50 ./hint active
}

@test "pkg-config" {
    export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
    [ "$(pkg-config --modversion ravel)" = "$(version)" ]
    ravel cc hint.c $(pkg-config --cflags --libs ravel) -o hint
    [ "$(./hint)" = "$(version) 2 0" ]
    ravel run --schedules=50 ./hint active
    gcc hint.c -pthread $(pkg-config --cflags --libs ravel) -Wl,-rpath,"$PREFIX/lib" -o linked
    [ "$(./linked)" = "$(version) 2 0" ]
}

@test "ravel.h needs no library" {
    gcc -Wall -Wextra -Werror -pthread -I"$PREFIX/include" hint.c -o plain
    ! ldd plain | grep -q ravel
    [ "$(./plain)" = "$(version) 2 0" ]
    g++ -x c++ -Wall -Wextra -Werror -pthread -I"$PREFIX/include" hint.c -o plain
    [ "$(./plain)" = "$(version) 2 0" ]
}

@test "find_package(ravel)" {
    cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(hint C)
find_package(Threads REQUIRED)
find_package(ravel 0.1 REQUIRED)
add_executable(hint hint.c)
target_link_libraries(hint PRIVATE ravel::ravel Threads::Threads)
END
    cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$PREFIX" > configure.log
    cmake --build build > build.log
    [ "$(build/hint)" = "$(version) 2 0" ]
    cmake -G Ninja -S . -B build-ravel -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_C_COMPILER=ravel-cc > configure.log
    cmake --build build-ravel > build.log
    ravel run --schedules=50 build-ravel/hint active
    sed -i 's/ravel 0.1/ravel 7.0/' CMakeLists.txt
    run cmake -S . -B build-other -DCMAKE_PREFIX_PATH="$PREFIX"
    [ "$status" != 0 ]
}

@test "ravel_add_test: each test and each schedule is a test of CTest" {
    cat > order.c <<'END'
#include <pthread.h>
#include <ravel.h>
static int last;
static void *second(void *unused) {
    RAVEL_THREAD(second);
    RAVEL_EVENT(two);
    __atomic_store_n(&last, 2, __ATOMIC_SEQ_CST);
    return unused;
}
RAVEL_TEST(order) {
    pthread_t thread;
    pthread_create(&thread, NULL, second, NULL);
    RAVEL_EVENT(one);
    __atomic_store_n(&last, 1, __ATOMIC_SEQ_CST);
    RAVEL_EVENT(stored);
    pthread_join(thread, NULL);
    RAVEL_ASSERT_EQ(__atomic_load_n(&last, __ATOMIC_SEQ_CST), 2);
}
RAVEL_SCHEDULE(order, "one; first [*]", "stored -> two");
RAVEL_SCHEDULE(order, "two \"first\"", "end@second -> one");
RAVEL_TEST(nothing) {}
RAVEL_MAIN
END
    cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(order C)
enable_testing()
find_package(Threads REQUIRED)
find_package(ravel REQUIRED)
add_executable(order order.c)
target_link_libraries(order PRIVATE Threads::Threads)
ravel_add_test(order --time-limit=30 --seed=2)
END
    cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_C_COMPILER=ravel-cc > configure.log
    (cd build && ctest -N | grep order_NOT_BUILT)
    cmake --build build > build.log
    (cd build && ctest -N) > list.txt
    for name in 'order.order/one; first \[\*\]' 'order.order/two "first"' order.nothing; do
        grep -qE "^ +Test +#[0-9]: $name$" list.txt || { echo "$name is not in"; cat list.txt; return 1; }
    done
    grep -q '^Total Tests: 3$' list.txt
    status=0
    (cd build && ctest -V) > results.txt || status=$?
    cat results.txt
    [ "$status" != 0 ]
    grep -q '67% tests passed, 1 tests failed out of 3' results.txt
    grep -q 'order.order/two "first" (Failed)' results.txt
    grep -q -- '"--time-limit=30" "--seed=2"' results.txt
    # What is built anew is asked anew; without ravel cc the test says what is missing.
    sed -i '/two .*first/d' order.c
    cmake --build build > build.log
    (cd build && ctest)
    cmake -G Ninja -S . -B build-plain -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_C_COMPILER=gcc \
        -DCMAKE_C_FLAGS="-I$PREFIX/include" > configure.log
    cmake --build build-plain > build.log
    status=0
    (cd build-plain && ctest -V) > results.txt || status=$?
    [ "$status" != 0 ]
    grep -q 'not built with `ravel cc`' results.txt
}

@test "the installation can be moved" {
    mv "$PREFIX" "$PREFIX-moved"
    PATH=$PREFIX-moved/bin:$PATH
    moved=0
    { ravel cc -I"$PREFIX-moved/include" hint.c -o hint && ravel run --schedules=50 ./hint active; } || moved=$?
    mv "$PREFIX-moved" "$PREFIX"
    [ $moved = 0 ]
}

@test "installed manual pages and completion work" {
    mandoc "$PREFIX/share/man/man1/ravel.1" | grep -q 'find, replay and explain'
    bash -c "source '$PREFIX/share/bash-completion/completions/ravel' && complete -p ravel"
}
