/* A bounded queue whose consumer tests its condition with `if` instead of `while`.
 *
 * Bug (assert in queue_take): consumer 1 waits on the empty queue; the producer puts one item and signals; consumer
 * 2, not waiting, takes the lock first and takes the item; consumer 1 returns from its wait and takes from an
 * empty queue. Three ordering constraints: wait before put, put before take by 2, take by 2 before wake-up of 1.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { CAPACITY = 2, ITEMS = 2 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int items[CAPACITY];
    unsigned head, count;
};

static struct queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
                             .not_empty = PTHREAD_COND_INITIALIZER,
                             .not_full = PTHREAD_COND_INITIALIZER};

static void queue_put(struct queue *q, int item) {
    pthread_mutex_lock(&q->lock);
    while (q->count == CAPACITY) pthread_cond_wait(&q->not_full, &q->lock);
    q->items[(q->head + q->count++) % CAPACITY] = item;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

static int queue_take(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    if (q->count == 0) pthread_cond_wait(&q->not_empty, &q->lock);
    assert(q->count > 0);
    int item = q->items[q->head];
    q->head = (q->head + 1) % CAPACITY;
    q->count--;
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
    return item;
}

static void *consume(void *sum) {
    *(int *)sum = queue_take(&queue);
    return NULL;
}

int main(void) {
    pthread_t consumers[ITEMS];
    int sums[ITEMS];
    for (int i = 0; i < ITEMS; i++) pthread_create(&consumers[i], NULL, consume, &sums[i]);
    for (int i = 0; i < ITEMS; i++) queue_put(&queue, i + 1);
    int total = 0;
    for (int i = 0; i < ITEMS; i++) {
        pthread_join(consumers[i], NULL);
        total += sums[i];
    }
    printf("total %d\n", total);
    return total == 3 ? 0 : 1;
}
