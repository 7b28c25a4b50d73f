/* Signals in the three ways that work: a thread that collects blocked signals with sigwait, a handler that does only
 * what a handler may do, and a sleep that is interrupted and goes on: correct. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

static sem_t handled, dismissed;
static atomic_int handler_runs;
static _Atomic pthread_t expected_in; /* set before the signal is sent */
static int reloads;                   /* by the collector; main reads it after the join */

static void on_usr1(int number) {
    int saved = errno;
    if (number != SIGUSR1 || !pthread_equal(pthread_self(), atomic_load(&expected_in))) abort();
    atomic_fetch_add(&handler_runs, 1);
    sem_post(&handled);
    errno = saved;
}

static void *collect(void *set) {
    for (bool over = false; !over;) {
        int number;
        assert(sigwait(set, &number) == 0);
        switch (number) {
        case SIGHUP: reloads++; break;
        case SIGTERM: over = true; break;
        default: abort();
        }
    }
    return NULL;
}

static void *doze(void *unused) {
    (void)unused;
    struct timespec left = {.tv_sec = 1};
    while (nanosleep(&left, &left)) assert(errno == EINTR);
    while (sem_wait(&dismissed)) assert(errno == EINTR);
    return NULL;
}

static void send_and_wait(pthread_t to) {
    atomic_store(&expected_in, to);
    assert(pthread_kill(to, SIGUSR1) == 0);
    while (sem_wait(&handled)) assert(errno == EINTR);
}

int main(void) {
    struct sigaction action = {.sa_handler = on_usr1};
    sigset_t collected, usr1, before;
    pthread_t collector, dozer;
    sem_init(&handled, 0, 0);
    sem_init(&dismissed, 0, 0);
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&collected);
    sigaddset(&collected, SIGHUP);
    sigaddset(&collected, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &collected, NULL); /* inherited by the threads */
    pthread_create(&collector, NULL, collect, &collected);
    pthread_create(&dozer, NULL, doze, NULL);

    atomic_store(&expected_in, pthread_self());
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, &before);
    raise(SIGUSR1);
    assert(atomic_load(&handler_runs) == 0); /* blocked: pending */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert(atomic_load(&handler_runs) == 1 && sem_trywait(&handled) == 0);

    pthread_kill(collector, SIGHUP);
    pthread_kill(collector, SIGTERM); /* the lower number is taken first */
    pthread_join(collector, NULL);
    assert(reloads == 1);
    send_and_wait(dozer);
    sem_post(&dismissed);
    pthread_join(dozer, NULL);
    assert(atomic_load(&handler_runs) == 2);
    sem_destroy(&dismissed);
    sem_destroy(&handled);
    return 0;
}
