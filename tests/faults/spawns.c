/* Starts other programs in every way there is: system, popen, posix_spawn. Outcome: nothing found. */
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static void *shell(void *unused) {
    (void)unused;
    int status = system("exit 3");
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    return NULL;
}

static void *ask(void *unused) {
    (void)unused;
    char line[16] = "";
    FILE *answer = popen("echo spoken", "r");
    assert(answer && fgets(line, sizeof line, answer) && strcmp(line, "spoken\n") == 0);
    assert(pclose(answer) == 0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    char *const arguments[] = {"true", NULL};
    pid_t pid;
    int status;
    pthread_create(&threads[0], NULL, shell, NULL);
    pthread_create(&threads[1], NULL, ask, NULL);
    assert(posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ) == 0);
    assert(waitpid(pid, &status, 0) == pid && status == 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
