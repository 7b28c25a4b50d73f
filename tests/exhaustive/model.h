/* Random programs as data, their final states by brute force, and the same programs as C sources.
 *
 * A thread is a short list of operations on two plain variables, two mutexes and one register of its own. A final
 * state is the registers and the variables, and whether all threads came to their end (if not: a deadlock).
 */
#ifndef RV_TESTS_MODEL_H
#define RV_TESTS_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_THREADS = 3, MAX_OPS = 10, VARIABLES = 2, MUTEXES = 2, MAX_FINALS = 100 };

enum op {
    OP_READ,
    OP_WRITE,
    OP_STORE,
    OP_ATOMIC,
    OP_LOCK,
    OP_UNLOCK,
    OP_TRYLOCK,
    OP_UNLOCK_IF_TRIED,
    OP_SLEEP,
    OP_YIELD
};

struct operation {
    enum op op;
    unsigned what; /* variable or mutex */
    int value;
};

struct program {
    unsigned threads;
    unsigned counts[MAX_THREADS];
    struct operation ops[MAX_THREADS][MAX_OPS];
};

struct state {
    uint8_t pc[MAX_THREADS];
    uint8_t owner[MUTEXES];     /* 1 + thread; 0: free */
    uint8_t tried[MAX_THREADS]; /* 1 + mutex got by trylock and not given back; 0: none */
    int registers[MAX_THREADS];
    int variables[VARIABLES];
};

struct finals {
    unsigned count; /* without deadlocks */
    bool deadlock;  /* some schedule ends in one */
    struct state states[MAX_FINALS];
};

struct program program_random(uint64_t seed);
/* False: there are more than MAX_FINALS, or too many states. */
bool program_finals(const struct program *program, struct finals *finals);
/* A C program that exits with 1 + the number of the final state it reached, or 255 if it is none of these. */
void program_write(const struct program *program, const struct finals *finals, FILE *file);

#endif
