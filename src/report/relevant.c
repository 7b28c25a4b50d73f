/* Choosing events. An event weighs
 *
 *     4  decisive (decisive.c)
 *     3  on what the failure is about: what the decisive steps touch, the failing memory, its block's shared
 *        parts and its free; of a deadlock, hang or misuse also what a thread waits for or holds at the end
 *     2  an access to memory that several threads touch while they run side by side, one of them writing;
 *        synchronisation that follows a preemption; a time-out
 *     1  synchronisation on an object that several threads use; thread start and end; a switch
 *     0  everything else, and repetitions: of one operation done by one thread at one place on one object
 *        more than four times, only the first two and the last two count
 *
 * and the heaviest 300 are kept, of equals the latest. Side by side are accesses that neither the creation
 * nor the join of a thread puts in order: arguments handed over and results collected weigh nothing. Two passes over the trace with one hash table each for objects and for repetitions.
 */
#include "report/relevant.h"

#include <stdlib.h>
#include <string.h>

#include "report/failure.h"
#include "report/text.h"

enum { KEEP_ENDS = 2 };

struct access {
    uint64_t number; /* of the event, from 1; 0: none */
    uint32_t thread;
};

struct entry {
    uint64_t key; /* 0: free */
    uint32_t count;
    uint32_t seen;             /* in the second pass */
    struct access read, write; /* the last ones */
    bool conflict;             /* of threads side by side, one of them writing */
};

/* The order that creating and joining makes: until which event of u thread t knows what u did. Threads with
 * larger numbers know nothing and are known by nobody. */
enum { ORDERED_THREADS = 64 };
struct order {
    uint64_t known[ORDERED_THREADS][ORDERED_THREADS];
};

struct table {
    struct entry *entries;
    uint64_t mask;
};

static struct table table_open(uint64_t expected) {
    uint64_t size = 1024;
    while (size < expected * 2) size *= 2;
    return (struct table){rv_text_alloc(size, sizeof(struct entry)), size - 1};
}

static struct entry *table_at(struct table *table, uint64_t key) {
    uint64_t slot = key * 0x9e3779b97f4a7c15u;
    slot ^= slot >> 29;
    while (table->entries[slot & table->mask].key && table->entries[slot & table->mask].key != key) slot++;
    struct entry *entry = &table->entries[slot & table->mask];
    entry->key = key;
    return entry;
}

uint64_t rv_relevant_event_count(const struct rv_area *area) {
    uint64_t count = area->outcome.event_count;
    return count < RV_MAX_EVENTS ? count : RV_MAX_EVENTS;
}

uint64_t rv_relevant_key(const struct rv_event *event) {
    uint64_t cell = event->address & 0xffffffffffffffu;
    if (event->op >= RV_OP_COUNT) return 0;
    if (event->op == RV_OP_FREE && event->block) return (uint64_t)3 << 60 | event->block;
    if (event->op == RV_OP_EVENT) return (uint64_t)5 << 60 | event->value;
    if (event->address == 0 && !(rv_op_flags[event->op] & RV_OPF_IO)) return 0;
    if (rv_op_flags[event->op] & RV_OPF_MEMORY) return (uint64_t)1 << 60 | cell;
    return (uint64_t)((rv_op_flags[event->op] & RV_OPF_IO) ? 4 : 2) << 60 | cell;
}

bool rv_relevant_same(const struct rv_event *a, const struct rv_event *b) {
    uint64_t key = rv_relevant_key(a), other = rv_relevant_key(b);
    if (key == 0 || other == 0 || key >> 60 != 1 || other >> 60 != 1) return key != 0 && key == other;
    return a->address - b->address < (b->size ? b->size : 1) ||
           b->address - a->address < (a->size ? a->size : 1);
}

bool rv_relevant_hits(const struct rv_event *event, uint64_t address) {
    return address && event->address && event->op < RV_OP_COUNT && (rv_op_flags[event->op] & RV_OPF_MEMORY) &&
           (address - event->address < (event->size ? event->size : 1) ||
            event->address - address < sizeof(void *));
}

