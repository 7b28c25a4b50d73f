/* A tally that threads add to, and a queue of words to feed them: enough for a library with a header. */
#ifndef TALLY_H
#define TALLY_H

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUEUE_SIZE 4

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const char *words[QUEUE_SIZE];
    unsigned head, tail;
    int closed;
};

struct tally {
    pthread_mutex_t lock;
    unsigned long words, letters;
};

void queue_init(struct queue *queue);
void queue_put(struct queue *queue, const char *word);
const char *queue_take(struct queue *queue); /* NULL: closed and empty */
void queue_close(struct queue *queue);

void tally_init(struct tally *tally);
void tally_add(struct tally *tally, const char *word);

#ifdef __cplusplus
}
#endif
#endif
