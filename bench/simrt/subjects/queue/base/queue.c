#include "queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int item;
};

/*
 * There is always one node more than items: head's item was taken already. So head and tail are the same node only if the queue is
 * empty, and each end needs its own lock only.
 */
struct queue {
    pthread_mutex_t head_lock;
    struct node *head;
    unsigned long takes;
    pthread_mutex_t tail_lock; /* is taken second, if both are */
    struct node *tail;
    unsigned long puts;
    int last_item;
    atomic_size_t length;
};

struct queue *queue_new(void) {
    struct queue *queue = calloc(1, sizeof *queue);
    struct node *node = calloc(1, sizeof *node);
    if (!queue || !node) {
        free(queue);
        free(node);
        return NULL;
    }
    queue->head = queue->tail = node;
    pthread_mutex_init(&queue->head_lock, NULL);
    pthread_mutex_init(&queue->tail_lock, NULL);
    return queue;
}

void queue_free(struct queue *queue) {
    if (!queue) return;
    for (struct node *node = queue->head, *next; node; node = next) {
        next = node->next;
        free(node);
    }
    pthread_mutex_destroy(&queue->tail_lock);
    pthread_mutex_destroy(&queue->head_lock);
    free(queue);
}

/* Tail-locked. */
static void link_last(struct queue *queue, struct node *first, struct node *last, size_t count) {
    queue->tail->next = first;
    queue->tail = last;
    queue->last_item = last->item;
    queue->puts += count;
    queue->length += count;
}

/* Head-locked. */
static bool unlink_first(struct queue *queue, int *item) {
    struct node *old = queue->head, *next = old->next;
    if (!next) return false;
    *item = next->item;
    queue->head = next;
    queue->length--;
    free(old);
    return true;
}

bool queue_put(struct queue *queue, int item) {
    struct node *node = calloc(1, sizeof *node);
    if (!node) return false;
    node->item = item;
    pthread_mutex_lock(&queue->tail_lock);
    link_last(queue, node, node, 1);
    pthread_mutex_unlock(&queue->tail_lock);
    return true;
}

bool queue_put_many(struct queue *queue, const int *items, size_t count) {
    struct node *first = NULL, *last = NULL;
    for (size_t i = 0; i < count; i++) {
        struct node *node = calloc(1, sizeof *node);
        if (!node) {
            for (; first; first = node) {
                node = first->next;
                free(first);
            }
            return false;
        }
        node->item = items[i];
        if (last)
            last->next = node;
        else
            first = node;
        last = node;
    }
    if (!first) return true;
    pthread_mutex_lock(&queue->tail_lock);
    link_last(queue, first, last, count);
    pthread_mutex_unlock(&queue->tail_lock);
    return true;
}

bool queue_take(struct queue *queue, int *item) {
    pthread_mutex_lock(&queue->head_lock);
    bool some = unlink_first(queue, item);
    if (some) queue->takes++;
    pthread_mutex_unlock(&queue->head_lock);
    return some;
}

bool queue_front(struct queue *queue, int *item) {
    pthread_mutex_lock(&queue->head_lock);
    const struct node *first = queue->head->next;
    if (first) *item = first->item;
    pthread_mutex_unlock(&queue->head_lock);
    return first != NULL;
}

bool queue_back(struct queue *queue, int *item) {
    pthread_mutex_lock(&queue->tail_lock);
    bool some = queue->puts > 0;
    *item = queue->last_item;
    pthread_mutex_unlock(&queue->tail_lock);
    return some;
}

size_t queue_clear(struct queue *queue) {
    size_t cleared = 0;
    int item = 0;
    pthread_mutex_lock(&queue->head_lock);
    while (unlink_first(queue, &item)) cleared++;
    queue->takes += cleared;
    pthread_mutex_unlock(&queue->head_lock);
    return cleared;
}

bool queue_is_empty(struct queue *queue) { return queue->length == 0; }

size_t queue_length(struct queue *queue) { return queue->length; }

unsigned long queue_puts(struct queue *queue) {
    pthread_mutex_lock(&queue->tail_lock);
    unsigned long puts = queue->puts;
    pthread_mutex_unlock(&queue->tail_lock);
    return puts;
}

unsigned long queue_takes(struct queue *queue) {
    pthread_mutex_lock(&queue->head_lock);
    unsigned long takes = queue->takes;
    pthread_mutex_unlock(&queue->head_lock);
    return takes;
}

void queue_reset(struct queue *queue) {
    pthread_mutex_lock(&queue->head_lock);
    pthread_mutex_lock(&queue->tail_lock);
    queue->puts = 0;
    queue->takes = 0;
    pthread_mutex_unlock(&queue->tail_lock);
    pthread_mutex_unlock(&queue->head_lock);
}
