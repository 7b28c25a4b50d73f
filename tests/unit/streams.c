#include "streams.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MEMORY = 0x1ffff0,
    HEAP = 0x300000,
    HEAP_SIZE = 24,
    ATOMIC = 0x200000,
    SEMAPHORE = 0x4000,
    BARRIER = 0x5000
};
enum { MUTEX = 0x6000, RWLOCK = 0x7000, USER = 0x8000, LOCKS = 4, HELD = 8 };

struct maker {
    struct stream *stream;
    struct rv_rng *rng;
    const struct stream_options *options;
    int owner[LOCKS]; /* 1 + thread */
    int writer;
    uint32_t readers; /* bit each */
    uint32_t units[2], created, alive, joined, arrived, once;
    bool allocated;
    uint32_t ending;
};

static uint32_t below(struct maker *m, uint32_t n) { return (uint32_t)rv_rng_below(m->rng, n); }

static void emit(struct maker *m, uint32_t thread, unsigned kind, uint64_t address, uint64_t size,
                 unsigned order) {
    struct stream *s = m->stream;
    if (s->count == STREAM_STEPS) return;
    s->steps[s->count] = (struct rv_step){address, size, s->count + 1, thread, (uint8_t)kind, (uint8_t)order};
    s->count++;
}

static void make_access(struct maker *m, uint32_t t) {
    unsigned kind = below(m, 2) ? RV_STEP_WRITE : RV_STEP_READ;
    if (m->options->whole_words) {
        emit(m, t, kind, MEMORY + 8 * below(m, 3), 8, 0);
        return;
    }
    uint64_t size = below(m, 8) ? 1u << below(m, 4) : 1 + below(m, 20);
    uint64_t base = below(m, 4) || m->options->locks_only ? MEMORY : HEAP;
    uint64_t offset =
        below(m, 3) ? below(m, 24 / (uint32_t)(size > 8 ? 8 : size)) * (size > 8 ? 8 : size) : below(m, 24);
    emit(m, t, kind, base + offset, size, 0);
}

static void make_atomic(struct maker *m, uint32_t t) {
    static const uint8_t orders[3][4] = {
        {RV_ORDER_RELAXED, RV_ORDER_CONSUME, RV_ORDER_ACQUIRE, RV_ORDER_SEQ_CST},
        {RV_ORDER_RELAXED, RV_ORDER_RELAXED, RV_ORDER_RELEASE, RV_ORDER_SEQ_CST},
        {RV_ORDER_RELAXED, RV_ORDER_ACQUIRE, RV_ORDER_RELEASE, RV_ORDER_ACQ_REL}};
    if (!below(m, 3)) {
        emit(m, t, RV_STEP_FENCE, 0, 0, RV_ORDER_ACQUIRE + below(m, 4));
        return;
    }
    uint32_t what = below(m, 3);
    uint64_t address = below(m, 8) ? ATOMIC + 4 * below(m, 2) : HEAP;
    emit(m, t, RV_STEP_ATOMIC_READ + what, address, 4, orders[what][below(m, 4)]);
}

static void make_lock(struct maker *m, uint32_t t) {
    uint32_t lock = m->options->locks ? below(m, m->options->locks) : LOCKS;
    if (lock < LOCKS && (m->options->locks_only || below(m, 2))) {
        if (m->owner[lock] && m->owner[lock] != (int)t + 1) return;
        emit(m, t, m->owner[lock] ? RV_STEP_UNLOCK : RV_STEP_LOCK, MUTEX + 8 * lock, 0, 0);
        m->owner[lock] = m->owner[lock] ? 0 : (int)t + 1;
        return;
    }
    if (m->options->locks_only) return;
    bool reads = m->readers >> t & 1;
    if (reads || m->writer == (int)t + 1) {
        emit(m, t, reads ? RV_STEP_UNLOCK_SHARED : RV_STEP_UNLOCK, RWLOCK, 0, 0);
        m->readers &= ~(1u << t);
        if (!reads) m->writer = 0;
    } else if (!m->writer && below(m, 2)) {
        emit(m, t, RV_STEP_LOCK_SHARED, RWLOCK, 0, 0);
        m->readers |= 1u << t;
    } else if (!m->writer && !m->readers) {
        emit(m, t, RV_STEP_LOCK, RWLOCK, 0, 0);
        m->writer = (int)t + 1;
    }
}

