#!/usr/bin/env bats
# ravel.h with the library and without: markers of events are no code at all elsewhere, and everything compiles everywhere.
load helper

setup() {
    PATH=$(dirname "$RAVEL"):$PATH
    unset CC CXX CFLAGS CXXFLAGS LDFLAGS RAVEL_CC RAVEL_CXX
    cd "$BATS_TEST_TMPDIR" || return 1
    include=$RAVEL_SOURCE/include
    cat >marked.c <<'END'
#include <ravel.h>
int work(int number);
RAVEL_SCHEDULE(work, "label", "first -> second.one");
int work(int number) {
    RAVEL_EVENT(first);
    for (int i = 0; i < number; i++) {
        RAVEL_THREAD(worker);
        if (number > 10) RAVEL_EVENT(second.one);
        number += i;
    }
    return (RAVEL_EVENT(third), number);
}
END
    sed '/RAVEL_SCHEDULE/d; s/(RAVEL_EVENT([a-z.]*), number)/number/; s/RAVEL_[A-Z]*([a-z.]*);/;/' marked.c >bare.c
    ! grep -q 'RAVEL_' bare.c
}

code_of() { objdump -d --no-show-raw-insn "$1" | sed 1,3d; }

@test "without ravel cc, markers of events are no code: gcc and clang, -O0 and -O2, C and C++" {
    for compiler in gcc clang "g++ -x c++" "clang++ -x c++"; do
        for level in -O0 -O2; do
            $compiler $level -I "$include" -c marked.c -o marked.o
            $compiler $level -I "$include" -c bare.c -o bare.o
            [ "$(code_of marked.o)" = "$(code_of bare.o)" ] || { echo "$compiler $level: other code"; return 1; }
            for section in .text .data .rodata .init_array .ravel.events; do
                [ "$(size -A marked.o | grep "^$section ")" = "$(size -A bare.o | grep "^$section ")" ] ||
                    { echo "$compiler $level: $section"; return 1; }
            done
            ! nm marked.o | grep -q 'ravel__event\|ravel__thread\|ravel__register'
        done
    done
}

@test "with ravel cc they are calls, and their names are in a section that is not loaded" {
    for compiler in gcc clang; do
        RAVEL_CC=$compiler ravel cc -c marked.c -o marked.o
        nm marked.o | grep -q 'w ravel__event'
        nm marked.o | grep -q 'w ravel__register'
        [ "$(readelf -p .ravel.events marked.o | sed -n 's/^ *\[[^]]*\] *//p' | sort | tr '\n' ' ')" = "first second.one third " ]
        readelf -SW marked.o | grep '\.ravel\.events' | grep -vq ' A '
    done
}

@test "the header is silent: every standard, every warning, with the library's names and without" {
    cat >all.c <<'END'
#include <ravel.h>
RAVEL_SCHEDULE(simple, "one", "a -> b");
RAVEL_SCHEDULE(simple, "two", "b -> " "a"); RAVEL_SCHEDULE(simple, "three", "a -> b");
RAVEL_TEST(simple) {
    int n = 2;
    unsigned u = 2;
    const char *t = "x";
    void *p = &n;
    double d = 2.5;
    RAVEL_EVENT(a);
    RAVEL_THREAD(main);
    RAVEL_ASSERT(n == 2);
    RAVEL_ASSERT_EQ(n, u);
    RAVEL_ASSERT_STR_EQ(t, "x");
    RAVEL_ASSERT_EQ(p, &n);
    RAVEL_ASSERT_LT(-1, u);
    RAVEL_ASSERT_LE(2, d);
    RAVEL_ASSERT_GT(u, -1);
    RAVEL_ASSERT_GE(d, 2);
    RAVEL_ASSERT_NE(t, p);
    if (n == 3) RAVEL_FAIL("no %d", n);
    else RAVEL_POINT();
    if (ravel_schedule()) n++;
}
static void other(void **state) {
    RAVEL_TEST_SCOPE(other);
    (void)state;
    RAVEL_EVENT(b);
}
RAVEL_TEST(fails) {
    int count = 2;
    other(NULL);
    RAVEL_ASSERT_EQ(count, 3);
}
RAVEL_MAIN
END
    warnings="-Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wundef -Wstrict-aliasing"
    for compiler in "gcc -std=c11 -Wmissing-prototypes" "gcc -std=gnu17" "clang -std=c11 -Wmissing-prototypes" \
        "g++ -x c++ -std=c++11" "clang++ -x c++ -std=c++17"; do
        for define in "" -DRAVEL_ENABLE; do
            for level in -O0 -O2 -O3; do
                $compiler $level $define $warnings -I "$include" all.c -o all
                ./all simple
                run ./all nothing
                [ "$status" = 2 ]
                run ./all
                [ "$status" = 134 ] || [[ "$output" == *"fails: count == 3 does not hold: count is 2"* ]]
            done
        done
    done
    for compiler in gcc clang; do
        RAVEL_CC=$compiler ravel cc -std=c11 $warnings all.c -o all
        ./all simple
    done
}

@test "values that the assertions show" {
    cat >shows.c <<'END'
#include <ravel.h>
#include <stdint.h>
RAVEL_TEST(negative) { int n = -3; RAVEL_ASSERT_GE(n, 0u); }
RAVEL_TEST(wide) { uint64_t n = UINT64_MAX; RAVEL_ASSERT_EQ(n, -1); }
RAVEL_TEST(real) { double d = 0.5; RAVEL_ASSERT_EQ(d, 0.25); }
RAVEL_TEST(no_number) { double d = __builtin_nan(""); RAVEL_ASSERT_EQ(d, d); }
RAVEL_TEST(null) { const char *text = NULL; RAVEL_ASSERT_NE(text, NULL); }
RAVEL_TEST(text) { const char *text = "abc"; RAVEL_ASSERT_STR_EQ(text, "abd"); }
RAVEL_TEST(none) { const char *text = NULL; RAVEL_ASSERT_STR_EQ(text, "abd"); }
RAVEL_TEST(both) { int a = 1, b = 2; RAVEL_ASSERT_GT(a + 1, b * 2); }
RAVEL_TEST(bare) { int a = 1; RAVEL_ASSERT(a == 2); }
RAVEL_TEST(says) { RAVEL_FAIL("%s %d", "text", 5); }
RAVEL_MAIN
END
    gcc -I "$include" shows.c -o plain
    ravel cc shows.c -o ours
    while read -r name text; do
        for program in plain ours; do
            run ./$program "$name"
            [ "$status" != 0 ] && [[ "$output" == *"$name: $text"* ]] || { echo "$program $name: $output"; return 1; }
        done
    done <<'END'
negative n >= 0u does not hold: n is -3, 0u is 0
wide n == -1 does not hold: n is 18446744073709551615
real d == 0.25 does not hold: d is 0.5
no_number d == d does not hold: d is nan, d is nan
null text != NULL does not hold
text text == "abd" does not hold: text is "abc"
none text == "abd" does not hold: text is NULL
both a + 1 > b * 2 does not hold: a + 1 is 2, b * 2 is 4
bare a == 2 does not hold
says text 5
END
}
