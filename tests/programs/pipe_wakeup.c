/* The self-pipe trick: a poster writes a byte only if the sleeper has said that it sleeps.
 *
 * Bug (deadlock in next_job): the sleeper finds no job; the poster adds one, sees `sleeping` not set yet and writes
 * nothing; the sleeper sets `sleeping` and blocks in read for ever.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { JOBS = 3 };

static int wake[2];
static atomic_int posted;
static atomic_bool sleeping;

static void post_job(void) {
    atomic_fetch_add(&posted, 1);
    if (atomic_exchange(&sleeping, 0)) {
        char byte = 'w';
        if (write(wake[1], &byte, 1) != 1) perror("write");
    }
}

static void next_job(int number) {
    while (atomic_load(&posted) <= number) {
        atomic_store(&sleeping, 1);
        char byte;
        if (read(wake[0], &byte, 1) != 1) perror("read");
    }
}

static void *work(void *done) {
    for (int number = 0; number < JOBS; number++) {
        next_job(number);
        ++*(int *)done;
    }
    return NULL;
}

int main(void) {
    pthread_t worker;
    int done = 0;
    if (pipe(wake)) return 1;
    pthread_create(&worker, NULL, work, &done);
    for (int i = 0; i < JOBS; i++) post_job();
    pthread_join(worker, NULL);
    close(wake[0]);
    close(wake[1]);
    printf("%d jobs\n", done);
    return 0;
}
