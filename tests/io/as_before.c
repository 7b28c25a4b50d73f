/* Whatever an execution does to its descriptors, the next one finds them as they were when the first thread was
 * created: open ones, closed ones, numbers, offsets, flags, contents of pipes and of a file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../sync/check.h"

static int file, filled[2], kept[2], pair[2], shared, next;

static void check_beginning(void) {
    char buffer[32];
    struct stat status;
    CHECK(lseek(file, 0, SEEK_CUR) == 4);
    CHECK(fstat(file, &status) == 0 && status.st_size == 10);
    CHECK(pread(file, buffer, sizeof buffer, 0) == 10 && !memcmp(buffer, "0123456789", 10));
    CHECK(fcntl(filled[0], F_GETFL) == O_RDONLY && fcntl(filled[1], F_GETFL) == O_WRONLY);
    CHECK(fcntl(filled[0], F_GETFD) == FD_CLOEXEC && fcntl(file, F_GETFD) == 0);
    CHECK(read(filled[0], buffer, sizeof buffer) == 6 && !memcmp(buffer, "before", 6));
    CHECK(read(kept[0], buffer, sizeof buffer) == 4 && !memcmp(buffer, "kept", 4));
    CHECK(recv(pair[1], buffer, sizeof buffer, 0) == 4 && !memcmp(buffer, "sent", 4));
    CHECK(recv(pair[0], buffer, sizeof buffer, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    CHECK(lseek(shared, 0, SEEK_CUR) == 4);
    int fresh = open("/dev/null", O_RDONLY);
    CHECK(fresh == next); /* nothing is left of the execution before */
    CHECK(close(fresh) == 0);
}

static void *misbehave(void *argument) {
    int which = *(int *)argument;
    char buffer[8] = "";
    for (int i = 0; i < 5; i++) CHECK(open("/dev/zero", O_RDONLY) >= 0);
    if (which == 0) {
        CHECK(fcntl(filled[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(file, F_SETFD, FD_CLOEXEC) == 0);
        CHECK(read(file, buffer, 3) >= 0); /* the other thread may have made it empty */
        CHECK(recv(pair[1], buffer, 1, MSG_DONTWAIT) >= -1);
        if (buffer[0] == 'l') return NULL; /* sometimes the flags are all that changed */
        CHECK(close(filled[0]) == 0);
        CHECK(write(file, "overwritten by this one", 23) == 23 && close(file) == 0);
        CHECK(dup2(STDERR_FILENO, file) == file);
        return NULL;
    }
    CHECK(write(filled[1], "left over", 9) == 9 || errno == EPIPE);
    CHECK(write(kept[1], "left over", 9) == 9); /* both ends stay open */
    CHECK(send(pair[0], "left over", 9, 0) == 9);
    CHECK(close(filled[1]) == 0 && shutdown(pair[0], SHUT_RDWR) == 0 && close(pair[1]) == 0);
    CHECK(ftruncate(shared, 0) == 0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int which[2] = {0, 1};
    char path[] = "/tmp/ravel-io-XXXXXX";
    file = mkstemp(path);
    CHECK(file >= 0 && unlink(path) == 0 && write(file, "0123456789", 10) == 10 &&
          lseek(file, 4, SEEK_SET) == 4);
    shared = dup(file);
    CHECK(pipe2(filled, O_CLOEXEC) == 0 && write(filled[1], "before", 6) == 6);
    CHECK(pipe(kept) == 0 && write(kept[1], "kept", 4) == 4);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && send(pair[0], "sent", 4, 0) == 4);
    CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    next = dup(0);
    CHECK(next > pair[1] && close(next) == 0);
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0);
    pthread_t first;
    CHECK(pthread_create(&first, &attributes, (void *(*)(void *))pthread_self, NULL) == 0);
    check_beginning();
    CHECK(write(filled[1], "more", 4) == 4);
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, misbehave, &which[i]) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(pthread_join(first, NULL) == 0);
    return 0;
}
