/* The saved form is an array of 64-bit words in the machine's order:
 *
 *     magic, version, number of statements, number of members
 *     each statement    site, context, number of frames, RV_HAPSET_FRAMES frames (0 beyond their number)
 *     each member       statement << 32 | predecessor, execution
 *     check sum         over all words before
 *
 * Records have a fixed size, so that a member's statement is found in the data without a table. The check sum is
 * against accidents (a worker whose program wrote over it, a bad disk); whatever passes it is checked field by
 * field all the same.
 */
#include "strategy/hapset.h"

#include <string.h>

enum {
    VERSION = 1,
    HEADER_WORDS = 4,
    STATEMENT_WORDS = 3 + RV_HAPSET_FRAMES,
    MEMBER_WORDS = 2,
};
#define MAGIC 0x7465737061486c72u /* "rlHapset" */

void rv_hapsets_init(struct rv_hapsets *sets, struct rv_arena *arena) {
    *sets = (struct rv_hapsets){.arena = arena};
}

const struct rv_hapset_statement *rv_hapset_statement_at(const struct rv_hapsets *sets, uint32_t number) {
    return (const struct rv_hapset_statement *)sets->statements.items + number;
}

const struct rv_hapset_member *rv_hapset_member_at(const struct rv_hapsets *sets, uint32_t number) {
    return (const struct rv_hapset_member *)sets->members.items + number;
}

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* The key under which (site, context) is or would be: the next one after keys that others happen to have. */
static uint64_t key_of(const struct rv_hapsets *sets, uint64_t site, uint64_t context) {
    uint64_t key = mix(mix(0, site), context);
    for (;; key++) {
        uint32_t number = rv_index_find(&sets->statements, key);
        if (number == RV_NO_NUMBER) return key;
        const struct rv_hapset_statement *there = rv_hapset_statement_at(sets, number);
        if (there->site == site && there->context == context) return key;
    }
}

uint32_t rv_hapset_statement(struct rv_hapsets *sets, uint64_t site, uint64_t context, const uint64_t *frames,
                             uint32_t frame_count) {
    uint32_t before = sets->statements.count;
    uint32_t number = rv_index_add(&sets->statements, sets->arena, key_of(sets, site, context),
                                   sizeof(struct rv_hapset_statement), RV_HAPSET_STATEMENTS);
    if (number == RV_NO_NUMBER || number < before) return number;
    struct rv_hapset_statement *statement = (struct rv_hapset_statement *)sets->statements.items + number;
    statement->site = site;
    statement->context = context;
    statement->frame_count = frame_count < RV_HAPSET_FRAMES ? frame_count : RV_HAPSET_FRAMES;
    for (uint32_t i = 0; i < statement->frame_count; i++) statement->frames[i] = frames[i];
    return number;
}

static uint64_t pair(uint32_t statement, uint32_t predecessor) {
    return (uint64_t)statement << 32 | predecessor;
}

bool rv_hapset_add(struct rv_hapsets *sets, uint32_t statement, uint32_t predecessor, uint64_t execution) {
    uint32_t before = sets->members.count;
    if (statement >= sets->statements.count || predecessor >= sets->statements.count) return false;
    uint32_t number = rv_index_add(&sets->members, sets->arena, pair(statement, predecessor),
                                   sizeof(struct rv_hapset_member), RV_HAPSET_MEMBERS);
    if (number == RV_NO_NUMBER || number < before) return false;
    ((struct rv_hapset_member *)sets->members.items)[number] =
        (struct rv_hapset_member){statement, predecessor, execution};
    return true;
}

bool rv_hapset_has(const struct rv_hapsets *sets, uint32_t statement, uint32_t predecessor) {
    return rv_index_find(&sets->members, pair(statement, predecessor)) != RV_NO_NUMBER;
}

/* ---- saved form ---- */

static uint64_t words_of(uint64_t statements, uint64_t members) {
    return HEADER_WORDS + statements * STATEMENT_WORDS + members * MEMBER_WORDS + 1;
}

struct writer {
    char *at;
    uint64_t sum;
};

static void put(struct writer *writer, uint64_t word) {
    memcpy(writer->at, &word, sizeof word);
    writer->at += sizeof word;
    writer->sum = mix(writer->sum, word);
}

static void put_statement(struct writer *writer, const struct rv_hapset_statement *statement) {
    put(writer, statement->site);
    put(writer, statement->context);
    put(writer, statement->frame_count);
    for (unsigned i = 0; i < RV_HAPSET_FRAMES; i++) put(writer, statement->frames[i]);
}

