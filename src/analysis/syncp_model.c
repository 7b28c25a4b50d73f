/* One pass over the trace: what each step needs. An edge from each
 *   step of the thread          to its next one
 *   write of a byte             to each read of it before the next write
 *   ALLOC                       to each access to its bytes in that life; from the last write of them, so that memory is
 *                               given back before it is used again
 *   SEND, BEFORE                to each later RECEIVE, AFTER of the same object
 *   arrival of a barrier round  to what follows in each of its threads
 *   CREATE, last step           to first step, JOIN
 *   step on an object           to its RENEW; RENEW to each later one
 * Memory orders make no difference: a read that sees the same value keeps all that an acquire could learn. */
#include "analysis/syncp_model.h"

#include <string.h>

#include "analysis/granules.h"
#include "strategy/sample.h"

enum { LIMIT = 1u << 30 };
#define USER_OBJECT ((uint64_t)1 << 63)

static void *take(struct rv_syncp *m, size_t size) {
    void *memory = rv_arena_alloc(m->arena, size);
    if (!memory) m->full = true;
    return memory;
}

static void *item(struct rv_syncp *m, struct rv_index *index, uint64_t key, size_t size) {
    uint32_t number = rv_index_add(index, m->arena, key, size, LIMIT);
    if (number == RV_NO_NUMBER) {
        m->full = true;
        return NULL;
    }
    return (char *)index->items + number * size;
}

static void join_into(struct rv_syncp *m, uint32_t **into, const uint32_t *from) {
    if (!*into) *into = take(m, m->threads * sizeof **into);
    if (*into) rv_syncp_join(m, *into, from);
}

static struct rv_syncp_object *object_of(struct rv_syncp *m, const struct rv_step *step) {
    bool user = step->kind == RV_STEP_BEFORE || step->kind == RV_STEP_AFTER;
    return item(m, &m->objects, step->address ^ (user ? USER_OBJECT : 0), sizeof(struct rv_syncp_object));
}

static struct rv_syncp_granule *granule_of(struct rv_syncp *m, uint64_t address) {
    struct rv_syncp_granule *granule = item(m, &m->granules, address >> 3, sizeof *granule);
    if (granule) granule->address = address;
    return granule;
}

/* --- memory --- */

static bool is_in(const struct rv_group *group, const struct rv_step *step, uint32_t thread, uint32_t locks) {
    return group->address == step->address && group->size == step->size && group->site == step->site &&
           group->thread == thread && group->kind == step->kind && group->locks == locks;
}

/* The group of an access, which may be new: then it is told to its granules. Groups with equal hashes lie one after the
 * other. */
static void add_to_group(struct rv_syncp *m, uint32_t number, uint32_t thread) {
    const struct rv_step *step = &m->steps[number];
    uint32_t locks = rv_held_by(&m->held, step->thread);
    uint64_t hash = step->address ^ step->size << 48 ^ (uint64_t)step->kind << 56 ^ (uint64_t)thread << 40;
    hash = (hash ^ locks) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ step->site * 0xd1342543de82ef95u) * 0x9e3779b97f4a7c15u;
    struct rv_group *group = item(m, &m->groups, hash, sizeof *group);
    while (group && group->count && !is_in(group, step, thread, locks))
        group = item(m, &m->groups, ++hash, sizeof *group);
    if (!group) return;
    uint32_t *steps = rv_grow(m->arena, group->steps, &group->capacity, group->count, sizeof *steps);
    if (!steps) {
        m->full = true;
        return;
    }
    group->steps = steps;
    steps[group->count++] = number;
    if (group->count > 1) return;
    group->address = step->address;
    group->size = step->size;
    group->site = step->site;
    group->thread = thread;
    group->kind = step->kind;
    group->locks = locks;
    struct rv_granule_walk walk = rv_granule_first(step->address, step->size);
    do {
        struct rv_group_link *link = take(m, sizeof *link);
        struct rv_syncp_granule *granule = granule_of(m, walk.granule);
        if (!link || !granule) return;
        *link =
            (struct rv_group_link){granule->groups, (uint32_t)(group - (struct rv_group *)m->groups.items)};
        granule->groups = link;
    } while (rv_granule_next(&walk));
}

