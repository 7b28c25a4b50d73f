/* Happens-before races, after FastTrack (Flanagan and Freund, PLDI 2009), made exact for bytes, atomics and after a race.
 *
 * FastTrack keeps the last write and either the last read or one read for each thread. Here a granule has a set of
 * cells, each an access with the bytes that it stands for, and one rule when access a comes:
 *
 *   1. a races with each cell c that has a byte in common, conflicts, and is not ordered before a.
 *   2. a takes c's place on their common bytes if c happens before a, and whatever kind of access conflicts with c
 *      conflicts with a: a write takes any place, a read that of reads, an atomic write that of atomic accesses.
 *   3. Cells that all live threads know of go when room is needed: nobody can race with them any more.
 *
 * Then for each access b and byte: if b races with an earlier access c, it races with a cell. If c's place was taken
 * by a: b conflicts with a by the kinds, and a does not happen before b, or c would. Nor is b in a's thread: then a, and
 * c, would happen before b. So a is a race as well, and so on to whoever has the place at last. FastTrack's write
 * epoch and read vector are what the rule leaves while nothing races; a write that races does not push out what it races
 * with, so that the second race of a byte is as true as the first.
 *
 * An access that the thread did already, in the same epoch, with the same bytes and a kind that meets as much, adds
 * nothing: others know both or neither. It has nothing new to meet either, if no other cell came since, which is so if
 * the older one is the first: this is the fast path in the header. Nor has a read, if all that is kept are reads, so that
 * one of its thread's just becomes the newer one where it is: memory that several threads read again and again takes this
 * second path. (The first cell is the newest but for those.) For the same reason two accesses of one epoch, site, kind and
 * size become one cell with both their bytes, unless another cell with some of these bytes came in between.
 */
#include "analysis/race_hb.h"

enum {
    EXECUTION_MEMORY = 1 << 30, /* address space; what is not used costs nothing */
    SITE_MEMORY = 1 << 28,
    SITE_LIMIT = 1 << 22,
    PAIR_LIMIT = 1 << 20,
    STAMP_SHIFT = 12,
};

/* The kinds that a later access may have if it is to conflict. */
#define BIT(kind) (1u << RV_STEP_##kind)
static const uint8_t meets[] = {
    [RV_STEP_READ] = BIT(WRITE) | BIT(FREE) | BIT(ATOMIC_WRITE) | BIT(ATOMIC_RMW),
    [RV_STEP_WRITE] =
        BIT(READ) | BIT(WRITE) | BIT(FREE) | BIT(ATOMIC_READ) | BIT(ATOMIC_WRITE) | BIT(ATOMIC_RMW),
    [RV_STEP_FREE] =
        BIT(READ) | BIT(WRITE) | BIT(FREE) | BIT(ATOMIC_READ) | BIT(ATOMIC_WRITE) | BIT(ATOMIC_RMW),
    [RV_STEP_ATOMIC_READ] = BIT(WRITE) | BIT(FREE),
    [RV_STEP_ATOMIC_WRITE] = BIT(READ) | BIT(WRITE) | BIT(FREE),
    [RV_STEP_ATOMIC_RMW] = BIT(READ) | BIT(WRITE) | BIT(FREE),
};

static bool replaces(unsigned kind, unsigned older) { return !(meets[older] & ~meets[kind]); }

/* One access on its way through the granules. */
struct access {
    struct rv_race *race;
    const struct rv_hb_thread *thread;
    const struct rv_step *step;
    struct rv_cell cell; /* as it will be kept; its bytes are those of the present granule */
    uint64_t granule;
    uint8_t covered; /* bytes for which an earlier access of the same epoch stands */
};

bool rv_race_init(struct rv_race *race, const struct rv_pages *pages, rv_race_callback *callback,
                  void *user) {
    *race = (struct rv_race){.callback = callback, .user = user};
    void *sites = pages->reserve(SITE_MEMORY);
    race->spill.cells = pages->reserve(RV_SPILL_CELLS * sizeof *race->spill.cells);
    race->site_memo = pages->reserve(RV_SITE_MEMOS * sizeof *race->site_memo);
    if (!sites || !race->spill.cells || !race->site_memo) return false;
    rv_arena_init(&race->site_arena, sites, SITE_MEMORY);
    return rv_hb_init(&race->hb, pages, EXECUTION_MEMORY, true) &&
           rv_granules_init(&race->shadow, pages, sizeof(struct rv_granule));
}

void rv_race_begin(struct rv_race *race) {
    if (rv_hb_begin(&race->hb)) rv_granules_clear(&race->shadow);
    race->spill = (struct rv_spill){.cells = race->spill.cells, .high = race->spill.high};
    race->pairs = (struct rv_index){0};
    race->exhausted = false;
}

