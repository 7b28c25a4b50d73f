/* fork (also while threads run), exec, pipes, exit handlers; the child's threads work too. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int prepared, in_parent, in_child;

static void prepare(void) { prepared++; }
static void parent(void) { in_parent++; }
static void child(void) { in_child++; }
static void at_exit(void) { puts("at exit"); }

static void *locker(void *argument) {
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
static void *twice(void *argument) { return (void *)((long)argument * 2); }

int main(int argc, char **argv) {
    if (argc > 1) {
        printf("started again with %s\n", argv[1]);
        return 5;
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    atexit(at_exit);
    pthread_atfork(prepare, parent, child);
    pthread_t thread;
    pthread_create(&thread, NULL, locker, NULL);
    int ends[2], status;
    if (pipe(ends) != 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t own;
        void *result;
        pthread_create(&own, NULL, twice, (void *)21L);
        pthread_join(own, &result);
        dprintf(ends[1], "child: %ld, handlers %d %d\n", (long)result, prepared, in_child);
        _exit(9);
    }
    close(ends[1]);
    char text[100] = "";
    if (read(ends[0], text, sizeof text - 1) < 0)
        return 1;
    waitpid(pid, &status, 0);
    printf("%sstatus %d, handlers %d %d\n", text, WEXITSTATUS(status), prepared, in_parent);
    pthread_join(thread, NULL);

    pid = vfork();
    if (pid == 0) {
        execl("/proc/self/exe", argv[0], "exec", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    printf("status %d\n", WEXITSTATUS(status));
    char *arguments[] = {argv[0], (char *)"spawn", NULL};
    if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ) != 0)
        return 1;
    waitpid(pid, &status, 0);
    printf("status %d\n", WEXITSTATUS(status));
    FILE *shell = popen("echo from the shell; exit 4", "r");
    if (shell && fgets(text, sizeof text, shell))
        printf("%s", text);
    printf("status %d\n", WEXITSTATUS(pclose(shell)));
    printf("system %d\n", WEXITSTATUS(system("exit 6")));
    exit(11);
}
