/* Reads a file that is different every time. Outcome: no failure; the nondeterminism is named. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int odd[8];

static void *count_odd(void *unused) {
    (void)unused;
    char text[36];
    int file = open("/proc/sys/kernel/random/uuid", O_RDONLY);
    assert(file >= 0 && read(file, text, sizeof text) == sizeof text);
    close(file);
    for (int i = 0; i < 8; i++)
        if (text[i] & 1) atomic_fetch_add(&odd[i], 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count_odd, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
