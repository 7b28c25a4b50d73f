/* Shadow memory: a record of fixed size for each granule of 8 bytes of the program's memory.
 *
 * Records lie in regions for 2 MiB of addresses, found through a hash table: exact, whatever the addresses. A region is
 * reserved when first asked for and stays; its pages cost nothing until written. Records are zero at first and never
 * cleared between executions: what is in them says by itself which execution it belongs to. For each page of program
 * memory there is a stamp, for the user: who notes there which execution touched the page can pass over others quickly.
 */
#ifndef RV_ANALYSIS_GRANULES_H
#define RV_ANALYSIS_GRANULES_H

#include "analysis/step.h"

enum {
    RV_REGION_SHIFT = 21,
    RV_REGION_GRANULES = 1 << (RV_REGION_SHIFT - 3),
    RV_REGION_PAGES = 1 << (RV_REGION_SHIFT - 12),
    RV_REGION_SLOTS = 1 << 13,
    RV_REGION_PROBES = 64
};

struct rv_granule_region {
    uint64_t number; /* 1 + (address >> RV_REGION_SHIFT); 0: free */
    char *records;
};

struct rv_granules {
    struct rv_pages pages;
    struct rv_granule_region *regions;
    size_t record;
};

bool rv_granules_init(struct rv_granules *granules, const struct rv_pages *pages, size_t record);
/* Every record is zero again. */
void rv_granules_clear(struct rv_granules *granules);
char *rv_granules_add(struct rv_granules *granules, uint64_t number);

static inline uint64_t rv_region_slot(uint64_t number) { return number * 0x9e3779b97f4a7c15u >> 51; }

/* The region if it is where it is looked for first, else NULL. */
static inline char *rv_granules_near(const struct rv_granules *granules, uint64_t address) {
    uint64_t number = (address >> RV_REGION_SHIFT) + 1;
    const struct rv_granule_region *region = &granules->regions[rv_region_slot(number)];
    return __builtin_expect(region->number == number, 1) ? region->records : NULL;
}

/* The record of the granule of this address, in a region. */
static inline void *rv_granule_in(char *records, uint64_t address, size_t record) {
    return records + (address >> 3 & (RV_REGION_GRANULES - 1)) * record;
}

/* NULL: no memory. */
static inline void *rv_granule_at(struct rv_granules *granules, uint64_t address) {
    char *records = rv_granules_near(granules, address);
    if (!records) records = rv_granules_add(granules, (address >> RV_REGION_SHIFT) + 1);
    return records ? rv_granule_in(records, address, granules->record) : NULL;
}
/* The same, but NULL if nothing was ever looked up in its region. */
void *rv_granule_known(struct rv_granules *granules, uint64_t address);

/* The stamp of the page that a granule is in, from its record. */
static inline uint64_t *rv_granule_stamp(const struct rv_granules *granules, void *record, uint64_t address) {
    char *records = (char *)record - (address >> 3 & (RV_REGION_GRANULES - 1)) * granules->record;
    return (uint64_t *)(void *)(records + RV_REGION_GRANULES * granules->record) +
           (address >> 12 & (RV_REGION_PAGES - 1));
}

/* Walks the granules of [address, address + size), each with the bytes of it that are in the range, as a mask. */
struct rv_granule_walk {
    uint64_t granule; /* address of the granule */
    uint8_t bytes;    /* bit i: byte granule + i */
    uint64_t address, last;
};

static inline void rv_granule_bytes(struct rv_granule_walk *walk) {
    unsigned bytes = 0xff;
    if (walk->granule < walk->address) bytes &= 0xffu << (walk->address - walk->granule);
    if (walk->last - walk->granule < 7) bytes &= 0xffu >> (7 - (walk->last - walk->granule));
    walk->bytes = (uint8_t)bytes;
}

/* A range of no bytes counts as one of one; one that goes past the end of all addresses ends there. */
static inline struct rv_granule_walk rv_granule_first(uint64_t address, uint64_t size) {
    uint64_t last = address + (size ? size - 1 : 0);
    struct rv_granule_walk walk = {address & ~(uint64_t)7, 0, address, last < address ? UINT64_MAX : last};
    rv_granule_bytes(&walk);
    return walk;
}

static inline bool rv_granule_next(struct rv_granule_walk *walk) {
    if (walk->last - walk->granule < 8) return false;
    walk->granule += 8;
    rv_granule_bytes(walk);
    return true;
}

/* The walk goes on behind the aligned block of 1 << shift bytes that it is in; false: the range ends before. */
static inline bool rv_granule_skip(struct rv_granule_walk *walk, unsigned shift) {
    uint64_t end = walk->granule | (((uint64_t)1 << shift) - 1);
    if (end >= walk->last) return false;
    walk->granule = end + 1;
    rv_granule_bytes(walk);
    return true;
}

#endif
