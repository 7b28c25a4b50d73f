/* Producer and consumer over two counting semaphores and a spin-locked ring: correct. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

enum { CAPACITY = 2, EACH = 2, PAIRS = 2 };

static struct ring {
    sem_t free_places, items;
    pthread_spinlock_t lock;
    int values[CAPACITY];
    int head, tail;
} ring;

static void wait_for(sem_t *semaphore) {
    while (sem_wait(semaphore)) assert(errno == EINTR);
}

static void ring_put(struct ring *r, int value) {
    wait_for(&r->free_places);
    pthread_spin_lock(&r->lock);
    r->values[r->head] = value;
    r->head = (r->head + 1) % CAPACITY;
    pthread_spin_unlock(&r->lock);
    sem_post(&r->items);
}

static int ring_take(struct ring *r) {
    wait_for(&r->items);
    pthread_spin_lock(&r->lock);
    int value = r->values[r->tail];
    r->tail = (r->tail + 1) % CAPACITY;
    pthread_spin_unlock(&r->lock);
    sem_post(&r->free_places);
    return value;
}

static void *produce(void *arg) {
    for (int i = 0; i < EACH; i++) ring_put(&ring, *(int *)arg + i);
    return NULL;
}

static void *consume(void *sum) {
    for (int i = 0; i < EACH; i++) *(int *)sum += ring_take(&ring);
    return NULL;
}

int main(void) {
    pthread_t producers[PAIRS], consumers[PAIRS];
    int first[PAIRS] = {1, 10}, sums[PAIRS] = {0}, value;
    sem_init(&ring.free_places, 0, CAPACITY);
    sem_init(&ring.items, 0, 0);
    pthread_spin_init(&ring.lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < PAIRS; i++) {
        pthread_create(&producers[i], NULL, produce, &first[i]);
        pthread_create(&consumers[i], NULL, consume, &sums[i]);
    }
    for (int i = 0; i < PAIRS; i++) {
        pthread_join(producers[i], NULL);
        pthread_join(consumers[i], NULL);
    }
    assert(sums[0] + sums[1] == 1 + 2 + 10 + 11);
    assert(sem_getvalue(&ring.free_places, &value) == 0 && value == CAPACITY);
    assert(sem_trywait(&ring.items) == -1 && errno == EAGAIN);
    pthread_spin_destroy(&ring.lock);
    sem_destroy(&ring.items);
    sem_destroy(&ring.free_places);
    return 0;
}
