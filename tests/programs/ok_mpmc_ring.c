/* A bounded ring for many producers and many consumers. Every cell has a sequence number that says whose turn it is
 * (position: free for this round; position + 1: filled); the values themselves are plain memory: correct. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { CELLS = 2, PRODUCERS = 2, CONSUMERS = 2, EACH = 2 };

static struct ring {
    struct cell {
        atomic_uint sequence;
        int value; /* owned by whoever holds the cell's turn */
    } cells[CELLS];
    atomic_uint head, tail;
} ring;

static void ring_init(struct ring *r) {
    for (unsigned i = 0; i < CELLS; i++) atomic_store(&r->cells[i].sequence, i);
}

static bool ring_put(struct ring *r, int value) {
    unsigned at = atomic_load(&r->tail);
    for (;;) {
        struct cell *cell = &r->cells[at % CELLS];
        int lead = (int)(atomic_load(&cell->sequence) - at);
        if (lead < 0) return false;
        if (lead > 0) {
            at = atomic_load(&r->tail);
        } else if (atomic_compare_exchange_weak(&r->tail, &at, at + 1)) {
            cell->value = value;
            atomic_store(&cell->sequence, at + 1);
            return true;
        }
    }
}

static bool ring_take(struct ring *r, int *value) {
    unsigned at = atomic_load(&r->head);
    for (;;) {
        struct cell *cell = &r->cells[at % CELLS];
        int lead = (int)(atomic_load(&cell->sequence) - (at + 1));
        if (lead < 0) return false;
        if (lead > 0) {
            at = atomic_load(&r->head);
        } else if (atomic_compare_exchange_weak(&r->head, &at, at + 1)) {
            *value = cell->value;
            atomic_store(&cell->sequence, at + CELLS);
            return true;
        }
    }
}

static void *produce(void *first) {
    for (int i = 0; i < EACH; i++)
        while (!ring_put(&ring, *(int *)first + i)) sched_yield();
    return NULL;
}

static void *consume(void *arg) {
    int *sum = arg, last[PRODUCERS] = {0};
    for (int i = 0; i < EACH; i++) {
        int value;
        while (!ring_take(&ring, &value)) sched_yield();
        int producer = value / 10;
        assert(value > last[producer]); /* one producer's values come in their order */
        last[producer] = value;
        *sum += value;
    }
    return NULL;
}

int main(void) {
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    int first[PRODUCERS] = {1, 11}, sums[CONSUMERS] = {0}, left;
    ring_init(&ring);
    for (int i = 0; i < CONSUMERS; i++) pthread_create(&consumers[i], NULL, consume, &sums[i]);
    for (int i = 0; i < PRODUCERS; i++) pthread_create(&producers[i], NULL, produce, &first[i]);
    for (int i = 0; i < PRODUCERS; i++) pthread_join(producers[i], NULL);
    for (int i = 0; i < CONSUMERS; i++) pthread_join(consumers[i], NULL);
    assert(sums[0] + sums[1] == 1 + 2 + 11 + 12);
    assert(!ring_take(&ring, &left));
    return 0;
}
