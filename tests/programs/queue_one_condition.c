/* A bounded queue with one condition variable for "not empty" and "not full", and signal instead of broadcast.
 *
 * Bug (deadlock): capacity 1, two producers, two consumers. Both consumers wait; producer 1 puts and signals
 * consumer 1; producer 2 finds the queue full and waits; consumer 1 takes and signals, and the signal wakes
 * consumer 2 (waiting longer than producer 2), which finds nothing and waits again: producer 2 sleeps for ever.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool full;
    int letter;
};

static struct mailbox box = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void mailbox_put(struct mailbox *b, int letter) {
    pthread_mutex_lock(&b->lock);
    while (b->full) pthread_cond_wait(&b->changed, &b->lock);
    b->full = true;
    b->letter = letter;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

static int mailbox_take(struct mailbox *b) {
    pthread_mutex_lock(&b->lock);
    while (!b->full) pthread_cond_wait(&b->changed, &b->lock);
    b->full = false;
    int letter = b->letter;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return letter;
}

static void *produce(void *letter) {
    mailbox_put(&box, *(int *)letter);
    return NULL;
}

static void *consume(void *letter) {
    *(int *)letter = mailbox_take(&box);
    return NULL;
}

int main(void) {
    pthread_t producers[2], consumers[2];
    int sent[2] = {3, 4}, received[2];
    for (int i = 0; i < 2; i++) pthread_create(&producers[i], NULL, produce, &sent[i]);
    for (int i = 0; i < 2; i++) pthread_create(&consumers[i], NULL, consume, &received[i]);
    for (int i = 0; i < 2; i++) pthread_join(producers[i], NULL);
    for (int i = 0; i < 2; i++) pthread_join(consumers[i], NULL);
    printf("%d\n", received[0] + received[1]);
    return 0;
}
