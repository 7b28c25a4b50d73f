/* A fork-join scheduler: every worker has a queue of its own with a lock, takes its newest task and steals the oldest of
 * others; tasks make new tasks; a count of unfinished tasks tells when all is over. Idle workers yield: correct. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WORKERS = 2, LEAVES = 4, QUEUE = 8 };

struct task {
    int first, last; /* a range of numbers to add up; longer ranges are split */
};

static struct worker {
    pthread_mutex_t lock;
    struct task *queue[QUEUE]; /* under lock: [oldest, newest) */
    int oldest, newest;
    unsigned random;
    int executed;
} workers[WORKERS];

static atomic_int unfinished, sum;

static void push(struct worker *w, int first, int last) {
    struct task *task = malloc(sizeof *task);
    *task = (struct task){first, last};
    atomic_fetch_add(&unfinished, 1);
    pthread_mutex_lock(&w->lock);
    assert(w->newest < QUEUE);
    w->queue[w->newest++] = task;
    pthread_mutex_unlock(&w->lock);
}

static struct task *take(struct worker *w, bool own) {
    struct task *task = NULL;
    if (own)
        pthread_mutex_lock(&w->lock);
    else if (pthread_mutex_trylock(&w->lock))
        return NULL;
    if (w->oldest < w->newest) task = own ? w->queue[--w->newest] : w->queue[w->oldest++];
    pthread_mutex_unlock(&w->lock);
    return task;
}

static struct task *steal(struct worker *thief) {
    struct worker *victim = &workers[(unsigned)rand_r(&thief->random) % WORKERS];
    return victim == thief ? NULL : take(victim, false);
}

static void execute(struct worker *w, struct task *task) {
    if (task->first == task->last) {
        atomic_fetch_add(&sum, task->first);
    } else {
        int middle = (task->first + task->last) / 2;
        push(w, task->first, middle);
        push(w, middle + 1, task->last);
    }
    free(task);
    w->executed++;
    atomic_fetch_sub(&unfinished, 1);
}

static void *work(void *arg) {
    struct worker *w = arg;
    while (atomic_load(&unfinished)) {
        struct task *task = take(w, true);
        if (!task) task = steal(w);
        if (task)
            execute(w, task);
        else
            sched_yield();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[WORKERS];
    int executed = 0;
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_mutex_init(&workers[i].lock, NULL);
        workers[i].random = i + 1;
    }
    push(&workers[0], 1, LEAVES);
    for (int i = 0; i < WORKERS; i++) pthread_create(&threads[i], NULL, work, &workers[i]);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        executed += workers[i].executed;
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_mutex_destroy(&workers[i].lock); /* thieves have tried them to the end */
    assert(atomic_load(&sum) == LEAVES * (LEAVES + 1) / 2 && executed == 2 * LEAVES - 1);
    return 0;
}
