#include "analysis/held.h"

#include <string.h>

enum { LIMIT = 1 << 24 };
static const struct rv_lockset nothing;

static bool is_same(const struct rv_lockset *set, const struct rv_held_thread *thread) {
    if (set->count != thread->count) return false;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->locks[i].address != thread->locks[i].lock.address ||
            set->locks[i].shared != thread->locks[i].lock.shared)
            return false;
    return true;
}

/* The number of the set of what the thread holds. Sets with equal hashes lie one after the other. */
static bool number_set(struct rv_held *held, struct rv_held_thread *thread) {
    thread->set = 0;
    if (!thread->count) return true;
    uint64_t hash = thread->count;
    for (uint32_t i = 0; i < thread->count; i++) {
        hash = (hash ^ thread->locks[i].lock.address ^ thread->locks[i].lock.shared) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (;; hash++) {
        uint32_t number = rv_index_add(&held->sets, held->arena, hash, sizeof(struct rv_lockset *), LIMIT);
        if (number == RV_NO_NUMBER) return false;
        struct rv_lockset **set = &((struct rv_lockset **)held->sets.items)[number];
        if (!*set) {
            *set = rv_arena_alloc(held->arena, sizeof **set + thread->count * sizeof(struct rv_lock));
            if (!*set) return false;
            (*set)->count = thread->count;
            for (uint32_t i = 0; i < thread->count; i++) (*set)->locks[i] = thread->locks[i].lock;
        } else if (!is_same(*set, thread)) {
            continue;
        }
        thread->set = number + 1;
        return true;
    }
}

static uint32_t position(const struct rv_held_thread *thread, uint64_t address) {
    uint32_t at = 0;
    while (at < thread->count && thread->locks[at].lock.address < address) at++;
    return at;
}

static bool take(struct rv_held_thread *thread, const struct rv_step *step, uint32_t number) {
    bool shared = step->kind == RV_STEP_LOCK_SHARED;
    uint64_t address = step->address;
    uint32_t at = position(thread, address);
    struct rv_lock_hold *lock = &thread->locks[at];
    if (at < thread->count && lock->lock.address == address) {
        lock->times++;
        lock->lock.shared = lock->lock.shared && shared;
        return true;
    }
    if (thread->count == RV_HELD_MAX) return false;
    memmove(lock + 1, lock, (thread->count++ - at) * sizeof *lock);
    *lock = (struct rv_lock_hold){{address, shared}, 1, number, step->site};
    return true;
}

static void give_back(struct rv_held_thread *thread, uint64_t address) {
    uint32_t at = position(thread, address);
    struct rv_lock_hold *lock = &thread->locks[at];
    if (at == thread->count || lock->lock.address != address || --lock->times) return;
    memmove(lock, lock + 1, (--thread->count - at) * sizeof *lock);
}

bool rv_held_step(struct rv_held *held, const struct rv_step *step, uint32_t number) {
    if (step->kind < RV_STEP_LOCK || step->kind > RV_STEP_UNLOCK_SHARED) return true;
    uint32_t at =
        rv_index_add(&held->threads, held->arena, step->thread, sizeof(struct rv_held_thread), LIMIT);
    if (at == RV_NO_NUMBER) return false;
    struct rv_held_thread *thread = &((struct rv_held_thread *)held->threads.items)[at];
    if (!thread->locks) thread->locks = rv_arena_alloc(held->arena, RV_HELD_MAX * sizeof *thread->locks);
    if (!thread->locks) return false;
    if (step->kind == RV_STEP_UNLOCK || step->kind == RV_STEP_UNLOCK_SHARED)
        give_back(thread, step->address);
    else if (!take(thread, step, number))
        return false;
    return number_set(held, thread);
}

const struct rv_held_thread *rv_held_thread(const struct rv_held *held, uint32_t thread) {
    uint32_t at = rv_index_find(&held->threads, thread);
    return at == RV_NO_NUMBER ? NULL : &((const struct rv_held_thread *)held->threads.items)[at];
}

uint32_t rv_held_by(const struct rv_held *held, uint32_t thread) {
    const struct rv_held_thread *of = rv_held_thread(held, thread);
    return of ? of->set : 0;
}

const struct rv_lockset *rv_held_set(const struct rv_held *held, uint32_t set) {
    return set ? ((struct rv_lockset *const *)held->sets.items)[set - 1] : &nothing;
}

bool rv_locksets_meet(const struct rv_lockset *a, const struct rv_lockset *b) {
    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->locks[i].address == b->locks[j].address) {
            if (!a->locks[i].shared || !b->locks[j].shared) return true;
            i++, j++;
        } else if (a->locks[i].address < b->locks[j].address) {
            i++;
        } else {
            j++;
        }
    }
    return false;
}
