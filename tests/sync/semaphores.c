/* Unnamed semaphores around a ring, and a named one that two threads open by its name. Names begin anew in
 * each execution: the name is not unlinked, yet must not exist. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "check.h"

enum { ITEMS = 4 };
static sem_t full, empty;
static int ring[2], sum, entered;
static char name[64];

static void *consume(void *unused) {
    (void)unused;
    for (int i = 0; i < ITEMS; i++) {
        while (sem_wait(&full)) CHECK(errno == EINTR);
        sum += ring[i % 2];
        CHECK(sem_post(&empty) == 0);
    }
    sem_t *named = sem_open(name, O_CREAT, 0600, 1);
    CHECK(named != SEM_FAILED);
    CHECK(sem_wait(named) == 0);
    entered++;
    CHECK(sem_post(named) == 0);
    CHECK(sem_close(named) == 0);
    return NULL;
}

int main(void) {
    int value;
    pthread_t thread;
    snprintf(name, sizeof name, "/ravel-sync-%d", (int)getpid());
    CHECK(sem_init(&full, 0, 0) == 0 && sem_init(&empty, 0, 2) == 0);
    CHECK(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
    CHECK(pthread_create(&thread, NULL, consume, NULL) == 0);
    for (int i = 0; i < ITEMS; i++) {
        while (sem_wait(&empty)) CHECK(errno == EINTR);
        ring[i % 2] = i;
        CHECK(sem_post(&full) == 0);
    }
    sem_t *named = sem_open(name, O_CREAT, 0600, 1);
    CHECK(named != SEM_FAILED);
    CHECK(sem_wait(named) == 0);
    entered++;
    CHECK(sem_post(named) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(sum == 6 && entered == 2);
    CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    CHECK(sem_getvalue(named, &value) == 0 && value == 1);
    CHECK(sem_trywait(&full) == -1 && errno == EAGAIN);
    CHECK(sem_close(named) == 0);
    if (!getenv("RAVEL_CHANNEL")) sem_unlink(name); /* by hand it is a real one */
    CHECK(sem_destroy(&full) == 0 && sem_destroy(&empty) == 0);
    return 0;
}
