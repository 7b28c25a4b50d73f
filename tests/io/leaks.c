/* Every execution leaves many descriptors of all kinds behind. With the few that run.sh allows, a hundred executions would
 * run out of them, if they were not closed in between. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../sync/check.h"

static void *leak(void *unused) {
    (void)unused;
    int ends[2];
    CHECK(open("/dev/null", O_RDONLY) >= 0 && pipe(ends) == 0 && dup(ends[0]) >= 0);
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0 && socket(AF_INET, SOCK_DGRAM, 0) >= 0);
    CHECK(eventfd(0, 0) >= 0 && epoll_create1(0) >= 0 && memfd_create("leak", 0) >= 0);
    CHECK(timerfd_create(CLOCK_MONOTONIC, 0) >= 0 && fcntl(0, F_DUPFD, 60) >= 60);
    CHECK(fopen("/dev/null", "r") && opendir("/") && tmpfile());
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, leak, NULL) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
