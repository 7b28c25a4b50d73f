/* The memory and string hooks over a recorder instead of a core: results against plain loops, for all alignments and
 * sizes up to the edge of an unmapped page, and which bytes each hook announces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <dlfcn.h>

#include "base/rng.h"
#include "runtime/bytes.h"
#include "runtime/core.h"
#include "runtime/hooks/heap.h"
#include "runtime/real.h"

/* ---- the recorder ---- */

struct rv_runtime rv; /* PASSIVE until a test says otherwise */

static struct access {
    const void *address;
    size_t size;
    bool write;
} accesses[16];
static unsigned access_count;
static void (*meanwhile)(void); /* what other threads do at the next point */

void rv_access(const void *address, size_t size, bool write, uintptr_t site) {
    if (rv_passive() || size == 0) return;
    assert_true(site != 0);
    assert_true(access_count < 16);
    accesses[access_count++] = (struct access){address, size, write};
    void (*others)(void) = meanwhile;
    meanwhile = NULL;
    if (others) others();
}

void *rv_malloc(size_t size, uintptr_t site) {
    assert_true(site != 0);
    return malloc(size);
}

void *rv_real_lookup(const char *name) { return dlsym(RTLD_NEXT, name); }

static void begin(void) {
    access_count = 0;
    rv.mode = RV_CONTROLLED;
}

static void expect(const void *address, size_t size, bool write) {
    static unsigned next;
    if (rv.mode != RV_PASSIVE) next = 0;
    rv.mode = RV_PASSIVE;
    assert_true(next < access_count);
    assert_ptr_equal(accesses[next].address, address);
    assert_int_equal(accesses[next].size, size);
    assert_int_equal(accesses[next].write, write);
    next++;
}

/* Calls that the compiler must not do itself. */
static size_t (*volatile call_strlen)(const char *) = strlen;
static int (*volatile call_strcmp)(const char *, const char *) = strcmp;
static int (*volatile call_strncmp)(const char *, const char *, size_t) = strncmp;
static void *(*volatile call_memcpy)(void *, const void *, size_t) = memcpy;
static void *(*volatile call_memmove)(void *, const void *, size_t) = memmove;
static void *(*volatile call_memset)(void *, int, size_t) = memset;
static int (*volatile call_memcmp)(const void *, const void *, size_t) = memcmp;
static void *(*volatile call_memchr)(const void *, int,
                                     size_t) = (void *(*)(const void *, int, size_t))memchr;
static char *(*volatile call_strcpy)(char *, const char *) = strcpy;
static char *(*volatile call_strncpy)(char *, const char *, size_t) = strncpy;
static char *(*volatile call_strcat)(char *, const char *) = strcat;
static char *(*volatile call_strncat)(char *, const char *, size_t) = strncat;
static char *(*volatile call_strchr)(const char *, int) = (char *(*)(const char *, int))strchr;
static char *(*volatile call_strrchr)(const char *, int) = (char *(*)(const char *, int))strrchr;
static char *(*volatile call_strdup)(const char *) = strdup;

/* ---- results ---- */

enum { ROOM = 8192 };

/* ROOM bytes that end where nothing is mapped any more. */
static char *before_the_edge(void) {
    char *place = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(place != MAP_FAILED);
    assert_int_equal(mprotect(place + ROOM, 4096, PROT_NONE), 0);
    return place;
}

static void fill(struct rv_rng *rng, char *to, size_t size) {
    for (size_t i = 0; i < size; i++) to[i] = (char)(1 + rv_rng_below(rng, 3)); /* few different, never 0 */
}

static void test_moving_agrees_with_loops(void **state) {
    (void)state;
    struct rv_rng rng = {1};
    char *room = before_the_edge(), *model = malloc(ROOM);
    for (int round = 0; round < 30000; round++) {
        size_t most = round % 10 ? 200 : ROOM / 2, size = rv_rng_below(&rng, most);
        size_t from = round % 3 ? rv_rng_below(&rng, ROOM - size + 1) : ROOM - size;
        size_t near = rv_rng_below(&rng, 64), to = from > near && round % 2 ? from - near : from + near;
        if (to + size > ROOM) to = rv_rng_below(&rng, ROOM - size + 1);
        fill(&rng, room + from, size < 300 ? size : 300);
        for (size_t i = 0; i < ROOM; i++) model[i] = room[i];
        if (to <= from)
            for (size_t i = 0; i < size; i++) model[to + i] = model[from + i];
        else
            for (size_t i = size; i-- > 0;) model[to + i] = model[from + i];
        assert_ptr_equal(call_memmove(room + to, room + from, size), room + to);
        for (size_t i = 0; i < ROOM; i++)
            if (room[i] != model[i]) fail_msg("size %zu from %zu to %zu: byte %zu", size, from, to, i);
        size_t length = rv_rng_below(&rng, most),
               at = ROOM - length - rv_rng_below(&rng, 20) % (ROOM - length + 1);
        if (at + length > ROOM) continue;
        for (size_t i = 0; i < ROOM; i++) model[i] = room[i];
        for (size_t i = 0; i < length; i++) model[at + i] = (char)round;
        assert_ptr_equal(call_memset(room + at, round, length), room + at);
        for (size_t i = 0; i < ROOM; i++)
            if (room[i] != model[i]) fail_msg("set %zu at %zu: byte %zu", length, at, i);
    }
    free(model);
}

static int sign(int value) { return (value > 0) - (value < 0); }

