/* The Chase-Lev work-stealing deque over a fixed buffer; the last item is settled by compare-and-swap: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { TASKS = 4, NONE = -1, RETRY = -2 };

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
        atomic_store(&d->bottom, bottom + 1);
        return NONE;
    }
    int task = atomic_load(&d->items[bottom]);
    if (top == bottom) {
        if (!atomic_compare_exchange_strong(&d->top, &top, top + 1)) task = NONE;
        atomic_store(&d->bottom, bottom + 1);
    }
    return task;
}

static int steal(struct deque *d) {
    int top = atomic_load(&d->top);
    if (top >= atomic_load(&d->bottom)) return NONE;
    int task = atomic_load(&d->items[top]);
    return atomic_compare_exchange_strong(&d->top, &top, top + 1) ? task : RETRY;
}

static void run_task(int task) {
    int before = atomic_fetch_add(&runs[task], 1);
    assert(before == 0);
}

static void *thief(void *unused) {
    (void)unused;
    for (int attempts = 0; attempts < 2; attempts++) {
        int task = steal(&deque);
        if (task >= 0) run_task(task);
    }
    return NULL;
}

int main(void) {
    pthread_t thieves[2];
    for (int i = 0; i < 2; i++) pthread_create(&thieves[i], NULL, thief, NULL);
    for (int task = 0; task < TASKS; task++) push(&deque, task);
    for (int task; (task = pop(&deque)) != NONE;) run_task(task);
    for (int i = 0; i < 2; i++) pthread_join(thieves[i], NULL);
    for (int task = 0; task < TASKS; task++) assert(atomic_load(&runs[task]) == 1);
    return 0;
}
