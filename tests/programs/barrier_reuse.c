/* A home-made barrier that resets its counter when the last thread arrives and lets the others spin on the counter.
 *
 * Bug (hang in barrier_wait): the last thread of round 1 resets the counter to zero and arrives at round 2 (counter
 * 1) before a waiting thread of round 1 has seen the zero; that thread waits on in round 1, the other in round 2.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { PARTIES = 2, ROUNDS = 2 };

static struct barrier { atomic_int arrived; } barrier;

static int grid[PARTIES][ROUNDS];

static void barrier_wait(struct barrier *b) {
    if (atomic_fetch_add(&b->arrived, 1) == PARTIES - 1) {
        atomic_store(&b->arrived, 0);
        return;
    }
    while (atomic_load(&b->arrived) != 0) sched_yield();
}

static void *simulate(void *arg) {
    int me = *(int *)arg;
    for (int round = 0; round < ROUNDS; round++) {
        grid[me][round] = round + me;
        barrier_wait(&barrier);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[PARTIES];
    int ids[PARTIES] = {0, 1};
    for (int i = 0; i < PARTIES; i++) pthread_create(&threads[i], NULL, simulate, &ids[i]);
    for (int i = 0; i < PARTIES; i++) pthread_join(threads[i], NULL);
    int sum = 0;
    for (int i = 0; i < PARTIES; i++)
        for (int round = 0; round < ROUNDS; round++) sum += grid[i][round];
    printf("%d\n", sum);
    return 0;
}
