/* Other programs: system, posix_spawn, fork and exec, vfork, from threads at the same time. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void *by_system(void *unused) {
    (void)unused;
    int status = system("exit 3");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    CHECK(system(NULL) != 0);
    return NULL;
}

static void *by_spawn(void *unused) {
    char *arguments[] = {"sh", "-c", "exit 4", NULL};
    int status = 0;
    pid_t pid;
    (void)unused;
    CHECK(posix_spawnp(&pid, "sh", NULL, NULL, arguments, environ) == 0);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    CHECK(posix_spawn(&pid, "/nonexistent", NULL, NULL, arguments, environ) == ENOENT);
    return NULL;
}

static void by_exec(pid_t (*make)(void)) {
    int status = 0;
    pid_t pid = make();
    if (pid == 0) {
        execlp("nonexistent-program", "x", (char *)NULL);
        execl("/bin/sh", "sh", "-c", "test -z \"$RAVEL_CHANNEL\" && exit 5", (char *)NULL);
        _exit(127);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

int main(void) {
    pthread_t threads[2];
    CHECK(execlp("nonexistent-program", "x", (char *)NULL) == -1 && errno == ENOENT);
    CHECK(execv("/etc/passwd", (char *[]){"x", NULL}) == -1 && errno == EACCES);
    pthread_create(&threads[0], NULL, by_system, NULL);
    pthread_create(&threads[1], NULL, by_spawn, NULL);
    by_exec(fork);
    int status = 0;
    pid_t pid = vfork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
        _exit(127);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 6);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
