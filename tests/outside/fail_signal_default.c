/* fails: signal: killed by SIGUSR1
 * The handler is installed too late: a thread that is faster is killed with the process. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void on_signal(int number) { (void)number; }

static void *sender(void *unused) {
    (void)unused;
    kill(getpid(), SIGUSR1);
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t thread;
    pthread_create(&thread, NULL, sender, NULL);
    sigaction(SIGUSR1, &action, NULL);
    pthread_join(thread, NULL);
    return 0;
}
