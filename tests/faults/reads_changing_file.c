/* Reads a file that is different every time. Outcome: no failure; the nondeterminism is named. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int buckets[16];

static void *sort_in(void *unused) {
    (void)unused;
    char text[36];
    int file = open("/proc/sys/kernel/random/uuid", O_RDONLY);
    assert(file >= 0 && read(file, text, sizeof text) == sizeof text);
    close(file);
    for (int i = 0; i < 8; i++) atomic_fetch_add(&buckets[text[i] & 15], 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, sort_in, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
