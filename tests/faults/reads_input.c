/* Two threads read standard input to its end. Outcome: nothing found; every execution sees the same input. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *read_all(void *count) {
    while (getchar() != EOF) ++*(int *)count;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int counts[2] = {0, 0};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, read_all, &counts[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(counts[0] + counts[1] == 0); /* the runner gives an empty one */
    return 0;
}
