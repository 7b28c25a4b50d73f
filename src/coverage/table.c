#include "coverage/table.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum { FIRST_SLOTS = 64 };

static uint64_t hash_of(const void *bytes, size_t size) { /* FNV-1a, finished */
    const unsigned char *at = bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* Where it is, or the free slot where it would go. */
static uint32_t *slot_of(const struct rv_table *table, const void *bytes, size_t size) {
    uint64_t at = hash_of(bytes, size);
    for (;; at++) {
        uint32_t *slot = &table->slots[at & (table->slot_count - 1)];
        if (!*slot) return slot;
        const struct rv_table_entry *entry = &table->entries[*slot - 1];
        if (entry->size == size && memcmp(entry->bytes, bytes, size) == 0) return slot;
    }
}

static void make_slots(struct rv_table *table, uint32_t count) {
    free(table->slots);
    table->slot_count = count;
    table->slots = rv_text_alloc(table->slot_count, sizeof *table->slots);
    for (uint32_t i = 0; i < table->count; i++)
        *slot_of(table, table->entries[i].bytes, table->entries[i].size) = i + 1;
}

static void enlarge(struct rv_table *table) {
    make_slots(table, table->slot_count ? table->slot_count * 2 : FIRST_SLOTS);
}

static char *copy_of(const void *bytes, size_t size) {
    char *copy = rv_text_alloc(size + 1, 1);
    memcpy(copy, bytes, size);
    return copy;
}

bool rv_table_rename(struct rv_table *table, uint32_t number, const void *bytes, size_t size) {
    if (rv_table_find(table, bytes, size) != RV_TABLE_NONE) return false;
    free(table->entries[number].bytes);
    table->entries[number] = (struct rv_table_entry){copy_of(bytes, size), (uint32_t)size};
    make_slots(table, table->slot_count);
    return true;
}

uint32_t rv_table_find(const struct rv_table *table, const void *bytes, size_t size) {
    return table->slot_count ? *slot_of(table, bytes, size) - 1 : RV_TABLE_NONE; /* 0 becomes NONE */
}

uint32_t rv_table_add(struct rv_table *table, const void *bytes, size_t size, bool *fresh) {
    if (table->count * 2 >= table->slot_count) enlarge(table);
    uint32_t *slot = slot_of(table, bytes, size);
    if (fresh) *fresh = !*slot;
    if (*slot) return *slot - 1;
    if (table->count == table->capacity) {
        table->capacity = table->capacity ? table->capacity * 2 : FIRST_SLOTS;
        table->entries = rv_text_realloc(table->entries, table->capacity, sizeof *table->entries);
    }
    table->entries[table->count] = (struct rv_table_entry){copy_of(bytes, size), (uint32_t)size};
    *slot = ++table->count;
    return table->count - 1;
}

void rv_table_free(struct rv_table *table) {
    for (uint32_t i = 0; i < table->count; i++) free(table->entries[i].bytes);
    free(table->entries);
    free(table->slots);
    *table = (struct rv_table){0};
}
