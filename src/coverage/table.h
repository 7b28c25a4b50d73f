/* Dense numbers for things that are equal when their bytes are: the first one added is number 0. Nothing is removed. */
#ifndef RV_COVERAGE_TABLE_H
#define RV_COVERAGE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RV_TABLE_NONE = 0xffffffffu };

struct rv_table_entry {
    char *bytes; /* with a NUL behind them */
    uint32_t size;
};

/* Zeroed: empty. */
struct rv_table {
    struct rv_table_entry *entries;
    uint32_t count, capacity;
    uint32_t *slots; /* 1 + number */
    uint32_t slot_count;
};

/* fresh: it was not there before; NULL: nobody asks. */
uint32_t rv_table_add(struct rv_table *table, const void *bytes, size_t size, bool *fresh);
uint32_t rv_table_find(const struct rv_table *table, const void *bytes, size_t size); /* RV_TABLE_NONE */
/* Other bytes for a number that is there. False: there is a number for these already. */
bool rv_table_rename(struct rv_table *table, uint32_t number, const void *bytes, size_t size);
void rv_table_free(struct rv_table *table);

#endif
