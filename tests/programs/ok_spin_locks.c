/* Five home-made locks around the same kind of critical section, all busy-waiting: test-and-set with a yield, test and
 * test-and-set without one, ticket, MCS queue, Peterson. Correct. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 2, KINDS = 5, ROUNDS = 2 };

struct mcs_node {
    _Atomic(struct mcs_node *) next;
    atomic_bool wait;
};

static struct locks {
    atomic_flag polite;
    atomic_int greedy;
    atomic_uint ticket, serving;
    _Atomic(struct mcs_node *) tail;
    atomic_bool wants[2];
    atomic_int turn;
} locks = {.polite = ATOMIC_FLAG_INIT};

static int inside[KINDS], total[KINDS]; /* each under its lock */

static void polite_lock(void) {
    while (atomic_flag_test_and_set(&locks.polite)) sched_yield();
}

static void greedy_lock(void) {
    for (;;) {
        while (atomic_load(&locks.greedy)) continue;
        if (!atomic_exchange(&locks.greedy, 1)) return;
    }
}

static void ticket_lock(void) {
    unsigned mine = atomic_fetch_add(&locks.ticket, 1);
    while (atomic_load(&locks.serving) != mine) continue;
}

static void mcs_lock(struct mcs_node *node) {
    atomic_store(&node->next, NULL);
    atomic_store(&node->wait, 1);
    struct mcs_node *before = atomic_exchange(&locks.tail, node);
    if (!before) return;
    atomic_store(&before->next, node);
    while (atomic_load(&node->wait)) continue;
}

static void mcs_unlock(struct mcs_node *node) {
    struct mcs_node *expected = node;
    if (!atomic_load(&node->next)) {
        if (atomic_compare_exchange_strong(&locks.tail, &expected, NULL)) return;
        while (!atomic_load(&node->next)) sched_yield();
    }
    atomic_store(&atomic_load(&node->next)->wait, 0);
}

static void peterson_lock(int me) {
    atomic_store(&locks.wants[me], 1);
    atomic_store(&locks.turn, 1 - me);
    while (atomic_load(&locks.wants[1 - me]) && atomic_load(&locks.turn) == 1 - me) continue;
}

static void critical(int kind) {
    inside[kind]++;
    assert(inside[kind] == 1);
    total[kind]++;
    inside[kind]--;
}

static void *contend(void *arg) {
    int me = *(int *)arg;
    struct mcs_node node;
    for (int i = 0; i < ROUNDS; i++) {
        polite_lock();
        critical(0);
        atomic_flag_clear(&locks.polite);
        greedy_lock();
        critical(1);
        atomic_store(&locks.greedy, 0);
        ticket_lock();
        critical(2);
        atomic_fetch_add(&locks.serving, 1);
        mcs_lock(&node);
        critical(3);
        mcs_unlock(&node);
        peterson_lock(me);
        critical(4);
        atomic_store(&locks.wants[me], 0);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int ids[THREADS] = {0, 1};
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, contend, &ids[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int kind = 0; kind < KINDS; kind++) assert(total[kind] == THREADS * ROUNDS);
    return 0;
}
