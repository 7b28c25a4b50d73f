/* A timer that one thread re-arms while another cancels it.
 *
 * Original: Mozilla; the paper names the kernel and its kind (atomicity violation) only. Reconstructed: a check of the
 * timer and its use, with the cancellation between them.
 *
 * Bug (use-after-free or segv in update_timer; atomicity): the updating thread sees that there is a timer and is
 * preempted; the other one cancels it, which frees it and clears the pointer; the first writes to it.
 *
 * Parameters: UPDATERS (1 to 8; default 1), ROUNDS of unrelated work (default 2).
 */
#include "subject.h"
#include <assert.h>

enum { MAX_UPDATERS = 8, MAX_ROUNDS = 20 };

struct timer {
    atomic_int delay;
};

static struct timer *_Atomic current_timer;
static atomic_int updates;
static int rounds;

static void update_timer(int delay) {
    if (!atomic_load(&current_timer)) return;
    atomic_fetch_add(&updates, 1);
    struct timer *timer = atomic_load(&current_timer); /* may be gone by now */
    atomic_store(&timer->delay, delay);
}

static void cancel_timer(void) {
    struct timer *timer = atomic_exchange(&current_timer, NULL);
    free(timer);
}

static void *updater(void *arg) {
    int me = *(const int *)arg;
    unrelated_work(me, rounds);
    update_timer(100 * me);
    unrelated_work(me, rounds);
    return NULL;
}

static void *canceller(void *unused) {
    (void)unused;
    slow_outside();
    unrelated_work(0, rounds);
    cancel_timer();
    unrelated_work(0, rounds);
    return NULL;
}

int main(int argc, char **argv) {
    static int numbers[MAX_UPDATERS];
    int updaters = size_argument(argc, argv, 1, 1, 1, MAX_UPDATERS);
    rounds = size_argument(argc, argv, 2, 2, 0, MAX_ROUNDS);
    pthread_t threads[MAX_UPDATERS], cancel_thread;
    struct timer *timer = calloc(1, sizeof *timer);
    if (!timer) abort();
    atomic_store(&current_timer, timer);
    for (int i = 0; i < updaters; i++) {
        numbers[i] = i + 1;
        pthread_create(&threads[i], NULL, updater, &numbers[i]);
    }
    pthread_create(&cancel_thread, NULL, canceller, NULL);
    for (int i = 0; i < updaters; i++) pthread_join(threads[i], NULL);
    pthread_join(cancel_thread, NULL);
    assert(atomic_load(&updates) <= updaters);
    puts("cancelled");
    return 0;
}
