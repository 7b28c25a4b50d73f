/* A robust mutex whose owner may die; the next owner forgets pthread_mutex_consistent.
 *
 * Bug (assert in table_update): the crasher locks between the first and the second update and ends with the lock held;
 * the second update gets EOWNERDEAD and unlocks without repairing the state; the third finds it not recoverable.
 * Two constraints: after update 1, before update 2.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static struct table {
    pthread_mutex_t lock;
    int rows;
    int damaged;
} table;

static void table_init(struct table *t) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&t->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void table_update(struct table *t) {
    int error = pthread_mutex_lock(&t->lock);
    if (error == EOWNERDEAD) {
        t->damaged = 0;
        error = 0;
    }
    assert(error == 0);
    t->rows++;
    pthread_mutex_unlock(&t->lock);
}

static void *crasher(void *unused) {
    (void)unused;
    if (pthread_mutex_lock(&table.lock) == 0) {
        table.damaged = 1;
        if (table.rows == 1) pthread_exit(NULL);
        table.damaged = 0;
        pthread_mutex_unlock(&table.lock);
    }
    return NULL;
}

static void *updater(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) table_update(&table);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    table_init(&table);
    pthread_create(&threads[0], NULL, crasher, NULL);
    pthread_create(&threads[1], NULL, updater, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    table_update(&table);
    printf("%d rows\n", table.rows);
    return 0;
}
