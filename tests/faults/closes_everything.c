/* A daemon's habit: closes every descriptor it may have inherited, one by one and by range, before and after it has
 * threads. Outcome: its bug (the assertion) is found all the same. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int requests;

static void close_all(void) {
    for (int fd = 0; fd < 1024; fd++) close(fd);
    close_range(0, ~0u, 0);
}

static void *serve(void *unused) {
    (void)unused;
    close_all();
    atomic_store(&requests, atomic_load(&requests) + 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    close_all();
    for (int fd = 0; fd < 3; fd++) assert(open("/dev/null", O_RDWR) == fd);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, serve, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(atomic_load(&requests) == 2);
    return 0;
}
