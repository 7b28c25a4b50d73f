/* The hybrid of locksets and happens-before (O'Callahan and Choi, PPoPP 2003), with atomics and bytes.
 *
 * Each granule has a list of accesses, the newest first. An access that comes is compared with all of them, then kept.
 * It takes the place of an older one that differs in nothing but time: same thread, locks, site, kind and size, and no byte
 * that is not touched again. That one is not missed: it happens before the new one, so who is not ordered after the
 * older one is not ordered after the newer. Bytes are not put together otherwise: the newer time would be claimed for bytes
 * touched before. (Other than in race_hb.c, a write does not replace a read before it: reports are about pairs of statements, and
 * each may be the one that verification can bring together.)
 *
 * When a list is full the oldest access goes. Lists of earlier executions are told by the execution's number.
 */
#include "analysis/lockset.h"

enum { EXECUTION_MEMORY = 1 << 30, KEPT = 1 << 24, PAIR_LIMIT = 1 << 20, STAMP_SHIFT = 12 };

struct rv_kept {
    uint64_t epoch, site;
    uint32_t locks; /* number of the set */
    uint32_t step;
    uint32_t next;             /* 1 + the next older one of the granule; of a free one: the next free one */
    uint8_t bytes, kind, size; /* size as in race_shadow.h */
};

struct list {
    uint32_t execution; /* low bits of the execution's number */
    uint32_t first;     /* 1 + number */
};

struct access {
    struct rv_lockset_races *races;
    const struct rv_hb_thread *thread;
    const struct rv_step *step;
    struct rv_kept kept;
    uint64_t granule;
};

bool rv_lockset_init(struct rv_lockset_races *races, const struct rv_pages *pages, uint32_t keep,
                     rv_lockset_callback *callback, void *user) {
    *races = (struct rv_lockset_races){.keep = keep, .callback = callback, .user = user};
    races->kept = pages->reserve(KEPT * sizeof *races->kept);
    if (!races->kept || !rv_hb_init(&races->hb, pages, EXECUTION_MEMORY, false) ||
        !rv_granules_init(&races->granules, pages, sizeof(struct list)))
        return false;
    rv_lockset_begin(races);
    return true;
}

void rv_lockset_begin(struct rv_lockset_races *races) {
    (void)rv_hb_begin(&races->hb);
    races->held = (struct rv_held){.arena = &races->hb.arena};
    races->pairs = (struct rv_index){0};
    races->kept_count = races->kept_free = 0;
    races->forgotten = 0;
    races->exhausted = false;
    if (!(uint32_t)++races->execution) { /* the numbers in the lists are used again */
        rv_granules_clear(&races->granules);
        races->execution++;
    }
}

static bool is_new_pair(struct rv_lockset_races *races, uint64_t a, uint64_t b) {
    uint32_t known = races->pairs.count;
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t key = (low * 0x9e3779b97f4a7c15u ^ low >> 31) * 0xd1342543de82ef95u +
                   high; /* of 64 bits: no two in practice */
    if (rv_index_add(&races->pairs, &races->hb.arena, key, 1, PAIR_LIMIT) == RV_NO_NUMBER)
        races->exhausted = true;
    return races->pairs.count > known;
}

static void report(const struct access *a, const struct rv_kept *older) {
    struct rv_lockset_races *races = a->races;
    if (!is_new_pair(races, older->site, a->kept.site)) return;
    unsigned met = (unsigned)__builtin_ctz(older->bytes & a->kept.bytes);
    struct rv_lockset_report found = {
        .first = {.address = a->granule + (unsigned)__builtin_ctz(older->bytes),
                  .size = older->size == RV_CELL_ODD_SIZE ? 0 : 1u << older->size,
                  .site = older->site,
                  .thread = rv_hb_owner(&races->hb, older->epoch),
                  .step = older->step,
                  .kind = older->kind},
        .second = {.address = a->step->address,
                   .size = a->step->size,
                   .site = a->step->site,
                   .thread = a->step->thread,
                   .step = a->kept.step,
                   .kind = a->step->kind},
        .first_locks = rv_held_set(&races->held, older->locks),
        .second_locks = rv_held_set(&races->held, a->kept.locks),
        .address = a->granule + met};
    races->callback(races->user, &found);
}

static void meet(const struct access *a, const struct rv_kept *older) {
    const struct rv_lockset_races *races = a->races;
    if (!(older->bytes & a->kept.bytes) || !rv_steps_conflict(older->kind, a->kept.kind)) return;
    if (rv_epoch_slot(older->epoch) == a->thread->slot || rv_hb_ordered(&races->hb, older->epoch, a->thread))
        return;
    if (rv_locksets_meet(rv_held_set(&races->held, older->locks), rv_held_set(&races->held, a->kept.locks)))
        return;
    report(a, older);
}

/* The same but for its time and bytes. */
static bool is_alike(const struct rv_kept *a, const struct rv_kept *b) {
    return rv_epoch_slot(a->epoch) == rv_epoch_slot(b->epoch) && a->site == b->site && a->locks == b->locks &&
           a->kind == b->kind && a->size == b->size;
}

