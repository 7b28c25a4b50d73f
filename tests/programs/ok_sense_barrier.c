/* A sense-reversing barrier made of two atomics: arrivals count down, the last one turns the sense, the others spin on
 * it (politely). Between two rounds each thread reads what its neighbours wrote as plain memory: correct. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { THREADS = 3, ROUNDS = 2 };

static struct barrier {
    atomic_int missing;
    atomic_bool sense;
} barrier = {.missing = THREADS};

static int rows[2][THREADS]; /* read one, write the other, change roles at the barrier */
static _Thread_local bool my_sense;

static void barrier_wait(struct barrier *b) {
    my_sense = !my_sense;
    if (atomic_fetch_sub(&b->missing, 1) == 1) {
        atomic_store(&b->missing, THREADS);
        atomic_store(&b->sense, my_sense);
        return;
    }
    while (atomic_load(&b->sense) != my_sense) sched_yield();
}

static void *simulate(void *arg) {
    int me = *(int *)arg;
    for (int round = 0; round < ROUNDS; round++) {
        const int *from = rows[round % 2];
        int *to = rows[1 - round % 2];
        to[me] = from[(me + 1) % THREADS] + from[(me + 2) % THREADS];
        barrier_wait(&barrier);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int ids[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ids[i] = i;
        rows[0][i] = i + 1;
    }
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, simulate, &ids[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    /* Each round: cell i becomes the sum (6, then 12) minus itself. */
    for (int i = 0; i < THREADS; i++) assert(rows[ROUNDS % 2][i] == 12 - (6 - (i + 1)));
    return 0;
}