size_t rv_hapset_save(const struct rv_hapsets *sets, void *buffer, size_t room) {
    size_t size = words_of(sets->statements.count, sets->members.count) * sizeof(uint64_t);
    if (room < size) return size;
    struct writer writer = {.at = buffer};
    put(&writer, MAGIC);
    put(&writer, VERSION);
    put(&writer, sets->statements.count);
    put(&writer, sets->members.count);
    for (uint32_t i = 0; i < sets->statements.count; i++)
        put_statement(&writer, rv_hapset_statement_at(sets, i));
    for (uint32_t i = 0; i < sets->members.count; i++) {
        const struct rv_hapset_member *member = rv_hapset_member_at(sets, i);
        put(&writer, pair(member->statement, member->predecessor));
        put(&writer, member->execution);
    }
    put(&writer, writer.sum);
    return size;
}

/* A saved form that has been found to be one; words are read with memcpy, for data may lie anywhere. */
struct saved {
    const char *data;
    uint64_t statements, members;
};

static uint64_t word_at(const char *data, uint64_t index) {
    uint64_t word;
    memcpy(&word, data + index * sizeof word, sizeof word);
    return word;
}

static uint64_t statement_word(const struct saved *saved, uint64_t number, unsigned field) {
    return word_at(saved->data, HEADER_WORDS + number * STATEMENT_WORDS + field);
}

static uint64_t member_word(const struct saved *saved, uint64_t number, unsigned field) {
    return word_at(saved->data,
                   HEADER_WORDS + saved->statements * STATEMENT_WORDS + number * MEMBER_WORDS + field);
}

static bool sum_is_right(const char *data, uint64_t words) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i + 1 < words; i++) sum = mix(sum, word_at(data, i));
    return sum == word_at(data, words - 1);
}

static bool records_are_right(const struct saved *saved) {
    for (uint64_t i = 0; i < saved->statements; i++) {
        uint64_t frames = statement_word(saved, i, 2);
        if (frames > RV_HAPSET_FRAMES) return false;
        for (uint64_t k = frames; k < RV_HAPSET_FRAMES; k++)
            if (statement_word(saved, i, 3 + (unsigned)k) != 0) return false;
    }
    for (uint64_t i = 0; i < saved->members; i++) {
        uint64_t members = member_word(saved, i, 0);
        if (members >> 32 >= saved->statements || (uint32_t)members >= saved->statements) return false;
    }
    return true;
}

static bool open_saved(struct saved *saved, const void *data, size_t size) {
    *saved = (struct saved){.data = data};
    if (size < words_of(0, 0) * sizeof(uint64_t) || size % sizeof(uint64_t) != 0) return false;
    if (word_at(data, 0) != MAGIC || word_at(data, 1) != VERSION) return false;
    saved->statements = word_at(data, 2);
    saved->members = word_at(data, 3);
    if (saved->statements > RV_HAPSET_STATEMENTS || saved->members > RV_HAPSET_MEMBERS) return false;
    uint64_t words = words_of(saved->statements, saved->members);
    return size == words * sizeof(uint64_t) && sum_is_right(data, words) && records_are_right(saved);
}

static uint32_t load_statement(struct rv_hapsets *sets, const struct saved *saved, uint64_t number) {
    uint64_t frames[RV_HAPSET_FRAMES];
    for (unsigned i = 0; i < RV_HAPSET_FRAMES; i++) frames[i] = statement_word(saved, number, 3 + i);
    return rv_hapset_statement(sets, statement_word(saved, number, 0), statement_word(saved, number, 1),
                               frames, (uint32_t)statement_word(saved, number, 2));
}

bool rv_hapset_load(struct rv_hapsets *sets, const void *data, size_t size) {
    struct saved saved;
    if (!open_saved(&saved, data, size)) return false;
    for (uint64_t i = 0; i < saved.statements; i++) (void)load_statement(sets, &saved, i);
    for (uint64_t i = 0; i < saved.members; i++) {
        uint64_t numbers = member_word(&saved, i, 0);
        uint32_t statement = load_statement(sets, &saved, numbers >> 32);
        uint32_t predecessor = load_statement(sets, &saved, (uint32_t)numbers);
        (void)rv_hapset_add(sets, statement, predecessor, member_word(&saved, i, 1));
    }
    return true;
}
