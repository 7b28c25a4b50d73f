/* Which step publishes what, and which learns it: the table of step.h.
 *
 * Atomics. C11 orders a release before an acquire that reads from its release sequence: the release itself, further writes
 * of its thread, and read-modify-writes of anybody, without a gap. So each location keeps the heads of the sequences that its
 * present value belongs to: per thread, what the thread published there. A write leaves its own thread's head only; a
 * read-modify-write leaves all. A fence makes relaxed writes after it heads for what came before it, and relaxed
 * reads before it count once it comes: `fenced` and `unfenced` of the thread.
 *
 * Barriers. All threads of a round stand still until the last arrives, so everything can be done there: all of them
 * learn what all of them know. Nothing has to be kept for the time when each leaves, when the next round may have begun.
 *
 * Objects are found by address; those in a page are chained, so that an allocation finds the objects of the memory's former
 * life without looking at others.
 */
#include "analysis/hb.h"

#include <string.h>

#include "analysis/hb_internal.h"

enum class { CLASS_LOCK, CLASS_CHANNEL, CLASS_BARRIER, CLASS_ATOMIC, CLASS_USER };
enum { PAGE_SHIFT = 12, OBJECT_LIMIT = 1u << 30 };

/* What one thread published in the release sequences that an atomic's value belongs to. */
struct rv_hb_head {
    struct rv_hb_head *next;
    const struct rv_hb_thread *thread;
    struct rv_clock clock;
};

struct object {
    uint64_t address;
    struct rv_clock published; /* lock: by exclusive holders; atomic: by all heads together */
    struct rv_clock shared;    /* lock: by shared holders since */
    struct rv_hb_head *heads;
    struct rv_hb_thread *waiting; /* barrier: the last that arrived */
    uint32_t arrived;
    uint32_t next; /* 1 + the next object in its page */
};

struct page {
    uint64_t number;
    uint32_t first; /* 1 + object */
};

static uint64_t key_of(enum class class, uint64_t address) { return address ^ (uint64_t) class << 58; }

static struct object *find_object(const struct rv_hb *hb, enum class class, uint64_t address) {
    uint32_t number = rv_index_find(&hb->objects, key_of(class, address));
    return number == RV_NO_NUMBER ? NULL : &((struct object *)hb->objects.items)[number];
}

static struct object *get_object(struct rv_hb *hb, enum class class, uint64_t address) {
    struct object *object = find_object(hb, class, address);
    if (object) return object;
    uint32_t page =
        rv_index_add(&hb->pages, &hb->arena, address >> PAGE_SHIFT, sizeof(struct page), OBJECT_LIMIT);
    uint32_t number =
        rv_index_add(&hb->objects, &hb->arena, key_of(class, address), sizeof *object, OBJECT_LIMIT);
    if (page == RV_NO_NUMBER || number == RV_NO_NUMBER) {
        hb->exhausted = true;
        return NULL;
    }
    struct page *in = &((struct page *)hb->pages.items)[page];
    object = &((struct object *)hb->objects.items)[number];
    object->address = address;
    object->next = in->first;
    in->number = address >> PAGE_SHIFT;
    in->first = number + 1;
    return object;
}

static void join(struct rv_hb *hb, struct rv_clock *into, const struct rv_clock *from) {
    if (!rv_clock_join(&hb->pool, into, from)) hb->exhausted = true;
}

static void copy(struct rv_hb *hb, struct rv_clock *into, const struct rv_clock *from) {
    if (!rv_clock_copy(&hb->pool, into, from)) hb->exhausted = true;
}

/* All heads go but the one of `kept`, which is returned. */
static struct rv_hb_head *end_sequences(struct rv_hb *hb, struct object *object,
                                        const struct rv_hb_thread *kept) {
    struct rv_hb_head *own = NULL, *next;
    for (struct rv_hb_head *head = object->heads; head; head = next) {
        next = head->next;
        if (head->thread == kept) {
            own = head;
            continue;
        }
        rv_clock_drop(&hb->pool, &head->clock);
        head->next = hb->free_heads;
        hb->free_heads = head;
    }
    object->heads = own;
    if (own) own->next = NULL;
    return own;
}

static void renew(struct rv_hb *hb, struct object *object) {
    if (!object) return;
    end_sequences(hb, object, NULL);
    rv_clock_drop(&hb->pool, &object->published);
    rv_clock_drop(&hb->pool, &object->shared);
    object->waiting = NULL;
    object->arrived = 0;
}

