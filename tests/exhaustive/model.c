#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

static void add(struct program *program, unsigned thread, enum op op, unsigned what, int value) {
    program->ops[thread][program->counts[thread]++] = (struct operation){op, what, value};
}

static void random_thread(struct program *program, unsigned thread, struct rv_rng *rng) {
    static const enum op choice[] = {OP_READ, OP_READ, OP_WRITE,   OP_STORE, OP_STORE, OP_ATOMIC,
                                     OP_LOCK, OP_LOCK, OP_TRYLOCK, OP_SLEEP, OP_YIELD};
    int held = -1;
    uint64_t length = 1 + rv_rng_below(rng, program->threads == 2 ? 4 : 3);
    for (uint64_t i = 0; i < length; i++) {
        enum op op = choice[rv_rng_below(rng, sizeof choice / sizeof *choice)];
        unsigned what = (unsigned)rv_rng_below(rng, 2);
        if (op == OP_LOCK && held >= 0) {
            add(program, thread, OP_UNLOCK, (unsigned)held, 0);
            held = -1;
            continue;
        }
        if (op == OP_LOCK) held = (int)what;
        add(program, thread, op, what, 1 + (int)rv_rng_below(rng, 3));
        if (op == OP_TRYLOCK) add(program, thread, OP_UNLOCK_IF_TRIED, what, 0);
    }
    /* One in ten keeps its mutex: others may wait for ever. */
    if (held >= 0 && rv_rng_below(rng, 10)) add(program, thread, OP_UNLOCK, (unsigned)held, 0);
}

struct program program_random(uint64_t seed) {
    struct rv_rng rng = rv_rng_stream(seed, 1);
    struct program program = {.threads = 2 + (rv_rng_below(&rng, 8) == 0)};
    for (unsigned i = 0; i < program.threads; i++) random_thread(&program, i, &rng);
    return program;
}

/* ---- brute force */

/* One step of the thread; false: it cannot. */
static bool step(const struct program *program, struct state *state, unsigned thread) {
    if (state->pc[thread] >= program->counts[thread]) return false;
    const struct operation *op = &program->ops[thread][state->pc[thread]];
    int *reg = &state->registers[thread];
    switch (op->op) {
    case OP_READ: *reg = state->variables[op->what]; break;
    case OP_WRITE: state->variables[op->what] = op->value; break;
    case OP_STORE: state->variables[op->what] = *reg + op->value; break;
    case OP_LOCK:
        if (state->owner[op->what]) return false;
        state->owner[op->what] = (uint8_t)(thread + 1);
        break;
    case OP_UNLOCK: state->owner[op->what] = 0; break;
    case OP_TRYLOCK:
        if (state->owner[op->what]) {
            *reg += 50;
        } else {
            state->owner[op->what] = (uint8_t)(thread + 1);
            state->tried[thread] = (uint8_t)(op->what + 1);
        }
        break;
    case OP_UNLOCK_IF_TRIED:
        if (state->tried[thread]) state->owner[op->what] = 0;
        state->tried[thread] = 0;
        break;
    case OP_ATOMIC:
    case OP_SLEEP:
    case OP_YIELD: break;
    }
    state->pc[thread]++;
    return true;
}

enum { TABLE = 1 << 20 };

