/* Concurrency Kit's single-producer single-consumer queue with heap nodes, which the consumer gives back. */
#include <assert.h>
#include <ck_fifo.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef SPIN /* wait without telling anybody */
#define wait_a_little() ck_pr_stall()
#else
#define wait_a_little() sched_yield()
#endif

enum { COUNT = 6 };
static ck_fifo_spsc_t queue;

static void *produce(void *argument) {
    for (uintptr_t i = 1; i <= COUNT; i++) {
        ck_fifo_spsc_entry_t *entry = ck_fifo_spsc_recycle(&queue);
        if (!entry) entry = malloc(sizeof *entry);
        ck_fifo_spsc_enqueue(&queue, entry, (void *)i);
    }
    return argument;
}

int main(void) {
    pthread_t thread;
    ck_fifo_spsc_init(&queue, malloc(sizeof(ck_fifo_spsc_entry_t)));
    pthread_create(&thread, NULL, produce, NULL);
    for (uintptr_t expected = 1; expected <= COUNT;) {
        void *value;
        if (!ck_fifo_spsc_dequeue(&queue, &value)) {
            wait_a_little();
            continue;
        }
        assert((uintptr_t)value == expected);
        expected++;
    }
    pthread_join(thread, NULL);
    ck_fifo_spsc_entry_t *entry, *next;
    ck_fifo_spsc_deinit(&queue, &entry);
    for (; entry; entry = next) {
        next = entry->next;
        free(entry);
    }
    puts("ok");
    return 0;
}
