/* Waiting by polling: a flag with a doubling sleep, a trylock loop with a pause, select on a pipe with a time-out, and a
 * clock that must not run backwards. Slow, but correct. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static atomic_bool ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int results; /* under lock */
static int pipe_ends[2];

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void sleep_ns(int64_t ns) {
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    int64_t before = now_ns();
    while (nanosleep(&left, &left)) assert(errno == EINTR);
    assert(now_ns() - before >= ns);
}

static void lock_polling(void) {
    while (pthread_mutex_trylock(&lock)) usleep(100);
}

static void *prepare(void *unused) {
    (void)unused;
    lock_polling();
    results++;
    pthread_mutex_unlock(&lock);
    atomic_store(&ready, 1);
    return NULL;
}

static void *announce(void *unused) {
    (void)unused;
    int64_t pause = 1000;
    while (!atomic_load(&ready)) {
        sleep_ns(pause);
        if (pause < 1000000) pause *= 2;
    }
    lock_polling();
    results++;
    pthread_mutex_unlock(&lock);
    assert(write(pipe_ends[1], "r", 1) == 1);
    return NULL;
}

static bool readable_within(int fd, int milliseconds) {
    struct timeval timeout = {.tv_usec = milliseconds * 1000};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    int count = select(fd + 1, &set, NULL, NULL, &timeout);
    assert(count >= 0 && (count == 1) == (FD_ISSET(fd, &set) != 0));
    return count == 1;
}

int main(void) {
    pthread_t threads[2];
    char byte = 0;
    assert(pipe(pipe_ends) == 0);
    pthread_create(&threads[0], NULL, announce, NULL);
    pthread_create(&threads[1], NULL, prepare, NULL);
    while (!readable_within(pipe_ends[0], 10)) continue;
    assert(read(pipe_ends[0], &byte, 1) == 1 && byte == 'r');
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(results == 2);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    return 0;
}
