#include "strategy/part.h"

#define MAGIC UINT64_C(0x31747261704c5652) /* "RVLpart1": another number with each change of the format */

/* FNV-1a by words: against accidents, not against anybody. */
static uint64_t sum_of(const char *data, size_t size) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, data + at, size - at < 8 ? size - at : 8);
        sum = (sum ^ word) * 0x100000001b3u;
        sum ^= sum >> 32;
    }
    return sum;
}

void rv_part_begin(struct rv_part_writer *writer, void *buffer, size_t room, const struct rv_part *header) {
    struct rv_part first = *header;
    *writer = (struct rv_part_writer){.to = buffer, .room = room};
    first.magic = MAGIC;
    rv_part_put(writer, &first, sizeof first);
}

void rv_part_put(struct rv_part_writer *writer, const void *data, size_t size) {
    if (writer->size + size <= writer->room) memcpy(writer->to + writer->size, data, size);
    writer->size += size;
}

static const size_t summed = offsetof(struct rv_part, size);

void rv_part_seal(void *data, size_t size) {
    uint64_t magic = MAGIC, all = size;
    memcpy(data, &magic, sizeof magic);
    memcpy((char *)data + offsetof(struct rv_part, size), &all, sizeof all);
    uint64_t sum = sum_of((const char *)data + summed, size - summed);
    memcpy((char *)data + offsetof(struct rv_part, sum), &sum, sizeof sum);
}

size_t rv_part_end(struct rv_part_writer *writer) {
    if (writer->size <= writer->room) rv_part_seal(writer->to, writer->size);
    return writer->size;
}

bool rv_part_open(struct rv_part_reader *reader, const void *data, size_t size, struct rv_part *header) {
    *reader = (struct rv_part_reader){.from = data, .size = size};
    rv_part_get(reader, header, sizeof *header);
    return !reader->bad && header->magic == MAGIC && header->size == size &&
           header->sum == sum_of(reader->from + summed, size - summed) && header->kind >= RV_PART_STACK &&
           header->kind <= RV_PART_RESULT;
}

void rv_part_get(struct rv_part_reader *reader, void *data, size_t size) {
    if (reader->bad || size > reader->size - reader->at) {
        reader->bad = true;
        memset(data, 0, size);
        return;
    }
    memcpy(data, reader->from + reader->at, size);
    reader->at += size;
}

uint32_t rv_part_get_most(struct rv_part_reader *reader, uint32_t most) {
    uint32_t value = rv_part_get32(reader);
    if (value <= most) return value;
    reader->bad = true;
    return 0;
}

bool rv_part_done(const struct rv_part_reader *reader) { return !reader->bad && reader->at == reader->size; }

bool rv_known_add(struct rv_known *known, uint64_t number) {
    uint64_t at = number * 0x9e3779b97f4a7c15u >> 20;
    for (;; at++) {
        uint64_t *slot = &known->slots[at % RV_KNOWN_SLOTS];
        uint64_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (there == number) return true;
        if (there) continue;
        if (__atomic_load_n(&known->count, __ATOMIC_RELAXED) > RV_KNOWN_SLOTS / 4 * 3) return false;
        if (__atomic_compare_exchange_n(slot, &there, number, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            __atomic_add_fetch(&known->count, 1, __ATOMIC_RELAXED);
            return false;
        }
        if (there == number) return true;
    }
}
