/* Concurrency Kit's ring with several producers and consumers: every value arrives once, none is made up. */
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>

#ifdef SPIN /* wait without telling anybody */
#define wait_a_little() ck_pr_stall()
#else
#define wait_a_little() sched_yield()
#endif

enum { PRODUCERS = 2, CONSUMERS = 2, EACH = 3, SIZE = 4 };

static ck_ring_t ring;
static ck_ring_buffer_t slots[SIZE];
static int arrived[PRODUCERS * EACH + 1];
static int taken;

static void *produce(void *argument) {
    uintptr_t first = (uintptr_t)argument;
    for (uintptr_t i = 0; i < EACH; i++)
        while (!ck_ring_enqueue_mpmc(&ring, slots, (void *)(first + i))) wait_a_little();
    return NULL;
}

static void *consume(void *argument) {
    while (__atomic_load_n(&taken, __ATOMIC_SEQ_CST) < PRODUCERS * EACH) {
        void *value;
        if (!ck_ring_dequeue_mpmc(&ring, slots, &value)) {
            wait_a_little();
            continue;
        }
        uintptr_t number = (uintptr_t)value;
        assert(number >= 1 && number <= PRODUCERS * EACH);
        __atomic_fetch_add(&arrived[number], 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
    }
    return argument;
}

int main(void) {
    pthread_t threads[PRODUCERS + CONSUMERS];
    ck_ring_init(&ring, SIZE);
    for (uintptr_t i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, produce, (void *)(1 + i * EACH));
    for (int i = 0; i < CONSUMERS; i++) pthread_create(&threads[PRODUCERS + i], NULL, consume, NULL);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++) pthread_join(threads[i], NULL);
    for (int i = 1; i <= PRODUCERS * EACH; i++) assert(arrived[i] == 1);
    puts("ok");
    return 0;
}
