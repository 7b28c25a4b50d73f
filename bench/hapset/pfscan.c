/* A parallel file scanner: main lists the files, workers search them for a word.
 *
 * Original: pfscan 1.0 (find, xargs and fgrep in one) with an order violation that the authors of the paper injected:
 * `aworkers`, the number of active workers, is initialised too late, and main may wait for ever.
 *
 * Bug (deadlock): main starts the workers, lists the files and closes the list; only then it sets `active_workers`. If
 * a worker has found the list at its end before, its decrement is overwritten; main waits for a count of 0 that never
 * comes. Main must be preempted between closing the list and setting the count, for long enough for one worker to
 * finish.
 *
 * Parameters: WORKERS (1 to 8; default 2), FILES (default 3).
 */
#include "subject.h"
#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_WORKERS = 8, MAX_FILES = 16 };

static const char *const contents[] = {"the quick brown fox", "jumps over the needle",
                                       "a needle in a haystack", "nothing at all"};

static struct path_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int files[MAX_FILES];
    int first, end;
    bool closed;
} paths = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t all_left;
    int active_workers;
} work = {.lock = PTHREAD_MUTEX_INITIALIZER, .all_left = PTHREAD_COND_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    int files, matches;
} result = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void queue_put(struct path_queue *q, int file) {
    pthread_mutex_lock(&q->lock);
    q->files[q->end++] = file;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static void queue_close(struct path_queue *q) {
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static bool queue_take(struct path_queue *q, int *file) {
    pthread_mutex_lock(&q->lock);
    while (q->first == q->end && !q->closed) pthread_cond_wait(&q->changed, &q->lock);
    bool found = q->first < q->end;
    if (found) *file = q->files[q->first++];
    pthread_mutex_unlock(&q->lock);
    return found;
}

static void *worker(void *unused) {
    (void)unused;
    for (int file; queue_take(&paths, &file);) {
        bool match = strstr(contents[file % 4], "needle") != NULL;
        pthread_mutex_lock(&result.lock);
        result.files++;
        result.matches += match;
        pthread_mutex_unlock(&result.lock);
    }
    pthread_mutex_lock(&work.lock);
    work.active_workers--;
    pthread_cond_signal(&work.all_left);
    pthread_mutex_unlock(&work.lock);
    return NULL;
}

int main(int argc, char **argv) {
    int workers = size_argument(argc, argv, 1, 2, 1, MAX_WORKERS);
    int files = size_argument(argc, argv, 2, 3, 1, MAX_FILES);
    pthread_t threads[MAX_WORKERS];
    for (int i = 0; i < workers; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < files; i++) queue_put(&paths, i);
    queue_close(&paths);

    pthread_mutex_lock(&work.lock);
    work.active_workers = workers; /* too late: belongs before the first pthread_create */
    while (work.active_workers != 0) pthread_cond_wait(&work.all_left, &work.lock);
    pthread_mutex_unlock(&work.lock);
    for (int i = 0; i < workers; i++) pthread_join(threads[i], NULL);
    assert(result.files == files);
    printf("%d of %d files match\n", result.matches, result.files);
    return 0;
}
