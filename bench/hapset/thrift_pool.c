/* The thread manager of a Thrift-like library: workers that take tasks from a queue, and a manager that starts them.
 *
 * Original: the concurrency package of Thrift's C++ library, a thin layer over mutexes and condition variables, had a
 * known deadlock; its stress test started hundreds of workers and tens of thousands of tasks to meet it. The paper uses
 * 2 to 5 workers with 5 tasks each.
 *
 * Bug (deadlock): the manager waits in manager_add_workers() until all workers are up. Workers count themselves under
 * the lock of the tasks; the last one then signals `workers_up` without the manager's lock. The manager reads the count
 * (one is missing) and is preempted before it waits; the last worker counts itself and signals, nobody hears it; the
 * manager waits for ever, and so do the workers, who have no tasks. It happens before the first task: a depth-first
 * search that works backwards from the end has all the orders of the tasks before it.
 *
 * Parameters: WORKERS (2 to 5; default 2), TASKS per worker (default 5).
 */
#include "subject.h"
#include <assert.h>
#include <stdbool.h>

enum { MAX_WORKERS = 5, MAX_TASKS = 10 };

static struct manager {
    pthread_mutex_t task_lock; /* over everything down to `stopping` */
    pthread_cond_t task_added;
    int tasks[MAX_WORKERS * MAX_TASKS];
    int first_task, end_task;
    int idle_workers;
    bool stopping;

    pthread_mutex_t worker_lock; /* the manager's: what it waits with for its workers */
    pthread_cond_t workers_up;
    atomic_int worker_count;
    int worker_maximum;
    pthread_t workers[MAX_WORKERS];
} manager = {.task_lock = PTHREAD_MUTEX_INITIALIZER,
             .task_added = PTHREAD_COND_INITIALIZER,
             .worker_lock = PTHREAD_MUTEX_INITIALIZER,
             .workers_up = PTHREAD_COND_INITIALIZER};

static atomic_int tasks_done;

/* Takes the next task; false when the manager stops and nothing is left. */
static bool worker_next_task(struct manager *m, int *task) {
    pthread_mutex_lock(&m->task_lock);
    while (m->first_task == m->end_task && !m->stopping) {
        m->idle_workers++;
        pthread_cond_wait(&m->task_added, &m->task_lock);
        m->idle_workers--;
    }
    bool found = m->first_task < m->end_task;
    if (found) *task = m->tasks[m->first_task++];
    pthread_mutex_unlock(&m->task_lock);
    return found;
}

static void *worker(void *arg) {
    struct manager *m = arg;
    pthread_mutex_lock(&m->task_lock);
    bool last = atomic_fetch_add(&m->worker_count, 1) + 1 == m->worker_maximum;
    pthread_mutex_unlock(&m->task_lock);
    if (last) pthread_cond_signal(&m->workers_up); /* worker_lock is missing */
    int task;
    while (worker_next_task(m, &task)) atomic_fetch_add(&tasks_done, task);
    return NULL;
}

static void manager_add_workers(struct manager *m, int count) {
    m->worker_maximum = count;
    for (int i = 0; i < count; i++) pthread_create(&m->workers[i], NULL, worker, m);
    pthread_mutex_lock(&m->worker_lock);
    while (atomic_load(&m->worker_count) != count) pthread_cond_wait(&m->workers_up, &m->worker_lock);
    pthread_mutex_unlock(&m->worker_lock);
}

static void manager_add_task(struct manager *m, int task) {
    pthread_mutex_lock(&m->task_lock);
    m->tasks[m->end_task++] = task;
    if (m->idle_workers > 0) pthread_cond_signal(&m->task_added);
    pthread_mutex_unlock(&m->task_lock);
}

static void manager_stop(struct manager *m) {
    pthread_mutex_lock(&m->task_lock);
    m->stopping = true;
    pthread_cond_broadcast(&m->task_added);
    pthread_mutex_unlock(&m->task_lock);
    for (int i = 0; i < m->worker_maximum; i++) pthread_join(m->workers[i], NULL);
}

int main(int argc, char **argv) {
    int workers = size_argument(argc, argv, 1, 2, 1, MAX_WORKERS);
    int tasks = size_argument(argc, argv, 2, 5, 1, MAX_TASKS);
    manager_add_workers(&manager, workers);
    for (int i = 0; i < workers * tasks; i++) manager_add_task(&manager, 1);
    manager_stop(&manager);
    assert(atomic_load(&tasks_done) == workers * tasks);
    puts("all tasks done");
    return 0;
}