bool rv_relevant_writes(const struct rv_event *event) {
    return event->op < RV_OP_COUNT && (rv_op_flags[event->op] & RV_OPF_WRITE) &&
           !(event->flags & RV_EVENT_FAILED);
}

static uint64_t repetition_key(const struct rv_event *event) {
    uint64_t hash = rv_relevant_key(event) * 0xd1342543de82ef95u ^ event->site;
    hash = hash * 0x9e3779b97f4a7c15u ^ ((uint64_t)event->thread << 16 | event->op);
    return (hash ^ hash >> 32) | 1;
}

/* Objects at the centre: what threads wait for or hold at the end. */
struct centre {
    uint64_t objects[RV_MAX_THREAD_REPORTS * (RV_MAX_HELD + 1)];
    unsigned count;
};

static void find_centre(const struct rv_area *area, struct centre *centre) {
    const struct rv_outcome *outcome = &area->outcome;
    unsigned threads = outcome->thread_count;
    bool about_waiting = outcome->kind == RV_KIND_DEADLOCK || outcome->kind == RV_KIND_HANG ||
                         outcome->kind == RV_KIND_MISUSE || outcome->kind == RV_KIND_SCHEDULE;
    centre->count = 0;
    if (threads > RV_MAX_THREAD_REPORTS) threads = RV_MAX_THREAD_REPORTS;
    for (unsigned i = 0; about_waiting && i < threads; i++) {
        const struct rv_thread_report *thread = &area->thread_reports[i];
        bool number = thread->op == RV_OP_JOIN || thread->op == RV_OP_EVENT; /* of a thread, of a text */
        if (thread->object && !number) centre->objects[centre->count++] = thread->object;
        for (unsigned k = 0; k < thread->held_count && k < RV_MAX_HELD; k++) {
            centre->objects[centre->count++] = thread->held[k].address;
        }
    }
}

static bool at_centre(const struct rv_area *area, const struct centre *centre, const struct rv_event *event,
                      bool conflict) {
    const struct rv_outcome *outcome = &area->outcome;
    if (event->block && event->block == outcome->block && (conflict || event->op == RV_OP_FREE)) return true;
    if (rv_relevant_hits(event, outcome->address)) return true;
    for (unsigned i = 0; i < centre->count; i++) {
        if (event->address && event->address == centre->objects[i]) return true;
    }
    return false;
}

static uint8_t weigh(const struct rv_area *area, const struct centre *centre, const struct rv_event *event,
                     const struct entry *object) {
    uint16_t flags = event->op < RV_OP_COUNT ? rv_op_flags[event->op] : 0;
    bool conflict = object && object->conflict;
    if (at_centre(area, centre, event, conflict)) return 3;
    if (event->flags & RV_EVENT_TIMEOUT || event->op == RV_OP_EVENT) return 2;
    if (conflict) return (flags & RV_OPF_MEMORY) || (event->flags & RV_EVENT_PREEMPT) ? 2 : 1;
    bool life = event->op == RV_OP_CREATE || event->op == RV_OP_EXIT || event->op == RV_OP_JOIN;
    return life || (event->flags & RV_EVENT_SWITCH) ? 1 : 0;
}

static void learn(struct order *order, uint32_t to, uint64_t from) {
    if (to >= ORDERED_THREADS || from >= ORDERED_THREADS) return;
    for (unsigned i = 0; i < ORDERED_THREADS; i++) {
        if (order->known[from][i] > order->known[to][i]) order->known[to][i] = order->known[from][i];
    }
}

static void advance_order(struct order *order, const struct rv_event *event, uint64_t number) {
    if (event->thread >= ORDERED_THREADS || (event->flags & RV_EVENT_FAILED)) return;
    order->known[event->thread][event->thread] = number;
    if (event->op == RV_OP_CREATE && event->address < ORDERED_THREADS)
        learn(order, (uint32_t)event->address, event->thread);
    if (event->op == RV_OP_JOIN) learn(order, event->thread, event->address);
}

