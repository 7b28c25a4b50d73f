/* A bounded queue with two condition variables, while loops and an end mark: correct. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { CAPACITY = 2, PRODUCERS = 2, EACH = 2, TOTAL = PRODUCERS * EACH };

static struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int items[CAPACITY];
    unsigned head, count;
    bool closed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .not_empty = PTHREAD_COND_INITIALIZER,
           .not_full = PTHREAD_COND_INITIALIZER};

static void queue_put(struct queue *q, int item) {
    pthread_mutex_lock(&q->lock);
    while (q->count == CAPACITY) pthread_cond_wait(&q->not_full, &q->lock);
    q->items[(q->head + q->count++) % CAPACITY] = item;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

static bool queue_take(struct queue *q, int *item) {
    pthread_mutex_lock(&q->lock);
    while (q->count == 0 && !q->closed) pthread_cond_wait(&q->not_empty, &q->lock);
    bool got = q->count > 0;
    if (got) {
        *item = q->items[q->head];
        q->head = (q->head + 1) % CAPACITY;
        q->count--;
        pthread_cond_signal(&q->not_full);
    }
    pthread_mutex_unlock(&q->lock);
    return got;
}

static void queue_close(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

static void *produce(void *arg) {
    for (int i = 0; i < EACH; i++) queue_put(&queue, *(int *)arg + i);
    return NULL;
}

static void *consume(void *sum) {
    for (int item; queue_take(&queue, &item);) *(int *)sum += item;
    return NULL;
}

int main(void) {
    pthread_t producers[PRODUCERS], consumers[2];
    int first[PRODUCERS] = {1, 10}, sums[2] = {0, 0};
    for (int i = 0; i < 2; i++) pthread_create(&consumers[i], NULL, consume, &sums[i]);
    for (int i = 0; i < PRODUCERS; i++) pthread_create(&producers[i], NULL, produce, &first[i]);
    for (int i = 0; i < PRODUCERS; i++) pthread_join(producers[i], NULL);
    queue_close(&queue);
    for (int i = 0; i < 2; i++) pthread_join(consumers[i], NULL);
    return sums[0] + sums[1] == 1 + 2 + 10 + 11 ? 0 : 1;
}
