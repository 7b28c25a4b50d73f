/* Closes every number there is, by range, one by one and by taking it over, in a thread: ravel's own descriptors too, for
 * all the program knows. It finds its own again in the next execution. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "../sync/check.h"

static int ends[2];

static void *close_all(void *unused) {
    (void)unused;
    char byte;
    CHECK(read(ends[0], &byte, 1) == 1 && byte == 'x');
    closefrom(3);
    CHECK(close_range(0, ~0u, 0) == 0);
    for (int fd = 0; fd < 2000; fd++) CHECK(close(fd) == -1 && errno == EBADF);
    CHECK(open("/dev/null", O_RDWR) == 0 && dup2(0, 1) == 1 && dup2(0, 2) == 2);
    for (int fd = 3; fd < 100; fd++) CHECK(dup2(0, fd) == fd); /* as many as run.sh allows, nearly */
    return NULL;
}

int main(void) {
    pthread_t thread;
    CHECK(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    CHECK(pthread_create(&thread, NULL, close_all, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(open("/dev/null", O_RDONLY) == 100);
    return 0;
}
