#include "runtime/cover.h"

#include "runtime/cases.h"
#include "runtime/heap.h"
#include "runtime/reserve.h"

enum {
    PLACES = 1 << 13,
    PLACE_PROBES = 16,
    CLASSES = 1 << 13,
    ENTRIES = 1 << 12,
    DEPTH = 16,   /* innermost calls of a stack that count */
    THREADS = 16, /* others that count */
    EARLY = 4,
};

struct rv_covering rv_covering;

/* An address in this execution. */
struct place {
    uintptr_t address;
    uint32_t stamp;  /* of the execution */
    uint32_t object; /* UINT32_MAX: none */
    uint32_t variable;
    uint32_t lock; /* 1 + its number; 0: not asked yet */
};

/* Variables by what this process knows of them: raw addresses. */
struct class_slot {
    uint64_t hash;
    uint32_t number; /* 1 + of the variable; 0: free */
};

/* Functions, by their code: when one was last entered, and its number. */
struct entry {
    uintptr_t code;
    uint64_t run;
    uint32_t number;
};

static struct place *places;
static struct class_slot *classes;
static struct entry *entries;
/* Where the heap block of an object is, for locks that lie in it. */
static struct { uintptr_t start, size; } blocks[RV_PATTERN_OBJECTS];
static uint32_t stamp;
static const struct rv_fiber *running;
static uint64_t run; /* counts how often another thread went on */
static uint32_t epoch;
static bool was_alone;

static struct rv_coverage *coverage(void) { return &rv.area->coverage; }

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t hash = (a ^ b * 0xbf58476d1ce4e5b9u) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 31;
}

static uint32_t number_of(const struct rv_site *site) { return (uint32_t)(site - rv.area->sites); }

/* ---- variables ---- */

struct found {
    struct rv_cover_variable variable;
    struct rv_heap_block block;
    uint64_t hash; /* of what is the same in all executions of this process */
};

static void find_heap(struct found *found, uintptr_t address) {
    if (!rv_heap_find(address, &found->block)) return;
    const struct rv_heap_origin *origin = &found->block.allocated;
    found->variable.kind = RV_COVER_HEAP;
    found->variable.offset = address - found->block.address;
    found->variable.size = found->block.size;
    found->hash = mix(RV_COVER_HEAP, found->variable.offset);
    for (uint32_t i = 0; i < origin->frame_count && i < RV_COVER_FRAMES; i++)
        found->hash = mix(found->hash, origin->frames[i]);
}

static void find_stack(struct found *found, const struct rv_fiber *owner, uintptr_t address) {
    found->variable.kind = RV_COVER_STACK;
    found->hash = mix(RV_COVER_STACK, owner->stack_low + owner->stack_size - address);
    for (uint32_t i = 0; i < owner->depth; i++) {
        if (owner->frames[i].sp > address) continue;
        found->variable.place = owner->frames[i].entry;
        found->variable.offset = address - owner->frames[i].sp;
        found->hash = mix(mix(RV_COVER_STACK, found->variable.place), found->variable.offset);
        return;
    }
    found->variable.kind = RV_COVER_OTHER;
}

static void find(struct found *found, uintptr_t address, size_t size) {
    bool over = false;
    *found = (struct found){.variable = {.kind = RV_COVER_DATA, .access = (uint32_t)size}};
    if (rv_heap_contains(address)) {
        find_heap(found, address);
        return;
    }
    const struct rv_fiber *owner = rv_stack_owner(address, &over);
    if (owner)
        find_stack(found, owner, address);
    else
        found->hash = mix(RV_COVER_DATA, address);
}