static void make_channel(struct maker *m, uint32_t t) {
    uint32_t which = below(m, 2);
    uint64_t address = which ? HEAP + 16 : SEMAPHORE;
    switch (below(m, 8)) {
    case 0: emit(m, t, below(m, 2) ? RV_STEP_BEFORE : RV_STEP_AFTER, USER, 0, 0); break;
    case 1: emit(m, t, RV_STEP_RENEW, below(m, 2) ? (uint64_t)SEMAPHORE : BARRIER + 8, 0, 0); break;
    case 2:
    case 3:
    case 4:
        emit(m, t, RV_STEP_SEND, address, 0, 0);
        m->units[which]++;
        break;
    default:
        if (!m->units[which]) return;
        emit(m, t, RV_STEP_RECEIVE, address, 0, 0);
        m->units[which]--;
    }
}

static void make_life(struct maker *m, uint32_t t) {
    if (m->options->locks_only) return;
    emit(m, t, m->allocated ? RV_STEP_FREE : RV_STEP_ALLOC, HEAP, HEAP_SIZE, 0);
    m->allocated = !m->allocated;
}

static void make_barrier(struct maker *m, uint32_t t) {
    if (m->options->locks_only || __builtin_popcount(m->alive & ~m->arrived) < 2) return;
    emit(m, t, RV_STEP_BARRIER, BARRIER, 2, 0);
    m->arrived = m->arrived ? 0 : 1u << t; /* rounds of two */
}

static void make_thread(struct maker *m, uint32_t t) {
    if (m->created < m->options->threads && below(m, 2)) {
        emit(m, t, RV_STEP_CREATE, m->created, 0, 0);
        m->alive |= 1u << m->created++;
        return;
    }
    for (uint32_t child = 1; child < m->created; child++)
        if (!((m->alive | m->joined) >> child & 1) && child != t) {
            emit(m, t, RV_STEP_JOIN, child, 0, 0);
            m->joined |= 1u << child;
            return;
        }
    if (!t || below(m, 3)) return;
    bool holds = m->writer == (int)t + 1 || m->readers >> t & 1;
    for (uint32_t i = 0; i < LOCKS; i++) holds = holds || m->owner[i] == (int)t + 1;
    if (holds) return;
    emit(m, t, RV_STEP_EXIT, 0, 0, 0);
    m->alive &= ~(1u << t);
}

void random_stream(struct stream *stream, struct rv_rng *rng, const struct stream_options *options) {
    struct maker m = {.stream = stream, .rng = rng, .options = options, .created = 1, .alive = 1};
    stream->count = 0;
    uint32_t weights[7], total = 0;
    for (int i = 0; i < 7; i++) weights[i] = i == 0 ? 8 : below(&m, 5); /* each stream has its own mixture */
    weights[6] += 1;
    if (options->locks_only) weights[1] = weights[3] = weights[4] = weights[5] = 0, weights[2] += 4;
    for (int i = 0; i < 7; i++) total += weights[i];
    if (below(&m, 2))
        while (m.created < options->threads) {
            emit(&m, 0, RV_STEP_CREATE, m.created, 0, 0);
            m.alive |= 1u << m.created++;
        }
    for (uint32_t tries = 0; stream->count < options->steps && tries < 10 * options->steps; tries++) {
        uint32_t t = below(&m, m.created);
        if (!((m.alive & ~m.arrived) >> t & 1)) continue;
        uint32_t pick = below(&m, total), what = 0;
        while (pick >= weights[what]) pick -= weights[what++];
        static void (*const make[])(struct maker *, uint32_t) = {
            make_access, make_atomic, make_lock, make_channel, make_life, make_barrier, make_thread};
        make[what](&m, t);
    }
}

bool touches(const struct rv_step *step, uint64_t byte) {
    return rv_step_is_access(step->kind) && byte - step->address < step->size;
}

