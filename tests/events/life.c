/* start@, end@, block@, unblock@, blocked@; threads that sleep; threads that are left.
 *
 * two: end@first -> start@second => ok
 * two: end@second -> start@first => ok
 * two: start@first -> start@second, start@second -> end@first => ok
 * two: end@first -> start@second, end@second -> end@first => schedule: infeasible: end@first in thread 1 .first. waits for end@second .has not happened.*start@second in thread 2
 * two: end@third -> start@second => schedule: infeasible: start@second .* waits for end@third .no thread is called third
 * two: end@first && end@second -> end@main => ok
 * sleeper: asleep -> after => ok
 * sleeper: [asleep] -> after => schedule: infeasible: event after in thread 0 .main. waits for .asleep. .has happened, but its thread is not blocked
 * waiter: blocked@waiter -> posting => ok
 * waiter: [waiting] -> posting => ok
 * waiter: block@waiter -> posting, unblock@waiter -> done => ok
 * waiter: [waiting] -> posting, done -> block@waiter => schedule: violated: block of thread 1 came before done .has not happened., by ..done -> block@waiter
 * waiter: !blocked@waiter -> posting => ok
 * waiter: [waiting] && !blocked@waiter -> posting => schedule: infeasible: event posting in thread 0 .main. waits for
 * timed: [waiting] -> posting => ok
 * leaves: => misuse: test leaves left thread 1.* running
 * leaves: end@leftover -> end@main => ok
 * watched: => ok
 * watched: began -> went_on => ok
 * exits: before -> inside => ok
 * exits: inside -> after => schedule: never happened: after
 */
#include <pthread.h>
#include <ravel.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static int order[2], count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;

static void note(int number) {
    pthread_mutex_lock(&lock);
    if (count < 2) order[count++] = number;
    pthread_mutex_unlock(&lock);
}

static void *first(void *unused) {
    RAVEL_THREAD(first);
    note(1);
    return unused;
}

static void *second(void *unused) {
    RAVEL_THREAD(second);
    note(2);
    return unused;
}

RAVEL_TEST(two) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    RAVEL_ASSERT_EQ(order[0] + order[1], 3);
}

static void *sleeps(void *unused) {
    RAVEL_EVENT(asleep);
    sleep(1000);
    return unused;
}

RAVEL_TEST(sleeper) {
    pthread_t thread;
    pthread_create(&thread, NULL, sleeps, NULL);
    RAVEL_EVENT(after);
    pthread_join(thread, NULL);
}

static void *waits(void *timed) {
    RAVEL_THREAD(waiter);
    RAVEL_EVENT(waiting);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1000;
    while (timed ? sem_timedwait(&semaphore, &until) : sem_wait(&semaphore)) {}
    RAVEL_EVENT(done);
    return NULL;
}

static void wait_and_post(void *timed) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, waits, timed);
    RAVEL_EVENT(posting);
    sem_post(&semaphore);
    pthread_join(thread, NULL);
}

RAVEL_TEST(waiter) { wait_and_post(NULL); }
RAVEL_TEST(timed) { wait_and_post(&semaphore); }

static void *leftover(void *unused) {
    RAVEL_THREAD(leftover);
    sem_wait(&semaphore);
    return unused;
}

RAVEL_TEST(leaves) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, leftover, NULL);
    pthread_detach(thread);
    if (ravel_schedule() || !ravel_active()) return;
    sem_post(&semaphore);
}

static void *inside(void *unused) {
    RAVEL_EVENT(inside);
    return unused;
}

RAVEL_TEST(exits) {
    pthread_t thread;
    RAVEL_EVENT(before);
    pthread_create(&thread, NULL, inside, NULL);
    pthread_join(thread, NULL);
    exit(0);
}

static void *begins(void *unused) {
    RAVEL_EVENT(began);
    return unused;
}

/* An alarm against a test that hangs is no thread that it leaves behind. */
RAVEL_TEST(watched) {
    pthread_t thread;
    alarm(10);
    pthread_create(&thread, NULL, begins, NULL);
    RAVEL_EVENT(went_on);
    pthread_join(thread, NULL);
}

RAVEL_MAIN