/* What is stable between processes; called once for each variable. */
static void complete(struct found *found, uintptr_t address) {
    struct rv_cover_variable *variable = &found->variable;
    if (variable->kind == RV_COVER_DATA) {
        variable->place = rv_code_of(address);
        if (variable->place == RV_CODE_UNKNOWN) {
            variable->kind = RV_COVER_OTHER;
            variable->place = address;
        }
    } else if (variable->kind == RV_COVER_STACK) {
        variable->place = rv_code_of(variable->place);
    }
    variable->key = mix(variable->place, variable->offset);
    const struct rv_heap_origin *origin = &found->block.allocated;
    for (uint32_t i = 0; i < origin->frame_count && i < RV_COVER_FRAMES; i++) {
        variable->frames[i] = rv_code_of(origin->frames[i]);
        variable->key = mix(variable->key, variable->frames[i]);
    }
}

static uint32_t variable_of(struct found *found, uintptr_t address) {
    uint64_t at = found->hash;
    for (uint32_t i = 0; i < PLACE_PROBES; i++, at++) {
        struct class_slot *slot = &classes[at & (CLASSES - 1)];
        if (slot->number && slot->hash == found->hash) return slot->number - 1;
        if (slot->number) continue;
        complete(found, address);
        uint32_t number = rv_coverage_variable(coverage(), &found->variable);
        if (number != UINT32_MAX) *slot = (struct class_slot){found->hash, number + 1};
        return number;
    }
    return UINT32_MAX;
}

/* The slot of an address; a fresh one has the stamp of another execution. NULL: no room. */
static struct place *place_of(uintptr_t address) {
    uint64_t at = mix(address, 0);
    for (uint32_t i = 0; i < PLACE_PROBES; i++, at++) {
        struct place *place = &places[at & (PLACES - 1)];
        if (place->stamp != stamp || place->address == address) return place;
    }
    return NULL;
}

static struct place *know(uintptr_t address, size_t size) {
    struct place *place = place_of(address);
    if (!place || place->stamp == stamp) return place;
    struct found found;
    find(&found, address, size);
    *place = (struct place){.address = address, .stamp = stamp, .object = UINT32_MAX};
    place->variable = variable_of(&found, address);
    return place;
}

static uint32_t object_of(struct place *place) {
    if (place->object != UINT32_MAX || place->variable == UINT32_MAX) return place->object;
    place->object = rv_patterns_object(&coverage()->patterns, place->variable);
    if (place->object == UINT32_MAX) return UINT32_MAX;
    struct rv_heap_block block = {0};
    if (rv_heap_contains(place->address)) (void)rv_heap_find(place->address, &block);
    blocks[place->object].start = block.address;
    blocks[place->object].size = block.size;
    return place->object;
}

/* ---- locks ---- */

/* The number of the lock at this address, or RV_COVER_LOCKS. */
static uint32_t lock_of(const void *object) {
    struct place *place = know((uintptr_t)object, 1);
    if (!place || place->variable == UINT32_MAX) return RV_COVER_LOCKS;
    if (!place->lock) {
        uint32_t number = rv_coverage_lock(coverage(), place->variable);
        place->lock = 1 + (number == UINT32_MAX ? RV_COVER_LOCKS : number);
    }
    return place->lock - 1;
}

static void add_lock(struct rv_cover_held *held, const struct rv_lock_held *lock) {
    uint32_t number = lock_of(lock->object);
    if (number >= RV_COVER_LOCKS) return;
    held->locks |= UINT64_C(1) << number;
    if (lock->op != RV_OP_RDLOCK) held->exclusive |= UINT64_C(1) << number;
}

void rv_cover_held(struct rv_fiber *self, const void *released) {
    self->covered.locks = self->covered.exclusive = 0;
    self->cover_heap = false;
    if (rv.mode != RV_CONTROLLED) return;
    for (uint32_t i = 0; i < self->held_count; i++) {
        /* One of several blocks' locks: it counts only for what lies in the same block. */
        if (rv_heap_contains((uintptr_t)self->held[i].object))
            self->cover_heap = true;
        else
            add_lock(&self->covered, &self->held[i]);
    }
    uint32_t lock = released ? lock_of(released) : RV_COVER_LOCKS;
    if (lock < RV_COVER_LOCKS) rv_coverage_release(coverage(), self->id, lock);
}