/* Whether the thread runs side by side with that access of another thread. */
static bool beside(const struct order *order, uint32_t thread, const struct access *access) {
    if (access->number == 0 || access->thread == thread) return false;
    if (thread >= ORDERED_THREADS || access->thread >= ORDERED_THREADS) return true;
    return order->known[thread][access->thread] < access->number;
}

static void count_events(const struct rv_area *area, uint64_t count, struct table *objects,
                         struct table *repetitions) {
    struct order *order = rv_text_alloc(1, sizeof *order);
    for (uint64_t i = 0; i < count; i++) {
        const struct rv_event *event = &area->events[i];
        table_at(repetitions, repetition_key(event))->count++;
        advance_order(order, event, i + 1);
        uint64_t key = rv_relevant_key(event);
        if (!key) continue;
        struct entry *entry = table_at(objects, key);
        bool writes = rv_relevant_writes(event);
        if (beside(order, event->thread, &entry->write) ||
            (writes && beside(order, event->thread, &entry->read)))
            entry->conflict = true;
        *(writes ? &entry->write : &entry->read) = (struct access){i + 1, event->thread};
    }
    free(order);
}

/* Writes every event's weight. */
static void weigh_events(const struct rv_area *area, uint64_t count, uint8_t *weights) {
    struct table objects = table_open(count), repetitions = table_open(count);
    struct centre *centre = rv_text_alloc(1, sizeof *centre);
    find_centre(area, centre);
    count_events(area, count, &objects, &repetitions);
    for (uint64_t i = 0; i < count; i++) {
        const struct rv_event *event = &area->events[i];
        uint64_t key = rv_relevant_key(event);
        struct entry *repetition = table_at(&repetitions, repetition_key(event));
        uint32_t nth = repetition->seen++;
        bool middle = nth >= KEEP_ENDS && repetition->count - nth > KEEP_ENDS;
        weights[i] = middle ? 0 : weigh(area, centre, event, key ? table_at(&objects, key) : NULL);
    }
    free(centre);
    free(objects.entries);
    free(repetitions.entries);
}

/* What touches the same as a decisive step belongs to its story. */
static void raise_touched(const struct rv_area *area, uint64_t count, uint8_t *weights,
                          const struct rv_decisive *steps, unsigned step_count) {
    for (uint64_t i = 0; i < count; i++) {
        bool touched = false;
        for (unsigned k = 0; k < step_count && !touched && (weights[i] == 1 || weights[i] == 2); k++)
            touched = rv_relevant_same(&area->events[i], &area->events[steps[k].index]);
        if (touched) weights[i] = 3;
    }
    for (unsigned k = 0; k < step_count; k++) weights[steps[k].index] = RV_WEIGHT_MAX;
}

unsigned rv_relevant_select(const struct rv_area *area, struct rv_relevant *chosen) {
    uint64_t count = rv_relevant_event_count(area);
    if (count == 0) return 0;
    uint8_t *weights = rv_text_alloc(count, 1);
    struct rv_decisive steps[RV_DECISIVE_MAX];
    weigh_events(area, count, weights);
    unsigned step_count = rv_relevant_decisive(area, steps);
    raise_touched(area, count, weights, steps, step_count);

    unsigned room = RV_RELEVANT_MAX;
    uint64_t first_kept[RV_WEIGHT_MAX + 1]; /* of each weight, events from this index on are kept */
    for (unsigned weight = RV_WEIGHT_MAX + 1; weight-- > 0;) {
        uint64_t i = count;
        while (weight > 0 && i > 0 && room > 0) {
            i--;
            if (weights[i] == weight) room--;
        }
        first_kept[weight] = weight > 0 ? i : count;
    }
    unsigned kept = 0;
    for (uint64_t i = 0; i < count && kept < RV_RELEVANT_MAX; i++) {
        if (weights[i] == 0 || i < first_kept[weights[i]]) continue;
        chosen[kept] = (struct rv_relevant){i, weights[i], NULL};
        for (unsigned k = 0; k < step_count; k++) {
            if (steps[k].index == i) chosen[kept].note = steps[k].note;
        }
        kept++;
    }
    free(weights);
    return kept;
}
