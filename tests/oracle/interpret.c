/* Every interleaving of the steps, by memoised search over states.
 *
 * A state is the whole world. A step is one access or one synchronisation operation of one thread together with the
 * private steps behind it, which commute with everything. The graph of states has no cycles: the
 * only loop of the language waits for a signal, and signals run out. So the number of paths to
 * the ends is a sum over successors, kept with each state.
 *
 * Meaning of the operations, as POSIX has it and ravel promises: a timed operation may run out of time at any moment at
 * which it could not succeed (with strict timing: at which nobody can do anything, and from then on, for all deadlines are one); a
 * signal wakes any one waiter; a woken waiter is none any more; accesses are sequentially consistent; a failure ends
 * the execution; main's end ends the program, whoever runs.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

const char *const failure_names[FAILURES] = {"deadlock", "assert", "use-after-free", "double-free"};

enum { NOT_BEGUN, RUNNING, OVER };
enum { NO_WAITER, WAITS, WOKEN };

struct thread_state {
    uint8_t pc, status, waiter, q, regs[4];
    uint8_t at_barrier, unused;
    uint16_t result;
};

struct state {
    struct thread_state threads[THREADS];
    uint8_t memory[MEMORY + THREADS];
    uint8_t atomics[ATOMICS];
    uint8_t owner[MUTEXES]; /* thread + 1 */
    uint8_t semaphore;
    uint8_t readers, writer; /* of the read-write lock; thread + 1 */
    uint8_t arrived;         /* at the barrier */
    uint8_t h;               /* object + 1 */
    uint8_t objects[OBJECTS];
    uint8_t freed, allocated;
    uint8_t expired; /* strict timing: the time of all deadlines has come */
    uint8_t out[8 + ATOMICS];
};
_Static_assert(sizeof(struct state) ==
                   THREADS * 12 + MEMORY + THREADS + ATOMICS + MUTEXES + OBJECTS + 8 + 8 + ATOMICS,
               "no padding: states are compared as bytes");

struct entry {
    struct state state;
    double paths;
    bool used;
};

struct search {
    const struct program *program;
    const struct code *code;
    struct verdict *verdict;
    struct entry *table;
    size_t capacity, most;
    bool strict;
};

/* ---- what has been seen ---- */

static size_t hash_of(const struct state *state) {
    const unsigned char *bytes = (const unsigned char *)state;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof *state; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return (size_t)(hash ^ hash >> 29);
}

static struct entry *entry_of(const struct search *search, const struct state *state) {
    for (size_t at = hash_of(state);; at++) {
        struct entry *entry = &search->table[at & (search->capacity - 1)];
        if (!entry->used || memcmp(&entry->state, state, sizeof *state) == 0) return entry;
    }
}

static void add_line(struct verdict *verdict, const char *line) {
    for (unsigned i = 0; i < verdict->line_count; i++)
        if (strcmp(verdict->lines[i], line) == 0) return;
    if (verdict->line_count == LINES) {
        verdict->too_many = true;
        return;
    }
    strcpy(verdict->lines[verdict->line_count++], line);
}

static void print_line(const struct search *search, const struct state *state) {
    char line[LINE];
    uint32_t words[2];
    memcpy(words, state->out, sizeof words);
    const uint8_t *regs = state->threads[0].regs;
    int length = snprintf(line, sizeof line, "S %08x %08x a %x %x m %x %x %x", words[0], words[1],
                          state->out[8], state->out[9], regs[0], regs[1], regs[2]);
    for (unsigned t = 1; t < search->program->threads; t++)
        if (search->program->joined[t])
            length +=
                snprintf(line + length, sizeof line - (size_t)length, " t%u %x", t, state->threads[t].result);
    assert((size_t)length < sizeof line);
    add_line(search->verdict, line);
}

/* ---- one step ---- */

static uint64_t load(const struct state *state, struct place place) {
    uint32_t value = 0;
    memcpy(&value, state->memory + place.at, place.size);
    return value;
}

