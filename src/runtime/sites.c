/* Sites: code locations, with what executions so far have taught about them.
 *
 * The table lies in the worker's area and is keyed by rv_code, so that it outlives the process and means the
 * same in the next one. A small direct-mapped cache in front is keyed by the raw address: a memory hook
 * costs one comparison here. The table is never full in practice (131,072 sites); if it is, all further
 * sites share the last slot, which is then marked as in conflict: more points than needed, never fewer.
 */
#include "runtime/engine.h"
#include "runtime/reserve.h"

#define ALWAYS_CODE (UINT64_C(1) << 47) /* user space ends below */

struct rv_site_entry *rv_site_cache;
static uint32_t used;
/* What rv_sites_forget has to look at; more than fit: at everything. */
enum { CONFLICTS_KEPT = 1 << 10, ESCAPES_KEPT = 1 << 8 };
static struct rv_site *in_conflict[CONFLICTS_KEPT];
static uint32_t conflicts;
static uint16_t known_escaped[ESCAPES_KEPT];
static uint32_t escapes;

void rv_sites_init(void) {
    rv_site_cache = rv_reserve(RV_SITE_CACHE * sizeof *rv_site_cache);
    if (!rv_site_cache) rv_unusable("no memory for code locations");
}

static uint64_t mix(uint64_t value) {
    value *= 0x9e3779b97f4a7c15u;
    return value ^ value >> 29;
}

static struct rv_site *find_or_add(rv_code code) {
    struct rv_site *sites = rv.area->sites;
    struct rv_site *site = rv_site_place(sites, code);
    if (!site) {
        sites[RV_MAX_SITES - 1].flags |= RV_SITE_CONFLICT;
        return &sites[RV_MAX_SITES - 1];
    }
    if (site->code == 0) {
        site->code = code;
        used++;
    }
    return site;
}

/* Sites are compared by code, and modules have the same numbers in all areas as long as all have the same modules. */
void rv_sites_unite(const struct rv_area *other) {
    for (uint32_t i = 0; i < RV_MAX_SITES; i++) {
        const struct rv_site *site = &other->sites[i];
        rv_code code = __atomic_load_n(&site->code, __ATOMIC_RELAXED);
        if (!code || !(__atomic_load_n(&site->flags, __ATOMIC_RELAXED) & RV_SITE_CONFLICT)) continue;
        struct rv_site *own = find_or_add(code);
        if (own->flags & RV_SITE_CONFLICT) continue;
        own->flags |= RV_SITE_CONFLICT;
        if (site->flags & RV_SITE_ALWAYS) continue;
        rv.area->control.learned++;
        rv.area->control.knowledge += mix(code);
    }
    for (uint32_t i = 0; i < sizeof other->escaped; i++)
        rv.area->escaped[i] |= __atomic_load_n(&other->escaped[i], __ATOMIC_RELAXED);
}

struct rv_site *rv_site_of_slow(uintptr_t pc) {
    bool always = pc >> 63;
    uintptr_t place = always ? pc ^ RV_SITE_OTHER_ROLE : pc;
    rv_code code = rv_code_of(place);
    /* Code outside every module (generated code): its own address is the best name there is. */
    if (code == RV_CODE_UNKNOWN) code = (uint64_t)0x7fff << 48 | (place & 0xffffffffffffu);
    struct rv_site *site = find_or_add(always ? code | ALWAYS_CODE : code);
    if (always) site->flags |= RV_SITE_ALWAYS;
    rv_site_cache[(pc >> 2 ^ pc >> 16) & (RV_SITE_CACHE - 1)] =
        (struct rv_site_entry){.pc = pc, .site = site};
    return site;
}

void rv_learn(uint64_t what) {
    rv_engine.learned->new_sites++;
    rv.area->control.learned++;
    rv.area->control.knowledge += mix(what);
}

void rv_site_conflict(struct rv_site *site) {
    if (RV_LIKELY(site->flags & RV_SITE_CONFLICT)) return;
    site->flags |= RV_SITE_CONFLICT;
    if (conflicts < CONFLICTS_KEPT) in_conflict[conflicts] = site;
    conflicts++;
    if (!(site->flags & RV_SITE_ALWAYS)) rv_learn(site->code);
}

void rv_stack_known(uint32_t lineage) {
    uint8_t *known = &rv.area->escaped[lineage >> 16];
    if (*known) return;
    *known = 1;
    if (escapes < ESCAPES_KEPT) known_escaped[escapes] = (uint16_t)(lineage >> 16);
    escapes++;
    rv_learn(lineage);
}

void rv_sites_forget(void) {
    for (uint32_t i = 0; i < conflicts && i < CONFLICTS_KEPT; i++)
        in_conflict[i]->flags &= ~(uint32_t)RV_SITE_CONFLICT;
    for (uint32_t i = 0; conflicts > CONFLICTS_KEPT && i < RV_MAX_SITES; i++)
        rv.area->sites[i].flags &= ~(uint32_t)RV_SITE_CONFLICT;
    conflicts = 0;
    for (uint32_t i = 0; i < escapes && i < ESCAPES_KEPT; i++) rv.area->escaped[known_escaped[i]] = 0;
    if (escapes > ESCAPES_KEPT) memset(rv.area->escaped, 0, sizeof rv.area->escaped);
    escapes = 0;
}

void rv_site_pair(const struct rv_site *first, const struct rv_site *second) {
    if (rv_engine.replaying) return; /* nobody asks */
    uint64_t a = (uint64_t)(first - rv.area->sites), b = (uint64_t)(second - rv.area->sites);
    uint64_t bit = mix(a << 20 ^ b) >> 44;
    uint8_t *byte = &rv_engine.learned->pairs[bit >> 3];
    if (RV_LIKELY(*byte & 1u << (bit & 7))) return;
    *byte = (uint8_t)(*byte | 1u << (bit & 7));
    rv_engine.learned->new_coverage++;
    rv.area->control.coverage++;
}
