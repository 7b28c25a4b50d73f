/* RCU-like publication of a routing table: the pointer is published before the table is filled in.
 *
 * Bug (segv in route): the writer publishes the table; a reader loads it and follows `entries`, still NULL; the
 * writer sets it only then.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct routes {
    atomic_int count;
    _Atomic(int *) entries;
};

static _Atomic(struct routes *) active;

static struct routes *routes_new(void) { return calloc(1, sizeof(struct routes)); }

static void routes_fill(struct routes *r, int count, int first) {
    int *entries = malloc((size_t)count * sizeof *entries);
    for (int i = 0; i < count; i++) entries[i] = first + i;
    atomic_store(&r->count, count);
    atomic_store(&r->entries, entries);
}

static void *configure(void *unused) {
    (void)unused;
    struct routes *fresh = routes_new();
    atomic_store(&active, fresh);
    routes_fill(fresh, 3, 100);
    return NULL;
}

static int route(int address) {
    struct routes *r = atomic_load(&active);
    if (!r) return -1;
    int count = atomic_load(&r->count);
    if (!count) return -1;
    int *entries = atomic_load(&r->entries);
    return entries[address % count];
}

static void *forward(void *result) {
    for (int address = 0; address < 3; address++) *(int *)result = route(address);
    return NULL;
}

int main(void) {
    pthread_t writer, reader;
    int result = 0;
    pthread_create(&reader, NULL, forward, &result);
    pthread_create(&writer, NULL, configure, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    struct routes *r = atomic_load(&active);
    free(atomic_load(&r->entries));
    free(r);
    printf("%d\n", result);
    return 0;
}