static void store(struct state *state, struct place place, uint64_t value) {
    uint32_t bits = (uint32_t)value;
    memcpy(state->memory + place.at, &bits, place.size);
}

static bool is_freed(const struct state *state, uint8_t q) { return state->freed >> (q - 1) & 1; }

/* Whether the thread's next step can be made; with time-outs or without. */
static bool enabled(const struct search *search, const struct state *state, unsigned t, bool timeouts) {
    const struct thread_state *thread = &state->threads[t];
    if (thread->status != RUNNING) return false;
    const struct micro *m = &search->code->micros[t][thread->pc];
    switch (m->kind) {
    case M_LOCK: return !state->owner[m->object];
    case M_SEM_WAIT: return state->semaphore > 0;
    case M_COND_WAKE: return thread->waiter == WOKEN;
    case M_RDLOCK: return !state->writer;
    case M_WRLOCK: return !state->writer && !state->readers;
    case M_PASS: return thread->at_barrier == WOKEN;
    case M_JOIN: return state->threads[m->object].status == OVER;
    case M_TIMEDLOCK: return timeouts || state->expired || !state->owner[m->object];
    case M_SEM_TIMEDWAIT: return timeouts || state->expired || state->semaphore > 0;
    case M_COND_TIMEDWAKE: return timeouts || state->expired || thread->waiter == WOKEN;
    default: return true;
    }
}

/* How many outcomes the step has: which waiter a signal wakes. */
static unsigned choices(const struct search *search, const struct state *state, unsigned t) {
    if (search->code->micros[t][state->threads[t].pc].kind != M_SIGNAL) return 1;
    unsigned waiters = 0;
    for (unsigned i = 0; i < THREADS; i++) waiters += state->threads[i].waiter == WAITS;
    return waiters ? waiters : 1;
}

static void wake(struct state *state, unsigned which, bool all) {
    for (unsigned i = 0; i < THREADS; i++) {
        if (state->threads[i].waiter != WAITS) continue;
        if (all || which-- == 0) state->threads[i].waiter = WOKEN;
    }
}

static void arrive(struct state *state, struct thread_state *thread, const struct micro *m) {
    bool last = ++state->arrived == 2;
    thread->regs[m->reg] = last;
    thread->at_barrier = WAITS;
    for (unsigned i = 0; last && i < THREADS; i++)
        if (state->threads[i].at_barrier == WAITS) state->threads[i].at_barrier = WOKEN;
    if (last) state->arrived = 0;
}

/* The mutexes, the semaphore and the condition variable; false: the step is none of these. */
static bool synchronise(struct state *state, unsigned t, const struct micro *m, unsigned choice) {
    struct thread_state *thread = &state->threads[t];
    switch (m->kind) {
    case M_LOCK: state->owner[m->object] = (uint8_t)(t + 1); return true;
    case M_UNLOCK:
        assert(state->owner[m->object] == t + 1);
        state->owner[m->object] = 0;
        return true;
    case M_TRYLOCK:
    case M_TIMEDLOCK:
        thread->regs[m->reg] = state->owner[m->object] != 0;
        if (!state->owner[m->object]) state->owner[m->object] = (uint8_t)(t + 1);
        return true;
    case M_SEM_WAIT: state->semaphore--; return true;
    case M_SEM_POST: state->semaphore++; return true;
    case M_SEM_TRYWAIT:
    case M_SEM_TIMEDWAIT:
        thread->regs[m->reg] = !state->semaphore;
        if (state->semaphore) state->semaphore--;
        return true;
    case M_RDLOCK: state->readers++; return true;
    case M_WRLOCK: state->writer = (uint8_t)(t + 1); return true;
    case M_RWUNLOCK:
        if (state->writer)
            state->writer = 0;
        else
            state->readers--;
        return true;
    case M_ARRIVE: arrive(state, thread, m); return true;
    case M_PASS: thread->at_barrier = NO_WAITER; return true;
    case M_COND_ENTER:
        state->owner[0] = 0;
        thread->waiter = WAITS;
        return true;
    case M_COND_TIMEDWAKE: thread->regs[m->reg] = thread->waiter != WOKEN; /* fall through */
    case M_COND_WAKE: thread->waiter = NO_WAITER; return true;
    case M_SIGNAL: wake(state, choice, false); return true;
    case M_BROADCAST: wake(state, 0, true); return true;
    case M_YIELD: return true;
    default: return false;
    }
}

