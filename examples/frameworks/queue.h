/* A queue of numbers between threads, for the tests beside it: a bounded one, whose put waits while it is full and whose take
 * waits while it is empty. */
#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { QUEUE_ROOM = 1 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int items[QUEUE_ROOM];
    int count;
};

void queue_init(struct queue *queue);
void queue_put(struct queue *queue, int item);
int queue_take(struct queue *queue);
void queue_destroy(struct queue *queue);

#ifdef __cplusplus
}
#endif

#endif