static void renew_in_page(struct rv_hb *hb, const struct page *page, uint64_t address, uint64_t size) {
    struct object *objects = hb->objects.items;
    for (uint32_t at = page->first; at; at = objects[at - 1].next)
        if (objects[at - 1].address - address < size) renew(hb, &objects[at - 1]);
}

static void renew_range(struct rv_hb *hb, uint64_t address, uint64_t size) {
    if (!size || !hb->pages.count) return;
    uint64_t first = address >> PAGE_SHIFT, count = ((address + size - 1) >> PAGE_SHIFT) - first + 1;
    const struct page *pages = hb->pages.items;
    if (count > hb->pages.count) {
        for (uint32_t i = 0; i < hb->pages.count; i++)
            if (pages[i].number - first < count) renew_in_page(hb, &pages[i], address, size);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t page = rv_index_find(&hb->pages, first + i);
        if (page != RV_NO_NUMBER) renew_in_page(hb, &pages[page], address, size);
    }
}

static struct rv_hb_head *head_of(struct rv_hb *hb, struct object *object,
                                  const struct rv_hb_thread *thread) {
    for (struct rv_hb_head *head = object->heads; head; head = head->next)
        if (head->thread == thread) return head;
    struct rv_hb_head *head = hb->free_heads;
    if (head)
        hb->free_heads = head->next;
    else
        head = rv_arena_alloc(&hb->arena, sizeof *head);
    if (!head) {
        hb->exhausted = true;
        return NULL;
    }
    *head = (struct rv_hb_head){.next = object->heads, .thread = thread};
    object->heads = head;
    return head;
}

static void write_atomic(struct rv_hb *hb, struct rv_hb_thread *thread, const struct rv_step *step) {
    const struct rv_clock *source = rv_order_releases(step->order) ? &thread->clock : &thread->fenced;
    struct object *object = source->length ? get_object(hb, CLASS_ATOMIC, step->address)
                                           : find_object(hb, CLASS_ATOMIC, step->address);
    if (!object) return;
    if (step->kind == RV_STEP_ATOMIC_WRITE) {
        const struct rv_hb_head *own = end_sequences(hb, object, thread);
        if (own)
            copy(hb, &object->published, &own->clock);
        else
            rv_clock_drop(&hb->pool, &object->published);
    }
    if (!source->length) return;
    struct rv_hb_head *head = head_of(hb, object, thread);
    if (!head) return;
    join(hb, &head->clock, source);
    join(hb, &object->published, source);
    if (rv_order_releases(step->order)) rv_hb_advance(hb, thread);
}

static void read_atomic(struct rv_hb *hb, struct rv_hb_thread *thread, const struct rv_step *step) {
    const struct object *object = find_object(hb, CLASS_ATOMIC, step->address);
    if (!object || !object->published.length) return;
    join(hb, &thread->unfenced, &object->published);
    if (rv_order_acquires(step->order)) join(hb, &thread->clock, &object->published);
}

static void lock(struct rv_hb *hb, struct rv_hb_thread *thread, const struct rv_step *step) {
    const struct object *object = hb->locks ? find_object(hb, CLASS_LOCK, step->address) : NULL;
    if (!object) return;
    join(hb, &thread->clock, &object->published);
    if (step->kind == RV_STEP_LOCK) join(hb, &thread->clock, &object->shared);
}

static void unlock(struct rv_hb *hb, struct rv_hb_thread *thread, const struct rv_step *step) {
    struct object *object = hb->locks ? get_object(hb, CLASS_LOCK, step->address) : NULL;
    if (!object) return;
    join(hb, step->kind == RV_STEP_UNLOCK ? &object->published : &object->shared, &thread->clock);
    rv_hb_advance(hb, thread);
}

static void receive(struct rv_hb *hb, struct rv_hb_thread *thread, enum class class, uint64_t address) {
    const struct object *object = find_object(hb, class, address);
    if (object) join(hb, &thread->clock, &object->published);
}

static void send(struct rv_hb *hb, struct rv_hb_thread *thread, enum class class, uint64_t address) {
    struct object *object = get_object(hb, class, address);
    if (!object) return;
    join(hb, &object->published, &thread->clock);
    rv_hb_advance(hb, thread);
}

static void arrive(struct rv_hb *hb, struct rv_hb_thread *thread, const struct rv_step *step) {
    struct object *object = get_object(hb, CLASS_BARRIER, step->address);
    if (!object) return;
    join(hb, &object->published, &thread->clock);
    rv_hb_advance(hb, thread);
    thread->arrived = object->waiting;
    object->waiting = thread;
    if (++object->arrived < step->size) return;
    for (struct rv_hb_thread *each = thread, *next; each; each = next) {
        next = each->arrived;
        each->arrived = NULL;
        join(hb, &each->clock, &object->published);
    }
    renew(hb, object);
}

