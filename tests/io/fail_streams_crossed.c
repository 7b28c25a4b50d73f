/* Two threads lock two streams in opposite order. Outcome: deadlock. */
#include <pthread.h>
#include <stdio.h>

static FILE *streams[2];

static void *copy(void *argument) {
    int from = *(int *)argument;
    flockfile(streams[from]);
    fprintf(streams[1 - from], "%d\n", from);
    funlockfile(streams[from]);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int which[2] = {0, 1};
    for (int i = 0; i < 2; i++) streams[i] = tmpfile();
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, copy, &which[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
