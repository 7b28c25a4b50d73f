/* The end of a child comes as SIGCHLD: to a handler, and to who waits for it by sigwaitinfo. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static atomic_int chlds;

static void on_chld(int number) {
    (void)number;
    int error = errno;
    while (waitpid(-1, NULL, WNOHANG) > 0) atomic_fetch_add(&chlds, 1);
    errno = error;
}

static void *idle(void *unused) { return unused; }

int main(void) {
    struct sigaction action = {.sa_handler = on_chld}, none = {.sa_handler = SIG_DFL};
    sigset_t set, before;
    siginfo_t info;
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
    pthread_join(thread, NULL);
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    if (fork() == 0) _exit(0);
    while (!atomic_load(&chlds)) CHECK(sigsuspend(&before) == -1);
    CHECK(atomic_load(&chlds) == 1);

    sigaction(SIGCHLD, &none, NULL);
    pid_t pid = fork();
    if (pid == 0) _exit(7);
    CHECK(sigwaitinfo(&set, &info) == SIGCHLD);
    CHECK(info.si_pid == pid && info.si_status == 7);
    CHECK(waitpid(pid, NULL, 0) == pid);
    return 0;
}
