/* A program from a seed. Each program draws on a few families of operations and a few places only, so that its
 * threads meet. Mutexes are unlocked by whoever holds them (all else would be misuse, which ends an execution
 * before anything interesting), but now and then not at all.
 */
#include <string.h>

#include "oracle.h"

enum family { PLAIN, ATOMIC, LOCKS, SEMAPHORE, CONDITION, HEAP, RWLOCK, BARRIER, FAMILIES };

struct maker {
    struct program *program;
    uint64_t random;
    unsigned families; /* a bit each */
    struct place places[3];
    unsigned place_count;
    unsigned thread; /* whose body is being made */
};

static uint64_t next(struct maker *maker) { /* splitmix64 */
    uint64_t z = maker->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static unsigned below(struct maker *maker, unsigned n) { return (unsigned)(next(maker) % n); }
static bool one_in(struct maker *maker, unsigned n) { return below(maker, n) == 0; }

static struct statement *add(struct maker *maker, enum statement_kind kind) {
    struct body *body = &maker->program->bodies[maker->thread];
    static struct statement overflow;
    struct statement *s = body->count < STATEMENTS ? &body->statements[body->count++] : &overflow;
    *s = (struct statement){.kind = (uint8_t)kind, .guard = -1};
    s->reg = (uint8_t)below(maker, 2);
    s->value = (uint8_t)(1 + below(maker, 3));
    return s;
}

static struct place any_place(struct maker *maker) { return maker->places[below(maker, maker->place_count)]; }

/* A byte on a stack: the thread's own or its creator's. */
static struct place stack_place(struct maker *maker) {
    unsigned owner =
        maker->thread && one_in(maker, 2) ? maker->program->creator[maker->thread] : maker->thread;
    return (struct place){(uint8_t)(MEMORY + owner), 1};
}

static void maybe_guard(struct maker *maker, struct statement *s) {
    if (!one_in(maker, 5)) return;
    s->guard = (int8_t)below(maker, 2);
    s->guard_value = (uint8_t)below(maker, 3);
}

static void plain(struct maker *maker) {
    static const uint8_t kinds[] = {S_WRITE, S_WRITE,     S_READ,      S_READ,
                                    S_READ,  S_INCREMENT, S_INCREMENT, S_COPY};
    struct statement *s = add(maker, kinds[below(maker, sizeof kinds)]);
    s->place = one_in(maker, 8) ? stack_place(maker) : any_place(maker);
    s->other = any_place(maker);
    maybe_guard(maker, s);
    if (s->kind == S_READ && one_in(maker, 5)) {
        uint8_t reg = s->reg;
        s = add(maker, S_ASSERT);
        s->reg = reg;
    }
}

static void atomic(struct maker *maker) {
    struct statement *s = add(maker, S_ATOMIC_LOAD + below(maker, 5));
    s->object = (uint8_t)below(maker, one_in(maker, 2) ? ATOMICS : 1);
    s->expected = (uint8_t)below(maker, 3);
    maybe_guard(maker, s);
}

static void semaphore(struct maker *maker) {
    static const uint8_t kinds[] = {S_SEM_WAIT, S_SEM_WAIT,    S_SEM_POST,
                                    S_SEM_POST, S_SEM_TRYWAIT, S_SEM_TIMEDWAIT};
    maybe_guard(maker, add(maker, kinds[below(maker, sizeof kinds)]));
}

static void heap(struct maker *maker) {
    static const uint8_t kinds[] = {S_NEW, S_USE, S_USE, S_CHANGE, S_DROP, S_DROP, S_CHURN};
    maybe_guard(maker, add(maker, kinds[below(maker, sizeof kinds)]));
}

static void barrier(struct maker *maker) { maybe_guard(maker, add(maker, S_BARRIER)); }

static void simple(struct maker *maker) {
    unsigned kind;
    if (one_in(maker, 12)) {
        add(maker, S_YIELD);
        return;
    }
    do kind = below(maker, FAMILIES);
    while (!(maker->families & 1u << kind) || kind == LOCKS || kind == CONDITION || kind == RWLOCK);
    switch (kind) {
    case ATOMIC: atomic(maker); break;
    case SEMAPHORE: semaphore(maker); break;
    case HEAP: heap(maker); break;
    case BARRIER: barrier(maker); break;
    default: plain(maker);
    }
}

static void locks(struct maker *maker) {
    uint8_t object = (uint8_t)below(maker, MUTEXES);
    static const uint8_t kinds[] = {S_LOCK, S_LOCK, S_LOCK, S_TRYLOCK, S_TIMEDLOCK};
    struct statement *s = add(maker, kinds[below(maker, sizeof kinds)]);
    s->object = object;
    s->reg = 2;
    bool tried = s->kind != S_LOCK;
    struct body *body = &maker->program->bodies[maker->thread];
    unsigned from = body->count;
    simple(maker);
    if (!tried && one_in(maker, 3)) { /* the other one inside: deadlocks */
        s = add(maker, S_LOCK);
        s->object = 1 - object;
        simple(maker);
        add(maker, S_UNLOCK)->object = 1 - object;
    }
    if (tried || !one_in(maker, 12)) add(maker, S_UNLOCK)->object = object;
    if (!tried) return;
    for (unsigned i = from; i < body->count; i++) { /* all of it only with the lock */
        body->statements[i].guard = 2;
        body->statements[i].guard_value = 0;
    }
}

static void rwlock(struct maker *maker) {
    add(maker, one_in(maker, 2) ? S_RDLOCK : S_WRLOCK);
    simple(maker);
    if (one_in(maker, 3)) simple(maker);
    add(maker, S_RWUNLOCK);
}

static void condition(struct maker *maker) {
    struct place flag = maker->places[0];
    bool careful = !one_in(maker, 3);
    if (one_in(maker, 2)) {
        add(maker, S_LOCK);
        struct statement *s = add(maker, S_WAIT_WHILE + below(maker, 3));
        s->place = flag;
        if (one_in(maker, 2)) simple(maker);
        add(maker, S_UNLOCK);
        return;
    }
    if (careful) add(maker, S_LOCK);
    add(maker, S_WRITE)->place = flag;
    if (careful && one_in(maker, 2)) {
        add(maker, S_UNLOCK);
        careful = false;
    }
    add(maker, one_in(maker, 3) ? S_BROADCAST : S_SIGNAL);
    if (careful) add(maker, S_UNLOCK);
}

static void make_body(struct maker *maker, unsigned operations) {
    for (unsigned i = 0; i < operations; i++) {
        bool lock = maker->families & 1u << LOCKS, cond = maker->families & 1u << CONDITION;
        if (lock && one_in(maker, 2))
            locks(maker);
        else if (maker->families & 1u << RWLOCK && one_in(maker, 2))
            rwlock(maker);
        else if (cond && one_in(maker, 2))
            condition(maker);
        else
            simple(maker);
    }
}

static void make_places(struct maker *maker) {
    static const uint8_t sizes[] = {1, 1, 1, 2, 4};
    maker->place_count = 1 + below(maker, 3);
    unsigned granule = one_in(maker, 2) ? 4 : 8;
    for (unsigned i = 0; i < maker->place_count; i++) {
        uint8_t size = sizes[below(maker, sizeof sizes)];
        maker->places[i] = (struct place){(uint8_t)(below(maker, granule) / size * size), size};
    }
}

/* Threads are created in one go or with something in between; who is not joined may be cut off by main's end. */
static void make_main(struct maker *maker, unsigned operations) {
    struct program *program = maker->program;
    maker->thread = 0;
    for (unsigned t = 1; t < program->threads; t++) {
        if (program->creator[t] != 0) continue;
        if (operations && t > 1 && one_in(maker, 4)) {
            make_body(maker, 1);
            operations--;
        }
        add(maker, S_CREATE)->object = (uint8_t)t;
        if (!program->joined[t] && one_in(maker, 2)) add(maker, S_DETACH)->object = (uint8_t)t;
    }
    if (operations && one_in(maker, 3)) make_body(maker, 1);
    for (unsigned t = 1; t < program->threads; t++) {
        if (program->creator[t] != 0 || !program->joined[t]) continue;
        add(maker, S_JOIN)->object = (uint8_t)t;
    }
}

static void make_worker(struct maker *maker, unsigned t, unsigned operations) {
    struct program *program = maker->program;
    maker->thread = t;
    unsigned child = 0;
    for (unsigned c = t + 1; c < program->threads; c++)
        if (program->creator[c] == t) child = c;
    unsigned before = child ? below(maker, operations + 1) : operations;
    make_body(maker, before);
    if (!child) return;
    add(maker, S_CREATE)->object = (uint8_t)child;
    make_body(maker, operations - before);
    add(maker, S_JOIN)->object = (uint8_t)child;
}

void generate(struct program *program, uint64_t seed, unsigned size) {
    *program = (struct program){.seed = seed};
    struct maker maker = {.program = program, .random = seed * 1000003 + size};
    program->threads = 3 + !one_in(&maker, 3) * (size > 1);
    maker.families = 1u << PLAIN;
    for (unsigned more = one_in(&maker, 3) ? 0 : 2; more; more--)
        maker.families |= 1u << below(&maker, FAMILIES);
    if (one_in(&maker, 4)) maker.families &= ~(1u << PLAIN);
    if (!(maker.families & ~(1u << LOCKS | 1u << CONDITION | 1u << RWLOCK))) maker.families |= 1u << ATOMIC;
    make_places(&maker);
    program->object = !one_in(&maker, 3);
    program->semaphore = (uint8_t)below(&maker, 2);
    for (unsigned t = 1; t < program->threads; t++) {
        program->joined[t] = !one_in(&maker, 10);
        if (t == 3 && one_in(&maker, 3)) {
            program->creator[t] = 1;
            program->joined[t] = true; /* by its creator, which returns its result */
        }
    }
    make_main(&maker, size > 1);
    for (unsigned t = 1; t < program->threads; t++) make_worker(&maker, t, 1 + below(&maker, size));
    for (unsigned t = 1; t < program->threads; t++)
        if (program->creator[t] != 0) program->joined[t] = false;
}

/* By hand: programs in which every operation is a scheduling point from the start, so that the number of executions can be
 * predicted. Each thread does the same. */
static const uint8_t hand_written[][4] = {
    {1, S_ATOMIC_ADD},
    {2, S_ATOMIC_ADD, S_ATOMIC_ADD},
    {2, S_LOCK, S_UNLOCK},
    {3, S_LOCK, S_ATOMIC_ADD, S_UNLOCK},
    {2, S_SEM_POST, S_SEM_WAIT},
    {3, S_LOCK, S_SIGNAL, S_UNLOCK},
    {2, S_TRYLOCK, S_ATOMIC_SWAP},
};

bool by_hand(struct program *program, unsigned number) {
    if (number >= sizeof hand_written / sizeof *hand_written) return false;
    *program = (struct program){.seed = number, .threads = 3, .joined = {false, true, true}};
    struct maker maker = {.program = program};
    for (maker.thread = 1; maker.thread < program->threads; maker.thread++)
        for (unsigned i = 1; i <= hand_written[number][0]; i++) add(&maker, hand_written[number][i]);
    make_main(&maker, 0);
    return true;
}
