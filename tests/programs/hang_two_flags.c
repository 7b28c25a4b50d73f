/* Mutual exclusion with two intent flags and nothing to break the tie.
 *
 * Bug (hang in enter): both threads raise their flag before either looks at the other's; both spin for ever,
 * politely, with sched_yield.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 2 };

static struct gate {
    atomic_bool wants[2];
    int inside;
} gate;

static void enter(struct gate *g, int me) {
    atomic_store(&g->wants[me], 1);
    while (atomic_load(&g->wants[1 - me])) sched_yield();
}

static void leave(struct gate *g, int me) { atomic_store(&g->wants[me], 0); }

static void *visitor(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        enter(&gate, me);
        gate.inside++;
        leave(&gate, me);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int ids[2] = {0, 1};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, visitor, &ids[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d visits\n", gate.inside);
    return 0;
}
