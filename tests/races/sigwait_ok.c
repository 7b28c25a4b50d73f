/* A signal is received after it was sent.
 * races: none
 */
#include <signal.h>

#include "subject.h"

static int message;

static void *receiver(void *set) {
    int number;
    if (sigwait(set, &number) == 0) message++;
    return NULL;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, receiver, &set);
    message = 1;
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return message != 2;
}
