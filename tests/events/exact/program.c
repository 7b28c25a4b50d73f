/* Three threads with two events each: says in which order the events happened. */
#include <pthread.h>
#include <ravel.h>
#include <stdio.h>

void happened(char event); /* order.c, which ravel does not see: between an event and its entry nobody else runs */
const char *order(void);

#define THREAD(name, a, b)             \
    static void *name(void *unused) {  \
        RAVEL_THREAD(name);            \
        RAVEL_EVENT(a);                \
        happened(#a[0]);               \
        RAVEL_EVENT(b);                \
        happened(#b[0]);               \
        return unused;                 \
    }
THREAD(x, a, b)
THREAD(y, c, d)
THREAD(z, e, a)

RAVEL_TEST(all) {
    static void *(*const bodies[])(void *) = {x, y, z};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("S %s\n", order());
}

RAVEL_MAIN
