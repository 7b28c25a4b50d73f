/* A sample buffer of fixed size; room is checked before the index is taken.
 *
 * Bug (heap-overflow in record): one place is left; both recorders see it; both take an index, the second one
 * past the end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 5, EACH = 3 };

static struct samples {
    atomic_int used;
    atomic_int dropped;
    int capacity;
    long *values;
} samples;

static void samples_init(struct samples *s, int capacity) {
    s->capacity = capacity;
    s->values = calloc((size_t)capacity, sizeof *s->values);
}

static void record(struct samples *s, long value) {
    if (atomic_load(&s->used) >= s->capacity) {
        atomic_fetch_add(&s->dropped, 1);
        return;
    }
    int index = atomic_fetch_add(&s->used, 1);
    s->values[index] = value;
}

static void *measure(void *start) {
    long value = *(long *)start;
    for (int i = 0; i < EACH; i++) record(&samples, value + i);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    long starts[2] = {100, 200};
    samples_init(&samples, CAPACITY);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, measure, &starts[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    long sum = 0;
    for (int i = 0; i < CAPACITY; i++) sum += samples.values[i];
    free(samples.values);
    printf("%ld, dropped %d\n", sum, atomic_load(&samples.dropped));
    return 0;
}
