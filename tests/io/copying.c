/* Data moved between descriptors by the kernel: from file to pipe, through a pipe, to a socket, file to file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../sync/check.h"

enum { SIZE = 9000 };
static int file, copy, pipes[2][2], pair[2];

static void *file_to_pipe(void *unused) {
    (void)unused;
    off_t offset = 0;
    while (offset < SIZE) CHECK(sendfile(pipes[0][1], file, &offset, (size_t)(SIZE - offset)) > 0);
    CHECK(close(pipes[0][1]) == 0);
    return NULL;
}

static void *pipe_to_pipe(void *unused) {
    (void)unused;
    for (ssize_t got; (got = splice(pipes[0][0], NULL, pipes[1][1], NULL, SIZE, 0)) != 0;) CHECK(got > 0);
    CHECK(close(pipes[1][1]) == 0);
    return NULL;
}

static void *pipe_to_socket(void *unused) {
    (void)unused;
    for (ssize_t got; (got = splice(pipes[1][0], NULL, pair[0], NULL, SIZE, 0)) != 0;) CHECK(got > 0);
    CHECK(close(pair[0]) == 0);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    static char data[SIZE], got[SIZE + 1];
    for (int i = 0; i < SIZE; i++) data[i] = (char)(i * 13);
    file = memfd_create("from", 0);
    copy = memfd_create("to", 0);
    CHECK(file >= 0 && copy >= 0 && write(file, data, SIZE) == SIZE && lseek(file, 0, SEEK_SET) == 0);
    CHECK(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    for (int i = 0; i < 2; i++) CHECK(fcntl(pipes[i][1], F_SETPIPE_SZ, 4096) == 4096);
    void *(*const work[])(void *) = {file_to_pipe, pipe_to_pipe, pipe_to_socket};
    for (int i = 0; i < 3; i++) CHECK(pthread_create(&threads[i], NULL, work[i], NULL) == 0);
    CHECK(recv(pair[1], got, SIZE + 1, MSG_WAITALL) == SIZE && !memcmp(got, data, SIZE));
    CHECK(lseek(copy, 0, SEEK_END) == 0); /* what the execution before copied is gone */
    CHECK(copy_file_range(file, NULL, copy, NULL, SIZE, 0) == SIZE && lseek(copy, 0, SEEK_CUR) == SIZE);
    CHECK(pread(copy, got, SIZE, 0) == SIZE && !memcmp(got, data, SIZE));
    for (int i = 0; i < 3; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
