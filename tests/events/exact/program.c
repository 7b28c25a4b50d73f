/* Three threads, main among them, with two events each: says in which order the events happened. */
#include <pthread.h>
#include <ravel.h>
#include <stdio.h>

void happened(
    char event); /* order.c, which ravel does not see: between an event and its entry nobody else runs */
const char *order(void);

static void *x(void *unused) {
    RAVEL_THREAD(x);
    RAVEL_EVENT(a);
    happened('a');
    RAVEL_EVENT(b);
    happened('b');
    return unused;
}

static void *y(void *unused) {
    RAVEL_THREAD(y);
    RAVEL_EVENT(c);
    happened('c');
    RAVEL_EVENT(d);
    happened('d');
    return unused;
}

RAVEL_TEST(all) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, x, NULL);
    pthread_create(&threads[1], NULL, y, NULL);
    RAVEL_EVENT(e);
    happened('e');
    RAVEL_EVENT(a);
    happened('A');
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("S %s\n", order());
}

RAVEL_MAIN
