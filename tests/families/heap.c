/* Blocks of the heap that threads share: used after they were freed, freed twice, allocated in any order. */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "family.h"

static char *fixed;
static _Atomic(char *) slot;
static pthread_mutex_t *lock;

static void make(void) {
    fixed = malloc(8);
    *fixed = 1;
    slot = fixed;
    lock = malloc(sizeof *lock);
    pthread_mutex_init(lock, NULL);
}
THREAD(uses) { return *fixed; }
THREAD(changes) { return *fixed = 2; }
THREAD(frees) { return free(fixed), 0; }
THREAD(takes) { /* whoever gets it frees it */
    char *mine = atomic_exchange_explicit(&slot, NULL, memory_order_seq_cst);
    number seen = mine ? *mine : -1;
    free(mine);
    return seen;
}
THREAD(gives) {
    char *mine = malloc(8);
    *mine = 5;
    char *old = atomic_exchange_explicit(&slot, mine, memory_order_seq_cst);
    number seen = old ? *old : -1;
    free(old);
    return seen;
}
THREAD(two_blocks) { /* where blocks lie depends on who comes first */
    char *first = malloc(8), *second = malloc(24);
    *first = 1, *second = 2;
    char *expected = fixed;
    number won =
        __atomic_compare_exchange_n((char **)&slot, &expected, second, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    number seen = *first * 10 + *second;
    free(first);
    return won * 100 + seen;
}
THREAD(looks) {
    char *there = slot;
    return *there;
}
THREAD(locks) {
    pthread_mutex_lock(lock);
    number seen = ++*fixed;
    pthread_mutex_unlock(lock);
    return seen;
}
THREAD(frees_lock) {
    pthread_mutex_lock(lock);
    number last = *fixed;
    pthread_mutex_unlock(lock);
    if (last == 2) pthread_mutex_destroy(lock), free(lock);
    return last;
}
THREAD(frees_if_set) {
    if (*fixed == 2) free(fixed);
    return 0;
}
THREAD(grows) {
    char *larger = realloc(fixed, 64);
    number seen = *larger;
    return seen;
}
THREAD(asserts) {
    assert(*fixed == 1);
    return 0;
}

SCENARIOS({"use_first", "-", make, {uses, frees}}, {"free_first", "-", make, {frees, uses}},
          {"free_first_write", "-", make, {frees, changes}}, {"free_twice", "-", make, {frees, frees}},
          {"free_last", "-", make, {frees, uses, changes}},
          {"free_if", "-", make, {changes, frees_if_set, uses}}, {"take", "-", make, {takes, takes}},
          {"give_take", "-", make, {gives, takes, gives}},
          {"two_blocks", "-", make, {two_blocks, two_blocks, looks}},
          {"lock_freed", "-", make, {locks, frees_lock}}, {"realloc", "-", make, {grows, uses}},
          {"assert", "-", make, {asserts, changes}}, {"assert_first", "-", make, {changes, asserts, changes}})
