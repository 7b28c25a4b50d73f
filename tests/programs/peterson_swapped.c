/* Peterson's lock with its two entry steps in the wrong order (turn first, intent second).
 *
 * Bug (assert in critical, four ordering constraints): thread 0 sets turn = 1; thread 1 sets turn = 0, raises its
 * flag, sees flag 0 down and enters; thread 0 raises its flag, sees turn = 0 and enters too.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static struct peterson {
    atomic_bool flag[2];
    atomic_int turn;
} lock;

static atomic_int inside;
static int entries;

static void acquire(struct peterson *l, int me) {
    atomic_store(&l->turn, 1 - me);
    atomic_store(&l->flag[me], 1);
    while (atomic_load(&l->flag[1 - me]) && atomic_load(&l->turn) == 1 - me) sched_yield();
}

static void release(struct peterson *l, int me) { atomic_store(&l->flag[me], 0); }

static void critical(void) {
    int others = atomic_fetch_add(&inside, 1);
    assert(others == 0 && "mutual exclusion");
    entries++;
    atomic_fetch_sub(&inside, 1);
}

static void *contender(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 2; i++) {
        acquire(&lock, me);
        critical();
        release(&lock, me);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int ids[2] = {0, 1};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, contender, &ids[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d entries\n", entries);
    return 0;
}
