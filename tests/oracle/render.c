/* The program as C. Main prints one line, with what it has read into local variables before. */
#include "oracle.h"

static const char *place_name(struct place place) {
    static char names[4][32];
    static unsigned turn;
    char *name = names[turn++ & 3];
    static const char views[] = {0, 'b', 'h', 0, 'w'};
    (void)snprintf(name, sizeof names[0], "mem.%c[%u]", views[place.size], place.at / place.size);
    return name;
}

static const char *type_name(struct place place) {
    return place.size == 1 ? "unsigned char" : place.size == 2 ? "unsigned short" : "unsigned";
}

/* A byte on the own stack, or on the creator's. */
static const char *name_for(unsigned thread, struct place place) {
    if (place.at < MEMORY) return place_name(place);
    return place.at == MEMORY + thread ? "mine" : "*up";
}

static void memory_statement(const struct statement *s, unsigned t, FILE *out) {
    const char *place = name_for(t, s->place), *type = type_name(s->place);
    switch (s->kind) {
    case S_WRITE: fprintf(out, "%s = %u;\n", place, s->value); break;
    case S_READ: fprintf(out, "l%u = (unsigned char)%s;\n", s->reg, place); break;
    case S_INCREMENT:
        fprintf(out, "%s = (%s)((unsigned char)%s + %u);\n", place, type, place, s->value);
        break;
    default: fprintf(out, "%s = (%s)(unsigned char)%s;\n", place, type, name_for(t, s->other));
    }
}

static void sync_statement(const struct statement *s, FILE *out) {
    unsigned o = s->object, r = s->reg, v = s->value;
    switch (s->kind) {
    case S_ATOMIC_LOAD: fprintf(out, "l%u = atomic_load(&a%u);\n", r, o); break;
    case S_ATOMIC_STORE: fprintf(out, "atomic_store(&a%u, %u);\n", o, v); break;
    case S_ATOMIC_ADD: fprintf(out, "l%u = atomic_fetch_add(&a%u, %u);\n", r, o, v); break;
    case S_ATOMIC_SWAP: fprintf(out, "l%u = atomic_exchange(&a%u, %u);\n", r, o, v); break;
    case S_ATOMIC_CAS:
        fprintf(out, "{ unsigned char e = %u; l%u = atomic_compare_exchange_strong(&a%u, &e, %u); }\n",
                s->expected, r, o, v);
        break;
    case S_LOCK: fprintf(out, "pthread_mutex_lock(&m%u);\n", o); break;
    case S_UNLOCK: fprintf(out, "pthread_mutex_unlock(&m%u);\n", o); break;
    case S_TRYLOCK: fprintf(out, "l%u = pthread_mutex_trylock(&m%u) != 0;\n", r, o); break;
    case S_TIMEDLOCK: fprintf(out, "l%u = pthread_mutex_timedlock(&m%u, &later) != 0;\n", r, o); break;
    case S_SEM_WAIT: fprintf(out, "sem_wait(&s);\n"); break;
    case S_SEM_POST: fprintf(out, "sem_post(&s);\n"); break;
    case S_SEM_TRYWAIT: fprintf(out, "l%u = sem_trywait(&s) != 0;\n", r); break;
    case S_SEM_TIMEDWAIT: fprintf(out, "l%u = sem_timedwait(&s, &later) != 0;\n", r); break;
    case S_RDLOCK: fprintf(out, "pthread_rwlock_rdlock(&l);\n"); break;
    case S_WRLOCK: fprintf(out, "pthread_rwlock_wrlock(&l);\n"); break;
    case S_RWUNLOCK: fprintf(out, "pthread_rwlock_unlock(&l);\n"); break;
    case S_BARRIER: fprintf(out, "l%u = pthread_barrier_wait(&b) != 0;\n", r); break;
    case S_WAIT_WHILE:
        fprintf(out, "while ((unsigned char)%s == 0) pthread_cond_wait(&c, &m0);\n", place_name(s->place));
        break;
    case S_WAIT_IF:
        fprintf(out, "if ((unsigned char)%s == 0) pthread_cond_wait(&c, &m0);\n", place_name(s->place));
        break;
    case S_TIMEDWAIT_IF:
        fprintf(out, "if ((unsigned char)%s == 0) l%u = pthread_cond_timedwait(&c, &m0, &later) != 0;\n",
                place_name(s->place), r);
        break;
    case S_SIGNAL: fprintf(out, "pthread_cond_signal(&c);\n"); break;
    case S_BROADCAST: fprintf(out, "pthread_cond_broadcast(&c);\n"); break;
    default: fprintf(out, "sched_yield();\n");
    }
}

static void heap_statement(const struct statement *s, FILE *out) {
    unsigned r = s->reg, v = s->value;
    switch (s->kind) {
    case S_NEW: fprintf(out, "{ unsigned char *q = malloc(1); *q = %u; h = q; }\n", v); break;
    case S_USE: fprintf(out, "{ unsigned char *q = h; if (q) l%u = *q; }\n", r); break;
    case S_CHANGE: fprintf(out, "{ unsigned char *q = h; if (q) *q = %u; }\n", v); break;
    case S_DROP: fprintf(out, "{ unsigned char *q = h; if (q) { h = NULL; free(q); } }\n"); break;
    default: fprintf(out, "{ unsigned char *q = malloc(%u); *q = %u; l%u = *q; free(q); }\n", 40 * v, v, r);
    }
}

