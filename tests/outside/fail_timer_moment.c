/* fails: assert: on_alarm: Assertion `balance == 0' failed
 * The alarm may come between any two steps; the handler looks at what is being changed just then. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int balance;

static void on_alarm(int number) {
    (void)number;
    assert(balance == 0);
}

static void *mover(void *unused) {
    (void)unused;
    atomic_fetch_add(&balance, 5);
    atomic_fetch_sub(&balance, 5);
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_alarm};
    pthread_t thread;
    sigaction(SIGALRM, &action, NULL);
    alarm(5);
    pthread_create(&thread, NULL, mover, NULL);
    pthread_join(thread, NULL);
    return 0;
}
