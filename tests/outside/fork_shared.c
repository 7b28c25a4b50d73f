/* Parent and child meet in shared memory: semaphores between processes, and a mutex. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static struct shared {
    sem_t to_child, to_parent;
    pthread_mutex_t lock;
    int sum;
} * shared;

static void add(int n) {
    CHECK(pthread_mutex_lock(&shared->lock) == 0);
    shared->sum += n;
    CHECK(pthread_mutex_unlock(&shared->lock) == 0);
}

static void wait_for(sem_t *semaphore) {
    while (sem_wait(semaphore)) CHECK(errno == EINTR);
}

static void *worker(void *unused) {
    add(1);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    int status = 0;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    sem_init(&shared->to_child, 1, 0);
    sem_init(&shared->to_parent, 1, 0);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &attributes);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        wait_for(&shared->to_child);
        add(10);
        sem_post(&shared->to_parent);
        _exit(0);
    }
    add(100);
    sem_post(&shared->to_child);
    wait_for(&shared->to_parent);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(shared->sum == 111);
    return 0;
}
