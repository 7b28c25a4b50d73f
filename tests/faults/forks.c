/* Two threads fork at the same time, with handlers at the fork; the children use the lock that the handlers make safe.
 * Outcome: nothing found; children are not explored. */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value; /* under lock */

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

static int child(void) {
    pthread_mutex_lock(&lock);
    int copy = value;
    pthread_mutex_unlock(&lock);
    return copy == 0 || copy == 1 || copy == 2 ? 40 + copy : 1;
}

static void *fork_and_wait(void *unused) {
    (void)unused;
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0) _exit(child());
    int status;
    assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) >= 40);
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_atfork(before_fork, after_fork, after_fork);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, fork_and_wait, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(value == 2);
    return 0;
}