static __attribute__((noinline)) struct rv_cover_held with_heap(const struct rv_fiber *self,
                                                                uint32_t object) {
    struct rv_cover_held held = self->covered;
    for (uint32_t i = 0; i < self->held_count; i++)
        if ((uintptr_t)self->held[i].object - blocks[object].start < blocks[object].size)
            add_lock(&held, &self->held[i]);
    return held;
}

/* ---- accesses ---- */

/* An epoch ends where the other threads have all been joined, and where there are others again. */
static uint32_t present_epoch(void) {
    bool alone = rv_covering.joined + 1 >= rv.fiber_count;
    epoch += alone != was_alone;
    was_alone = alone;
    return epoch;
}

void rv_cover_access(struct rv_fiber *self, uintptr_t address, size_t size, bool write,
                     const struct rv_site *site) {
    struct place *place = know(address, size);
    uint32_t object = place ? object_of(place) : UINT32_MAX;
    if (object == UINT32_MAX) {
        coverage()->patterns.missed |= RV_MISSED_OBJECTS;
        return;
    }
    struct rv_cover_held held = RV_UNLIKELY(self->cover_heap) ? with_heap(self, object) : self->covered;
    held.epoch = present_epoch();
    rv_cases_use(self, number_of(site));
    rv_coverage_access(coverage(), object, self->id, number_of(site), write, &held);
}

/* ---- functions ---- */

static struct entry *entry_of(uintptr_t code) {
    struct entry *entry = &entries[(code ^ code >> 12) & (ENTRIES - 1)];
    if (entry->code == code) return entry;
    *entry = (struct entry){.code = code, .number = number_of(rv_site_of(code))};
    rv_coverage_function(coverage(), entry->number);
    return entry;
}

static void pair_with(uint32_t number, const struct rv_fiber *other) {
    uint32_t from = other->depth > DEPTH ? other->depth - DEPTH : 0;
    for (uint32_t i = from; i < other->depth; i++)
        if (other->frames[i].entry)
            rv_coverage_pair(coverage(), number, entry_of(other->frames[i].entry)->number);
}

/* While one thread runs the stacks of the others stay as they are: a function that it enters again adds nothing. */
void rv_cover_enter(struct rv_fiber *self, uintptr_t code) {
    if (rv.mode != RV_CONTROLLED) return;
    if (self != running) {
        running = self;
        run++;
    }
    struct entry *entry = entry_of(code);
    if (entry->run == run) return;
    entry->run = run;
    uint32_t number = entry->number;
    for (uint32_t i = 0, seen = 0; i < rv_engine.alive_count && seen < THREADS; i++) {
        const struct rv_fiber *other = rv_engine.alive[i];
        if (other == self) continue;
        pair_with(number, other);
        seen++;
    }
}

/* ---- executions ---- */

void rv_cover_init(void) {
    if (!rv.config->coverage) return;
    places = rv_reserve(PLACES * sizeof *places);
    classes = rv_reserve(CLASSES * sizeof *classes);
    entries = rv_reserve(ENTRIES * sizeof *entries);
    if (!places || !classes || !entries) rv_unusable("no memory to note what is covered");
    rv_coverage_settle(coverage()); /* what a process has left that died */
}

void rv_cover_begin(uint64_t index) {
    if (!rv.config->coverage) return;
    if (!++stamp) stamp = 1;
    rv_coverage_begin(coverage(), index);
    rv_covering.on = true;
    bool early = coverage()->executions < EARLY; /* little is known of conflicts yet */
    rv_covering.all = rv.config->coverage == RV_COVER_ALL || rv_engine.replaying || early;
    rv_covering.joined = 0;
    running = NULL;
    run++;
    epoch = 0;
    was_alone = true;
    rv_cover_held(rv.fibers[0], NULL);
}

void rv_cover_stop(void) { rv_covering.on = false; }

void rv_cover_settle(void) {
    rv_covering.on = false; /* with fork isolation the child has stopped for itself only */
    if (rv.config->coverage) rv_coverage_settle(coverage());
}
