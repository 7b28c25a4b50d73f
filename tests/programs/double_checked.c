/* Double-checked locking for a lazily built table: the "ready" mark is set before the table is there.
 *
 * Bug (segv in lookup): thread 1 sets `ready` inside the lock; thread 2 sees it, skips the lock and reads the
 * table pointer, still NULL.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 4 };

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool ready;
static _Atomic(int *) squares;

static int *build(void) {
    int *table = malloc(SIZE * sizeof *table);
    for (int i = 0; i < SIZE; i++) table[i] = i * i;
    return table;
}

static void ensure_built(void) {
    if (atomic_load(&ready)) return;
    pthread_mutex_lock(&init_lock);
    if (!atomic_load(&ready)) {
        atomic_store(&ready, 1);
        atomic_store(&squares, build());
    }
    pthread_mutex_unlock(&init_lock);
}

static int lookup(int n) {
    ensure_built();
    int *table = atomic_load(&squares);
    return table[n];
}

static void *compute(void *number) {
    int *n = number;
    *n = lookup(*n);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int numbers[2] = {2, 3};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, compute, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    free(atomic_load(&squares));
    printf("%d %d\n", numbers[0], numbers[1]);
    return 0;
}
