/* Copies and fills of so many bytes that a compiler could write their code itself, in which no hook would see them. Each copy
 * is in a race with the other thread. */
#include <pthread.h>
#include <string.h>

static char shared[64];
static volatile size_t wanted = 7;
static char sink[64];

static size_t bounded(size_t limit) {
    size_t size = wanted;
    return size < limit ? size : limit;
}

static void *copy(void *unused) {
    char local[24] = {0};
    memcpy(local, shared + 1, bounded(sizeof local)); /* copied */
    memcpy(sink, local, sizeof local);
    return unused;
}

static void *fill(void *unused) {
    memset(shared + 32, 1, bounded(24)); /* filled */
    return unused;
}

static void *other(void *unused) {
    shared[3] = 1;
    shared[33] = 1;
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, copy, NULL);
    pthread_create(&threads[1], NULL, fill, NULL);
    pthread_create(&threads[2], NULL, other, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return sink[0];
}
