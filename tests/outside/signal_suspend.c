/* sigsuspend: no signal is lost between looking at the flag and waiting, and the mask comes back. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "check.h"

static volatile sig_atomic_t rounds;
static pthread_t waiter;

static void on_signal(int number) {
    (void)number;
    rounds = rounds + 1;
}

static void *sender(void *unused) {
    (void)unused;
    pthread_kill(waiter, SIGUSR1);
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigset_t block, before, now;
    pthread_t thread;
    waiter = pthread_self();
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &block, &before);
    pthread_create(&thread, NULL, sender, NULL);
    while (!rounds) CHECK(sigsuspend(&before) == -1 && errno == EINTR);
    CHECK(rounds == 1);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    CHECK(sigismember(&now, SIGUSR1) == 1);
    pthread_join(thread, NULL);
    return 0;
}
