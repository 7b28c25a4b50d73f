/* libFuzzer target for the reader of lessons (supervisor/lessons.h): what is accepted must come back the same, and go
 * through everything that is done with lessons. Check sums would keep the fuzzer out, so each input is read as it is, and
 * once more with the heads of both parts put right.
 * Build: clang -fsanitize=fuzzer,address,undefined -Isrc tests/fuzz/fuzz_lessons.c src/supervisor/lessons.c ... */
#include <stdlib.h>
#include <string.h>

#include "supervisor/lessons.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 4096, HEADER = 32, STATEMENT = 8 * (3 + RV_HAPSET_FRAMES), MEMBER = 16, MODULES_MAX = 4 };

static void put(uint8_t *at, uint64_t word) { memcpy(at, &word, sizeof word); }

static uint64_t get(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static uint64_t table_sum(const uint8_t *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t sets_sum(const uint8_t *data, size_t size) {
    uint64_t sum = 0;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        sum = (sum ^ get(data + i)) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    return sum;
}

/* Nothing behind its end, which is in its array. */
static void end_text(uint8_t *text, size_t size) {
    size_t length = strnlen((const char *)text, size - 1);
    memset(text + length, 0, size - length);
}

/* Magic, versions, counts that fit, sums; texts are ended, numbers of statements are small. The used size. */
static size_t put_right(uint8_t *data, size_t size) {
    const size_t entry = sizeof(struct rv_lesson_module);
    uint64_t modules = data[0] % MODULES_MAX, room = size - HEADER - HEADER - 8;
    while (modules * entry > room) modules--;
    uint64_t statements = data[1] % 8, members = data[2] % 8;
    room -= modules * entry;
    while (statements * STATEMENT > room) statements--;
    while (members * MEMBER > room - statements * STATEMENT) members--;
    uint8_t *table = data + HEADER, *sets = table + modules * entry;
    for (uint64_t i = 0; i < modules; i++) {
        end_text(table + i * entry, RV_LESSON_PATH);
        end_text(table + i * entry + RV_LESSON_PATH, RV_KEY_SIZE);
    }
    put(data, 0x6e6f7373654c6c72u);
    put(data + 8, 1);
    put(data + 16, modules);
    put(data + 24, table_sum(table, modules * entry));
    put(sets, 0x7465737061486c72u);
    put(sets + 8, 1);
    put(sets + 16, statements);
    put(sets + 24, members);
    size_t end = HEADER + statements * STATEMENT + members * MEMBER;
    put(sets + end, sets_sum(sets, end));
    return HEADER + modules * entry + end + 8;
}

static void check(const uint8_t *data, size_t size) {
    struct rv_lessons *lessons = rv_lessons_read(data, size);
    if (!lessons) return;
    size_t written, again;
    uint8_t *saved = rv_lessons_write(lessons, &written);
    struct rv_lessons *back = rv_lessons_read(saved, written);
    if (!back) abort();
    uint8_t *second = rv_lessons_write(back, &again);
    if (again != written || memcmp(saved, second, written) != 0) abort();
    struct rv_lessons *now = rv_lessons_renew(lessons, "/nonexistent/program", "key");
    rv_lessons_add(now, back);
    rv_lessons_free(now);
    rv_lessons_free(back);
    rv_lessons_free(lessons);
    free(second);
    free(saved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t copy[ROOM];
    check(data, size);
    memset(copy, 0, sizeof copy);
    memcpy(copy, data, size < sizeof copy ? size : sizeof copy);
    size_t used = put_right(copy, sizeof copy);
    uint8_t *exact = malloc(used);
    if (!exact) abort();
    memcpy(exact, copy, used);
    check(exact, used);
    free(exact);
    return 0;
}
