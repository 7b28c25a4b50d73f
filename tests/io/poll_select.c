/* poll and select: what is ready, what is gone, time that passes, a handler that interrupts. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "../sync/check.h"

static int ends[2], quiet[2], done[2];
static volatile sig_atomic_t handled;

static void on_signal(int number) {
    (void)number;
    handled = 1;
}

static void *write_and_close(void *unused) {
    (void)unused;
    CHECK(write(ends[1], "x", 1) == 1);
    CHECK(close(ends[1]) == 0);
    return NULL;
}

static void *be_interrupted(void *unused) {
    (void)unused;
    struct pollfd one = {.fd = quiet[0], .events = POLLIN};
    CHECK(poll(&one, 1, -1) == -1 && errno == EINTR && handled);
    CHECK(write(done[1], "d", 1) == 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}; /* never restarts poll */
    CHECK(pipe(ends) == 0 && pipe(quiet) == 0 && pipe(done) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(pthread_create(&threads[0], NULL, write_and_close, NULL) == 0);
    struct pollfd set[3] = {
        {.fd = ends[0], .events = POLLIN}, {.fd = -1, .events = POLLIN}, {.fd = quiet[0], .events = POLLIN}};
    CHECK(poll(set, 3, -1) == 1 && (set[0].revents & POLLIN) && !set[1].revents && !set[2].revents);
    char byte;
    CHECK(read(ends[0], &byte, 1) == 1);
    CHECK(poll(set, 1, -1) == 1 && set[0].revents == POLLHUP && read(ends[0], &byte, 1) == 0);
    struct timespec before, after;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &before) == 0);
    CHECK(poll(&set[2], 1, 50) == 0);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &after) == 0);
    CHECK((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 50000000);
    struct pollfd gone = {.fd = 60, .events = POLLIN};
    CHECK(poll(&gone, 1, 0) == 1 && gone.revents == POLLNVAL);
    fd_set reading, writing;
    FD_ZERO(&reading);
    FD_ZERO(&writing);
    FD_SET(quiet[0], &reading);
    FD_SET(quiet[1], &writing);
    CHECK(select(quiet[1] + 1, &reading, &writing, NULL, NULL) == 1);
    CHECK(!FD_ISSET(quiet[0], &reading) && FD_ISSET(quiet[1], &writing));
    FD_SET(quiet[0], &reading);
    struct timeval time = {.tv_usec = 1000};
    CHECK(select(quiet[1] + 1, &reading, NULL, NULL, &time) == 0 && !FD_ISSET(quiet[0], &reading));
    FD_SET(60, &reading); /* select does not look beyond the smallest table of descriptors, which has 64 */
    CHECK(select(61, &reading, NULL, NULL, &time) == -1 && errno == EBADF);
    CHECK(pthread_create(&threads[1], NULL, be_interrupted, NULL) == 0);
    struct pollfd end = {.fd = done[0], .events = POLLIN};
    while (poll(&end, 1, 0) == 0) CHECK(pthread_kill(threads[1], SIGUSR1) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
