/* Events that happen more than once, by count; several schedules for a test; events of the same name in two threads.
 *
 * loop: put#1 -> take#1, put#2 -> take#2, put#3 -> take#3 => ok
 * loop: take#1 -> put#2, take#2 -> put#3, put#1 -> take#1, put#2 -> take#2, put#3 -> take#3 => ok
 * loop: take#3 -> put#1 => ok
 * loop: put#4 -> take#2 => schedule: infeasible: event take in thread 0 .main. waits for put#4 .3 so far., by ..put#4 -> take#2
 * loop: put#3 -> take#4 => schedule: never happened: take#4 .it happened 3 times
 * loop: put#3@main -> take => schedule: infeasible: event take .* waits for put#3@main .has not happened
 * loop: put#3@putter -> take => ok
 * loop: put#2 || take#2 -> take#3 => ok
 * loop: put && put#2 && (put#3 || take#3) -> take => ok
 * loop: !put -> take#3 => schedule: infeasible: event take in thread 0 .main. waits for !put .it has happened
 * loop: !put -> take#3, take#3 -> put => ok
 * same: said@one -> said@two => ok
 * same: said@two -> said@one => ok
 * same: said#2 -> finish => ok
 */
#include <pthread.h>
#include <ravel.h>

static void *putter(void *unused) {
    RAVEL_THREAD(putter);
    for (int i = 0; i < 3; i++) RAVEL_EVENT(put);
    return unused;
}

RAVEL_SCHEDULE(loop, "together", "put#1 -> take#1, put#2 -> take#2");
RAVEL_SCHEDULE(loop, "before", "put#3 -> take#1");
RAVEL_TEST(loop) {
    pthread_t thread;
    pthread_create(&thread, NULL, putter, NULL);
    for (int i = 0; i < 3; i++) RAVEL_EVENT(take);
    pthread_join(thread, NULL);
}

static void *one(void *unused) {
    RAVEL_THREAD(one);
    RAVEL_EVENT(said);
    return unused;
}

static void *two(void *unused) {
    RAVEL_THREAD(two);
    RAVEL_EVENT(said);
    return unused;
}

RAVEL_TEST(same) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    RAVEL_EVENT(finish);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

RAVEL_MAIN
