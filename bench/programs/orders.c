/* orders THREADS ROUNDS: threads that each lock ROUNDS times. Up to equivalence there are
 * (THREADS * ROUNDS)! / (ROUNDS!)^THREADS schedules: 369,600 for four threads and three rounds. */
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, counter;

static void *work(void *unused) {
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t threads[MOST];
    int count = argc > 1 ? atoi(argv[1]) : 3;
    rounds = argc > 2 ? atoi(argv[2]) : 3;
    for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    return counter == count * rounds ? 0 : 1;
}
