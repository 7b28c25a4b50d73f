/* The paper's example:
 *
 * put_take/paper: finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2 => ok
 * put_take/paper: => assert: before_add2 == 0 does not hold: before_add2 is 1 .thread 0, main
 * put_take: startingAdd2 -> finishedAdd1 => schedule: infeasible: event finishedAdd1 in thread 0 .main. waits for startingAdd2 .has not happened., by ..startingAdd2 -> finishedAdd1
 * put_take: [startingTake2] -> startingTake1, [startingTake2] -> startingAdd2 => schedule: infeasible: event startingAdd2 .*; event startingTake1 in thread 1 .consumer. waits for .startingTake2. .has not happened.
 * put_take: [finishedAdd1] -> startingTake1, [startingTake2] -> startingAdd2 => schedule: infeasible: .*.finishedAdd1. .has happened, but its thread is not blocked
 * put_take: !finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2, start@consumer && finishedAdd1 -> startingAdd2 => schedule: infeasible: .*!finishedAdd1 .it has happened.
 * put_take: [startingTake2] -> startingAdd2, finishedAdd1 -> startngTake1 => schedule: never happened: startngTake1 .did you mean startingTake1
 * put_take: [startingTake2] -> startingAdd2, finishedAdd1 -> startingTake1@main => schedule: never happened: startingTake1@main .startingTake1 happened, but in no thread called main
 * put_take: [startingTake2] -> startingAdd2, finishedAdd1 -> startingTake1#2 => schedule: never happened: startingTake1#2 .it happened 1 time
 * put_take: [startingTake2] -> startingAdd2, finishedAdd1 -> end@consumr => schedule: never happened: end@consumr
 * put_tak: => schedule: test put_tak did not run
 * : => assert: before_add2
 * : [startingTake2] -> startingAdd2 => ok
 */
#include "queue.h"

static struct queue queue = QUEUE_INITIALIZER;
static int before_add2 = -1;

static void *consumer(void *unused) {
    RAVEL_THREAD(consumer);
    RAVEL_EVENT(startingTake1);
    RAVEL_ASSERT_EQ(take(&queue), 1);
    RAVEL_EVENT(startingTake2);
    RAVEL_ASSERT_EQ(take(&queue), 2);
    return unused;
}

/* ravel_schedule() tells the label that --test=put_take:LABEL gave, only there. */
static void check_label(void) {
    const char *label = ravel_schedule();
    RAVEL_ASSERT(!label || strcmp(label, "paper") == 0);
}

RAVEL_SCHEDULE(put_take, "paper", "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2");
RAVEL_TEST(put_take) {
    pthread_t thread;
    check_label();
    pthread_create(&thread, NULL, consumer, NULL);
    add(&queue, 1);
    RAVEL_EVENT(finishedAdd1);
    RAVEL_EVENT(startingAdd2);
    pthread_mutex_lock(&queue.lock);
    before_add2 = queue.count;
    pthread_mutex_unlock(&queue.lock);
    RAVEL_ASSERT_EQ(before_add2, 0);
    add(&queue, 2);
    pthread_join(thread, NULL);
}

RAVEL_MAIN