static bool atomic(struct state *state, struct thread_state *thread, const struct micro *m) {
    uint8_t *object = &state->atomics[m->object < ATOMICS ? m->object : 0], old = *object;
    switch (m->kind) {
    case M_ATOMIC_LOAD: break;
    case M_ATOMIC_STORE: *object = m->value; return true;
    case M_ATOMIC_ADD: *object = (uint8_t)(old + m->value); break;
    case M_ATOMIC_SWAP: *object = m->value; break;
    case M_ATOMIC_CAS:
        if (old == m->expected) *object = m->value;
        old = old == m->expected;
        break;
    default: return false;
    }
    thread->regs[m->reg] = old;
    return true;
}

/* The failure that the step is, or -1. */
static int heap(struct state *state, struct thread_state *thread, const struct micro *m) {
    bool freed = thread->q && is_freed(state, thread->q);
    switch (m->kind) {
    case M_POINTER_LOAD: thread->q = state->h; break;
    case M_POINTER_STORE: state->h = thread->q; break;
    case M_POINTER_CLEAR: state->h = 0; break;
    case M_OBJECT_LOAD:
        if (freed) return F_USE_AFTER_FREE;
        thread->regs[m->reg] = state->objects[thread->q - 1];
        break;
    case M_OBJECT_STORE:
        if (freed) return F_USE_AFTER_FREE;
        state->objects[thread->q - 1] = m->value;
        break;
    case M_FREE:
        if (freed) return F_DOUBLE_FREE;
        state->freed |= (uint8_t)(1u << (thread->q - 1));
        break;
    case M_ALLOCATE:
        assert(state->allocated < OBJECTS);
        thread->q = ++state->allocated;
        break;
    default: abort();
    }
    return -1;
}

static void others(const struct search *search, struct state *state, unsigned t, const struct micro *m) {
    struct thread_state *thread = &state->threads[t];
    switch (m->kind) {
    case M_LOAD: thread->regs[m->reg] = (uint8_t)load(state, m->place); break;
    case M_STORE: store(state, m->place, m->value); break;
    case M_STORE_SUM: store(state, m->place, (uint64_t)thread->regs[m->reg] + m->value); break;
    case M_CREATE: state->threads[m->object].status = RUNNING; break;
    case M_JOIN:
        if (t) thread->regs[m->reg] = (uint8_t)state->threads[m->object].result;
        break;
    case M_OUT:
        if (m->object < 2)
            memcpy(state->out + 4 * m->object, state->memory + 4 * m->object, 4);
        else
            state->out[8 + m->object - 2] = state->atomics[m->object - 2];
        break;
    case M_PRINT: print_line(search, state); break;
    case M_END:
        thread->status = OVER;
        thread->result =
            (uint16_t)((thread->regs[0] & 15) | (thread->regs[1] & 15) << 4 | (thread->regs[2] & 15) << 8);
        break;
    default: abort();
    }
}