/* Adds to an open hash table of states. False: it was there, or the table is getting full. */
static bool add_new(struct state *table, bool *used, unsigned *count, const struct state *state) {
    uint64_t hash = 14695981039346656037u;
    const unsigned char *bytes = (const unsigned char *)state;
    for (size_t i = 0; i < sizeof *state; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    size_t at = hash % TABLE;
    while (used[at]) {
        if (memcmp(&table[at], state, sizeof *state) == 0) return false;
        at = (at + 1) % TABLE;
    }
    if (*count > TABLE / 2) return false;
    table[at] = *state;
    used[at] = true;
    ++*count;
    return true;
}

/* The same outcome for the program: only what it can see of itself. */
static bool same_outcome(const struct state *a, const struct state *b) {
    return memcmp(a->registers, b->registers, sizeof a->registers) == 0 &&
           memcmp(a->variables, b->variables, sizeof a->variables) == 0;
}

static bool add_final(const struct program *program, const struct state *state, struct finals *finals) {
    for (unsigned i = 0; i < program->threads; i++) {
        if (state->pc[i] == program->counts[i]) continue;
        finals->deadlock = true;
        return true;
    }
    for (unsigned i = 0; i < finals->count; i++)
        if (same_outcome(&finals->states[i], state)) return true;
    if (finals->count == MAX_FINALS) return false;
    finals->states[finals->count++] = *state;
    return true;
}

bool program_finals(const struct program *program, struct finals *finals) {
    struct state *table = calloc(TABLE, sizeof *table), *open = calloc(TABLE, sizeof *open);
    bool *used = calloc(TABLE, sizeof *used);
    unsigned count = 0, waiting = 0;
    bool fits = table && open && used;
    *finals = (struct finals){0};
    struct state first;
    memset(&first, 0, sizeof first); /* padding, too: states are compared as bytes */
    if (fits && add_new(table, used, &count, &first)) open[waiting++] = first;
    while (fits && waiting) {
        struct state state = open[--waiting];
        bool moved = false;
        for (unsigned i = 0; i < program->threads; i++) {
            struct state next;
            memcpy(&next, &state, sizeof next);
            if (!step(program, &next, i)) continue;
            moved = true;
            if (add_new(table, used, &count, &next)) open[waiting++] = next;
        }
        if (!moved) fits = add_final(program, &state, finals);
    }
    fits = fits && count <= TABLE / 2;
    free(table);
    free(open);
    free(used);
    return fits;
}

/* ---- as C */

static void write_operation(const struct operation *op, FILE *file) {
    static const char *const texts[] = {
        [OP_READ] = "r = *(volatile int *)&v[%u];",
        [OP_WRITE] = "*(volatile int *)&v[%u] = %d;",
        [OP_STORE] = "*(volatile int *)&v[%u] = r + %d;",
        [OP_ATOMIC] = "atomic_fetch_add(&noise[%u], 1);",
        [OP_LOCK] = "pthread_mutex_lock(&m[%u]);",
        [OP_UNLOCK] = "pthread_mutex_unlock(&m[%u]);",
        [OP_TRYLOCK] = "if (pthread_mutex_trylock(&m[%u])) r += 50; else tried = 1;",
        [OP_UNLOCK_IF_TRIED] = "if (tried) { tried = 0; pthread_mutex_unlock(&m[%u]); }",
        [OP_SLEEP] = "usleep(10 + %u);",
        [OP_YIELD] = "sched_yield(); (void)%u;",
    };
    fputs("    ", file);
    fprintf(file, texts[op->op], op->what, op->value);
    fputc('\n', file);
}

void program_write(const struct program *program, const struct finals *finals, FILE *file) {
    unsigned n = program->threads;
    fputs(
        "#define _GNU_SOURCE\n#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n#include <unistd.h>\n"
        "static int v[2], result[3];\nstatic atomic_int noise[2];\n"
        "static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};\n",
        file);
    for (unsigned i = 0; i < n; i++) {
        fprintf(file, "static void *t%u(void *p) {\n    int r = 0, tried = 0;\n    (void)tried;\n", i);
        for (unsigned k = 0; k < program->counts[i]; k++) write_operation(&program->ops[i][k], file);
        fprintf(file, "    result[%u] = r;\n    return p;\n}\n", i);
    }
    fputs("int main(void) {\n    pthread_t t[3];\n", file);
    for (unsigned i = 0; i < n; i++) fprintf(file, "    pthread_create(&t[%u], 0, t%u, 0);\n", i, i);
    for (unsigned i = 0; i < n; i++) fprintf(file, "    pthread_join(t[%u], 0);\n", i);
    for (unsigned s = 0; s < finals->count; s++) {
        const struct state *state = &finals->states[s];
        fprintf(file, "    if (v[0] == %d && v[1] == %d", state->variables[0], state->variables[1]);
        for (unsigned i = 0; i < n; i++) fprintf(file, " && result[%u] == %d", i, state->registers[i]);
        fprintf(file, ") return %u;\n", s + 1);
    }
    fputs("    return 255;\n}\n", file);
}
