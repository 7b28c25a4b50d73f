#include "analysis/granules.h"

static size_t region_size(const struct rv_granules *granules) {
    return RV_REGION_GRANULES * granules->record + RV_REGION_PAGES * sizeof(uint64_t);
}

bool rv_granules_init(struct rv_granules *granules, const struct rv_pages *pages, size_t record) {
    *granules = (struct rv_granules){.pages = *pages, .record = record};
    granules->regions = pages->reserve(RV_REGION_SLOTS * sizeof *granules->regions);
    return granules->regions != NULL;
}

void rv_granules_clear(struct rv_granules *granules) {
    for (uint32_t i = 0; i < RV_REGION_SLOTS; i++)
        if (granules->regions[i].records)
            granules->pages.discard(granules->regions[i].records, region_size(granules));
}

/* Where the region is, or where it would go; NULL: too many others are in its way. */
static struct rv_granule_region *region_of(const struct rv_granules *granules, uint64_t number) {
    for (uint64_t at = rv_region_slot(number), tries = 0; tries < RV_REGION_PROBES; at++, tries++) {
        struct rv_granule_region *region = &granules->regions[at & (RV_REGION_SLOTS - 1)];
        if (region->number == number || !region->number) return region;
    }
    return NULL;
}

char *rv_granules_add(struct rv_granules *granules, uint64_t number) {
    struct rv_granule_region *region = region_of(granules, number);
    if (!region || region->number) return region ? region->records : NULL;
    region->records = granules->pages.reserve(region_size(granules));
    if (region->records) region->number = number;
    return region->records;
}

void *rv_granule_known(struct rv_granules *granules, uint64_t address) {
    const struct rv_granule_region *region = region_of(granules, (address >> RV_REGION_SHIFT) + 1);
    return region && region->number ? rv_granule_in(region->records, address, granules->record) : NULL;
}
