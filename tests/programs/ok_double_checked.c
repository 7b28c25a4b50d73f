/* Double-checked locking through an atomic pointer that is stored last: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 4, THREADS = 3 };

struct table {
    int squares[SIZE];
};

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct table *) instance;
static int builds; /* under init_lock */

static struct table *build(void) {
    struct table *table = malloc(sizeof *table);
    for (int i = 0; i < SIZE; i++) table->squares[i] = i * i;
    return table;
}

static struct table *get_table(void) {
    struct table *table = atomic_load_explicit(&instance, memory_order_acquire);
    if (table) return table;
    pthread_mutex_lock(&init_lock);
    table = atomic_load_explicit(&instance, memory_order_relaxed);
    if (!table) {
        table = build();
        builds++;
        atomic_store_explicit(&instance, table, memory_order_release);
    }
    pthread_mutex_unlock(&init_lock);
    return table;
}

static void *compute(void *arg) {
    int n = *(int *)arg;
    assert(get_table()->squares[n] == n * n);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS] = {1, 2, 3};
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, compute, &numbers[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert(builds == 1);
    free(atomic_load(&instance));
    return 0;
}
