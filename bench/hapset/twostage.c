/* A protocol in two stages, each under its own lock: free of data races, and yet not atomic.
 *
 * After the "twostage" programs of the SCTBench collection. A writer sets `data1` under lock A (stage 1), reads it
 * again under A and sets `data2 = data1 + 1` under lock B (stage 2). The reader takes `data1` under A and, if it is
 * set, `data2` under B, and expects them to fit.
 *
 * Bug (assert in reader): the reader does both of its reads after the first stage 1 and before any stage 2: every
 * writer that has begun is between its stages while the reader runs. No race detector that looks for missing locks
 * sees it.
 *
 * Parameters: WRITERS (1 to 100; default 3).
 */
#include "subject.h"
#include <assert.h>

enum { MAX_WRITERS = 100 };

static struct {
    pthread_mutex_t a, b;
    int data1; /* under a */
    int data2; /* under b; data1 + 1 once both stages are done */
} state = {.a = PTHREAD_MUTEX_INITIALIZER, .b = PTHREAD_MUTEX_INITIALIZER};

static int read_data1(void) {
    pthread_mutex_lock(&state.a);
    int value = state.data1;
    pthread_mutex_unlock(&state.a);
    return value;
}

static void *writer(void *unused) {
    (void)unused;
    pthread_mutex_lock(&state.a);
    state.data1 = 1;
    pthread_mutex_unlock(&state.a);

    int value = read_data1();
    pthread_mutex_lock(&state.b);
    state.data2 = value + 1;
    pthread_mutex_unlock(&state.b);
    return NULL;
}

static void *reader(void *unused) {
    (void)unused;
    slow_outside();
    int first = read_data1();
    if (first == 0) return NULL;
    pthread_mutex_lock(&state.b);
    int second = state.data2;
    pthread_mutex_unlock(&state.b);
    assert(second == first + 1 && "both stages, or none");
    return NULL;
}

int main(int argc, char **argv) {
    int writers = size_argument(argc, argv, 1, 3, 1, MAX_WRITERS);
    pthread_t threads[MAX_WRITERS], reader_thread;
    for (int i = 0; i < writers; i++) pthread_create(&threads[i], NULL, writer, NULL);
    pthread_create(&reader_thread, NULL, reader, NULL);
    for (int i = 0; i < writers; i++) pthread_join(threads[i], NULL);
    pthread_join(reader_thread, NULL);
    assert(state.data2 == 2);
    puts("both stages done");
    return 0;
}
