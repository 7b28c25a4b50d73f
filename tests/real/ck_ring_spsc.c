/* Concurrency Kit's ring with one producer and one consumer: everything arrives, in order. */
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

enum { COUNT = 8, SIZE = 4 };

static ck_ring_t ring;
static ck_ring_buffer_t slots[SIZE];

static void *produce(void *argument) {
    for (uintptr_t i = 1; i <= COUNT; i++)
        while (!ck_ring_enqueue_spsc(&ring, slots, (void *)i)) wait_a_little();
    return argument;
}

int main(void) {
    pthread_t thread;
    ck_ring_init(&ring, SIZE);
    pthread_create(&thread, NULL, produce, NULL);
    for (uintptr_t expected = 1; expected <= COUNT;) {
        void *value;
        if (!ck_ring_dequeue_spsc(&ring, slots, &value)) {
            wait_a_little();
            continue;
        }
        assert((uintptr_t)value == expected);
        expected++;
    }
    pthread_join(thread, NULL);
    assert(ck_ring_size(&ring) == 0);
    puts("ok");
    return 0;
}