static void create(struct rv_hb *hb, struct rv_hb_thread *thread, uint64_t child) {
    if (child > UINT32_MAX - 1) {
        hb->exhausted = true;
        return;
    }
    if (rv_hb_new_thread(hb, thread, (uint32_t)child)) rv_hb_advance(hb, thread);
}

static void join_thread(struct rv_hb *hb, struct rv_hb_thread *thread, uint64_t number) {
    struct rv_hb_thread *child = number < hb->thread_capacity ? hb->threads[number] : NULL;
    if (!child || child->alive || child == thread) return;
    join(hb, &thread->clock, &child->clock);
    rv_clock_drop(&hb->pool, &child->clock); /* its end is told once */
}

bool rv_hb_init(struct rv_hb *hb, const struct rv_pages *pages, size_t memory, bool locks) {
    void *block = pages->reserve(memory);
    *hb = (struct rv_hb){.locks = locks};
    if (!block) return false;
    rv_arena_init(&hb->arena, block, memory);
    rv_hb_begin(hb);
    return true;
}

bool rv_hb_begin(struct rv_hb *hb) {
    bool again = hb->last > RV_CLOCK_MAX / 2;
    *hb = (struct rv_hb){.arena = hb->arena, .locks = hb->locks, .last = again ? 0 : hb->last, .version = 1};
    hb->pool.arena = &hb->arena;
    hb->base = hb->last + 1;
    rv_arena_reset(&hb->arena, 0);
    return again;
}

struct rv_hb_thread *rv_hb_before(struct rv_hb *hb, const struct rv_step *step) {
    if (hb->exhausted) return NULL;
    struct rv_hb_thread *thread = rv_hb_thread(hb, step->thread);
    if (!thread || !thread->alive) return NULL;
    if (!rv_step_is_access(step->kind) || rv_step_is_atomic(step->kind)) hb->version++;
    switch (step->kind) {
    case RV_STEP_ATOMIC_READ:
    case RV_STEP_ATOMIC_RMW: read_atomic(hb, thread, step); break;
    case RV_STEP_FENCE:
        if (rv_order_acquires(step->order)) join(hb, &thread->clock, &thread->unfenced);
        break;
    case RV_STEP_LOCK:
    case RV_STEP_LOCK_SHARED: lock(hb, thread, step); break;
    case RV_STEP_RECEIVE: receive(hb, thread, CLASS_CHANNEL, step->address); break;
    case RV_STEP_AFTER: receive(hb, thread, CLASS_USER, step->address); break;
    case RV_STEP_JOIN: join_thread(hb, thread, step->address); break;
    default: break;
    }
    return hb->exhausted ? NULL : thread;
}

void rv_hb_after(struct rv_hb *hb, const struct rv_step *step) {
    struct rv_hb_thread *thread = hb->exhausted ? NULL : rv_hb_thread(hb, step->thread);
    if (!thread || !thread->alive) return;
    switch (step->kind) {
    case RV_STEP_ATOMIC_WRITE:
    case RV_STEP_ATOMIC_RMW: write_atomic(hb, thread, step); break;
    case RV_STEP_FENCE:
        if (!rv_order_releases(step->order)) break;
        copy(hb, &thread->fenced, &thread->clock);
        rv_hb_advance(hb, thread);
        break;
    case RV_STEP_UNLOCK:
    case RV_STEP_UNLOCK_SHARED: unlock(hb, thread, step); break;
    case RV_STEP_SEND: send(hb, thread, CLASS_CHANNEL, step->address); break;
    case RV_STEP_BEFORE: send(hb, thread, CLASS_USER, step->address); break;
    case RV_STEP_BARRIER: arrive(hb, thread, step); break;
    case RV_STEP_CREATE: create(hb, thread, step->address); break;
    case RV_STEP_EXIT: rv_hb_end_thread(hb, thread); break;
    case RV_STEP_ALLOC: renew_range(hb, step->address, step->size); break;
    case RV_STEP_RENEW:
        renew(hb, find_object(hb, CLASS_LOCK, step->address));
        renew(hb, find_object(hb, CLASS_CHANNEL, step->address));
        renew(hb, find_object(hb, CLASS_BARRIER, step->address));
        break;
    default: break;
    }
}
