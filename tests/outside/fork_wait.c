/* says: starts child processes
 * Children: a threaded program forks, the child works alone, and the parent waits for it, by wait, by a pipe, by a
 * signal. Handlers of pthread_atfork run on both sides; a child's exit does not end the execution. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int prepared, in_parent, in_child;
static atomic_int stop;

static void prepare(void) {
    pthread_mutex_lock(&lock);
    prepared++;
}
static void parent(void) {
    in_parent++;
    pthread_mutex_unlock(&lock);
}
static void child(void) {
    in_child++;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *count(void *counter) {
    atomic_fetch_add((atomic_int *)counter, 1);
    return NULL;
}

/* The child may create threads of its own. */
static _Noreturn void be_child(int to) {
    atomic_int counter = 0;
    pthread_t thread;
    pthread_mutex_lock(&lock); /* not held by a thread that does not exist here */
    pthread_mutex_unlock(&lock);
    if (in_child != 1 || pthread_create(&thread, NULL, count, &counter) || pthread_join(thread, NULL))
        _exit(1);
    if (write(to, "done", 4) != 4) _exit(2);
    _exit(atomic_load(&counter) == 1 ? 42 : 3);
}

int main(void) {
    int ends[2], status = 0;
    char buffer[8];
    pthread_t thread;
    CHECK(pthread_atfork(prepare, parent, child) == 0);
    pthread_create(&thread, NULL, worker, NULL);
    CHECK(pipe(ends) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) be_child(ends[1]);
    CHECK(prepared == 1 && in_parent == 1 && in_child == 0);
    CHECK(close(ends[1]) == 0);
    CHECK(read(ends[0], buffer, sizeof buffer) == 4);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    CHECK(waitpid(pid, &status, 0) == -1 && errno == ECHILD);

    pid = fork();
    if (pid == 0) {
        for (;;) pause();
    }
    CHECK(waitpid(pid, &status, WNOHANG) == 0);
    CHECK(kill(pid, SIGTERM) == 0);
    siginfo_t info;
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0);
    CHECK(info.si_pid == pid && info.si_code == CLD_KILLED && info.si_status == SIGTERM);
    pthread_join(thread, NULL);

    /* One that is left behind: its end must not trouble the next execution. */
    if (fork() == 0) {
        for (;;) pause();
    }
    return 0;
}
