/* The threads of a cycle of locks, each at its place.
 *
 * A thread that holds its first lock and asks for the second is held as long as the second is free. When the next thread of
 * the cycle takes that one, this one cannot go on any more, and when all have come so far nobody can: no moment needs to be
 * found at which to let them go.
 *
 * But a thread that holds its first lock keeps others from coming to their places, if they need that lock before. So in
 * most tries threads are held already before their first lock (staged), until all of the cycle are as far.
 */
#include "strategy/steer.h"

enum { LOCKS_MAX = 1 << 12 };

/* In which positions a lock was seen: a bit each. */
struct place {
    uint8_t held, wanted;
};

static bool is_at(uint64_t wanted, uint64_t site) { return wanted == site || !wanted; }

/* The positions with this location as their first (0) or second (1). */
static uint8_t positions_at(const struct rv_steer *steer, unsigned which, uint64_t site) {
    uint8_t positions = 0;
    for (uint32_t i = 0; i < steer->aim.count; i++)
        if (is_at(steer->aim.sites[i][which], site)) positions |= (uint8_t)(1u << i);
    return positions;
}

/* Each position's neighbour in the cycle: the one that wants what it holds. */
static uint8_t before(const struct rv_steer *steer, uint8_t positions) {
    return (uint8_t)(positions >> 1 | (positions & 1) << (steer->aim.count - 1));
}
static uint8_t after(const struct rv_steer *steer, uint8_t positions) {
    uint8_t all = (uint8_t)((1u << steer->aim.count) - 1);
    return (uint8_t)((positions << 1 | positions >> (steer->aim.count - 1)) & all);
}

static bool takes(const struct rv_operation *operation) {
    switch (operation->op) {
    case RV_OP_LOCK:
    case RV_OP_TIMEDLOCK:
    case RV_OP_TRYLOCK:
    case RV_OP_RDLOCK:
    case RV_OP_WRLOCK:
    case RV_OP_TRYRDLOCK:
    case RV_OP_TRYWRLOCK:
    case RV_OP_SPINLOCK:
    case RV_OP_SPINTRYLOCK: return true;
    default: return false;
    }
}

/* Without giving up. */
static bool waits(const struct rv_operation *operation) {
    return operation->op == RV_OP_LOCK || operation->op == RV_OP_RDLOCK || operation->op == RV_OP_WRLOCK ||
           operation->op == RV_OP_SPINLOCK;
}

static bool gives_back(const struct rv_operation *operation) {
    return operation->op == RV_OP_UNLOCK || operation->op == RV_OP_RWUNLOCK ||
           operation->op == RV_OP_SPINUNLOCK;
}

/* ---- what is known of locks ---- */

static struct place place_of(const struct rv_steer *steer, uint64_t object) {
    uint32_t number = rv_index_find(&steer->places, object);
    if (number == RV_NO_NUMBER) return (struct place){0};
    return ((const struct place *)steer->places.items)[number];
}

static void note_place(struct rv_steer *steer, uint64_t object, uint8_t held, uint8_t wanted) {
    uint32_t number = rv_index_add(&steer->places, steer->arena, object, sizeof(struct place), LOCKS_MAX);
    if (number == RV_NO_NUMBER) return;
    struct place *place = &((struct place *)steer->places.items)[number];
    place->held |= held;
    place->wanted |= wanted;
}

/* Of these positions those at which the lock, when held, was wanted by the one before. */
static uint8_t held_known(const struct rv_steer *steer, uint8_t positions, uint64_t held) {
    struct place place = place_of(steer, held);
    return positions & place.held & after(steer, place.wanted);
}

static uint8_t wait_known(const struct rv_steer *steer, uint8_t positions, uint64_t held, uint64_t wanted) {
    return held_known(steer, positions, held) & before(steer, place_of(steer, wanted).held);
}

/* ---- who holds what ---- */

static struct rv_steer_hold *hold_of(struct rv_steer *steer, uint32_t thread, uint64_t object) {
    for (uint32_t i = 0; i < steer->hold_count; i++)
        if (steer->holds[i].thread == thread && steer->holds[i].object == object) return &steer->holds[i];
    return NULL;
}

