/* dirty KB: sets up so much heap before its threads start; each execution then writes to ten pages of it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, PAGES = 10 };
static char *memory;
static size_t size;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument) {
    for (size_t i = 0; i < PAGES / 2; i++) {
        pthread_mutex_lock(&lock);
        memory[(i * (size / PAGE / PAGES) * PAGE + (size_t)argument) % size]++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 10;
    memory = malloc(size);
    if (!memory) return 1;
    memset(memory, 1, size);
    for (size_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)(i * (size / 2)));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
