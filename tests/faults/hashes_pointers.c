/* A set of objects by address, in a table with open addressing: how often an insertion has to look on depends on where
 * things lie. Outcome: no failure; where addresses change from process to process (seccomp.sh), the nondeterminism is
 * named. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { SLOTS = 64, OBJECTS = 24, THREADS = 2 };

static struct object { char name[40]; } objects[THREADS][OBJECTS];

static _Atomic(struct object *) table[SLOTS];

static size_t hash(const void *pointer) {
    uint64_t mixed = (uintptr_t)pointer;
    mixed = (mixed ^ mixed >> 23) * UINT64_C(0x2127599bf4325c37);
    return (size_t)((mixed ^ mixed >> 47) % SLOTS);
}

static void insert(struct object *object) {
    for (size_t slot = hash(object);; slot = (slot + 1) % SLOTS) {
        struct object *empty = NULL;
        if (!atomic_load(&table[slot]) && atomic_compare_exchange_strong(&table[slot], &empty, object))
            return;
    }
}

static void *insert_all(void *arg) {
    struct object *mine = arg;
    for (int i = 0; i < OBJECTS; i++) insert(&mine[i]);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int used = 0;
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, insert_all, objects[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int slot = 0; slot < SLOTS; slot++) used += atomic_load(&table[slot]) != NULL;
    assert(used == THREADS * OBJECTS);
    return 0;
}
