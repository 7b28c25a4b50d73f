/* The livelock of livelock.c with a counter, so that no two states are equal: nobody can tell it from a program that runs
 * long. Outcome: executions are cut off at --max-steps, ravel says so and gives up early. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int holder;
static atomic_ulong hand_overs;
static atomic_bool done;

static void hand_over(int me) {
    atomic_fetch_add(&hand_overs, 1);
    atomic_store(&holder, 1 - me);
}

static void *worker(void *arg) {
    int me = *(int *)arg;
    while (!atomic_load(&done)) {
        if (atomic_load(&holder) == me)
            hand_over(me);
        else
            sched_yield();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int ids[2] = {0, 1};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, &ids[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
