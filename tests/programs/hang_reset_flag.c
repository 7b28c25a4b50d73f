/* A worker announces that it is up; the starter resets the flag after it has created the worker.
 *
 * Bug (hang in start_worker): the worker sets `up` before the starter's reset; the starter then spins for ever on a
 * flag that nobody sets again. The loop has no yield.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static struct worker {
    pthread_t thread;
    atomic_bool up;
    atomic_bool stop;
    int loops;
} worker;

static void *worker_main(void *arg) {
    struct worker *w = arg;
    atomic_store(&w->up, 1);
    while (!atomic_load(&w->stop)) w->loops++;
    return NULL;
}

static void start_worker(struct worker *w) {
    pthread_create(&w->thread, NULL, worker_main, w);
    atomic_store(&w->up, 0);
    while (!atomic_load(&w->up)) continue;
}

static void stop_worker(struct worker *w) {
    atomic_store(&w->stop, 1);
    pthread_join(w->thread, NULL);
}

int main(void) {
    start_worker(&worker);
    stop_worker(&worker);
    puts(worker.loops >= 0 ? "worked" : "overflow");
    return 0;
}