static void add(struct step_set *set, uint32_t step, const struct step_set *before) {
    for (uint32_t i = 0; i < STREAM_STEPS / 64; i++) set->bits[i] |= before[step].bits[i];
    set->bits[step / 64] |= (uint64_t)1 << (step % 64);
}

/* Between two steps the object at this address did not begin a new life. */
static bool same_life(const struct stream *s, uint32_t from, uint32_t to, uint64_t address, bool renewable) {
    for (uint32_t k = from + 1; k < to; k++) {
        const struct rv_step *step = &s->steps[k];
        if (step->kind == RV_STEP_ALLOC && address - step->address < step->size) return false;
        if (renewable && step->kind == RV_STEP_RENEW && step->address == address) return false;
    }
    return true;
}

static bool orders_lock(const struct rv_step *from, const struct rv_step *to) {
    if (from->kind == RV_STEP_UNLOCK) return to->kind == RV_STEP_LOCK || to->kind == RV_STEP_LOCK_SHARED;
    return from->kind == RV_STEP_UNLOCK_SHARED && to->kind == RV_STEP_LOCK;
}

/* Everything but atomics, barriers and program order. */
static bool orders(const struct stream *s, uint32_t i, uint32_t j, bool locks) {
    const struct rv_step *a = &s->steps[i], *b = &s->steps[j];
    if (a->kind == RV_STEP_EXIT && b->kind == RV_STEP_JOIN) return a->thread == b->address;
    if (a->kind == RV_STEP_CREATE && a->address == b->thread) return true;
    if (a->address != b->address) return false;
    if (a->kind == RV_STEP_BEFORE && b->kind == RV_STEP_AFTER) return same_life(s, i, j, a->address, false);
    bool pair = (a->kind == RV_STEP_SEND && b->kind == RV_STEP_RECEIVE) || (locks && orders_lock(a, b));
    return pair && same_life(s, i, j, a->address, true);
}

/* The latest step before `from` that wrote the atomic in its present life, or -1. */
static int last_atomic_write(const struct stream *s, uint32_t from, uint64_t address) {
    for (int k = (int)from - 1; k >= 0; k--) {
        const struct rv_step *step = &s->steps[k];
        if (step->kind == RV_STEP_ALLOC && address - step->address < step->size) return -1;
        if ((step->kind == RV_STEP_ATOMIC_WRITE || step->kind == RV_STEP_ATOMIC_RMW) &&
            step->address == address)
            return k;
    }
    return -1;
}

/* Adds all that is released to who reads the atomic at `reader`: each release (or relaxed write after a release fence) whose
 * release sequence the last write is in. */
static void add_releases(const struct stream *s, uint32_t reader, const struct step_set *before,
                         struct step_set *to) {
    uint64_t address = s->steps[reader].address;
    int last = last_atomic_write(s, reader, address);
    for (int head = last; head >= 0; head = last_atomic_write(s, (uint32_t)head, address)) {
        const struct rv_step *h = &s->steps[head];
        bool whole = true;
        for (int k = last; k > head; k = last_atomic_write(s, (uint32_t)k, address))
            if (s->steps[k].kind != RV_STEP_ATOMIC_RMW && s->steps[k].thread != h->thread) whole = false;
        if (!whole) continue;
        if (rv_order_releases(h->order)) add(to, (uint32_t)head, before);
        for (int f = head - 1; f >= 0; f--)
            if (s->steps[f].thread == h->thread && s->steps[f].kind == RV_STEP_FENCE &&
                rv_order_releases(s->steps[f].order))
                add(to, (uint32_t)f, before);
    }
}

static void add_atomics(const struct stream *s, uint32_t i, struct step_set *before) {
    const struct rv_step *step = &s->steps[i];
    if (!rv_order_acquires(step->order)) return;
    if (step->kind == RV_STEP_ATOMIC_READ || step->kind == RV_STEP_ATOMIC_RMW)
        add_releases(s, i, before, &before[i]);
    if (step->kind != RV_STEP_FENCE) return;
    for (uint32_t j = 0; j < i; j++)
        if (s->steps[j].thread == step->thread &&
            (s->steps[j].kind == RV_STEP_ATOMIC_READ || s->steps[j].kind == RV_STEP_ATOMIC_RMW))
            add_releases(s, j, before, &before[i]);
}

