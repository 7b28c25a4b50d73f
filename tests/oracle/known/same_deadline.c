/* With strict timing both waits end at the same time, and then the two threads race.
 * options: --timing=strict
 * prints: S 1
 * prints: S 2
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int x;
static sem_t never;
static const struct timespec later = {4000000000, 0};

static void *wait_and_count(void *unused) {
    sem_timedwait(&never, &later);
    x = x + 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&never, 0, 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, wait_and_count, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    char line[16];
    int size = snprintf(line, sizeof line, "S %d\n", x);
    return write(1, line, (size_t)size) != size;
}
