/* A work-stealing deque (owner at the bottom, thieves at the top) that forgets to settle the race for the last item.
 *
 * Bug (assert in run_task): one task is left; the owner lowers bottom and reads top; the thief reads top and bottom
 * (before the owner's store), both take the same task, and it runs twice.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { TASKS = 3, NONE = -1 };

static struct deque {
    atomic_int top, bottom;
    atomic_int items[TASKS];
} deque;

static atomic_int runs[TASKS];

static void push(struct deque *d, int task) {
    int bottom = atomic_load(&d->bottom);
    atomic_store(&d->items[bottom], task);
    atomic_store(&d->bottom, bottom + 1);
}

static int pop(struct deque *d) {
    int bottom = atomic_load(&d->bottom) - 1;
    atomic_store(&d->bottom, bottom);
    int top = atomic_load(&d->top);
    if (top > bottom) {
        atomic_store(&d->bottom, top);
        return NONE;
    }
    return atomic_load(&d->items[bottom]);
}

static int steal(struct deque *d) {
    int top = atomic_load(&d->top);
    if (top >= atomic_load(&d->bottom)) return NONE;
    int task = atomic_load(&d->items[top]);
    return atomic_compare_exchange_strong(&d->top, &top, top + 1) ? task : NONE;
}

static void run_task(int task) {
    int before = atomic_fetch_add(&runs[task], 1);
    assert(before == 0);
}

static void *thief(void *unused) {
    (void)unused;
    for (int attempts = 0; attempts < 2; attempts++) {
        int task = steal(&deque);
        if (task != NONE) run_task(task);
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (int task = 0; task < TASKS; task++) push(&deque, task);
    pthread_create(&thread, NULL, thief, NULL);
    for (int task; (task = pop(&deque)) != NONE;) run_task(task);
    pthread_join(thread, NULL);
    puts("all tasks done");
    return 0;
}
