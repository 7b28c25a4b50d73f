/* What ends or refuses a read or write: cancellation, a handler, no reader, nothing there yet, the number closed by
 * another thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../sync/check.h"

static int quiet[2], old[2];
static atomic_int pipes_broken, cleaned;
static volatile sig_atomic_t handled;

static void on_pipe(int number) {
    CHECK(number == SIGPIPE);
    pipes_broken++;
}

static void on_signal(int number) { handled = number; }

static void clean(void *unused) {
    (void)unused;
    cleaned++;
}

static void *be_cancelled(void *unused) {
    char byte;
    pthread_cleanup_push(clean, unused);
    (void)!read(quiet[0], &byte, 1);
    pthread_cleanup_pop(0);
    abort();
}

static void *be_interrupted(void *unused) {
    (void)unused;
    char byte;
    CHECK(read(quiet[0], &byte, 1) == -1 && errno == EINTR && handled == SIGUSR1);
    return NULL;
}

/* Waits in a read while the number is closed and given to another pipe: the old one counts. */
static void *read_old(void *unused) {
    (void)unused;
    char byte;
    ssize_t got = read(old[0], &byte, 1);
    CHECK(got == 1 &&
          (byte == 'o' || byte == 'n')); /* n: it came too late, and the number meant the new one */
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int broken[2];
    char byte = 'b';
    struct sigaction action = {.sa_handler = on_signal};
    CHECK(pipe(quiet) == 0 && pipe(old) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(pthread_create(&threads[0], NULL, be_cancelled, NULL) == 0);
    CHECK(pthread_create(&threads[1], NULL, be_interrupted, NULL) == 0);
    CHECK(pthread_create(&threads[2], NULL, read_old, NULL) == 0);
    CHECK(signal(SIGPIPE, on_pipe) != SIG_ERR);
    CHECK(pipe2(broken, O_NONBLOCK) == 0 && read(broken[0], &byte, 1) == -1 && errno == EAGAIN);
    static char block[4096];
    while (write(broken[1], block, sizeof block) == sizeof block) continue;
    CHECK(errno == EAGAIN && close(broken[0]) == 0);
    CHECK(write(broken[1], &byte, 1) == -1 && errno == EPIPE && pipes_broken == 1);
    CHECK(write(-1, &byte, 1) == -1 && errno == EBADF && read(99, &byte, 1) == -1 && errno == EBADF);
    int write_end = dup(old[1]), fresh[2];
    CHECK(write_end >= 0 && pipe(fresh) == 0 && write(fresh[1], "n", 1) == 1);
    CHECK(dup2(fresh[0], old[0]) == old[0]);
    ssize_t sent = write(write_end, "o", 1); /* nobody reads it any more if the reader came late */
    CHECK(sent == 1 || (sent == -1 && errno == EPIPE));
    CHECK(pthread_cancel(threads[0]) == 0);
    void *result;
    CHECK(pthread_join(threads[0], &result) == 0 && result == PTHREAD_CANCELED && cleaned == 1);
    while (pthread_tryjoin_np(threads[1], NULL) == EBUSY) CHECK(pthread_kill(threads[1], SIGUSR1) == 0);
    CHECK(pthread_join(threads[2], NULL) == 0);
    return 0;
}
