/* A small multithreaded program, three ways: made from a seed (generate.c), printed as C (render.c), and translated
 * into single accesses (translate.c) of which every interleaving is interpreted (interpret.c). The interpreter knows
 * nothing of ravel; what it says about the program is the truth that ravel's searches are held against.
 *
 * The program's world: 8 bytes of global memory that are accessed as bytes, halves and words (so that accesses
 * overlap and share a granule of the runtime's shadow), one byte on each thread's own stack that the threads it creates
 * know of, two atomics, two mutexes, a condition variable for mutex 0, a semaphore, a read-write lock, a barrier for two, and one pointer to
 * a heap object. Thread 0 is main. All local variables of a thread are registers here: no other thread sees them.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, STATEMENTS = 24, MICROS = 96, MUTEXES = 2, ATOMICS = 2, OBJECTS = 8 };
enum { MEMORY = 8, REGISTERS = 3, SCRATCH = 3 /* a register that the source does not name */ };

/* Somewhere in memory: global bytes 0 .. 7, or the byte on thread t's stack at MEMORY + t. */
struct place {
    uint8_t at, size;
};

enum statement_kind {
    S_WRITE,     /* place = value */
    S_READ,      /* reg = place */
    S_INCREMENT, /* place = place + value */
    S_COPY,      /* place = other */
    S_ATOMIC_LOAD,
    S_ATOMIC_STORE,
    S_ATOMIC_ADD, /* reg = fetch_add(atomic, value) */
    S_ATOMIC_SWAP,
    S_ATOMIC_CAS, /* reg = compare_exchange(atomic, expected, value) */
    S_LOCK,
    S_UNLOCK,
    S_TRYLOCK,   /* reg = failed */
    S_TIMEDLOCK, /* reg = failed */
    S_SEM_WAIT,
    S_SEM_POST,
    S_SEM_TRYWAIT,   /* reg = failed */
    S_SEM_TIMEDWAIT, /* reg = failed */
    S_RDLOCK,
    S_WRLOCK,
    S_RWUNLOCK,
    S_BARRIER,      /* reg = this thread came last */
    S_WAIT_WHILE,   /* while (place == 0) wait */
    S_WAIT_IF,      /* if (place == 0) wait */
    S_TIMEDWAIT_IF, /* if (place == 0) reg = timed wait failed */
    S_SIGNAL,
    S_BROADCAST,
    S_YIELD,
    S_NEW,    /* q = malloc; *q = value; h = q */
    S_USE,    /* q = h; if (q) reg = *q */
    S_CHANGE, /* q = h; if (q) *q = value */
    S_DROP,   /* q = h; if (q) { h = NULL; free(q); } */
    S_CHURN,  /* q = malloc; *q = value; reg = *q; free(q): shifts what others allocate */
    S_CREATE, /* thread `other_thread` */
    S_JOIN,   /* reg = low byte of what it returns; in main: kept for the line */
    S_DETACH,
    S_ASSERT, /* reg != value */
    S_KINDS
};

struct statement {
    uint8_t kind;
    uint8_t reg, value, expected, object; /* object: mutex, atomic or thread */
    struct place place, other;
    int8_t guard; /* register that must hold guard_value; -1: none */
    uint8_t guard_value;
};

struct body {
    struct statement statements[STATEMENTS];
    unsigned count;
};

struct program {
    uint64_t seed;
    struct body bodies[THREADS];
    uint8_t creator[THREADS]; /* of threads 1 .. */
    bool joined[THREADS];     /* main's line has what it returned */
    unsigned threads;
    bool object; /* h points to an object with value 1 before the first thread */
    uint8_t semaphore;
};

/* One step: at most one access to what other threads see. */
enum micro_kind {
    M_LOAD, /* reg = place */
    M_STORE,
    M_STORE_SUM, /* place = register + value */
    M_ATOMIC_LOAD,
    M_ATOMIC_STORE,
    M_ATOMIC_ADD,
    M_ATOMIC_SWAP,
    M_ATOMIC_CAS,
    M_LOCK,
    M_UNLOCK,
    M_TRYLOCK,
    M_TIMEDLOCK,
    M_SEM_WAIT,
    M_SEM_POST,
    M_SEM_TRYWAIT,
    M_SEM_TIMEDWAIT,
    M_RDLOCK,
    M_WRLOCK,
    M_RWUNLOCK,
    M_ARRIVE, /* at the barrier */
    M_PASS,
    M_COND_ENTER, /* unlocks mutex 0 and becomes a waiter */
    M_COND_WAKE,
    M_COND_TIMEDWAKE,
    M_SIGNAL,
    M_BROADCAST,
    M_YIELD,
    M_POINTER_LOAD, /* q = h */
    M_POINTER_STORE,
    M_POINTER_CLEAR,
    M_OBJECT_LOAD, /* reg = *q */
    M_OBJECT_STORE,
    M_FREE,
    M_CREATE,
    M_JOIN,
    M_OUT, /* main: a word of memory for the line */
    M_PRINT,
    M_END, /* of the thread; of main: the exit */
    /* from here on: steps that concern nobody else */
    M_ALLOCATE,
    M_BRANCH,      /* if (reg == value) go to target */
    M_BRANCH_NOT,  /* if (reg != value) go to target */
    M_BRANCH_NULL, /* if (!q) go to target */
    M_JUMP,
    M_ASSERT,
};

struct micro {
    uint8_t kind, reg, value, expected, object, target;
    struct place place;
};

struct code {
    struct micro micros[THREADS][MICROS];
    unsigned count[THREADS];
};

enum failure { F_DEADLOCK, F_ASSERT, F_USE_AFTER_FREE, F_DOUBLE_FREE, FAILURES };
extern const char *const failure_names[FAILURES];

enum { LINES = 4096, LINE = 96 };
struct verdict {
    char (*lines)[LINE]; /* sorted, each once */
    unsigned line_count;
    bool failures[FAILURES];
    double paths; /* interleavings, seen as this interpreter sees them */
    size_t states;
    bool too_many;
};

void generate(struct program *program, uint64_t seed, unsigned size);
/* One of the programs written by hand; false: there is none of this number. */
bool by_hand(struct program *program, unsigned number);
void render(const struct program *program, FILE *out);
void translate(const struct program *program, struct code *code);
/* Interprets every interleaving, with at most so many states. Strict: time only passes when nobody else can go on. */
void interpret(const struct program *program, const struct code *code, bool strict, struct verdict *verdict,
               size_t most_states);
void verdict_free(struct verdict *verdict);

#endif
