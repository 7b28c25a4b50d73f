/* A thread cancelled inside its critical section, without a cleanup handler for the lock.
 *
 * Bug (deadlock in journal_close): the cancellation arrives while the writer is in write(2), a cancellation point,
 * with the lock held; nobody gives it back.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static struct journal {
    pthread_mutex_t lock;
    int pipe[2];
    int lines;
} journal = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void journal_line(struct journal *j, const char *text) {
    pthread_mutex_lock(&j->lock);
    if (write(j->pipe[1], text, 1) == 1) j->lines++;
    pthread_mutex_unlock(&j->lock);
}

static int journal_close(struct journal *j) {
    pthread_mutex_lock(&j->lock);
    int lines = j->lines;
    close(j->pipe[0]);
    close(j->pipe[1]);
    pthread_mutex_unlock(&j->lock);
    return lines;
}

static void *writer(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) journal_line(&journal, "x");
    return NULL;
}

int main(void) {
    pthread_t thread;
    void *result;
    if (pipe(journal.pipe)) return 1;
    pthread_create(&thread, NULL, writer, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    int lines = journal_close(&journal);
    printf("%s, at most 3 lines: %d\n", result == PTHREAD_CANCELED ? "cancelled" : "finished", lines <= 3);
    return 0;
}
