/* A named semaphore as a start permit: a latecomer finds the permit count already tested by somebody else.
 *
 * Bug (deadlock in runner): each runner reads the value and believes that a positive value is its own permit; both
 * see 1, both wait, one of them for ever.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static sem_t *permits;
static atomic_int finished, turned_away;

static void *runner(void *unused) {
    (void)unused;
    int value;
    sem_getvalue(permits, &value);
    if (value <= 0) {
        atomic_fetch_add(&turned_away, 1);
        return NULL;
    }
    sem_wait(permits);
    atomic_fetch_add(&finished, 1);
    return NULL;
}

static sem_t *open_permits(unsigned count) {
    char name[64];
    snprintf(name, sizeof name, "/ravel-corpus-%d", (int)getpid());
    sem_t *semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, count);
    if (semaphore != SEM_FAILED) sem_unlink(name);
    return semaphore;
}

int main(void) {
    pthread_t runners[2];
    permits = open_permits(1);
    if (permits == SEM_FAILED) {
        perror("sem_open");
        return 1;
    }
    for (int i = 0; i < 2; i++) pthread_create(&runners[i], NULL, runner, NULL);
    for (int i = 0; i < 2; i++) pthread_join(runners[i], NULL);
    sem_close(permits);
    printf("%d finished, %d turned away\n", atomic_load(&finished), atomic_load(&turned_away));
    return 0;
}
