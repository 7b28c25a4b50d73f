/* Two threads at the two sides of a race.
 *
 * They meet when both are about to do their accesses, which overlap, one of them writes, and not both are atomic: then
 * nothing orders them, for each can be done now. The engine sees that for itself (runtime/watch.c); here both are let go,
 * either first, and in half of the tries nobody is held from then on, so that it can be seen what comes of it undisturbed.
 */
#include "strategy/steer.h"

enum { GRANULE = 8, GRANULES_MAX = 64, PLACES_MAX = 1 << 13 };
enum { SEVERAL = RV_NO_THREAD };

/* Eight bytes: which of them were used from each side, and by whom: 1 + the thread, or SEVERAL. */
struct place {
    uint32_t users[2];
    uint8_t bytes[2];
};

static uint8_t sides_of(const struct rv_steer *steer, const struct rv_operation *access) {
    const uint64_t *sites = steer->aim.sites[0];
    if (!(access->flags & RV_OPF_MEMORY)) return 0;
    return (uint8_t)((access->site == sites[0]) | (access->site == sites[1]) << 1);
}

static bool are_opposite(uint8_t a, uint8_t b) { return (a & 1 && b & 2) || (a & 2 && b & 1); }

/* As the engine counts them: some operations have no size of their own. */
static uint64_t size_of(const struct rv_operation *access) { return access->size ? access->size : 1; }

static bool conflict(const struct rv_operation *a, const struct rv_operation *b) {
    bool overlap = a->object < b->object + size_of(b) && b->object < a->object + size_of(a);
    bool both_atomic = a->flags & b->flags & RV_OPF_ATOMIC;
    return overlap && !both_atomic && ((a->flags | b->flags) & RV_OPF_WRITE);
}

static uint64_t granule_count(const struct rv_operation *access) {
    uint64_t first = access->object / GRANULE, last = (access->object + size_of(access) - 1) / GRANULE;
    return last - first < GRANULES_MAX ? last - first + 1 : GRANULES_MAX;
}

/* Of the access's n-th granule the bytes that it touches: a bit each. */
static uint8_t bytes_in(const struct rv_operation *access, uint64_t n) {
    uint64_t from = n ? 0 : access->object % GRANULE;
    uint64_t end = access->object % GRANULE + size_of(access) - n * GRANULE;
    return (uint8_t)((0xffu << from) & (0xffu >> (end < GRANULE ? GRANULE - end : 0)));
}

/* The bytes that different threads have used from both sides. */
static uint8_t shared_bytes(const struct place *place) {
    const uint32_t *users = place->users;
    bool shared = users[0] && users[1] && (users[0] != users[1] || users[0] == SEVERAL);
    return shared ? place->bytes[0] & place->bytes[1] : 0;
}

static bool is_known(const struct rv_steer *steer, const struct rv_operation *access) {
    for (uint64_t i = 0; i < granule_count(access); i++) {
        uint32_t number = rv_index_find(&steer->places, access->object / GRANULE + i);
        if (number == RV_NO_NUMBER) continue;
        const struct place *place = &((const struct place *)steer->places.items)[number];
        if (shared_bytes(place) & bytes_in(access, i)) return true;
    }
    return false;
}

static int64_t meet(struct rv_steer *steer, const struct rv_point *point, uint32_t one, uint32_t other) {
    rv_steer_let_go(steer, &point->candidates[one]);
    rv_steer_let_go(steer, &point->candidates[other]);
    steer->over = rv_rng_below(&steer->rng, 2);
    return rv_rng_below(&steer->rng, 2) ? one : other;
}

int64_t rv_steer_race_arrive(struct rv_steer *steer, const struct rv_point *point, uint32_t index) {
    const struct rv_candidate *self = &point->candidates[index];
    uint8_t sides = sides_of(steer, &self->next);
    if (!sides) return -1;
    for (uint32_t i = 0; i < point->count; i++) {
        const struct rv_candidate *other = &point->candidates[i];
        if (other->thread == self->thread || !are_opposite(sides, sides_of(steer, &other->next))) continue;
        if (conflict(&self->next, &other->next)) return meet(steer, point, index, i);
    }
    if ((sides & steer->sides) && (!steer->known_only || is_known(steer, &self->next)))
        (void)rv_steer_hold(steer, self);
    return -1;
}

static void add_user(struct place *place, unsigned side, uint32_t thread, uint8_t bytes) {
    uint32_t *user = &place->users[side];
    *user = !*user || *user == thread + 1 ? thread + 1 : SEVERAL;
    place->bytes[side] |= bytes;
}

void rv_steer_race_done(struct rv_steer *steer, uint32_t thread, const struct rv_operation *done) {
    uint8_t sides = sides_of(steer, done);
    steer->sides_seen |= sides;
    for (uint64_t i = 0; sides && i < granule_count(done); i++) {
        uint32_t number = rv_index_add(&steer->places, steer->arena, done->object / GRANULE + i,
                                       sizeof(struct place), PLACES_MAX);
        if (number == RV_NO_NUMBER) return;
        struct place *place = &((struct place *)steer->places.items)[number];
        for (unsigned side = 0; side < 2; side++)
            if (sides >> side & 1) add_user(place, side, thread, bytes_in(done, i));
        steer->known |= shared_bytes(place) != 0;
    }
}
