#include "tally.h"

#include <stddef.h>

void queue_init(struct queue *queue) {
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->head = queue->tail = 0;
    queue->closed = 0;
}

void queue_put(struct queue *queue, const char *word) {
    pthread_mutex_lock(&queue->lock);
    while (queue->tail - queue->head == QUEUE_SIZE)
        pthread_cond_wait(&queue->changed, &queue->lock);
    queue->words[queue->tail++ % QUEUE_SIZE] = word;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

const char *queue_take(struct queue *queue) {
    const char *word = NULL;
    pthread_mutex_lock(&queue->lock);
    while (queue->tail == queue->head && !queue->closed)
        pthread_cond_wait(&queue->changed, &queue->lock);
    if (queue->tail != queue->head) {
        word = queue->words[queue->head++ % QUEUE_SIZE];
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return word;
}

void queue_close(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->closed = 1;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}
