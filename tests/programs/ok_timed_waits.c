/* Everything that waits with a deadline: mutexes, read-write locks, semaphores, conditions on the monotonic clock,
 * joins. Each call may succeed or run out of time, and the program counts on neither: correct. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { SECONDS = 2 };

static struct station {
    pthread_mutex_t lock;
    pthread_rwlock_t timetable;
    pthread_cond_t arrived;
    sem_t platforms;
    int trains; /* under lock */
    int delay;  /* under timetable */
} station = {.lock = PTHREAD_MUTEX_INITIALIZER, .timetable = PTHREAD_RWLOCK_INITIALIZER};

static struct timespec after(clockid_t clock, long seconds) {
    struct timespec deadline;
    clock_gettime(clock, &deadline);
    deadline.tv_sec += seconds;
    return deadline;
}

static void station_init(struct station *s) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->arrived, &attributes);
    pthread_condattr_destroy(&attributes);
    sem_init(&s->platforms, 0, 1);
}

static void arrive(struct station *s) {
    pthread_mutex_lock(&s->lock);
    s->trains++;
    pthread_cond_broadcast(&s->arrived);
    pthread_mutex_unlock(&s->lock);
}

static void *express(void *arg) {
    struct station *s = arg;
    struct timespec deadline = after(CLOCK_REALTIME, SECONDS);
    int error = sem_timedwait(&s->platforms, &deadline) ? errno : 0;
    assert(error == 0 || error == ETIMEDOUT);
    arrive(s);
    if (error == 0) sem_post(&s->platforms);
    return NULL;
}

static void *dispatcher(void *arg) {
    struct station *s = arg;
    struct timespec deadline = after(CLOCK_MONOTONIC, SECONDS);
    int error = pthread_mutex_clocklock(&s->lock, CLOCK_MONOTONIC, &deadline);
    if (error == ETIMEDOUT) return NULL;
    assert(error == 0);
    while (!s->trains && error != ETIMEDOUT) error = pthread_cond_timedwait(&s->arrived, &s->lock, &deadline);
    if (error == ETIMEDOUT) { /* the deadline of the wait has passed: the clock must agree */
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert(now.tv_sec > deadline.tv_sec ||
               (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec));
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void *announcer(void *arg) {
    struct station *s = arg;
    struct timespec deadline = after(CLOCK_REALTIME, SECONDS);
    int error = pthread_rwlock_timedwrlock(&s->timetable, &deadline);
    if (error == 0) {
        s->delay += 5;
        pthread_rwlock_unlock(&s->timetable);
    }
    assert(error == 0 || error == ETIMEDOUT);
    error = pthread_rwlock_timedrdlock(&s->timetable, &deadline);
    if (error == 0) {
        assert(s->delay == 0 || s->delay == 5 || s->delay == 10);
        pthread_rwlock_unlock(&s->timetable);
    }
    return NULL;
}

static void join_patiently(pthread_t thread) {
    struct timespec deadline = after(CLOCK_REALTIME, SECONDS);
    int error = pthread_tryjoin_np(thread, NULL);
    if (error == EBUSY) error = pthread_timedjoin_np(thread, NULL, &deadline);
    if (error == ETIMEDOUT) error = pthread_join(thread, NULL);
    assert(error == 0);
}

int main(void) {
    void *(*const roles[])(void *) = {express, express, dispatcher, announcer, announcer};
    enum { THREADS = sizeof roles / sizeof *roles };
    pthread_t threads[THREADS];
    station_init(&station);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, roles[i], &station);
    for (int i = 0; i < THREADS; i++) join_patiently(threads[i]);
    assert(station.trains == 2 && station.delay % 5 == 0);
    assert(sem_destroy(&station.platforms) == 0);
    assert(pthread_cond_destroy(&station.arrived) == 0);
    return 0;
}
