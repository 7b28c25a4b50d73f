/* A detached reporter that uses its job after it has said that it is finished with it.
 *
 * Bug (use-after-free in reporter): the reporter posts `sent`; main frees the job and goes on; the reporter then
 * reads job->id for its last line.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int id;
    int bytes;
};

static sem_t sent, gone;
static atomic_int last_id;

static void send_report(const struct job *job) { atomic_store(&last_id, job->id * 100 + job->bytes); }

static void *reporter(void *arg) {
    struct job *job = arg;
    send_report(job);
    sem_post(&sent);
    atomic_store(&last_id, job->id);
    sem_post(&gone);
    return NULL;
}

static int report_in_background(int id) {
    struct job *job = malloc(sizeof *job);
    pthread_attr_t attributes;
    pthread_t thread;
    *job = (struct job){.id = id, .bytes = 7};
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, reporter, job);
    pthread_attr_destroy(&attributes);
    if (error) return error;
    sem_wait(&sent);
    free(job);
    return 0;
}

int main(void) {
    sem_init(&sent, 0, 0);
    sem_init(&gone, 0, 0);
    if (report_in_background(3)) return 1;
    sem_wait(&gone);
    printf("%d\n", atomic_load(&last_id));
    return 0;
}
