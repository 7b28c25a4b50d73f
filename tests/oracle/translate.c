/* From statements to single steps: what the compiler does at -O0, where every access in the source is one access. */
#include <assert.h>

#include "oracle.h"

struct output {
    struct micro *micros;
    unsigned count;
};

static struct micro *emit(struct output *out, enum micro_kind kind, const struct statement *s) {
    assert(out->count < MICROS);
    struct micro *micro = &out->micros[out->count++];
    *micro = (struct micro){.kind = (uint8_t)kind};
    if (s) {
        micro->reg = s->reg;
        micro->value = s->value;
        micro->expected = s->expected;
        micro->object = s->object;
        micro->place = s->place;
    }
    return micro;
}

static void land(struct output *out, struct micro *jump) { jump->target = (uint8_t)out->count; }

static void memory_statement(struct output *out, const struct statement *s) {
    if (s->kind == S_WRITE) {
        emit(out, M_STORE, s);
        return;
    }
    if (s->kind == S_READ) {
        emit(out, M_LOAD, s);
        return;
    }
    struct micro *load = emit(out, M_LOAD, s);
    load->reg = SCRATCH;
    if (s->kind == S_COPY) load->place = s->other;
    struct micro *store = emit(out, M_STORE_SUM, s);
    store->reg = SCRATCH;
    if (s->kind == S_COPY) store->value = 0;
}

static void wait_statement(struct output *out, const struct statement *s) {
    unsigned start = out->count;
    struct micro *load = emit(out, M_LOAD, s);
    load->reg = SCRATCH;
    struct micro *branch = emit(out, M_BRANCH_NOT, s);
    branch->reg = SCRATCH;
    branch->value = 0;
    emit(out, M_COND_ENTER, s);
    emit(out, s->kind == S_TIMEDWAIT_IF ? M_COND_TIMEDWAKE : M_COND_WAKE, s);
    emit(out, M_LOCK, s)->object = 0;
    if (s->kind == S_WAIT_WHILE) emit(out, M_JUMP, s)->target = (uint8_t)start;
    land(out, branch);
}

static void heap_statement(struct output *out, const struct statement *s) {
    if (s->kind == S_NEW) {
        emit(out, M_ALLOCATE, s);
        emit(out, M_OBJECT_STORE, s);
        emit(out, M_POINTER_STORE, s);
        return;
    }
    if (s->kind == S_CHURN) { /* nobody else can see it */
        emit(out, M_ALLOCATE, s);
        emit(out, M_OBJECT_STORE, s);
        emit(out, M_OBJECT_LOAD, s);
        emit(out, M_FREE, s);
        return;
    }
    emit(out, M_POINTER_LOAD, s);
    struct micro *branch = emit(out, M_BRANCH_NULL, s);
    if (s->kind == S_USE) emit(out, M_OBJECT_LOAD, s);
    if (s->kind == S_CHANGE) emit(out, M_OBJECT_STORE, s);
    if (s->kind == S_DROP) {
        emit(out, M_POINTER_CLEAR, s);
        emit(out, M_FREE, s);
    }
    land(out, branch);
}

static void statement(struct output *out, const struct statement *s) {
    static const uint8_t same[S_KINDS] = {
        [S_ATOMIC_LOAD] = M_ATOMIC_LOAD,
        [S_ATOMIC_STORE] = M_ATOMIC_STORE,
        [S_ATOMIC_ADD] = M_ATOMIC_ADD,
        [S_ATOMIC_SWAP] = M_ATOMIC_SWAP,
        [S_ATOMIC_CAS] = M_ATOMIC_CAS,
        [S_LOCK] = M_LOCK,
        [S_UNLOCK] = M_UNLOCK,
        [S_TRYLOCK] = M_TRYLOCK,
        [S_TIMEDLOCK] = M_TIMEDLOCK,
        [S_SEM_WAIT] = M_SEM_WAIT,
        [S_SEM_POST] = M_SEM_POST,
        [S_SEM_TRYWAIT] = M_SEM_TRYWAIT,
        [S_SIGNAL] = M_SIGNAL,
        [S_SEM_TIMEDWAIT] = M_SEM_TIMEDWAIT,
        [S_RDLOCK] = M_RDLOCK,
        [S_WRLOCK] = M_WRLOCK,
        [S_RWUNLOCK] = M_RWUNLOCK,
        [S_BROADCAST] = M_BROADCAST,
        [S_YIELD] = M_YIELD,
        [S_CREATE] = M_CREATE,
        [S_JOIN] = M_JOIN,
        [S_ASSERT] = M_ASSERT,
        [S_DETACH] = M_YIELD,
    };
    struct micro *guard = NULL;
    if (s->guard >= 0) {
        guard = emit(out, M_BRANCH_NOT, s);
        guard->reg = (uint8_t)s->guard;
        guard->value = s->guard_value;
    }
    switch (s->kind) {
    case S_WRITE:
    case S_READ:
    case S_INCREMENT:
    case S_COPY: memory_statement(out, s); break;
    case S_WAIT_WHILE:
    case S_WAIT_IF:
    case S_TIMEDWAIT_IF: wait_statement(out, s); break;
    case S_BARRIER:
        emit(out, M_ARRIVE, s);
        emit(out, M_PASS, s);
        break;
    case S_NEW:
    case S_USE:
    case S_CHANGE:
    case S_DROP:
    case S_CHURN: heap_statement(out, s); break;
    default: emit(out, same[s->kind], s);
    }
    if (guard) land(out, guard);
}

void translate(const struct program *program, struct code *code) {
    for (unsigned t = 0; t < program->threads; t++) {
        struct output out = {.micros = code->micros[t]};
        const struct body *body = &program->bodies[t];
        emit(&out, M_YIELD, NULL); /* the start: nothing of a thread happens before it */
        for (unsigned i = 0; i < body->count; i++) statement(&out, &body->statements[i]);
        if (t == 0) {
            for (unsigned word = 0; word < 2; word++) emit(&out, M_OUT, NULL)->object = (uint8_t)word;
            for (unsigned atomic = 0; atomic < ATOMICS; atomic++)
                emit(&out, M_OUT, NULL)->object = (uint8_t)(2 + atomic);
            emit(&out, M_PRINT, NULL);
        }
        emit(&out, M_END, NULL);
        code->count[t] = out.count;
    }
}
