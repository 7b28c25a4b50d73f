/* Sends itself SIGKILL in one order of its threads: the worker is gone at once. Outcome: a failure by signal, found and
 * confirmed; the campaign survives. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int armed;

static void *trigger(void *unused) {
    (void)unused;
    if (atomic_load(&armed)) kill(getpid(), SIGKILL);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, trigger, NULL);
    atomic_store(&armed, 1);
    atomic_store(&armed, 0);
    pthread_join(thread, NULL);
    return 0;
}
