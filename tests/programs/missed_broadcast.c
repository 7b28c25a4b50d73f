/* Stages wait for different values of one counter, and each step is announced with signal instead of broadcast.
 *
 * Bug (deadlock in wait_for_stage): both stage threads wait; the announcement of stage 1 wakes the thread that waits
 * for stage 2, which goes back to sleep; the thread for stage 1 sleeps on and never announces stage 2.
 */
#include <pthread.h>
#include <stdio.h>

static struct progress {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int stage;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static void wait_for_stage(int stage) {
    pthread_mutex_lock(&progress.lock);
    while (progress.stage < stage) pthread_cond_wait(&progress.moved, &progress.lock);
    pthread_mutex_unlock(&progress.lock);
}

static void announce(int stage) {
    pthread_mutex_lock(&progress.lock);
    progress.stage = stage;
    pthread_cond_signal(&progress.moved);
    pthread_mutex_unlock(&progress.lock);
}

static void *stage_thread(void *number) {
    int stage = *(int *)number;
    wait_for_stage(stage);
    announce(stage + 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int stages[2] = {1, 2};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, stage_thread, &stages[i]);
    announce(1);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("stage %d\n", progress.stage);
    return 0;
}