/* Barriers of the streams have rounds of a given size: the arrivals of the round that `i` belongs to, if it came to be
 * complete, are before what follows `i`. */
static void add_round(const struct stream *s, uint32_t i, const struct step_set *before,
                      struct step_set *to) {
    uint32_t round[STREAM_STEPS], count = 0;
    bool mine = false;
    for (uint32_t j = 0; j < s->count; j++) {
        const struct rv_step *step = &s->steps[j];
        if (step->kind != RV_STEP_BARRIER || step->address != s->steps[i].address) continue;
        round[count++] = j;
        mine = mine || j == i;
        if (count < step->size) continue;
        if (mine)
            for (uint32_t k = 0; k < count; k++) add(to, round[k], before);
        if (mine) return;
        count = 0;
    }
}

void happens_before(const struct stream *s, bool locks, struct step_set before[STREAM_STEPS]) {
    memset(before, 0, STREAM_STEPS * sizeof *before);
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            bool own = s->steps[j].thread == s->steps[i].thread;
            if (own || orders(s, j, i, locks)) add(&before[i], j, before);
            if (own && s->steps[j].kind == RV_STEP_BARRIER) add_round(s, j, before, &before[i]);
        }
        add_atomics(s, i, before);
    }
}

bool races_on(const struct stream *s, const struct step_set *before, uint32_t i, uint32_t j, uint64_t byte) {
    const struct rv_step *a = &s->steps[i], *b = &s->steps[j];
    if (i >= j || a->thread == b->thread || !touches(a, byte) || !touches(b, byte)) return false;
    if (has_step(&before[j], i) || !rv_steps_conflict(a->kind, b->kind)) return false;
    for (uint32_t k = i + 1; k < j; k++)
        if (s->steps[k].kind == RV_STEP_ALLOC && byte - s->steps[k].address < s->steps[k].size) return false;
    for (int side = 0; side < 2; side++) { /* FREE counts where the granule was touched in this life */
        uint32_t at = side ? j : i;
        if (s->steps[at].kind != RV_STEP_FREE) continue;
        bool touched = false;
        for (uint32_t k = at; k-- > 0 && !touched && s->steps[k].kind != RV_STEP_ALLOC;)
            for (uint64_t each = byte & ~7u; each < (byte & ~7u) + 8; each++)
                touched = touched || (s->steps[k].kind != RV_STEP_FREE && touches(&s->steps[k], each));
        if (!touched) return false;
    }
    return true;
}

uint64_t racing_byte(const struct stream *s, const struct step_set *before, uint32_t i, uint32_t j) {
    const struct rv_step *a = &s->steps[i];
    for (uint64_t byte = a->address; byte < a->address + a->size; byte++)
        if (races_on(s, before, i, j, byte)) return byte;
    return UINT64_MAX;
}

static struct {
    void *memory;
    size_t size;
} reserved[4096];
static unsigned reserved_count;

static void *reserve(size_t size) {
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || reserved_count == 4096) return NULL;
    reserved[reserved_count].memory = memory;
    reserved[reserved_count++].size = size;
    return memory;
}

static void discard(void *memory, size_t size) { madvise(memory, size, MADV_DONTNEED); }

const struct rv_pages test_pages = {reserve, discard};

void pages_free_all(void) {
    while (reserved_count) {
        reserved_count--;
        munmap(reserved[reserved_count].memory, reserved[reserved_count].size);
    }
}

void print_stream(const struct stream *stream) {
    static const char *const names[] = {"read",    "write",   "aread",  "awrite", "rmw",      "free",
                                        "fence",   "lock",    "unlock", "rdlock", "rdunlock", "send",
                                        "receive", "barrier", "create", "start",  "exit",     "join",
                                        "alloc",   "renew",   "before", "after",  "benign"};
    for (uint32_t i = 0; i < stream->count; i++) {
        const struct rv_step *s = &stream->steps[i];
        printf("%3u  thread %u %s %#llx+%llu order %u\n", i, s->thread, names[s->kind],
               (unsigned long long)s->address, (unsigned long long)s->size, s->order);
    }
}
