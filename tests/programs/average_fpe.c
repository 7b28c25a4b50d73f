/* A sliding average; the reader checks the number of samples and divides, the resetter resets in between.
 *
 * Bug (fpe in average): the reader sees count 3; the resetter sets it to 0; the reader divides by a second read.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static struct window { atomic_int sum, count; } window;

static void add_sample(struct window *w, int value) {
    atomic_fetch_add(&w->sum, value);
    atomic_fetch_add(&w->count, 1);
}

static void reset(struct window *w) {
    atomic_store(&w->sum, 0);
    atomic_store(&w->count, 0);
}

static int average(struct window *w) {
    if (atomic_load(&w->count) == 0) return 0;
    int sum = atomic_load(&w->sum);
    return sum / atomic_load(&w->count);
}

static void *sampler(void *unused) {
    (void)unused;
    reset(&window);
    for (int value = 1; value <= 3; value++) add_sample(&window, value);
    return NULL;
}

static void *display(void *result) {
    for (int i = 0; i < 2; i++) *(int *)result = average(&window);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int result;
    for (int value = 4; value <= 6; value++) add_sample(&window, value);
    pthread_create(&threads[0], NULL, sampler, NULL);
    pthread_create(&threads[1], NULL, display, &result);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d\n", result);
    return 0;
}