/* The positions in which the thread would be if it waited for the lock at these. */
static uint8_t waits_in(const struct rv_steer *steer, uint32_t thread, uint64_t wanted, uint8_t positions,
                        bool known_only) {
    uint8_t in = 0;
    for (uint32_t i = 0; i < steer->hold_count && positions; i++) {
        const struct rv_steer_hold *hold = &steer->holds[i];
        if (hold->thread != thread || hold->object == wanted) continue;
        uint8_t both = positions & hold->positions;
        in |= known_only ? wait_known(steer, both, hold->object, wanted) : both;
    }
    return in;
}

static void learn(struct rv_steer *steer, uint32_t thread, const struct rv_operation *taken) {
    uint8_t positions = positions_at(steer, 1, taken->site);
    for (uint32_t i = 0; i < steer->hold_count && positions; i++) {
        const struct rv_steer_hold *hold = &steer->holds[i];
        uint8_t both = positions & hold->positions;
        if (hold->thread != thread || hold->object == taken->object || !both) continue;
        note_place(steer, hold->object, both, 0);
        note_place(steer, taken->object, 0, both);
    }
    steer->known |= waits_in(steer, thread, taken->object, positions, true) != 0;
}

static void take(struct rv_steer *steer, uint32_t thread, const struct rv_operation *taken) {
    struct rv_steer_hold *hold = hold_of(steer, thread, taken->object);
    learn(steer, thread, taken);
    if (hold) {
        hold->depth++;
        return;
    }
    uint8_t positions = positions_at(steer, 0, taken->site);
    if (!positions) return;
    void *larger =
        rv_grow(steer->arena, steer->holds, &steer->hold_capacity, steer->hold_count, sizeof *hold);
    if (!larger) return;
    steer->holds = larger;
    steer->holds[steer->hold_count++] = (struct rv_steer_hold){taken->object, thread, 1, positions};
}

/* Parts of other operations have no site; but what a wait gives up is given up. */
void rv_steer_lock_done(struct rv_steer *steer, uint32_t thread, const struct rv_operation *done) {
    if (done->unchanged) return;
    if (takes(done) && done->site) take(steer, thread, done);
    if (!gives_back(done)) return;
    struct rv_steer_hold *hold = hold_of(steer, thread, done->object);
    if (hold && !--hold->depth) *hold = steer->holds[--steer->hold_count];
}

/* ---- at their places ---- */

/* All positions have a thread, as far as can be said without trying all assignments. */
static bool is_complete(struct rv_steer *steer, const struct rv_point *point) {
    uint32_t count = 0;
    uint8_t positions = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        if (!rv_steer_holds(steer, &point->candidates[i])) continue;
        positions |= steer->threads[point->candidates[i].thread].positions;
        count++;
    }
    return count >= steer->aim.count && positions == (1u << steer->aim.count) - 1;
}

static void end_staging(struct rv_steer *steer, const struct rv_point *point) {
    for (uint32_t i = 0; i < point->count; i++)
        if (rv_steer_holds(steer, &point->candidates[i]) &&
            steer->threads[point->candidates[i].thread].staged)
            rv_steer_let_go(steer, &point->candidates[i]);
}

void rv_steer_lock_arrive(struct rv_steer *steer, const struct rv_point *point, uint32_t index) {
    const struct rv_candidate *self = &point->candidates[index];
    const struct rv_operation *next = &self->next;
    if (!takes(next)) return;
    uint8_t positions = waits(next) ? positions_at(steer, 1, next->site) : 0;
    positions = waits_in(steer, self->thread, next->object, positions, steer->known_only);
    bool staged = !positions && steer->staging;
    if (staged) {
        positions = positions_at(steer, 0, next->site);
        if (steer->known_only) positions = held_known(steer, positions, next->object);
    }
    if (!positions || !rv_steer_hold(steer, self)) return;
    struct rv_steer_thread *entry = rv_steer_thread(steer, self->thread);
    entry->positions = positions;
    entry->staged = staged;
    if (is_complete(steer, point)) end_staging(steer, point);
}
