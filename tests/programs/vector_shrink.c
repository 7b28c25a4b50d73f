/* A vector that a maintenance thread shrinks while a reader walks it by index; length and storage are each
 * atomic, but not together.
 *
 * Bug (heap-overflow in newest): the reader loads the length (8); the shrinker stores the new length and swaps in a
 * shorter array; the reader loads the array and reads the element 7 of 4. The old array is kept, not freed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static struct vector {
    atomic_size_t length;
    _Atomic(int *) items;
    int *retired; /* freed after both threads are over */
} vector;

static int *copy_of(const int *items, size_t length) {
    int *copy = malloc(length * sizeof *copy);
    for (size_t i = 0; i < length; i++) copy[i] = items ? items[i] : (int)i;
    return copy;
}

static void *shrink(void *unused) {
    (void)unused;
    size_t half = atomic_load(&vector.length) / 2;
    int *old = atomic_load(&vector.items);
    int *fresh = copy_of(old, half);
    atomic_store(&vector.length, half);
    atomic_store(&vector.items, fresh);
    vector.retired = old;
    return NULL;
}

static int newest(struct vector *v) {
    size_t length = atomic_load(&v->length);
    int *items = atomic_load(&v->items);
    return length ? items[length - 1] : -1;
}

static void *watch(void *result) {
    for (int i = 0; i < 2; i++) *(int *)result = newest(&vector);
    return NULL;
}

int main(void) {
    pthread_t shrinker, watcher;
    int result;
    atomic_store(&vector.items, copy_of(NULL, 8));
    atomic_store(&vector.length, 8);
    pthread_create(&shrinker, NULL, shrink, NULL);
    pthread_create(&watcher, NULL, watch, &result);
    pthread_join(shrinker, NULL);
    pthread_join(watcher, NULL);
    free(vector.retired);
    free(atomic_load(&vector.items));
    printf("%d\n", result);
    return 0;
}
