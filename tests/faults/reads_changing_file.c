/* Reads a file that is different every time. Outcome: no failure; the nondeterminism is named. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int work;

/* So many steps that two executions hardly ever agree by chance. */
static void *by_the_file(void *unused) {
    (void)unused;
    char digits[4] = "";
    int file = open("/proc/sys/kernel/random/uuid", O_RDONLY);
    assert(file >= 0 && read(file, digits, 3) == 3);
    close(file);
    for (long left = strtol(digits, NULL, 16); left > 0; left--) atomic_fetch_add(&work, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, by_the_file, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