/* The steps that the bytes' lives began with, or that wrote them, are needed. Bytes next to each other often have the same. */
static void need(struct rv_syncp *m, uint32_t *vector, const uint32_t *of_bytes, unsigned bytes) {
    uint32_t done = 0;
    for (unsigned i = 0; i < 8; i++) {
        if (!(bytes >> i & 1) || !of_bytes[i] || of_bytes[i] == done) continue;
        done = of_bytes[i];
        rv_syncp_join(m, vector, rv_syncp_vector(m, m->closed, done - 1));
    }
}

static void access_memory(struct rv_syncp *m, uint32_t number) {
    const struct rv_step *step = &m->steps[number];
    uint32_t *closed = rv_syncp_vector(m, m->closed, number), *entry = rv_syncp_vector(m, m->entry, number);
    bool life = step->kind == RV_STEP_ALLOC, writes = life || rv_step_writes(step->kind);
    bool reads = life || !writes || step->kind == RV_STEP_ATOMIC_RMW;
    struct rv_granule_walk walk = rv_granule_first(step->address, step->size);
    do {
        struct rv_syncp_granule *granule = granule_of(m, walk.granule);
        if (!granule) return;
        if (!life) need(m, entry, granule->life, walk.bytes);
        if (reads) need(m, closed, granule->writer, walk.bytes);
        for (unsigned i = 0; i < 8; i++) {
            if (!(walk.bytes >> i & 1)) continue;
            if (life) granule->life[i] = number + 1;
            if (writes) granule->writer[i] = number + 1;
            if (granule->life[i] > m->life[number]) m->life[number] = granule->life[i];
        }
    } while (rv_granule_next(&walk) && !m->full);
    rv_syncp_join(m, closed, entry);
}

/* --- objects --- */

static void use_lock(struct rv_syncp *m, struct rv_syncp_object *lock, uint32_t number, uint32_t thread) {
    if (!lock->sections) {
        lock->sections = take(m, 2 * m->threads * sizeof *lock->sections);
        lock->depth = take(m, m->threads * sizeof *lock->depth);
        if (!lock->sections || !lock->depth) return;
    }
    unsigned kind = m->steps[number].kind;
    if (kind == RV_STEP_LOCK || kind == RV_STEP_LOCK_SHARED) {
        if (lock->depth[thread]++) return; /* a recursive lock: the outermost section counts */
        struct rv_sections *list = &lock->sections[2 * thread + (kind == RV_STEP_LOCK_SHARED)];
        struct rv_section *at = rv_grow(m->arena, list->at, &list->capacity, list->count, sizeof *at);
        if (!at) {
            m->full = true;
            return;
        }
        list->at = at;
        at[list->count++] = (struct rv_section){number, RV_NO_STEP, m->local[number]};
        return;
    }
    if (!lock->depth[thread] || --lock->depth[thread]) return;
    for (uint32_t shared = 0; shared < 2; shared++) {
        struct rv_sections *list = &lock->sections[2 * thread + shared];
        if (list->count && list->at[list->count - 1].release == RV_NO_STEP)
            list->at[list->count - 1].release = number;
    }
}

static void arrive(struct rv_syncp *m, struct rv_syncp_object *barrier, uint32_t number, uint32_t thread) {
    uint32_t words = (m->threads + 63) / 64;
    if (!barrier->arrived) barrier->arrived = take(m, words * sizeof *barrier->arrived);
    if (!barrier->arrived) return;
    barrier->arrived[thread / 64] |= (uint64_t)1 << (thread % 64);
    if (++barrier->arrivals < m->steps[number].size) return;
    for (uint32_t t = 0; t < m->threads; t++)
        if (barrier->arrived[t / 64] >> (t % 64) & 1)
            rv_syncp_join(m, rv_syncp_vector(m, m->now, t), barrier->sent);
    memset(barrier->arrived, 0, words * sizeof *barrier->arrived);
    memset(barrier->sent, 0, m->threads * sizeof *barrier->sent);
    barrier->arrivals = 0;
}