static void drop(struct rv_lockset_races *races, uint32_t *link) {
    uint32_t gone = *link - 1;
    *link = races->kept[gone].next;
    races->kept[gone].next = races->kept_free;
    races->kept_free = gone + 1;
}

static void keep(struct access *a, struct list *list) {
    struct rv_lockset_races *races = a->races;
    uint32_t number = races->kept_free;
    if (number)
        races->kept_free = races->kept[number - 1].next;
    else if (races->kept_count < KEPT)
        number = ++races->kept_count;
    else
        races->exhausted = true;
    if (!number) return;
    races->kept[number - 1] = a->kept;
    races->kept[number - 1].next = list->first;
    list->first = number;
}

static void touch(struct access *a, struct list *list) {
    struct rv_lockset_races *races = a->races;
    if (list->execution != (uint32_t)races->execution) *list = (struct list){(uint32_t)races->execution, 0};
    const struct rv_kept *newest = list->first ? &races->kept[list->first - 1] : NULL;
    if (newest && newest->epoch == a->kept.epoch && is_alike(newest, &a->kept) &&
        !(a->kept.bytes & ~newest->bytes))
        return; /* nobody came since */
    uint32_t count = 0;
    for (uint32_t *link = &list->first; *link;) {
        const struct rv_kept *older = &races->kept[*link - 1];
        meet(a, older);
        bool same = is_alike(older, &a->kept);
        if (same && !(older->bytes & ~a->kept.bytes)) {
            drop(races, link);
        } else if (++count == races->keep) { /* the last: there is room for one less */
            while (*link) {
                if (older != &races->kept[*link - 1]) meet(a, &races->kept[*link - 1]);
                drop(races, link);
                races->forgotten++;
            }
        } else {
            link = &races->kept[*link - 1].next;
        }
    }
    keep(a, list);
}

/* The bytes have not been touched: a new life. */
static void forget(struct rv_lockset_races *races, struct list *list, unsigned bytes) {
    for (uint32_t *link = &list->first; *link;) {
        struct rv_kept *kept = &races->kept[*link - 1];
        kept->bytes &= (uint8_t)~bytes;
        if (kept->bytes)
            link = &kept->next;
        else
            drop(races, link);
    }
}

/* ALLOC and FREE: granules that were touched in this execution only. */
static void walk_touched(struct access *a) {
    struct rv_lockset_races *races = a->races;
    struct rv_granule_walk walk = rv_granule_first(a->step->address, a->step->size);
    bool more = a->step->size > 0;
    while (more && !races->exhausted) {
        struct list *list = rv_granule_known(&races->granules, walk.granule);
        if (!list) {
            more = rv_granule_skip(&walk, RV_REGION_SHIFT);
            continue;
        }
        if (*rv_granule_stamp(&races->granules, list, walk.granule) != races->execution) {
            more = rv_granule_skip(&walk, STAMP_SHIFT);
            continue;
        }
        if (list->execution == (uint32_t)races->execution && list->first) {
            a->granule = walk.granule;
            a->kept.bytes = walk.bytes;
            if (a->step->kind == RV_STEP_ALLOC)
                forget(races, list, walk.bytes);
            else
                touch(a, list);
        }
        more = rv_granule_next(&walk);
    }
}

static void walk_all(struct access *a) {
    struct rv_lockset_races *races = a->races;
    struct rv_granule_walk walk = rv_granule_first(a->step->address, a->step->size);
    do {
        struct list *list = rv_granule_at(&races->granules, walk.granule);
        if (!list) {
            races->exhausted = true;
            return;
        }
        a->granule = walk.granule;
        a->kept.bytes = walk.bytes;
        touch(a, list);
        *rv_granule_stamp(&races->granules, list, walk.granule) = races->execution;
    } while (rv_granule_next(&walk) && !races->exhausted);
}

void rv_lockset_step(struct rv_lockset_races *races, const struct rv_step *step, uint32_t number) {
    if (races->exhausted) return;
    const struct rv_hb_thread *thread = rv_hb_before(&races->hb, step);
    if (!rv_held_step(&races->held, step, number)) races->exhausted = true;
    if (thread && !races->exhausted) {
        uint64_t size = step->size;
        bool plain_size = size && size <= 16 && !(size & (size - 1));
        struct access a = {.races = races,
                           .thread = thread,
                           .step = step,
                           .kept = {.epoch = thread->epoch,
                                    .site = step->site,
                                    .locks = rv_held_by(&races->held, step->thread),
                                    .step = number,
                                    .kind = step->kind,
                                    .size = plain_size ? (uint8_t)__builtin_ctzll(size) : RV_CELL_ODD_SIZE}};
        if (step->kind == RV_STEP_ALLOC || step->kind == RV_STEP_FREE)
            walk_touched(&a);
        else if (rv_step_is_access(step->kind))
            walk_all(&a);
    }
    rv_hb_after(&races->hb, step);
    if (races->hb.exhausted) races->exhausted = true;
}