static void thread_statement(const struct statement *s, unsigned t, FILE *out) {
    unsigned o = s->object;
    if (s->kind == S_CREATE)
        fprintf(out, "pthread_create(&h%u, NULL, t%u, &mine);\n", o, o);
    else if (s->kind == S_DETACH)
        fprintf(out, "pthread_detach(h%u);\n", o);
    else if (t == 0)
        fprintf(out, "pthread_join(h%u, &r%u);\n", o, o);
    else
        fprintf(out, "{ void *r; pthread_join(h%u, &r); l%u = (unsigned char)(uintptr_t)r; }\n", o, s->reg);
}

static void print_statement(const struct statement *s, unsigned t, FILE *out) {
    fprintf(out, "    ");
    if (s->guard >= 0) fprintf(out, "if (l%d == %u) ", s->guard, s->guard_value);
    switch (s->kind) {
    case S_WRITE:
    case S_READ:
    case S_INCREMENT:
    case S_COPY: memory_statement(s, t, out); break;
    case S_NEW:
    case S_USE:
    case S_CHANGE:
    case S_DROP:
    case S_CHURN: heap_statement(s, out); break;
    case S_CREATE:
    case S_DETACH:
    case S_JOIN: thread_statement(s, t, out); break;
    case S_ASSERT: fprintf(out, "assert(l%u != %u);\n", s->reg, s->value); break;
    default: sync_statement(s, out);
    }
}

static void print_body(const struct program *program, unsigned t, FILE *out) {
    const struct body *body = &program->bodies[t];
    fprintf(out, "    unsigned char l0 = 0, l1 = 0, l2 = 0, mine = 0;\n");
    for (unsigned c = t + 1; c < program->threads; c++)
        if (program->creator[c] == t) fprintf(out, "    pthread_t h%u;\n", c);
    if (t == 0)
        for (unsigned c = 1; c < program->threads; c++)
            if (program->joined[c]) fprintf(out, "    void *r%u = NULL;\n", c);
    if (t == 0) fprintf(out, "    pthread_barrier_init(&b, NULL, 2);\n");
    if (t == 0) fprintf(out, "    sem_init(&s, 0, %u);\n", program->semaphore);
    if (t == 0 && program->object) fprintf(out, "    h = malloc(1);\n    *h = 1;\n");
    fprintf(out, "    (void)l0; (void)l1; (void)l2; (void)mine;\n");
    for (unsigned i = 0; i < body->count; i++) print_statement(&body->statements[i], t, out);
}

static void print_main(const struct program *program, FILE *out) {
    fprintf(out, "int main(void) {\n");
    print_body(program, 0, out);
    fprintf(
        out,
        "    unsigned w0 = mem.w[0];\n    unsigned w1 = mem.w[1];\n"
        "    unsigned v0 = atomic_load(&a0);\n    unsigned v1 = atomic_load(&a1);\n"
        "    char line[128];\n    int n = snprintf(line, sizeof line, \"S %%08x %%08x a %%x %%x m %%x %%x %%x");
    for (unsigned t = 1; t < program->threads; t++)
        if (program->joined[t]) fprintf(out, " t%u %%x", t);
    fprintf(out, "\\n\", w0, w1, v0, v1, l0, l1, l2");
    for (unsigned t = 1; t < program->threads; t++)
        if (program->joined[t]) fprintf(out, ", (unsigned)(uintptr_t)r%u", t);
    fprintf(out, ");\n    return write(1, line, (size_t)n) != n;\n}\n");
}

void render(const struct program *program, FILE *out) {
    fprintf(out, "/* seed %llu */\n", (unsigned long long)program->seed);
    fprintf(
        out,
        "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n"
        "#include <stdatomic.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "#include <time.h>\n#include <unistd.h>\n\n"
        "static union { unsigned char b[8]; unsigned short h[4]; unsigned w[2]; } mem __attribute__((aligned(8)));\n"
        "static _Atomic unsigned char a0, a1;\n"
        "static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;\n"
        "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic sem_t s;\n"
        "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\nstatic pthread_barrier_t b;\n"
        "static const struct timespec later = {4000000000, 0};\nstatic unsigned char *h;\n\n");
    for (unsigned t = program->threads; t-- > 1;) {
        fprintf(out, "static void *t%u(void *argument) {\n    unsigned char *up = argument;\n    (void)up;\n",
                t);
        print_body(program, t, out);
        fprintf(out,
                "    return (void *)(uintptr_t)((l0 & 15u) | (l1 & 15u) << 4 | (l2 & 15u) << 8);\n}\n\n");
    }
    print_main(program, out);
    fprintf(
        out,
        "/* unused in some programs */\nvoid *const used[] = {&m0, &m1, &c, &s, (void *)&later, &h, &mem, &l, &b};\n");
}
