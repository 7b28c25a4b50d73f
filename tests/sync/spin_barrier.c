/* Phases between barriers, totals under a spinlock; whoever is told to clean up takes the barrier away. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { THREADS = 3, PHASES = 2 };
static pthread_barrier_t *barrier;
static pthread_spinlock_t spinlock;
static int total, serials, before[PHASES];

static void *work(void *unused) {
    (void)unused;
    for (int phase = 0; phase < PHASES; phase++) {
        pthread_spin_lock(&spinlock);
        total++;
        before[phase]++;
        pthread_spin_unlock(&spinlock);
        int result = pthread_barrier_wait(barrier);
        CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        CHECK(before[phase] == THREADS);
        if (result != PTHREAD_BARRIER_SERIAL_THREAD) continue;
        pthread_spin_lock(&spinlock);
        serials++;
        pthread_spin_unlock(&spinlock);
        if (phase == PHASES - 1) {
            CHECK(pthread_barrier_destroy(barrier) == 0);
            memset(barrier, 0xa5, sizeof *barrier);
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS - 1];
    static pthread_barrier_t storage;
    barrier = &storage;
    CHECK(pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE) == 0);
    CHECK(pthread_barrier_init(barrier, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS - 1; i++) pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 0; i < THREADS - 1; i++) pthread_join(threads[i], NULL);
    CHECK(total == THREADS * PHASES && serials == PHASES);
    CHECK(pthread_spin_destroy(&spinlock) == 0);
    return 0;
}