const struct rv_hb_thread *rv_race_thread(struct rv_race *race, uint32_t number) {
    return rv_hb_thread(&race->hb, number);
}

static uint32_t site_number(struct rv_race *race, uint64_t site) {
    struct rv_site_memo *memo = &race->site_memo[site * 0x9e3779b97f4a7c15u >> 52];
    if (__builtin_expect(memo->number && memo->site == site, 1)) return memo->number - 1;
    uint32_t number = rv_index_add(&race->sites, &race->site_arena, site, sizeof(uint64_t), SITE_LIMIT);
    if (number == RV_NO_NUMBER) {
        race->exhausted = true;
        return 0;
    }
    ((uint64_t *)race->sites.items)[number] = site;
    *memo = (struct rv_site_memo){site, number + 1};
    return number;
}

static bool is_new_pair(struct rv_race *race, uint32_t a, uint32_t b) {
    uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    uint32_t known = race->pairs.count;
    if (rv_index_add(&race->pairs, &race->hb.arena, key, 1, PAIR_LIMIT) == RV_NO_NUMBER)
        race->exhausted = true;
    return race->pairs.count > known;
}

static unsigned count_bits(unsigned bits) { /* the compiler's own may call into libgcc */
    unsigned count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

/* What a cell says of its access, where it met another one on this byte of the granule. */
static struct rv_race_access describe(const struct rv_race *race, const struct rv_cell *cell,
                                      uint64_t granule, unsigned met) {
    unsigned size = rv_cell_size(cell), bytes = rv_cell_bytes(cell);
    uint64_t begin = (unsigned)__builtin_ctz(bytes);
    if (size <= 3 && count_bits(bytes) > 1u << size) begin = met & ~((1u << size) - 1);
    return (struct rv_race_access){.address = granule + begin,
                                   .size = size == RV_CELL_ODD_SIZE ? 0 : (uint64_t)1 << size,
                                   .site = ((const uint64_t *)race->sites.items)[cell->site],
                                   .thread = rv_hb_owner(&race->hb, rv_cell_epoch(cell)),
                                   .step = cell->step,
                                   .kind = (uint8_t)rv_cell_kind(cell)};
}

static __attribute__((noinline)) void report(const struct access *a, const struct rv_cell *cell) {
    if (!is_new_pair(a->race, cell->site, a->cell.site)) return;
    unsigned met = (unsigned)__builtin_ctz(rv_cell_bytes(cell) & rv_cell_bytes(&a->cell));
    struct rv_race_report found = {.first = describe(a->race, cell, a->granule, met),
                                   .second = {.address = a->step->address,
                                              .size = a->step->size,
                                              .site = a->step->site,
                                              .thread = a->step->thread,
                                              .step = a->cell.step,
                                              .kind = a->step->kind},
                                   .address = a->granule + met};
    a->race->callback(a->race->user, &found);
}

static bool is_unordered(const struct access *a, uint64_t epoch) {
    return rv_epoch_slot(epoch) != a->thread->slot && !rv_hb_ordered(&a->race->hb, epoch, a->thread);
}

/* Steps 1 and 2 of the rule, for one cell. False: nothing is left of it. */
static bool meet(struct access *a, struct rv_cell *cell) {
    uint64_t epoch = rv_cell_epoch(cell);
    if (rv_epoch_clock(epoch) < a->race->hb.base) return false;
    unsigned common = rv_cell_bytes(cell) & rv_cell_bytes(&a->cell);
    if (!common) return true;
    unsigned kind = rv_cell_kind(cell), mine = a->step->kind;
    if (is_unordered(a, epoch)) {
        if (meets[kind] & 1u << mine) report(a, cell);
        return true;
    }
    if (replaces(mine, kind))
        rv_cell_set_bytes(cell, rv_cell_bytes(cell) & ~common);
    else if (epoch == a->thread->epoch && replaces(kind, mine))
        a->covered |= (uint8_t)common;
    return rv_cell_bytes(cell) != 0;
}

/* One of the same epoch, kind, size and site. */
static bool is_alike(const struct rv_cell *a, const struct rv_cell *b) {
    return a->site == b->site && !((a->what ^ b->what) & (((uint64_t)1 << RV_CELL_BYTES) - 1));
}

/* A cell that becomes one with the access: its index among the others, or their count. */
static uint32_t find_alike(const struct access *a, const struct rv_granule *granule,
                           const struct rv_others *others) {
    uint32_t found = others->count;
    for (uint32_t i = 0; i < others->count; i++)
        if (is_alike(&others->cells[i], &a->cell)) found = i;
    if (found == others->count) return found;
    unsigned bytes = rv_cell_bytes(&others->cells[found]), foreign = rv_cell_bytes(&granule->first);
    for (uint32_t i = 0; i < others->count; i++)
        if (i != found) foreign |= rv_cell_bytes(&others->cells[i]);
    return bytes & foreign ? others->count : found;
}

/* The first cell moves, to make place for the newest. */
static void keep_first(struct access *a, struct rv_granule *granule, struct rv_others *others) {
    struct rv_race *race = a->race;
    struct rv_spill *spill = &race->spill;
    if (others->count) {
        if (rv_hb_everywhere(&race->hb, rv_cell_epoch(&granule->first))) return;
        if (!(others->count & (others->count - 1))) /* room is short: a block is full, if there is one */
            for (uint32_t i = others->count; i-- > 0;)
                if (rv_hb_everywhere(&race->hb, rv_cell_epoch(&others->cells[i])))
                    rv_granule_remove(spill, granule, others, i);
    }
    if (!rv_granule_add(spill, granule, others, granule->first, race->hb.base)) race->exhausted = true;
}

static void touch(struct access *a, struct rv_granule *granule) {
    struct rv_race *race = a->race;
    struct rv_others others = rv_granule_others(&race->spill, granule, race->hb.base);
    a->covered = 0;
    if (!meet(a, &granule->first)) granule->first.what = 0;
    for (uint32_t i = others.count; i-- > 0;)
        if (!meet(a, &others.cells[i])) rv_granule_remove(&race->spill, granule, &others, i);
    unsigned bytes = rv_cell_bytes(&a->cell) & ~a->covered;
    if (!bytes) return;
    struct rv_cell mine = a->cell;
    rv_cell_set_bytes(&mine, bytes);
    uint32_t alike = find_alike(a, granule, &others);
    if (alike < others.count) {
        rv_cell_set_bytes(&mine, bytes | rv_cell_bytes(&others.cells[alike]));
        rv_granule_remove(&race->spill, granule, &others, alike);
    }
    if (granule->first.what) {
        if (is_alike(&granule->first, &mine))
            rv_cell_set_bytes(&mine, rv_cell_bytes(&mine) | rv_cell_bytes(&granule->first));
        else
            keep_first(a, granule, &others);
    }
    granule->first = mine;
}

/* Whether the granule has a cell of this execution. */
static bool is_touched(const struct rv_race *race, const struct rv_granule *granule) {
    return rv_epoch_clock(rv_cell_epoch(&granule->first)) >= race->hb.base ||
           rv_epoch_clock(rv_cell_epoch(&granule->second)) >= race->hb.base;
}

/* The bytes have not been touched: a new life. */
static void forget(struct rv_race *race, struct rv_granule *granule, unsigned bytes) {
    struct rv_others others = rv_granule_others(&race->spill, granule, race->hb.base);
    for (uint32_t i = others.count; i-- > 0;) {
        rv_cell_set_bytes(&others.cells[i], rv_cell_bytes(&others.cells[i]) & ~bytes);
        if (!rv_cell_bytes(&others.cells[i])) rv_granule_remove(&race->spill, granule, &others, i);
    }
    rv_cell_set_bytes(&granule->first, rv_cell_bytes(&granule->first) & ~bytes);
    if (!rv_cell_bytes(&granule->first)) granule->first = (struct rv_cell){0};
}

/* ALLOC and FREE: granules that were touched in this execution only. */
static void walk_touched(struct access *a, bool forgetting) {
    struct rv_race *race = a->race;
    struct rv_granule_walk walk = rv_granule_first(a->step->address, a->step->size);
    bool more = a->step->size > 0;
    while (more && !race->exhausted) {
        struct rv_granule *granule = rv_granule_known(&race->shadow, walk.granule);
        if (!granule) {
            more = rv_granule_skip(&walk, RV_REGION_SHIFT);
            continue;
        }
        if (*rv_granule_stamp(&race->shadow, granule, walk.granule) != race->hb.base) {
            more = rv_granule_skip(&walk, STAMP_SHIFT);
            continue;
        }
        if (is_touched(race, granule)) {
            a->granule = walk.granule;
            rv_cell_set_bytes(&a->cell, walk.bytes);
            if (forgetting)
                forget(race, granule, walk.bytes);
            else
                touch(a, granule);
        }
        more = rv_granule_next(&walk);
    }
}

static uint64_t size_code(uint64_t size) {
    return size && size <= 16 && !(size & (size - 1)) ? (unsigned)__builtin_ctzll(size) : RV_CELL_ODD_SIZE;
}

bool rv_race_read_again(struct rv_race *race, const struct rv_hb_thread *thread, struct rv_granule *granule,
                        const struct rv_step *step, uint32_t number) {
    unsigned bytes = ((1u << step->size) - 1) << (step->address & 7);
    struct rv_others others = rv_granule_others(&race->spill, granule, race->hb.base);
    struct rv_cell *cell = &granule->first, *own = NULL;
    bool known = false;
    for (uint32_t i = 0;; cell = &others.cells[i++]) {
        uint64_t epoch = rv_cell_epoch(cell);
        if (rv_epoch_clock(epoch) >= race->hb.base) {
            if (rv_cell_kind(cell) != RV_STEP_READ) return false;
            unsigned its = rv_cell_bytes(cell);
            known |= epoch == thread->epoch && !(bytes & ~its);
            if (rv_epoch_slot(epoch) == thread->slot && its == bytes) own = cell;
        }
        if (i == others.count) break;
    }
    if (known || !own) return known;
    bool same_site = ((const uint64_t *)race->sites.items)[own->site] == step->site;
    *own = (struct rv_cell){(uint64_t)RV_STEP_READ << RV_CELL_KIND | size_code(step->size) << RV_CELL_SIZE |
                                thread->epoch,
                            same_site ? own->site : site_number(race, step->site), number};
    rv_cell_set_bytes(own, bytes);
    return true;
}

void rv_race_slow(struct rv_race *race, const struct rv_hb_thread *thread, const struct rv_step *step,
                  uint32_t number) {
    if (race->exhausted) return;
    struct access a = {.race = race, .thread = thread, .step = step};
    a.cell = (struct rv_cell){(uint64_t)step->kind << RV_CELL_KIND | size_code(step->size) << RV_CELL_SIZE |
                                  thread->epoch,
                              site_number(race, step->site), number};
    if (step->kind == RV_STEP_FREE) {
        walk_touched(&a, false);
        return;
    }
    struct rv_granule_walk walk = rv_granule_first(step->address, step->size);
    do {
        struct rv_granule *granule = rv_granule_at(&race->shadow, walk.granule);
        if (!granule) {
            race->exhausted = true;
            return;
        }
        a.granule = walk.granule;
        rv_cell_set_bytes(&a.cell, walk.bytes);
        touch(&a, granule);
        *rv_granule_stamp(&race->shadow, granule, walk.granule) = race->hb.base;
    } while (rv_granule_next(&walk) && !race->exhausted);
}

/* Step 1 alone, for one cell. */
static void look(const struct access *a, const struct rv_cell *cell) {
    uint64_t epoch = rv_cell_epoch(cell);
    bool present = rv_epoch_clock(epoch) >= a->race->hb.base,
         common = rv_cell_bytes(cell) & rv_cell_bytes(&a->cell);
    if (present && common && is_unordered(a, epoch) && meets[rv_cell_kind(cell)] & 1u << a->step->kind)
        report(a, cell);
}

/* An access that is known already, within a granule: what is kept stays as it is, so that the same races are found as
 * without, and more. */
static void look_again(struct rv_race *race, const struct rv_hb_thread *thread, const struct rv_step *step,
                       uint32_t number) {
    struct access a = {.race = race, .thread = thread, .step = step, .granule = step->address & ~(uint64_t)7};
    struct rv_granule *granule = rv_granule_known(&race->shadow, a.granule);
    if (!granule) return;
    a.cell = (struct rv_cell){(uint64_t)step->kind << RV_CELL_KIND, site_number(race, step->site), number};
    rv_cell_set_bytes(&a.cell, ((1u << step->size) - 1) << (step->address & 7));
    struct rv_others others = rv_granule_others(&race->spill, granule, race->hb.base);
    for (uint32_t i = 0; i < others.count; i++) look(&a, &others.cells[i]);
}

void rv_race_step(struct rv_race *race, const struct rv_step *step, uint32_t number) {
    if (race->exhausted) return;
    const struct rv_hb_thread *thread = rv_hb_before(&race->hb, step);
    if (thread && step->kind <= RV_STEP_WRITE && race->thorough &&
        rv_race_known(rv_race_granule(race, step->address, step->size), thread, step->address, step->size,
                      step->kind == RV_STEP_WRITE))
        look_again(race, thread, step, number);
    else if (thread && step->kind <= RV_STEP_WRITE)
        rv_race_plain(race, thread, step->address, step->size, step->kind == RV_STEP_WRITE, step->site,
                      number);
    else if (thread && rv_step_is_access(step->kind))
        rv_race_slow(race, thread, step, number);
    else if (thread && step->kind == RV_STEP_ALLOC)
        walk_touched(&(struct access){.race = race, .thread = thread, .step = step}, true);
    rv_hb_after(&race->hb, step);
    if (race->hb.exhausted) race->exhausted = true;
}
