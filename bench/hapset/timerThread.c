/* The thread that serves all timers, and its shutdown.
 *
 * Original: Mozilla, TimerThread; the paper gives the kind (deadlock) only. Reconstructed: whoever adds a timer or shuts
 * the thread down signals only if the thread says that it waits, and it says so outside the lock.
 *
 * Bug (deadlock): the timer thread finds nothing to do and is preempted before it announces that it waits; main sets
 * `shutdown`, sees nobody waiting and does not signal; the timer thread waits for ever, and main joins it.
 *
 * Parameters: TIMERS (0 to 8; default 1), ROUNDS of unrelated work (default 2).
 */
#include "subject.h"
#include <assert.h>
#include <stdbool.h>

enum { MAX_TIMERS = 8, MAX_ROUNDS = 20 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int timers, fired;    /* under lock */
    atomic_bool shutdown; /* set without the lock */
    atomic_bool waiting;  /* the thread needs a signal */
} timer_thread = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static int rounds;

static void *run(void *unused) {
    (void)unused;
    pthread_mutex_lock(&timer_thread.lock);
    while (!atomic_load(&timer_thread.shutdown)) {
        if (timer_thread.fired < timer_thread.timers) {
            timer_thread.fired++;
            continue;
        }
        atomic_store(&timer_thread.waiting, true);
        pthread_cond_wait(&timer_thread.changed, &timer_thread.lock);
        atomic_store(&timer_thread.waiting, false);
    }
    pthread_mutex_unlock(&timer_thread.lock);
    unrelated_work(1, rounds);
    return NULL;
}

static void wake(void) {
    if (!atomic_load(&timer_thread.waiting)) return; /* it will look by itself */
    pthread_mutex_lock(&timer_thread.lock);
    pthread_cond_signal(&timer_thread.changed);
    pthread_mutex_unlock(&timer_thread.lock);
}

static void add_timer(void) {
    pthread_mutex_lock(&timer_thread.lock);
    timer_thread.timers++;
    pthread_cond_signal(&timer_thread.changed);
    pthread_mutex_unlock(&timer_thread.lock);
}

static void *client(void *arg) {
    int timers = *(const int *)arg;
    for (int i = 0; i < timers; i++) {
        unrelated_work(2, rounds);
        add_timer();
    }
    return NULL;
}

int main(int argc, char **argv) {
    int timers = size_argument(argc, argv, 1, 1, 0, MAX_TIMERS);
    rounds = size_argument(argc, argv, 2, 2, 0, MAX_ROUNDS);
    pthread_t thread, client_thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_create(&client_thread, NULL, client, &timers);
    pthread_join(client_thread, NULL);
    unrelated_work(0, rounds);
    atomic_store(&timer_thread.shutdown, true);
    wake();
    pthread_join(thread, NULL);
    assert(timer_thread.fired <= timer_thread.timers);
    puts("shut down");
    return 0;
}