static void test_looking_agrees_with_loops(void **state) {
    (void)state;
    struct rv_rng rng = {2};
    char *a = before_the_edge(), *b = before_the_edge();
    for (int round = 0; round < 30000; round++) {
        size_t length = rv_rng_below(&rng, round % 10 ? 80 : 5000), other = rv_rng_below(&rng, 3);
        other = length > other && round % 2 ? length - other : length;
        char *left = a + ROOM - length - 1, *right = b + ROOM - other - 1 - rv_rng_below(&rng, 40);
        fill(&rng, left, length);
        for (size_t i = 0; i < other && i < length; i++) right[i] = left[i];
        left[length] = right[other] = 0;
        if (other && round % 3 == 0)
            right[rv_rng_below(&rng, other)] = (char)(rv_rng_below(&rng, 2) ? 2 : -2);
        size_t same = 0;
        while (left[same] == right[same] && left[same]) same++;
        int expected = sign((unsigned char)left[same] - (unsigned char)right[same]);
        size_t most = rv_rng_below(&rng, length + 2);
        assert_int_equal(call_strlen(left), length);
        assert_int_equal(sign(call_strcmp(left, right)), expected);
        assert_int_equal(sign(call_strncmp(left, right, most)), most <= same ? 0 : expected);
        size_t bytes = length < other ? length : other;
        assert_int_equal(sign(call_memcmp(left, right, bytes)), bytes <= same ? 0 : expected);
        int byte = (int)(1 + rv_rng_below(&rng, 4));
        size_t first = 0, last = length + 1;
        while (first < length && left[first] != byte) first++;
        for (size_t i = 0; i < length; i++)
            if (left[i] == byte) last = i;
        assert_ptr_equal(call_strchr(left, byte), first == length ? NULL : left + first);
        assert_ptr_equal(call_strrchr(left, byte), last > length ? NULL : left + last);
        assert_ptr_equal(call_memchr(left, byte, length), first == length ? NULL : left + first);
        assert_ptr_equal(call_strchr(left, 0), left + length);
    }
}

static void test_copying(void **state) {
    (void)state;
    char room[64];
    assert_string_equal(call_strcpy(room, "one"), "one");
    assert_string_equal(call_strcat(room, " two"), "one two");
    assert_string_equal(call_strncat(room, " three", 3), "one two th");
    call_memset(room, 'x', 64);
    call_strncpy(room, "abc", 6);
    assert_memory_equal(room, "abc\0\0\0xx", 8);
    call_strncpy(room, "abcdef", 2);
    assert_memory_equal(room, "abc\0", 4);
    char *copy = call_strdup("copy");
    assert_string_equal(copy, "copy");
    free(copy);
}

/* ---- what is announced ---- */

static void test_announced_ranges(void **state) {
    (void)state;
    char text[32] = "some text", room[64] = "x", other[32] = "some tree";
    begin();
    assert_int_equal(call_strlen(text), 9);
    expect(text, 10, false);
    begin();
    call_strcpy(room, text);
    expect(text, 10, false);
    expect(room, 10, true);
    begin();
    call_strcat(room, text);
    expect(room, 10, false);
    expect(text, 10, false);
    expect(room + 9, 10, true);
    begin();
    call_memcpy(room, text, 7);
    expect(text, 7, false);
    expect(room, 7, true);
    begin();
    call_memset(room, 0, 30);
    expect(room, 30, true);
    begin();
    assert_true(call_strcmp(text, other) < 0); /* differ at 6: e, r */
    expect(text, 7, false);
    expect(other, 7, false);
    begin();
    call_strncpy(room, text, 20);
    expect(text, 10, false);
    expect(room, 20, true);
    begin();
    call_strncpy(room, text, 4); /* does not look at the end */
    expect(text, 4, false);
    expect(room, 4, true);
    begin();
    assert_non_null(call_memchr(text, 't', 1000)); /* told more than there is */
    expect(text, 6, false);
    begin();
    call_memcpy(room, text, 0);
    assert_int_equal(access_count, 0);
    rv.mode = RV_PASSIVE;
}

static char shared[600];
static char target[600];

static void lengthen(void) {
    rv.internal++;
    call_strcpy(shared, "now it is much longer");
    rv.internal--;
}

static void overwrite(void) {
    rv.internal++;
    call_memset(shared, 'n', sizeof shared);
    rv.internal--;
}

static void at_the_second(void) { meanwhile = overwrite; }

static void test_others_at_the_point(void **state) {
    (void)state;
    call_strcpy(shared, "short");
    begin();
    meanwhile = lengthen;
    assert_int_equal(call_strlen(shared), 21);
    expect(shared, 6, false);
    expect(shared, 22, false); /* what it looked at in the end was announced, too */

    call_memset(shared, 'o', sizeof shared);
    begin();
    meanwhile = overwrite;
    call_memcpy(target, shared, 100);
    rv.mode = RV_PASSIVE;
    assert_int_equal(target[50], 'n'); /* at the read: they came first */

    call_memset(shared, 'o', sizeof shared);
    begin();
    meanwhile = at_the_second;
    call_memcpy(target, shared, 100);
    rv.mode = RV_PASSIVE;
    assert_int_equal(target[50], 'o'); /* at the write: it had been read */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moving_agrees_with_loops),
        cmocka_unit_test(test_looking_agrees_with_loops),
        cmocka_unit_test(test_copying),
        cmocka_unit_test(test_announced_ranges),
        cmocka_unit_test(test_others_at_the_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
