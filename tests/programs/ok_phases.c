/* A stencil computed in phases with a pthread barrier; the serial thread swaps the buffers: correct. */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3, PHASES = 2, CELLS = THREADS };

static pthread_barrier_t barrier;
static int cells[2][CELLS];
static int source; /* which of the two buffers is read; changed by one thread between two barriers */
static int swaps;

static void wait_and_swap(void) {
    int status = pthread_barrier_wait(&barrier);
    if (status == PTHREAD_BARRIER_SERIAL_THREAD) {
        source = 1 - source;
        swaps++;
    } else {
        assert(status == 0);
    }
    pthread_barrier_wait(&barrier);
}

static void *simulate(void *arg) {
    int me = *(int *)arg;
    for (int phase = 0; phase < PHASES; phase++) {
        const int *from = cells[source];
        int *to = cells[1 - source];
        to[me] = from[me] + from[(me + 1) % CELLS];
        wait_and_swap();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int ids[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < CELLS; i++) cells[0][i] = 1;
    for (int i = 0; i < THREADS; i++) {
        ids[i] = i;
        pthread_create(&threads[i], NULL, simulate, &ids[i]);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    assert(swaps == PHASES);
    for (int i = 0; i < CELLS; i++) assert(cells[source][i] == 1 << PHASES);
    return 0;
}
