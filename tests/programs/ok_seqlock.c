/* A seqlock as it should be: writers exclude each other by making the sequence odd with compare-and-swap, readers look
 * at the sequence before and after and try again. Readers and writers spin, without a yield: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { WRITERS = 2, READERS = 2, MOVES = 2 };

static struct position {
    atomic_uint sequence; /* odd: being written */
    atomic_int x, y;      /* y == -x outside a write */
} position;

static unsigned write_begin(struct position *p) {
    unsigned even = atomic_load(&p->sequence) & ~1u;
    while (!atomic_compare_exchange_weak(&p->sequence, &even, even + 1)) even &= ~1u;
    return even;
}

static void write_end(struct position *p, unsigned even) { atomic_store(&p->sequence, even + 2); }

static void move_by(struct position *p, int distance) {
    unsigned even = write_begin(p);
    int x = atomic_load_explicit(&p->x, memory_order_relaxed);
    atomic_store_explicit(&p->x, x + distance, memory_order_relaxed);
    atomic_store_explicit(&p->y, -(x + distance), memory_order_relaxed);
    write_end(p, even);
}

static void read_position(struct position *p, int *x, int *y) {
    for (;;) {
        unsigned before = atomic_load(&p->sequence);
        if (before & 1) continue;
        *x = atomic_load_explicit(&p->x, memory_order_relaxed);
        *y = atomic_load_explicit(&p->y, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&p->sequence, memory_order_relaxed) == before) return;
    }
}

static void *fly(void *distance) {
    for (int i = 0; i < MOVES; i++) move_by(&position, *(int *)distance);
    return NULL;
}

static void *track(void *unused) {
    (void)unused;
    int last = 0;
    for (int i = 0; i < 2; i++) {
        int x, y;
        read_position(&position, &x, &y);
        assert(y == -x && x >= last);
        last = x;
    }
    return NULL;
}

int main(void) {
    pthread_t pilots[WRITERS], radars[READERS];
    int distances[WRITERS] = {1, 10}, x, y;
    for (int i = 0; i < WRITERS; i++) pthread_create(&pilots[i], NULL, fly, &distances[i]);
    for (int i = 0; i < READERS; i++) pthread_create(&radars[i], NULL, track, NULL);
    for (int i = 0; i < WRITERS; i++) pthread_join(pilots[i], NULL);
    for (int i = 0; i < READERS; i++) pthread_join(radars[i], NULL);
    read_position(&position, &x, &y);
    assert(x == MOVES * 11 && y == -x);
    return 0;
}
