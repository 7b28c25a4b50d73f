/* A watchdog on a worker: after 5 seconds without a sign of life it declares the worker dead and takes its job over.
 *
 * Bug (double-free in job_finish, only if the watchdog's time expires): the watchdog gives up just as the worker
 * finishes; both finish the job.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct job {
    int steps;
};

static sem_t alive;
static struct job *job;
static atomic_int finished_jobs;

static void job_finish(struct job *finished) {
    free(finished);
    atomic_fetch_add(&finished_jobs, 1);
}

static void *worker(void *arg) {
    struct job *mine = arg;
    for (int i = 0; i < 3; i++) mine->steps++;
    job_finish(mine);
    sem_post(&alive);
    return NULL;
}

static int wait_alive(int seconds) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += seconds;
    while (sem_timedwait(&alive, &deadline)) {
        if (errno == EINTR) continue;
        return errno;
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    sem_init(&alive, 0, 0);
    job = calloc(1, sizeof *job);
    pthread_create(&thread, NULL, worker, job);
    if (wait_alive(5) == ETIMEDOUT) {
        pthread_join(thread, NULL);
        job_finish(job);
    } else {
        pthread_join(thread, NULL);
    }
    sem_destroy(&alive);
    printf("%d finished\n", atomic_load(&finished_jobs));
    return 0;
}
