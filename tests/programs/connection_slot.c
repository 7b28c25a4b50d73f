/* A connection table; finding a free slot and taking it are two critical sections.
 *
 * Bug (assert in connection_open): both acceptors find slot 0 free; both take it; the second sees it in use.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { SLOTS = 4 };
enum state { FREE, OPEN };

static struct table {
    pthread_mutex_t lock;
    struct {
        enum state state;
        int peer;
    } slots[SLOTS];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int find_free(struct table *t) {
    int found = -1;
    pthread_mutex_lock(&t->lock);
    for (int i = 0; i < SLOTS && found < 0; i++)
        if (t->slots[i].state == FREE) found = i;
    pthread_mutex_unlock(&t->lock);
    return found;
}

static int connection_open(struct table *t, int peer) {
    int slot = find_free(t);
    if (slot < 0) return -1;
    pthread_mutex_lock(&t->lock);
    assert(t->slots[slot].state == FREE);
    t->slots[slot].state = OPEN;
    t->slots[slot].peer = peer;
    pthread_mutex_unlock(&t->lock);
    return slot;
}

static void connection_close(struct table *t, int slot) {
    pthread_mutex_lock(&t->lock);
    t->slots[slot].state = FREE;
    pthread_mutex_unlock(&t->lock);
}

static void *acceptor(void *peer) {
    for (int i = 0; i < 2; i++) {
        int slot = connection_open(&table, *(int *)peer);
        if (slot >= 0) connection_close(&table, slot);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int peers[2] = {7, 8};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, acceptor, &peers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    puts("closed");
    return 0;
}
