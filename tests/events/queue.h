/* The paper's running example: a bounded blocking queue, here for one element. */
#include <pthread.h>
#include <ravel.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count, items[4];
};
#define QUEUE_INITIALIZER                                             \
    {                                                                 \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, { 0 } \
    }

static void add(struct queue *queue, int item) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 1) pthread_cond_wait(&queue->changed, &queue->lock);
    queue->items[queue->count++] = item;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static int take(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0) pthread_cond_wait(&queue->changed, &queue->lock);
    int item = queue->items[--queue->count];
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return item;
}