/* One step at thread->pc, whatever it is: the failure, or -1. */
static int step(const struct search *search, struct state *state, unsigned t, unsigned choice) {
    struct thread_state *thread = &state->threads[t];
    const struct micro *m = &search->code->micros[t][thread->pc++];
    bool branch = false;
    switch (m->kind) {
    case M_BRANCH: branch = thread->regs[m->reg] == m->value; break;
    case M_BRANCH_NOT: branch = thread->regs[m->reg] != m->value; break;
    case M_BRANCH_NULL: branch = !thread->q; break;
    case M_JUMP: branch = true; break;
    case M_ASSERT: return thread->regs[m->reg] == m->value ? F_ASSERT : -1;
    case M_POINTER_LOAD:
    case M_POINTER_STORE:
    case M_POINTER_CLEAR:
    case M_OBJECT_LOAD:
    case M_OBJECT_STORE:
    case M_FREE:
    case M_ALLOCATE: return heap(state, thread, m);
    default:
        if (!synchronise(state, t, m, choice) && !atomic(state, thread, m)) others(search, state, t, m);
    }
    if (branch) thread->pc = m->target;
    return -1;
}

/* The private steps up to the next one that others may notice. */
static int settle(const struct search *search, struct state *state, unsigned t) {
    int failure = -1;
    while (failure < 0 && state->threads[t].status != OVER &&
           search->code->micros[t][state->threads[t].pc].kind >= M_ALLOCATE)
        failure = step(search, state, t, 0);
    return failure;
}

/* ---- all of them ---- */

static double explore(const struct search *search, const struct state *state);

/* Whether the thread's next step ends by time alone. */
static bool timed_out(const struct search *search, const struct state *state, unsigned t) {
    switch (search->code->micros[t][state->threads[t].pc].kind) {
    case M_TIMEDLOCK:
    case M_SEM_TIMEDWAIT:
    case M_COND_TIMEDWAKE: return !enabled(search, state, t, false);
    default: return false;
    }
}

/* What comes of one step in all its outcomes: the number of paths. */
static double follow(const struct search *search, const struct state *state, unsigned t) {
    double paths = 0;
    unsigned outcomes = choices(search, state, t);
    for (unsigned choice = 0; choice < outcomes; choice++) {
        struct state next = *state;
        next.expired |= search->strict && timed_out(search, state, t);
        int failure = step(search, &next, t, choice);
        if (failure < 0) failure = settle(search, &next, t);
        if (failure >= 0) search->verdict->failures[failure] = true;
        paths += failure >= 0 ? 1 : explore(search, &next);
    }
    return paths;
}

static double explore(const struct search *search, const struct state *state) {
    struct verdict *verdict = search->verdict;
    if (verdict->too_many || state->threads[0].status == OVER) return 1;
    struct entry *entry = entry_of(search, state);
    if (entry->used) return entry->paths;
    if (verdict->states >= search->most) {
        verdict->too_many = true;
        return 1;
    }
    verdict->states++;
    entry->used = true;
    entry->state = *state;
    double paths = 0;
    for (int timeouts = !search->strict; timeouts <= 1 && paths == 0; timeouts++)
        for (unsigned t = 0; t < search->program->threads; t++)
            if (enabled(search, state, t, timeouts)) paths += follow(search, state, t);
    if (paths == 0) {
        verdict->failures[F_DEADLOCK] = true;
        paths = 1;
    }
    entry->paths = paths;
    return paths;
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

void interpret(const struct program *program, const struct code *code, bool strict, struct verdict *verdict,
               size_t most_states) {
    *verdict = (struct verdict){.lines = calloc(LINES, LINE)};
    struct search search = {.program = program,
                            .code = code,
                            .verdict = verdict,
                            .most = most_states,
                            .capacity = 1,
                            .strict = strict};
    while (search.capacity < 2 * most_states) search.capacity *= 2;
    search.table = calloc(search.capacity, sizeof *search.table);
    if (!verdict->lines || !search.table) {
        perror("oracle");
        exit(3);
    }
    struct state first;
    memset(&first, 0, sizeof first);
    first.semaphore = program->semaphore;
    first.threads[0].status = RUNNING;
    if (program->object) {
        first.h = first.allocated = 1;
        first.objects[0] = 1;
    }
    verdict->paths = explore(&search, &first);
    free(search.table);
    qsort(verdict->lines, verdict->line_count, LINE, by_text);
}

void verdict_free(struct verdict *verdict) { free(verdict->lines); }