static void use_object(struct rv_syncp *m, uint32_t number, uint32_t thread) {
    struct rv_syncp_object *object = object_of(m, &m->steps[number]);
    uint32_t *closed = rv_syncp_vector(m, m->closed, number), *now = rv_syncp_vector(m, m->now, thread);
    if (!object) return;
    rv_syncp_join(m, closed, object->renewed);
    unsigned kind = m->steps[number].kind;
    if (kind == RV_STEP_RECEIVE || kind == RV_STEP_AFTER) rv_syncp_join(m, closed, object->sent);
    if (kind == RV_STEP_RENEW) {
        rv_syncp_join(m, closed, object->all);
        join_into(m, &object->renewed, closed);
    }
    join_into(m, &object->all, closed);
    if (kind == RV_STEP_SEND || kind == RV_STEP_BEFORE || kind == RV_STEP_BARRIER)
        join_into(m, &object->sent, closed);
    rv_syncp_join(m, now, closed);
    if (m->full) return;
    if (kind == RV_STEP_BARRIER) arrive(m, object, number, thread);
    if (kind >= RV_STEP_LOCK && kind <= RV_STEP_UNLOCK_SHARED) use_lock(m, object, number, thread);
}

static uint32_t thread_of(const struct rv_syncp *m, uint64_t number) {
    return rv_index_find(&m->thread_numbers, number);
}

static void add_step(struct rv_syncp *m, uint32_t number, uint32_t *counts) {
    const struct rv_step *step = &m->steps[number];
    uint32_t thread = thread_of(m, step->thread), *now = rv_syncp_vector(m, m->now, thread);
    uint32_t *closed = rv_syncp_vector(m, m->closed, number);
    if (!rv_held_step(&m->held, step, number)) m->full = true;
    m->local[number] = ++counts[thread];
    rv_syncp_join(m, rv_syncp_vector(m, m->entry, number), now);
    rv_syncp_join(m, closed, now);
    closed[thread] = m->local[number];
    if (rv_step_is_access(step->kind) || (step->kind == RV_STEP_ALLOC && step->size))
        access_memory(m, number);
    if (rv_step_is_access(step->kind)) add_to_group(m, number, thread);
    if (step->kind == RV_STEP_JOIN && thread_of(m, step->address) != RV_NO_NUMBER)
        rv_syncp_join(m, closed, rv_syncp_vector(m, m->now, thread_of(m, step->address)));
    rv_syncp_join(m, now, closed);
    if (step->kind == RV_STEP_CREATE)
        rv_syncp_join(m, rv_syncp_vector(m, m->now, thread_of(m, step->address)), closed);
    if ((step->kind >= RV_STEP_LOCK && step->kind <= RV_STEP_BARRIER) ||
        (step->kind >= RV_STEP_RENEW && step->kind <= RV_STEP_AFTER))
        use_object(m, number, thread);
}

bool rv_syncp_build(struct rv_syncp *m) {
    m->held.arena = m->arena;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct rv_step *step = &m->steps[i];
        if (rv_index_add(&m->thread_numbers, m->arena, step->thread, 1, LIMIT) == RV_NO_NUMBER) return false;
        if (step->kind == RV_STEP_CREATE &&
            rv_index_add(&m->thread_numbers, m->arena, step->address, 1, LIMIT) == RV_NO_NUMBER)
            return false;
    }
    m->threads = m->thread_numbers.count;
    size_t vector = m->threads * sizeof(uint32_t);
    m->local = take(m, m->count * sizeof *m->local);
    m->life = take(m, m->count * sizeof *m->life);
    m->closed = take(m, m->count * vector);
    m->entry = take(m, m->count * vector);
    m->now = take(m, m->threads * vector);
    uint32_t *counts = take(m, vector);
    for (uint32_t i = 0; i < m->count && !m->full; i++) add_step(m, i, counts);
    return !m->full;
}
